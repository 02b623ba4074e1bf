//! `tradewind run`: one program, one machine, one policy.

use std::io::Write;
use std::process::ExitCode;

use crate::arguments::Run;
use crate::measure::{Setting, Subject};
use crate::numbers::Numbers;
use crate::page::Page;
use crate::trace_file::TraceFile;
use crate::{Problem, both, input, json, measure, names, target, text};

/// Runs and reports.
pub(crate) fn run(arguments: &Run, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let asked = both(
        names::policies(std::slice::from_ref(&arguments.policy)),
        Subject::find(common, arguments.mechanism.as_slice(), |entry| &entry.mechanisms[..1]),
    );
    let asked = both(measure::target(&arguments.machine, common), asked);
    let numbers = Numbers::of_run(arguments);
    let trace = check_trace(arguments, numbers.as_ref().map_or(1, |numbers| numbers.repeat));
    let (numbers, ((target, (policies, (subject, mechanisms))), ())) = both(numbers, both(asked, trace))?;
    let trace = arguments.trace.as_deref().map(TraceFile::create).transpose()?;
    let (nodes, processors) = target.shape();
    let setting = Setting {
        subject: &subject,
        target: &target,
        mechanism: *mechanisms.first().unwrap_or(&subject.entry.mechanisms[0]),
        nodes: numbers.nodes.unwrap_or(nodes),
        processors: numbers.processors.unwrap_or(processors),
        threads: numbers.threads,
        policy: policies.into_iter().next().expect("one text is one policy"),
        seed: numbers.seed,
        stall_limit: numbers.stall_limit,
        trace: trace.as_ref().map(TraceFile::recorder),
    };
    let measured = setting.measure(numbers.repeat);
    if let Some(trace) = trace.filter(|_| !matches!(measured, Err(Problem::Wrong(_)))) {
        trace.finish()?;
    }
    let measured = measured?;
    if common.json {
        json::write(out, &json::run(common, &setting, &measured))?;
    } else {
        text::run(out, &Page::find(numbers.width), &setting, &measured)?;
    }
    Ok(if measured.verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether there can be a trace as asked for: of one run, and not in the place of what the run reads.
fn check_trace(arguments: &Run, repeat: u32) -> Result<(), Problem> {
    let Some(path) = arguments.trace.as_deref() else { return Ok(()) };
    let runs = match repeat {
        0..=1 => Ok(()),
        more => Err(Problem::wrong(format!("--trace with --repeat {more}: expected one run"))),
    };
    let common = &arguments.common;
    let entry = programs::find(&common.program).ok();
    let mut read = entry.map_or(Vec::new(), |entry| input::files(entry, &common.inputs));
    read.extend(target::file(&arguments.machine));
    both(runs, TraceFile::check(path, &read)).map(|_| ())
}
