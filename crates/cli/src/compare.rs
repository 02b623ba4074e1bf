//! `tradewind compare`: one program by every mechanism under every policy on several machines, every answer checked, ranked.
//! This module must never know how a comparison looks.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use compare::free::failures;
use compare::{Free, Machine, Ranking, Way};
use report::document::Partial;
use report::text::View;
use report::{Page, document, html, picture, text};
use units::Time;
use worlds::shape::AskedShape;
use worlds::{Baseline, Compared, Comparing, Comparison, Ranges, Reference, Step, Target};

use crate::app::App;
use crate::arguments::Compare;
use crate::asked::{asked, hosting, subject, targets, warn, warn_of_build, with_blocks};
use crate::circumstances;
use crate::deferred::{distinct, every, optional};
use crate::files;
use crate::host_limit;
use crate::interrupt;
use crate::print::{code, print, say};
use crate::problem::{All, Problem};
use crate::progress::Progress;
use crate::run::measured;

/// Runs everything and reports.
pub(crate) fn compare(
    app: &App,
    arguments: &Compare,
    out: &mut (impl Write + Send),
) -> Result<ExitCode, Problem> {
    let (plan, page) = (plan(app, arguments), arguments.common.output.page()).all()?;
    if let Some(path) = &arguments.out {
        // A path that cannot be written is told before a long comparison, not after it.
        files::drawing(path)?;
    }
    let sheet = Sheet { name: &app.name, arguments, plan: &plan, page: &page };
    warn(&app.name, &plan.targets);
    warn_of_build(&app.name, plan.targets.iter().any(Target::is_native));
    let comparing = plan.begin();
    let reference = optional(&arguments.baseline)?;
    check(reference.as_ref(), &plan, &comparing)?;
    run(&app.name, &plan.freed, &comparing, |partial| {
        let rankings = ranked(&comparing);
        let shown = Shown { rankings: &rankings, further: &further(&comparing), against: None };
        // A failure to print cannot be reported any more.
        let _ = if has_result(&rankings) { sheet.print(&shown, Some(partial), out) } else { Ok(()) };
    });
    let rankings = ranked(&comparing);
    if !has_result(&rankings) {
        return Err(Problem::Wrong(reasons(&rankings)));
    }
    let measured = reference.map(|reference| against(app, reference, &comparing)).transpose()?;
    let further = further(&comparing);
    sheet.print(&Shown { rankings: &rankings, further: &further, against: measured.as_ref() }, None, out)?;
    let failed = |case: &Vec<Ranking>| {
        rankings.iter().zip(case).any(|(first, case)| !failures(first, case).is_empty())
    };
    Ok(code(rankings.iter().all(Ranking::is_clean) && !further.iter().any(failed)))
}

/// The run that rows are measured against, with its results.
enum Against {
    /// A row of the comparison.
    Row(Way),
    /// A baseline of this name, with its time on each machine that can have it.
    Baseline(Baseline, Vec<Option<Time>>),
}

/// Refuses a reference that no machine of the comparison has.
fn check(reference: Option<&Reference>, plan: &Comparison, comparing: &Comparing<'_>) -> Result<(), Problem> {
    let refused = |why: &str| Err(Problem::wrong(why.to_owned()));
    match reference {
        Some(Reference::Row(way)) if !comparing.has(way) => refused(&format!(
            "--baseline {}:{}: no machine runs that combination here; expected a row of this comparison",
            way.mechanism, way.policy
        )),
        Some(Reference::Baseline(baseline)) if plan.targets.iter().all(Target::is_native) => {
            refused(&format!(
                "--baseline {baseline}: this host has none; expected a model, or a row such as messages:single"
            ))
        }
        _ => Ok(()),
    }
}

/// Measures a baseline on each model, by the mechanism of its fastest row.
fn against(app: &App, reference: Reference, comparing: &Comparing<'_>) -> Result<Against, Problem> {
    let baseline = match reference {
        Reference::Row(way) => return Ok(Against::Row(way)),
        Reference::Baseline(baseline) => baseline,
    };
    let time = |compared: Compared| {
        let fastest = compared.ran.iter().min_by_key(|(_, ran)| ran.median().timed());
        let Some((setting, _)) = fastest.filter(|_| !compared.target.is_native()) else { return Ok(None) };
        let alone = setting.baseline(baseline).map_err(Problem::from)?;
        measured(app, &alone).map(|ran| Some(ran.median().timed()))
    };
    Ok(Against::Baseline(baseline, comparing.so_far().into_iter().map(time).collect::<Result<_, Problem>>()?))
}

/// Whether anything has run.
fn has_result(rankings: &[Ranking]) -> bool {
    rankings.iter().any(|ranking| !ranking.places.is_empty() || !ranking.failed.is_empty())
}

/// The rankings of the finished runs, machine by machine.
fn ranked(comparing: &Comparing<'_>) -> Vec<Ranking> {
    comparing.so_far().into_iter().map(Compared::ranking).collect()
}

/// The rankings of each further case of free inputs, machine by machine.
fn further(comparing: &Comparing<'_>) -> Vec<Vec<Ranking>> {
    let rankings = |case: Vec<Compared>| case.into_iter().map(Compared::ranking).collect();
    comparing.further().into_iter().map(rankings).collect()
}

/// The results that are printed.
struct Shown<'a> {
    /// The rankings of the tables.
    rankings: &'a [Ranking],
    /// The rankings of each further case of free inputs.
    further: &'a [Vec<Ranking>],
    /// The run that rows are measured against.
    against: Option<&'a Against>,
}

/// The way in which a comparison is printed.
struct Sheet<'a> {
    /// The name of the command.
    name: &'a str,
    arguments: &'a Compare,
    plan: &'a Comparison,
    page: &'a Page,
}

impl Sheet<'_> {
    /// Prints rankings, with speed-ups where rows are measured against something, and draws them on request. If `partial` says
    /// so, runs are missing.
    fn print(
        &self,
        shown: &Shown<'_>,
        partial: Option<Partial>,
        out: &mut impl Write,
    ) -> Result<(), Problem> {
        let Shown { rankings, further, against } = *shown;
        let Self { arguments, plan, page, .. } = self;
        let asked = asked(&arguments.common, &plan.subject);
        let setting = document::Setting {
            threads: plan.threads,
            seed: plan.seed,
            protocol: plan.subject.sharing.protocol.to_string(),
            block_bytes: plan.subject.sharing.block,
            place: plan.hosting.name().to_owned(),
        };
        let entry = &plan.subject.entry;
        let found = document::Comparison::new(asked, &setting, rankings, &worlds::host());
        let now = circumstances::now();
        let circumstances = plan.targets.iter().any(Target::is_native).then(|| now.clone());
        let mut found = document::Comparison { partial, circumstances, ..found };
        match against {
            Some(Against::Row(way)) => found.over_row(way),
            Some(Against::Baseline(baseline, times)) => found.over(baseline.name(), times),
            None => {}
        }
        if !plan.cases.is_empty() {
            found.over_free(&plan.freed, rankings, further);
        }
        let models: Vec<_> = rankings.iter().filter_map(|ranking| model(&ranking.machine)).collect();
        let view = View {
            found: &found,
            summary: entry.summary,
            mechanisms: entry.mechanisms.len(),
            setting: &setting,
            models: &models,
            cores: worlds::cores(),
            command: self.name,
            counters: arguments.counters,
            all: arguments.all,
            legend: arguments.legend,
        };
        print(out, arguments.common.output.json, page, &found, |page| text::comparison(&view, page))?;
        out.flush()?;
        let drawn = |path: &Path| match files::is_page(path) {
            true => html::comparison(&found, entry.summary, &called(self.name), &now),
            false => plot::svg(&picture::comparison(&found)),
        };
        // Half of a comparison does not take the place of a whole one.
        let path = arguments.out.as_ref().filter(|path| found.partial.is_none() || !path.exists());
        path.map_or(Ok(()), |path| files::save(path, &drawn(path)))
    }
}

/// A model with one line about it; `None` of this host.
fn model(machine: &Machine) -> Option<(document::Named, String)> {
    Some((document::Named::from(machine), machine.summary.clone()?))
}

/// The command line as it was typed, for the command of this name.
fn called(name: &str) -> String {
    let quoted = |word: String| if word.contains(' ') { format!("\"{word}\"") } else { word };
    let words = std::env::args_os().skip(1).map(|word| quoted(units::text::of(word)));
    [name.to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// The comparison that the command line asks for.
fn plan(app: &App, arguments: &Compare) -> Result<Comparison, Problem> {
    let common = &arguments.common;
    let machines = machines(app, arguments);
    let asked = (
        targets(&machines, &common.settings),
        subject(app, common, distinct(&arguments.mechanism), |entry| entry.mechanisms.to_vec()),
        every(&arguments.policy),
        ranges(app, arguments),
    );
    let size = (optional(&arguments.nodes), optional(&arguments.processors), optional(&common.threads));
    let rest = (arguments.repeat.get(), common.seed.get(), optional(&common.stall_limit));
    let ((targets, (subject, mechanisms), policies, ranges), size, rest, (host_limit, hosting)) =
        (asked.all(), size.all(), rest.all(), (common.host_limit.get(), hosting(&common.node_options)).all())
            .all()?;
    let size = (AskedShape { nodes: size.0, processors: size.1 }, size.2);
    let subject = with_blocks(subject, &common.memory, &targets);
    let least = subject.instance.least();
    let mut plan = Comparison::new(subject, targets);
    (plan.policies, plan.mechanisms) = (policies, mechanisms);
    plan.ask(size.0);
    plan.threads = size.1.unwrap_or(least.threads);
    (plan.repeat, plan.seed, plan.stall_limit) = rest;
    plan.hosting = hosting;
    plan.host_limit = Some(host_limit::within(&app.name, host_limit, None));
    plan.free(&ranges, &common.inputs)?;
    Ok(plan)
}

/// The free inputs of the program, each with its values.
fn ranges(app: &App, arguments: &Compare) -> Result<Ranges, Problem> {
    let asked = every(&arguments.free)?.concat();
    // An unknown program is told elsewhere.
    let entry = app.programs.find(&arguments.common.program).ok();
    entry.map_or_else(|| Ok(Ranges::default()), |entry| Ok(Ranges::new(entry, &asked)?))
}

/// The requested machines, or else the default ones for the program.
fn machines(app: &App, arguments: &Compare) -> Vec<String> {
    if !arguments.machine.is_empty() {
        return arguments.machine.clone();
    }
    let usual = app.programs.find(&arguments.common.program).map(Target::usual);
    usual.unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// Runs a comparison over these free inputs, with its progress in the name of command `name`. On an interrupt, `tell` prints the result of the
/// finished runs.
fn run(name: &str, free: &Free, comparing: &Comparing<'_>, tell: impl FnOnce(Partial) + Send) {
    let progress = Progress::begin(name);
    let mut told = 0;
    let step = |step: Step<'_>| {
        let case = free.case(step.case);
        progress.expect(step.all);
        (told..step.done).for_each(|_| progress.step());
        told = step.done;
        progress.start(way(&step, &case));
        ControlFlow::Continue(())
    };
    let stop = |signal| {
        progress.end();
        let partial = Partial::interrupted(signal, progress.count());
        say(name, &partial.to_string());
        tell(partial);
    };
    interrupt::or_tell(|| comparing.run(step), stop);
}

/// The run that begins, in words, with its case of free inputs.
fn way(Step { target, mechanism, policy, run, runs, .. }: &Step<'_>, case: &str) -> String {
    let at = if case.is_empty() { String::new() } else { format!(" at {case}") };
    let way = format!("{} by {mechanism} under {policy}{at}", target.label());
    match *run {
        0 => format!("{way}, warming up"),
        1 if *runs == 1 => way,
        run => format!("{way}, run {run} of {runs}"),
    }
}

/// The reasons why nothing could run, each once: a wrong size has the same reason under every policy.
fn reasons(rankings: &[Ranking]) -> Vec<String> {
    let mut reasons = Vec::new();
    for refusal in rankings.iter().flat_map(|ranking| &ranking.refused) {
        if !reasons.contains(&refusal.reason) {
            reasons.push(refusal.reason.clone());
        }
    }
    reasons
}
