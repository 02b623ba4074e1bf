//! `tradewind run`: one program, one machine, one policy.

use std::io::Write;
use std::process::ExitCode;

use crate::arguments::Run;
use crate::measure::{Setting, Subject, target};
use crate::page::Page;
use crate::trace_file::TraceFile;
use crate::{Problem, both, json, names, text};

/// Runs and reports.
pub(crate) fn run(arguments: &Run, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let asked = both(
        names::policies(std::slice::from_ref(&arguments.policy)),
        Subject::find(common, arguments.mechanism.as_slice()),
    );
    let (target, (policies, (subject, mechanisms))) = both(target(&arguments.machine, common), asked)?;
    if arguments.trace.is_some() && arguments.repeat > 1 {
        return Err(Problem::wrong(format!("--trace with --repeat {}: expected one run", arguments.repeat)));
    }
    let trace = arguments.trace.as_deref().map(TraceFile::create).transpose()?;
    let (nodes, processors) = target.shape();
    let setting = Setting {
        subject: &subject,
        target: &target,
        mechanism: *mechanisms.first().unwrap_or(&subject.entry.mechanisms[0]),
        nodes: arguments.nodes.unwrap_or(nodes),
        processors: arguments.processors.unwrap_or(processors),
        threads: common.threads,
        policy: policies.into_iter().next().expect("one text is one policy"),
        seed: common.seed,
        stall_limit: common.stall_limit,
        trace: trace.as_ref().map(TraceFile::recorder),
    };
    let measured = setting.measure(arguments.repeat);
    if let Some(trace) = trace.filter(|_| !matches!(measured, Err(Problem::Wrong(_)))) {
        trace.finish()?;
    }
    let measured = measured?;
    if common.json {
        json::write(out, &json::run(common, &setting, &measured))?;
    } else {
        text::run(out, &Page::find(common.width), &setting, &measured)?;
    }
    Ok(if measured.verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
