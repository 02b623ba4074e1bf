//! `tradewind litmus`: memory-model tests on the shared memory, each compared with all outcomes that sequential
//! consistency allows.
//!
//! | module | contents |
//! |---|---|
//! | `collection` | from paths to tests, and the mistakes of the others |
//! | `world` | a machine that runs tests, and its runs |
//! | `trial` | a test in a world |
//!
//! A file that cannot be read keeps no other from being run; the command reports it and exits with 2. This module must
//! never know how results look.

mod collection;
mod trial;
mod world;

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use apps::litmus::Dose;
use report::document::{self, Partial, VERSION};
use report::text;
use tempest::memory::Frames;

use crate::app::App;
use crate::arguments::Litmus;
use crate::asked::{hosting, sharing, targets, warn};
use crate::deferred::optional;
use crate::interrupt;
use crate::print::{code, print, say, tell};
use crate::problem::{All, Problem, each};
use crate::progress::Progress;
use collection::{Collection, Subject};
use trial::Run;
use world::World;

/// Runs everything and reports.
pub(crate) fn litmus(app: &App, arguments: &Litmus, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let (worlds, dose, page) = (worlds(arguments), dose(app, arguments), arguments.output.page()).all()?;
    let Collection { subjects, mistakes } = Collection::read(&arguments.paths);
    if subjects.is_empty() {
        return Err(Problem::Wrong(mistakes));
    }
    warn(&app.name, worlds.iter().map(|world| &world.target));
    let runs = run(&app.name, &subjects, &worlds, dose)?;
    let tests = subjects.iter().zip(&runs);
    let found = document::Litmus {
        version: VERSION,
        rounds: dose.rounds,
        seed: dose.seed,
        block_bytes: dose.block,
        protocol: dose.protocol.to_string(),
        frames: optional(&arguments.frames)?,
        prefetch: dose.prefetch,
        worlds: worlds.iter().map(World::document).collect(),
        tests: tests.map(|(subject, runs)| trial::document(subject, runs)).collect(),
        unread: mistakes.clone(),
    };
    let found = found.counted();
    print(out, arguments.output.json, &page, &found, |page| text::litmus(&found, page))?;
    out.flush()?;
    let unread = match mistakes.is_empty() {
        true => ExitCode::SUCCESS,
        false => tell(&app.name, &Problem::Wrong(mistakes)),
    };
    Ok(if found.worlds.iter().all(|world| world.counts.is_clean()) { unread } else { code(false) })
}

/// Takes part in the first run of the first test, as a process of it.
pub(crate) fn take_part(app: &App, arguments: &Litmus) -> Result<(), Problem> {
    let (worlds, dose) = (worlds(arguments), dose(app, arguments)).all()?;
    let Collection { subjects, mistakes } = Collection::read(&arguments.paths);
    match (subjects.first(), worlds.first()) {
        (Some(subject), Some(world)) => trial::run(subject, world, dose).map(drop),
        _ => Err(Problem::Wrong(mistakes)),
    }
}

/// The settings of all tests.
fn dose(app: &App, arguments: &Litmus) -> Result<Dose, Problem> {
    let how = (sharing(app, &arguments.memory), arguments.repeat.get(), arguments.seed.get());
    let ((sharing, rounds, seed), frames) = (how.all(), optional(&arguments.frames)).all()?;
    let (frames, prefetch) = (frames.map_or(Frames::All, Frames::AtMost), arguments.prefetch);
    Ok(Dose { frames, prefetch, ..Dose::new(rounds, sharing.block, sharing.protocol, seed) })
}

/// The machines asked for, each with its policy.
fn worlds(arguments: &Litmus) -> Result<Vec<World>, Problem> {
    let targets = targets(&arguments.machine, &arguments.settings);
    let (targets, policy, hosting) =
        (targets, optional(&arguments.policy), hosting(&arguments.node_options)).all()?;
    let world = |target| World::new(target, hosting, policy.as_ref()).map_err(Problem::wrong);
    each(targets.into_iter().map(world))
}

/// Runs every test in every world: natively one after the other, for a run takes all of the host; the runs of a model
/// beside each other, for each is one thread. By test, then by world.
fn run(name: &str, subjects: &[Subject], worlds: &[World], dose: Dose) -> Result<Vec<Vec<Run>>, Problem> {
    let progress = Progress::begin(name);
    progress.expect(subjects.len() * worlds.len());
    let in_world = |world: &World| {
        let jobs = if world.target.is_native() { 1 } else { worlds::cores() };
        let runs = in_parallel(subjects, jobs, |subject| {
            progress.start(format!("{} on {}", subject.question.test.name, world.target.label()));
            let run = trial::run(subject, world, dose);
            progress.step();
            run
        });
        runs.map(Vec::into_iter)
    };
    let stop = |signal| {
        progress.end();
        say(name, &format!("{}; there is no result", Partial::interrupted(signal, progress.count())));
    };
    let mut by_world = interrupt::or_tell(|| each(worlds.iter().map(in_world)), stop)?;
    progress.end();
    Ok(subjects.iter().map(|_| by_world.iter_mut().filter_map(Iterator::next).collect()).collect())
}

/// Applies `run` to each of `inputs` on `jobs` threads. The results are in the order of the inputs.
fn in_parallel<T: Sync, R: Send>(
    inputs: &[T],
    jobs: usize,
    run: impl Fn(&T) -> Result<R, Problem> + Sync,
) -> Result<Vec<R>, Problem> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(index) else { return done };
            done.push((index, run(input)));
        }
    };
    let mut done: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..jobs).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for worker in workers {
            done.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_parallel_comes_back_in_order() {
        let inputs: Vec<u32> = (0..100).collect();
        for jobs in [1, 3] {
            let squares = in_parallel(&inputs, jobs, |input| Ok(input * input)).unwrap();
            assert!(squares.iter().zip(&inputs).all(|(square, input)| *square == input * input));
            assert_eq!(squares.len(), 100);
        }
        let failed =
            in_parallel(&inputs, 2, |input| if *input == 9 { Err(Problem::wrong("nine")) } else { Ok(()) });
        assert!(matches!(failed, Err(Problem::Wrong(lines)) if lines == ["nine"]));
    }
}
