//! `tradewind report`: results of studies, beside the literature, as one HTML file. This module must never run
//! anything, nor know how a report looks.
//!
//! | module | contents |
//! |---|---|
//! | `found` | results of studies: from the record, or from folders that `study` has written |

mod found;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use lab::claim::Role;
use lab::laboratory::Metrics;
use lab::{Claim, Finding, Laboratory, ledger};
use report::{document, html};
use worlds::Target;

use crate::app::App;
use crate::arguments::Report;
use crate::circumstances;
use crate::explain;
use crate::files;
use crate::own_files;
use crate::print::say;
use crate::problem::Problem;
use crate::study::Folder;
use found::Found;

/// The mark of a folder of pictures.
const PICTURES: &str = "report";

/// Draws and writes the report.
pub(crate) fn report(app: &App, arguments: &Report, out: &mut impl Write) -> Result<ExitCode, Problem> {
    // All mistakes are reported before anything is drawn.
    is_page(&arguments.out)?;
    own_files::folder(arguments.data.as_deref())?;
    let of_pictures = |problem: Problem| problem.of_option("--pictures");
    let folder = arguments.pictures.as_deref().map(|path| Folder::open(path, PICTURES)).transpose();
    let folder = folder.map_err(of_pictures)?;
    let found = found::all(app, arguments)?;
    let report = gathered(app, arguments, &found);
    files::save(&arguments.out, &report.page())?;
    if let Some(folder) = &folder {
        let pictures = report.pictures().into_iter();
        let drawn = pictures.map(|(name, picture)| (format!("{name}.svg"), plot::svg(&picture).into_bytes()));
        folder.write(&drawn.collect::<Vec<_>>()).map_err(of_pictures)?;
        say(
            &app.name,
            &format!("{} pictures in {}", report.pictures().len(), units::text::path(folder.path())),
        );
    }
    writeln!(out, "{}", units::text::path(&arguments.out))?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a path that is no page, or cannot be written.
fn is_page(path: &Path) -> Result<(), Problem> {
    files::draft(path)?;
    match files::is_page(path) {
        true => Ok(()),
        false => Err(files::wrong(path, &"expected a name that ends in .html")),
    }
}

/// The report of the results.
fn gathered(app: &App, arguments: &Report, found: &Found) -> html::Report {
    let mut machines: Vec<html::Machine> = Vec::new();
    let mut studies = Vec::new();
    for group in &found.groups {
        let laboratory = &group.laboratory;
        let metrics = laboratory.metrics_of(group.numbers());
        let names = group.machines();
        let findings = laboratory.findings(&[], &metrics, &fixing(&names));
        for study in &group.studies {
            let decided = laboratory.decided_by(study.of(laboratory));
            let own: Vec<Finding<'_>> =
                findings.iter().filter(|it| decided.contains(it.claim.id.as_str())).cloned().collect();
            let claims = document::Claim::all(laboratory, &own);
            let paper = paper(laboratory, &study.document.study);
            studies.push(html::Studied { study: study.document.clone(), paper, claims });
        }
        let known = machines.iter().map(|it| it.explain.machine.clone()).collect::<BTreeSet<_>>();
        let new = names.iter().filter_map(|name| machine(app, name, &findings, &metrics));
        machines.extend(new.filter(|it| !known.contains(&it.explain.machine)));
    }
    let stranger = |study: &document::Study| html::Studied {
        study: study.clone(),
        paper: None,
        claims: study.bounds.clone(),
    };
    studies.extend(found.strangers.iter().map(stranger));
    html::Report { command: command(app, arguments), made: circumstances::now(), studies, machines }
}

/// The paper that a study is after: its name begins with the first part of the ids of the paper's claims.
fn paper(laboratory: &Laboratory, study: &str) -> Option<html::Paper> {
    let of = |claim: &Claim| {
        let id = claim.id.split('.').next()?;
        let is_its = study.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        is_its.then(|| html::Paper { id: id.to_owned(), work: claim.work.clone() })
    };
    let papers = laboratory.claims().iter().filter(|claim| claim.role != Role::Bound).filter_map(of);
    papers.max_by_key(|paper| paper.id.len())
}

/// The command line that makes the report.
fn command(app: &App, arguments: &Report) -> String {
    let mut words = vec![app.name.clone(), "report".to_owned()];
    words.extend(arguments.of.iter().cloned());
    words.extend(["--out".to_owned(), units::text::path(&arguments.out)]);
    words.join(" ")
}

/// A machine of the report; `None` of this host, and of one whose file cannot be read any more.
fn machine(app: &App, name: &str, findings: &[Finding<'_>], metrics: &Metrics) -> Option<html::Machine> {
    let target = Target::find(name, &[]).ok()?;
    let Target::Model { machine, .. } = &target else { return None };
    let entry = ledger::entry(name, machine, findings, metrics);
    let fixed = document::Ledger::new(&[entry], std::iter::empty(), Vec::new(), None).machines.pop()?;
    Some(html::Machine { explain: explain::of_machine(app, &target, machine), fixed })
}

/// The claims that fixed values of these machines.
fn fixing(names: &BTreeSet<String>) -> BTreeSet<String> {
    let ids = |name: &String| match Target::find(name, &[]) {
        Ok(Target::Model { machine, .. }) => ledger::fixing(&machine).collect(),
        _ => Vec::new(),
    };
    names.iter().flat_map(ids).collect()
}
