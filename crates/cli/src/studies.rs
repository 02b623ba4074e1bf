//! The claims and studies that travel inside the command, or the claims of a folder, as one laboratory. This module
//! must never know their contents.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use lab::basis::Declarations;
use lab::specification::NodeProcesses;
use lab::survey::Survey;
use lab::{Claim, Laboratory, Mistakes, Study, basis, claim, declared, study, survey, tolerance};
use worlds::files;

use crate::own_files;
use crate::problem::Problem;
use crate::shipped::{BASIS, CAUSES, CLAIMS, STUDIES, SURVEYS, Shipped, TOLERANCES};

/// Reads everything, claims from the folder `claims` if there is one: they take the place of all that is stated in the command,
/// bounds of studies too. Files of a person are looked for in the folder `data`, else in the current one. The nodes of runs on this
/// host are in these processes.
pub(crate) fn laboratory(
    claims: Option<&Path>,
    data: Option<&Path>,
    processes: Option<NodeProcesses>,
) -> Result<Laboratory, Problem> {
    let mut studies = studies();
    studies.iter_mut().for_each(|study| own_files::look_in(data, study));
    studies.iter_mut().for_each(|study| study.run_in(processes));
    let absent: BTreeSet<_> =
        studies.iter().flat_map(own_files::absent).map(|file| file.name.clone()).collect();
    let claims = match claims {
        Some(folder) => {
            studies.iter_mut().for_each(|study| study.bounds.clear());
            claims_of(folder)?
        }
        None => self::claims(),
    };
    let laboratory = Laboratory::new(claims, studies, surveys(), tolerances()).map_err(problem)?;
    let declaring = laboratory.declaring(declarations());
    Ok(declaring.explaining(whole(&CAUSES, declared::causes)).without(absent))
}

/// The laboratory of one study, with the claims whose numbers its figures may show.
pub(crate) fn alone(
    claims: Vec<Claim>,
    study: Study,
    surveys: BTreeMap<String, Survey>,
) -> Result<Laboratory, Mistakes> {
    Ok(Laboratory::new(claims, vec![study], surveys, tolerances())?.declaring(declarations()))
}

/// Every shipped claim.
pub(crate) fn claims() -> Vec<Claim> {
    CLAIMS.iter().flat_map(shipped_claims).collect()
}

fn declarations() -> Declarations {
    whole(&BASIS, basis::read)
}

/// The shipped claims of one file.
pub(crate) fn shipped_claims(file: &Shipped) -> Vec<Claim> {
    whole(file, claim::read)
}

/// The shipped studies.
pub(crate) fn studies() -> Vec<Study> {
    STUDIES.iter().map(|file| whole(file, study::read)).collect()
}

/// The shipped surveys, by their files relative to the studies.
pub(crate) fn surveys() -> BTreeMap<String, Survey> {
    SURVEYS.iter().map(|file| (file.name.to_owned(), whole(file, survey::read))).collect()
}

/// The shipped tolerances, which hold for studies of one's own too.
pub(crate) fn tolerances() -> Vec<tolerance::Tolerance> {
    whole(&TOLERANCES, tolerance::read)
}

fn whole<T>(file: &Shipped, read: fn(&str, &str) -> Result<T, Mistakes>) -> T {
    let text = str::from_utf8(file.bytes).expect("shipped texts are UTF-8");
    read(file.path, text).expect("shipped files of the laboratory are right: a test reads each")
}

/// Claims of every `*.toml` of a folder, in the order of their names; the mistakes of all of them at once.
fn claims_of(folder: &Path) -> Result<Vec<Claim>, Problem> {
    let wrong =
        |error: std::io::Error| Problem::wrong(format!("--claims {}: {error}", units::text::path(folder)));
    let mut files: Vec<_> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>())
        .map_err(wrong)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    if files.is_empty() {
        let expected = format!("--claims {}: expected a folder with files *.toml", units::text::path(folder));
        return Err(Problem::wrong(expected));
    }
    let (mut claims, mut mistakes) = (Vec::new(), Vec::new());
    for path in files {
        let name = units::text::path(&path);
        match files::read_text(&path) {
            Ok(text) => match claim::read(&name, &text) {
                Ok(read) => claims.extend(read),
                Err(found) => mistakes.extend(found.iter().map(ToString::to_string)),
            },
            Err(error) => mistakes.push(format!("{name}: {error}")),
        }
    }
    Problem::check(mistakes).map(|()| claims)
}

fn problem(mistakes: Mistakes) -> Problem {
    Problem::Wrong(mistakes.iter().map(ToString::to_string).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lab::drawing::Line;
    use lab::laboratory::Metrics;
    use lab::results::{Kept, Results};
    use lab::specification::FIGURES;
    use lab::study::Source;
    use lab::{Basis, Finding};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn everything_that_is_shipped_fits_together() {
        let laboratory = laboratory(None, None, None).unwrap();
        let (claims, bounds) = (194 + 331 + 534 + 161 + 240, 21 + 18 + 4 + 6 + 13 + 3);
        assert_eq!(laboratory.claims().len(), claims + bounds);
        assert_eq!(laboratory.strays(), [""; 0]);
        for (study, file) in laboratory.studies().iter().zip(STUDIES) {
            assert_eq!((study.name.as_str(), study.file.as_str()), (file.name, file.path));
        }
    }

    #[test]
    fn what_is_declared_to_follow_is_a_claim_of_which_no_expression_shows_it() {
        let (all, none) = (
            laboratory(None, None, None).unwrap(),
            laboratory(None, None, None).unwrap().declaring(Declarations::default()),
        );
        let is_shown = |finding: &&Finding<'_>| finding.basis == Some(Basis::Follows);
        let findings = none.findings(&[], &Metrics::default(), &BTreeSet::new());
        let shown: Vec<_> = findings.iter().filter(is_shown).map(|it| it.claim).collect();
        let Declarations { follows, substitutes, unreadable } = whole(&BASIS, basis::read);
        for beginning in [&follows, &substitutes, &unreadable].into_iter().flatten().flat_map(|it| &it.claims)
        {
            let mut named = all.claims().iter().filter(|claim| claim.is_under(beginning));
            assert!(named.any(|_| true), "no claim begins with {beginning}");
        }
        let is_declared =
            |claim: &&Claim| [&follows, &substitutes].into_iter().flatten().any(|it| it.is_of(claim));
        let twice: Vec<_> = shown.into_iter().filter(is_declared).map(|claim| claim.id.as_str()).collect();
        assert_eq!(twice, [""; 0], "expressions show already that these follow");
    }

    #[test]
    fn what_has_a_cause_is_a_claim() {
        let all = laboratory(None, None, None).unwrap();
        for beginning in whole(&CAUSES, declared::causes).iter().flat_map(|it| &it.claims) {
            let mut named = all.claims().iter().filter(|claim| claim.is_under(beginning));
            assert!(named.any(|_| true), "no claim begins with {beginning}");
        }
    }

    #[test]
    fn every_shipped_study_stands_alone() {
        for study in studies() {
            let name = study.name.clone();
            let alone = alone(claims(), study, surveys());
            assert!(alone.is_ok(), "{name}: {:#?}", alone.unwrap_err());
        }
    }

    /// Studies whose results are curves.
    const CURVES: [&str; 22] = [
        "alewife-bisection",
        "alewife-iccg",
        "alewife-latency",
        "alewife-messages",
        "fixed-floating-em3d",
        "fixed-floating-gauss",
        "fixed-floating-polling",
        "fixed-floating-programs",
        "fixed-floating-tomcatv",
        "pdq-cholesky",
        "pdq-configurations",
        "pdq-dispatch",
        "pdq-dispatch-queues",
        "pdq-em3d",
        "pdq-kernels",
        "pdq-saturation",
        "split-c-bandwidth",
        "split-c-conclusions",
        "split-c-polling",
        "split-c-programs",
        "widget-em3d",
        "widget-messages",
    ];

    /// An answer in which every number that a source keeps is 1. A family has three numbers.
    fn answer(source: &Source) -> Value {
        let mut answer = json!({});
        for mapping in &source.metrics {
            let ways = ["8", "64", "512"].map(|size| mapping.figure.fill(size));
            for way in &ways {
                // The names of a program's figures may have dots.
                let (at, rest) = match way.strip_prefix(FIGURES) {
                    Some(figure) => (&mut answer["report"]["figures"], vec![figure]),
                    None => (&mut answer, way.split('.').collect()),
                };
                *rest.into_iter().fold(at, |at, key| &mut at[key]) = json!(1);
            }
        }
        answer
    }

    #[test]
    fn the_figures_of_shipped_studies_are_whole() {
        let laboratory = laboratory(None, None, None).unwrap();
        let with_figures = laboratory.studies().iter().filter(|study| !study.figures.is_empty());
        let names: Vec<_> = with_figures.clone().map(|study| study.name.as_str()).collect();
        assert_eq!(names, CURVES);
        for study in with_figures {
            let kept: Vec<Kept> = study.sources.iter().map(|source| source.kept(&answer(source))).collect();
            let rounds: Vec<_> = kept.iter().map(|kept| vec![kept]).collect();
            for drawing in Results::new(&laboratory, study, &rounds).drawings() {
                let figure = format!("{}: {}", study.name, drawing.figure.name);
                assert!(drawing.figure.title.is_some(), "{figure} has no title");
                for panel in &drawing.panels {
                    let across = |line: &Line| -> Vec<_> {
                        let measured = line.points.iter().filter(|point| !point.up.is_empty());
                        measured.map(|point| point.across.clone()).collect()
                    };
                    let points = across(&panel.lines[0]);
                    assert!(points.len() >= 3, "{figure}, {}: {points:?}", panel.title);
                    for line in &panel.lines {
                        assert_eq!(across(line), points, "{figure}, {}, {}", panel.title, line.label);
                    }
                }
            }
        }
    }
}
