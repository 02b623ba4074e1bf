//! `tradewind run`: one program, one machine, one policy.

use std::io::Write;
use std::process::ExitCode;

use crate::arguments::Run;
use crate::measure::{Setting, Subject, target};
use crate::{Problem, both, json, text};

/// Runs and reports.
pub(crate) fn run(arguments: &Run, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let (target, subject) = both(target(&arguments.machine, common), Subject::find(common))?;
    let (nodes, processors) = target.shape();
    let setting = Setting {
        subject: &subject,
        target: &target,
        nodes: arguments.nodes.unwrap_or(nodes),
        processors: arguments.processors.unwrap_or(processors),
        threads: common.threads,
        policy: arguments.policy.clone(),
        seed: common.seed,
        stall_limit: common.stall_limit,
    };
    let measured = setting.measure(arguments.repeat)?;
    if common.json {
        json::write(out, &json::run(common, &setting, &measured))?;
    } else {
        text::run(out, &setting, &measured)?;
    }
    Ok(if measured.verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
