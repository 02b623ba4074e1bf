//! `tradewind run`: one program on one machine under one policy. This module must never know how a run looks.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use compare::Combination;
use tempest::entry::Entry;
use tempest::outcome::RunProgress;
use trace::Summary;
use units::Time;
use worlds::shape::AskedShape;
use worlds::{Error, Measuring, Repeat, Setting, TraceFile, Turn, inputs, machines};

use report::document::Partial;
use report::quantity::time;
use report::{Page, document, picture, quantity, text};

use crate::app::App;
use crate::arguments::Run;
use crate::asked::{EXPECTED, asked, hosting, instead, subject, target, warn, warn_of_build, with_blocks};
use crate::circumstances;
use crate::deferred::optional;
use crate::files;
use crate::host_limit;
use crate::interrupt;
use crate::print::{code, print, say};
use crate::problem::{All, Problem};
use crate::progress::Progress;

/// Default of the modelled time between samples of a trace.
const TRACE_INTERVAL: Time = Time::from_microseconds(10);

/// Does the run and prints its results.
pub(crate) fn run(app: &App, arguments: &Run, out: &mut (impl Write + Send)) -> Result<ExitCode, Problem> {
    let common = &arguments.common;
    let asked_for = (arguments.repeat.get(), common.output.page(), optional(&arguments.trace_interval));
    let setting = setting(app, arguments).and_then(|setting| {
        let alone =
            optional(&arguments.baseline)?.map(|baseline| Ok((baseline, setting.baseline(baseline)?)));
        Ok((setting, alone.transpose().map_err(|error: Error| Problem::from(error))?))
    });
    let ((repeat, page, interval), (), (setting, baseline)) =
        (asked_for.all(), check_trace(app, arguments), setting).all()?;
    if let Some(path) = &arguments.out {
        // A path that cannot be written is told before a long run, not after it.
        files::picture(path)?;
    }
    let trace = arguments.trace.as_deref().map(TraceFile::create).transpose()?;
    let interval = interval.unwrap_or(TRACE_INTERVAL);
    warn(&app.name, [&setting.target]);
    warn_of_build(&app.name, setting.target.is_native());
    let discard = || {
        if let Some(partial) = trace.as_ref().and_then(TraceFile::partial) {
            // A failure to remove it cannot be reported any more.
            let _ = fs::remove_file(partial);
        }
    };
    let is_disturbed = trace.is_some() && setting.target.is_native();
    let untraced = is_disturbed.then(|| untraced(&app.name, &setting, discard)).flatten();
    let partial = trace.as_ref().and_then(TraceFile::partial).map(Path::to_owned);
    let host_limit = Some(host_limit::within(&app.name, common.host_limit.get()?, partial));
    let recorder = trace.as_ref().map(|trace| trace.recorder().sampling(interval));
    let setting = Setting { trace: recorder, host_limit, ..setting };
    let measuring = setting.begin(repeat);
    measure(&app.name, &setting, &measuring, |partial| {
        discard();
        if let Ok(Some(ran)) = measuring.so_far() {
            let found = document::Run { partial: Some(partial), ..document(arguments, &setting, &ran) };
            let _ = show(arguments, &page, &found, out);
        }
    });
    let ran = measuring.so_far();
    let traced = trace.filter(|_| !matches!(ran, Err(Error::Wrong(_)))).map(TraceFile::finish).transpose();
    let ran = ran.map_err(|error| advised(error.into(), &setting))?.expect("nothing stopped it");
    let mut found = document(arguments, &setting, &ran);
    if let Some((name, alone)) = baseline {
        found.baseline = Some(document::Baseline::new(name.name(), &measured(app, &alone)?, &ran));
    }
    let picture = arguments.out.as_deref().map(|path| drawn(path, &found)).transpose()?;
    // Files that cannot be written take no result away.
    show(arguments, &page, &found, out)?;
    arguments.out.as_deref().zip(picture).map(|(path, svg)| files::save(path, &svg)).transpose()?;
    if let Some(summary) = traced? {
        let path = arguments.trace.as_deref().unwrap_or(Path::new(""));
        tell(&app.name, summary, path, untraced.map(|time| (time, ran.median().time)));
    }
    Ok(code(ran.verified() && found.baseline.is_none_or(|baseline| baseline.verified)))
}

/// Measures the baseline of a run, once.
pub(crate) fn measured(app: &App, alone: &Setting) -> Result<Combination, Problem> {
    let measuring = alone.begin(Repeat::Times(1));
    measure(&app.name, alone, &measuring, |_| ());
    Ok(measuring.so_far()?.expect("nothing stopped it"))
}

/// The time of the same run without a trace; `None` if it did not end well, which the run with a trace will tell too. If it is
/// interrupted, `stop` is called.
fn untraced(name: &str, setting: &Setting, stop: impl FnOnce() + Send) -> Option<Time> {
    let measuring = setting.begin(Repeat::Times(1));
    measure(name, setting, &measuring, |_| stop());
    Some(measuring.so_far().ok()??.median().time)
}

/// Runs a combination; says meanwhile, as the command of this name, how far it is. If it is interrupted, `stop` is called.
fn measure(name: &str, setting: &Setting, measuring: &Measuring, stop: impl FnOnce(Partial) + Send) {
    let progress = Progress::begin(name);
    if let Some(reached) = setting.progress.clone() {
        progress.watch(move || format!("{} modelled", time(reached.time().as_seconds() * 1e9)));
    }
    let mut done = 0;
    let way = format!(
        "{} by {} on {} under {}",
        setting.subject.entry.name,
        setting.mechanism,
        setting.target.label(),
        setting.policy
    );
    let step = |turn: Turn| {
        progress.expect(turn.all);
        (done..turn.done).for_each(|_| progress.step());
        done = turn.done;
        progress.start(way.clone());
        ControlFlow::Continue(())
    };
    let stop = |signal| {
        progress.end();
        let partial = Partial::interrupted(signal, progress.count());
        say(name, &partial.to_string());
        stop(partial);
    };
    interrupt::or_tell(|| measuring.run(step), stop);
}

/// The document of a combination's results.
fn document(arguments: &Run, setting: &Setting, ran: &Combination) -> document::Run {
    let is_native = setting.target.is_native();
    let found = document::Run::new(
        asked(&arguments.common, &setting.subject),
        &document::Setting {
            threads: setting.threads,
            seed: setting.seed,
            protocol: setting.subject.sharing.protocol.to_string(),
            block_bytes: setting.subject.sharing.block,
            place: setting.hosting.name().to_owned(),
        },
        setting.machine_shape(),
        &setting.target.described(),
        ran,
    );
    document::Run { circumstances: is_native.then(circumstances::now), ..found }
}

/// Prints the results of a combination.
fn show(arguments: &Run, page: &Page, found: &document::Run, out: &mut impl Write) -> Result<(), Problem> {
    let json = arguments.common.output.json;
    print(out, json, page, found, |page| text::run(found, page, worlds::cores(), arguments.all))?;
    Ok(out.flush()?)
}

/// The picture of a run, drawn for the file of this path.
fn drawn(path: &Path, found: &document::Run) -> Result<String, Problem> {
    let nothing = || {
        let program = &found.asked.program;
        let why = format!(
            "{program} has no curve to draw: expected a program such as traffic, or a modelled machine"
        );
        files::wrong(path, &why)
    };
    Ok(plot::svg(&picture::run(found).ok_or_else(nothing)?))
}

/// Takes part in the run that this command line asks for, as a process of it.
pub(crate) fn take_part(app: &App, arguments: &Run) -> Result<(), Problem> {
    Ok(setting(app, arguments)?.take_part()?)
}

/// The combination that the command line asks for, without a trace.
fn setting(app: &App, arguments: &Run) -> Result<Setting, Problem> {
    let common = &arguments.common;
    let mechanism = optional(&arguments.mechanism).map(|mechanism| mechanism.into_iter().collect());
    let target = target(&arguments.machine, &common.settings);
    let usual = |entry: &Entry| {
        let usual = target.as_ref().map_or(entry.mechanisms[0], |target| target.usual_mechanism(entry));
        vec![usual]
    };
    let subject = subject(app, common, mechanism, usual);
    let asked = (target, subject, optional(&arguments.policy));
    let size = (optional(&arguments.nodes), optional(&arguments.processors), optional(&common.threads));
    let rest = (common.seed.get(), optional(&common.stall_limit), common.host_limit.get());
    let ((target, (subject, mechanisms), policy), (nodes, processors, threads), rest, hosting) =
        (asked.all(), size.all(), rest.all(), hosting(&common.node_options)).all()?;
    let (seed, stall_limit, host_limit) = rest;
    let subject = with_blocks(subject, &common.memory, [&target]);
    let least = subject.instance.least();
    let shape = target.shape(AskedShape { nodes, processors }, least);
    let is_native = target.is_native();
    let mechanism = mechanisms.first().copied().unwrap_or_else(|| target.usual_mechanism(&subject.entry));
    let policy = policy.unwrap_or_else(|| target.usual_policy(mechanism));
    Ok(Setting {
        mechanism,
        subject,
        target,
        nodes: shape.nodes,
        processors: shape.processors,
        threads: threads.unwrap_or(least.threads),
        policy,
        seed,
        hosting,
        stall_limit,
        host_limit: Some(host_limit::within(&app.name, host_limit, None)),
        trace: None,
        progress: (!is_native).then(RunProgress::default),
    })
}

/// Adds to a refusal the combinations that the machine can run, if it names only the missing ability.
fn advised(problem: Problem, setting: &Setting) -> Problem {
    let Problem::Wrong(lines) = problem else { return problem };
    let Setting { subject, target, mechanism, policy, .. } = setting;
    let typed = |mechanism, policies: &str| format!("--mechanism {mechanism} with --policy {policies}");
    let is_unable = target.check(*mechanism, policy).is_err();
    let advice =
        is_unable.then(|| format!("; {}", instead(&subject.entry, target, (*mechanism, policy), typed)));
    let advice = advice.unwrap_or_default();
    let told = |line: String| if line.contains(EXPECTED) { line } else { format!("{line}{advice}") };
    Problem::Wrong(lines.into_iter().map(told).collect())
}

/// Checks that the requested trace is possible: of one run, and not in the place of a file that the run reads.
fn check_trace(app: &App, arguments: &Run) -> Result<(), Problem> {
    let Some(path) = arguments.trace.as_deref() else { return Ok(()) };
    let runs = match arguments.repeat.get() {
        Ok(Repeat::Times(1)) | Err(_) => Ok(()),
        Ok(Repeat::Times(more)) => {
            Err(Problem::wrong(format!("--trace with --repeat {more}: expected one run")))
        }
        Ok(Repeat::Auto) => Err(Problem::wrong("--trace with --repeat auto: expected one run")),
    };
    let common = &arguments.common;
    let entry = app.programs.find(&common.program).ok();
    let mut read = entry.map_or(Vec::new(), |entry| inputs::paths(entry, &common.inputs));
    read.extend(machines::file(&arguments.machine));
    (runs, TraceFile::check(path, &read).map_err(Problem::from)).all().map(drop)
}

/// Prints on standard error, in the name of command `name`, the extent of a trace. `times` are the times of the run without
/// it and with it, if the trace slowed the run.
fn tell(name: &str, summary: Summary, path: &Path, times: Option<(Time, Time)>) {
    let Summary { events, lost, bytes, .. } = summary;
    let mut text = format!("{events} events, {bytes} bytes in {}", units::text::path(path));
    if lost > 0 {
        text += &format!("; {lost} events found no place");
    }
    text += &times.map(|(untraced, traced)| slowed(untraced, traced)).unwrap_or_default();
    say(name, &format!("{text}; open it at https://ui.perfetto.dev"));
}

/// Slowdown of a run by its trace up to which it is not mentioned, as a ratio.
const MUCH: f64 = 1.5;

/// The slowdown of a run by its trace, if it was large.
fn slowed(untraced: Time, traced: Time) -> String {
    let [untraced, traced] = [untraced, traced].map(|time| time.as_seconds());
    if traced <= untraced * MUCH {
        return String::new();
    }
    let shown = quantity::duration(untraced);
    let times = traced / untraced;
    format!(
        "; the run before it, without a trace, took {shown}: with one, times are {times:.1} times as long"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_says_how_much_it_slowed_its_run() {
        let slowed = |traced| slowed(Time::from_microseconds(2000), Time::from_microseconds(traced));
        assert_eq!((slowed(1900), slowed(3000)), (String::new(), String::new()));
        assert_eq!(
            slowed(9000),
            "; the run before it, without a trace, took 2 ms: with one, times are 4.5 times as long"
        );
    }
}
