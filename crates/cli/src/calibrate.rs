//! `tradewind calibrate`: measures this host and writes its machine file. This module must never know how a calibration looks.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use lab::Specification;
use lab::calibrate::{self, Host};
use lab::specification::{NodeProcesses, native_world};
use report::document::Partial;
use report::{document, text};
use worlds::files;

use crate::app::App;
use crate::arguments::Calibrate;
use crate::asked::{hosting_of, node_processes, warn_of_build};
use crate::circumstances;
use crate::files::{draft, save, wrong};
use crate::interrupt;
use crate::print::{code, print, say};
use crate::problem::{All, Problem};
use crate::processes::runner;
use crate::progress::Progress;

/// The cores without which no message can be measured: one to send, one to answer.
const LEAST_CORES: u32 = 2;

/// The program that is advised for a first comparison of the host with its model, where the command has it.
const ADVISED: &str = "fetch-add";

/// Measures the host, writes its machine file, and shows the measured values.
pub(crate) fn calibrate(app: &App, arguments: &Calibrate, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let file = &arguments.out;
    let asked = (arguments.repeat.get(), arguments.output.page(), node_processes(&arguments.node_options));
    let ((rounds, page, processes), ()) = (asked.all(), may_write(file)).all()?;
    check(processes)?;
    let host = host(&app.name, processes)?;
    let runner = runner()?;
    warn_of_build(&app.name, true);
    let progress = Progress::begin(&app.name);
    progress.expect(calibrate::runs(host.cores, rounds));
    let tell = |run: &Specification, done: bool| match done {
        true => progress.step(),
        false => progress.start(run.brief()),
    };
    let stop = |signal| {
        progress.end();
        runner.stop();
        let partial = Partial::interrupted(signal, progress.count());
        say(&app.name, &format!("{partial}; nothing is written"));
    };
    let measured = interrupt::or_tell(|| calibrate::calibrate(&runner, &host, rounds, &tell), stop);
    progress.end();
    let calibration = measured.map_err(Problem::Failed)?;
    save(file, &calibrate::file(&calibration, &host))?;
    let found = document::Calibrate::new(&calibration, units::text::path(file), native_world(processes));
    let distances = calibrate::told(&calibration.distances);
    let program = app.programs.find(ADVISED).map_or("PROGRAM", |entry| entry.name);
    let advised = text::Advised { command: &app.name, program };
    let lines = |page: &_| text::calibrate(&found, &host.description, &distances, &advised, page);
    print(out, arguments.output.json, &page, &found, lines)?;
    Ok(code(!found.disturbed))
}

/// Checks that the two nodes of a message are in processes of their own, if in any.
fn check(processes: Option<NodeProcesses>) -> Result<(), Problem> {
    let Some(NodeProcesses { nodes_each, .. }) = processes else { return Ok(()) };
    if nodes_each > 1 {
        return Err(Problem::wrong(format!(
            "--nodes-per-process {nodes_each}: the two nodes of a measured message would be in one process: expected 1"
        )));
    }
    let run = Specification { processes, ..Specification::default() };
    hosting_of(&run).check(LEAST_CORES).map_err(|refusal| Problem::wrong(refusal.to_string()))
}

/// Whether the file may be written: a measured one may be measured again, but nothing else is lost.
fn may_write(path: &Path) -> Result<(), Problem> {
    draft(path)?;
    if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(());
    }
    // A file that cannot be read, is no text or is too long is no machine file.
    let text = files::read_text(path);
    if text.is_ok_and(|text| text.lines().any(|line| line.trim() == "[calibrated]")) {
        return Ok(());
    }
    Err(wrong(path, &"this file is there and is no calibrated machine file; expected another name"))
}

/// The host as machine files describe it.
fn host(name: &str, processes: Option<NodeProcesses>) -> Result<Host, Problem> {
    let cores = worlds::cores() as u32;
    if cores < LEAST_CORES {
        return Err(Problem::Failed(format!(
            "this host lets the command use {cores} core: a message needs {LEAST_CORES} to be measured"
        )));
    }
    Ok(Host {
        description: worlds::host(),
        cores,
        date: circumstances::today(),
        name: name.to_owned(),
        command: format!(
            "{name} {} calibrate{}",
            env!("CARGO_PKG_VERSION"),
            processes.map_or_else(String::new, |_| format!(" --world {}", native_world(processes)))
        ),
        pace: worlds::LOOKS_APART,
        processes,
    })
}
