//! The claims and studies that travel inside the command, or the claims of a folder, as one laboratory. This module must
//! never know what is in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lab::{Claim, Laboratory, Mistakes, Study, claim, study, survey, tolerance};
use worlds::files;

use crate::problem::Problem;
use crate::shipped::{CLAIMS, STUDIES, SURVEYS, Shipped, TOLERANCES};

/// Reads everything, claims from this folder if there is one: they take the place of all that is stated in the command,
/// bounds of studies too.
pub(crate) fn laboratory(claims: Option<&Path>) -> Result<Laboratory, Problem> {
    let mut studies = studies();
    let claims = match claims {
        Some(folder) => {
            studies.iter_mut().for_each(|study| study.bounds.clear());
            claims_of(folder)?
        }
        None => CLAIMS.iter().flat_map(shipped_claims).collect(),
    };
    Laboratory::new(claims, studies, surveys(), tolerances()).map_err(problem)
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
pub(crate) fn surveys() -> BTreeMap<String, survey::Survey> {
    SURVEYS.iter().map(|file| (file.name.to_owned(), whole(file, survey::read))).collect()
}

fn tolerances() -> Vec<tolerance::Tolerance> {
    whole(&TOLERANCES, tolerance::read)
}

fn whole<T>(file: &Shipped, read: fn(&str, &str) -> Result<T, Mistakes>) -> T {
    let text = str::from_utf8(file.bytes).expect("shipped texts are UTF-8");
    read(file.path, text).expect("shipped files of the laboratory are right: a test reads each")
}

/// Every `*.toml` of a folder, in the order of their names; the mistakes of all of them at once.
fn claims_of(folder: &Path) -> Result<Vec<Claim>, Problem> {
    let wrong = |error: std::io::Error| Problem::wrong(format!("--claims {}: {error}", folder.display()));
    let mut files: Vec<_> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>())
        .map_err(wrong)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    if files.is_empty() {
        let expected = format!("--claims {}: expected a folder with files *.toml", folder.display());
        return Err(Problem::wrong(expected));
    }
    let (mut claims, mut mistakes) = (Vec::new(), Vec::new());
    for path in files {
        let name = path.display().to_string();
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
    use super::*;

    #[test]
    fn everything_that_is_shipped_fits_together() {
        let laboratory = laboratory(None).unwrap();
        let (claims, bounds) = (194 + 331 + 534 + 161 + 240, 21 + 18 + 4);
        assert_eq!(laboratory.claims().len(), claims + bounds);
        assert_eq!(laboratory.strays(), [""; 0]);
        for (study, file) in laboratory.studies().iter().zip(STUDIES) {
            assert_eq!((study.name.as_str(), study.file.as_str()), (file.name, file.path));
        }
    }
}
