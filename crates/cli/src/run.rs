//! `tradewind run`: one program, one machine, one policy.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use tempest::Policy;
use tempest::policy::PRESETS;
use trace::Summary;
use worlds::{Error, Setting, TraceFile, inputs, machines};

use crate::arguments::Run;
use crate::numbers::Numbers;
use crate::page::Page;
use crate::{House, Problem, both, interrupt, json, measure, names, target, text};

/// Runs and reports.
pub(crate) fn run(house: &House, arguments: &Run, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let asked = both(
        names::policies(std::slice::from_ref(&arguments.policy)),
        measure::find(house, common, arguments.mechanism.as_slice(), |entry| &entry.mechanisms[..1]),
    );
    let asked = both(target::find(&arguments.machine, &common.settings), asked);
    let numbers = Numbers::of_run(arguments);
    let trace = check_trace(house, arguments, numbers.as_ref().map_or(1, |numbers| numbers.repeat));
    let (numbers, ((target, (policies, (subject, mechanisms))), ())) = both(numbers, both(asked, trace))?;
    let trace = arguments.trace.as_deref().map(create).transpose()?;
    let (nodes, processors) = target.shape();
    let setting = Setting {
        mechanism: *mechanisms.first().unwrap_or(&subject.entry.mechanisms[0]),
        subject,
        target,
        nodes: numbers.nodes.unwrap_or(nodes),
        processors: numbers.processors.unwrap_or(processors),
        threads: numbers.threads,
        policy: policies.into_iter().next().expect("one text is one policy"),
        seed: numbers.seed,
        stall_limit: numbers.stall_limit,
        trace: trace.as_ref().map(TraceFile::recorder),
    };
    let measured = setting.measure(numbers.repeat, |_| ());
    if let Some(trace) = trace.filter(|_| !matches!(measured, Err(Error::Wrong(_)))) {
        tell(trace.finish()?, arguments.trace.as_deref().unwrap_or(Path::new("")));
    }
    let measured = measured.map_err(|error| advised(error.into(), &setting))?;
    if common.json {
        json::write(out, &json::run(common, &setting, &measured))?;
    } else {
        text::run(out, &Page::find(numbers.width), &setting, &measured)?;
    }
    Ok(if measured.verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// In what says already what to do instead.
const EXPECTED: &str = "expected ";

/// A refusal with what the machine can do instead, where it says only what is missing.
fn advised(problem: Problem, setting: &Setting) -> Problem {
    let Problem::Wrong(lines) = problem else { return problem };
    let advice = instead(setting).map(|instead| format!("; {instead}")).unwrap_or_default();
    let told = |line: String| if line.contains(EXPECTED) { line } else { format!("{line}{advice}") };
    Problem::Wrong(lines.into_iter().map(told).collect())
}

/// By which mechanism and under which policies the machine can run the program, if not as it was asked for.
fn instead(setting: &Setting) -> Option<String> {
    let Setting { subject, target, mechanism, policy, .. } = setting;
    target.check(*mechanism, policy).err()?;
    let others = subject.entry.mechanisms.iter().filter(|other| *other != mechanism);
    std::iter::once(mechanism).chain(others).find_map(|mechanism| {
        let can = |policy: Policy| target.check(*mechanism, &policy).is_ok();
        let names = PRESETS.iter().map(|preset| preset.name);
        let names: Vec<_> = names.filter(|name| name.parse().is_ok_and(can)).collect();
        let policies = names.join(", ");
        (!names.is_empty()).then(|| format!("expected --mechanism {mechanism} with --policy {policies}"))
    })
}

/// Whether there can be a trace as asked for: of one run, and not in the place of what the run reads.
fn check_trace(house: &House, arguments: &Run, repeat: u32) -> Result<(), Problem> {
    let Some(path) = arguments.trace.as_deref() else { return Ok(()) };
    let runs = match repeat {
        0..=1 => Ok(()),
        more => Err(Problem::wrong(format!("--trace with --repeat {more}: expected one run"))),
    };
    let common = &arguments.common;
    let entry = house.programs.find(&common.program).ok();
    let mut read = entry.map_or(Vec::new(), |entry| inputs::paths(entry, &common.inputs));
    read.extend(machines::file(&arguments.machine));
    both(runs, TraceFile::check(path, &read).map_err(Problem::from)).map(|_| ())
}

/// Opens the file of a trace. An interrupt removes what there is of it.
fn create(path: &Path) -> Result<TraceFile, Problem> {
    let trace = TraceFile::create(path)?;
    if let Some(doomed) = trace.partial().map(Path::to_path_buf) {
        // Once the file has its own name there is nothing under this one, and nothing to remove.
        let tidy = move || drop(fs::remove_file(&doomed));
        let wrong = |error: io::Error| Problem::wrong(format!("--trace {}: {error}", path.display()));
        interrupt::tidy_first(tidy).map_err(wrong)?;
    }
    Ok(trace)
}

/// Says on standard error what is in a trace.
fn tell(Summary { events, lost, bytes, .. }: Summary, path: &Path) {
    let mut text = format!("tradewind: {events} events, {bytes} bytes in {}", path.display());
    if lost > 0 {
        text += &format!("; {lost} events found no place");
    }
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr().lock(), "{text}; open it at https://ui.perfetto.dev");
}
