//! `tradewind litmus`: memory-model tests on the shared memory, each held against all that sequential consistency allows.
//!
//! | module | what it does |
//! |---|---|
//! | `collection` | from paths to tests, and what is wrong with the others |
//! | `trial` | one test in one world: what was seen, and what that shows |
//! | `tally` | the trials of one world together |
//! | `text`, `table`, `json` | how they look |
//!
//! A file that cannot be read keeps no other from being run; the command tells of it and exits with 2.

mod collection;
mod json;
mod table;
mod tally;
mod text;
mod trial;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use apps::litmus::{Dose, Meeting, Question};
use tempest::policy::{PRESETS, Servers};
use tempest::{Mechanism, Policy, Refusal};

use crate::arguments::Litmus;
use crate::numbers::LitmusNumbers;
use crate::page::Page;
use crate::progress::Progress;
use crate::target::find_all;
use crate::{House, Problem, both, complain, names, sharing};
use collection::Collection;
use tally::Tally;
use trial::Trial;
use worlds::Target;

/// What every world has whose processors look for messages.
const USUAL_POLICY: &str = "floating";

/// A machine, and how it runs the tests.
pub(crate) struct World {
    target: Target,
    policy: Policy,
    /// Of each node: as few as the policy needs.
    processors: u32,
}

/// A test from a file.
struct Subject {
    file: String,
    question: Arc<Question>,
}

/// All trials: by test, then by world.
struct Trials<'a> {
    subjects: &'a [Subject],
    worlds: &'a [World],
    dose: Dose,
    trials: Vec<Vec<Trial>>,
}

/// Runs everything and reports.
pub(crate) fn litmus(house: &House, arguments: &Litmus, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let sharing = sharing::of(house, arguments.block.as_deref(), arguments.protocol.as_deref());
    let asked = both(sharing, LitmusNumbers::read(arguments));
    let (worlds, (sharing, numbers)) = both(worlds(arguments), asked)?;
    let Collection { subjects, mistakes } = Collection::read(&arguments.paths);
    if subjects.is_empty() {
        return Err(Problem::Wrong(mistakes));
    }
    let (block, protocol) = (sharing.block, sharing.protocol);
    // How threads meet is each world's affair.
    let meeting = Meeting::Messages;
    let dose = Dose { rounds: numbers.repeat, block, protocol, seed: numbers.seed, meeting };
    let trials = run(&subjects, &worlds, dose)?;
    if arguments.json {
        json::write(out, &trials, &mistakes)?;
    } else {
        text::write(out, &Page::find(numbers.width), &trials)?;
    }
    out.flush()?;
    let unread =
        if mistakes.is_empty() { ExitCode::SUCCESS } else { complain(house, &Problem::Wrong(mistakes)) };
    let is_clean = trials.tallies().iter().all(Tally::is_clean);
    Ok(if is_clean { unread } else { ExitCode::FAILURE })
}

/// The machines asked for, each with its policy.
fn worlds(arguments: &Litmus) -> Result<Vec<World>, Problem> {
    let policy = names::policies(arguments.policy.as_slice());
    let (targets, policy) = both(find_all(&arguments.machine, &arguments.settings), policy)?;
    let worlds = targets.into_iter().map(|target| World::new(target, policy.first()));
    let (good, bad): (Vec<_>, Vec<_>) = worlds.partition(Result::is_ok);
    let mistakes: Vec<_> = bad.into_iter().filter_map(Result::err).collect();
    if mistakes.is_empty() { Ok(good.into_iter().flatten().collect()) } else { Err(Problem::Wrong(mistakes)) }
}

impl World {
    fn new(target: Target, asked: Option<&Policy>) -> Result<Self, String> {
        let check = |policy: &Policy| target.check(Mechanism::SharedMemory, policy);
        let policy = match asked {
            Some(policy) => check(policy).map(|()| policy.clone()),
            None => usual_policy(target.name(), check),
        };
        let policy = policy.map_err(|why| target.refusing(why))?;
        let processors = if policy.split(1).is_ok() { 1 } else { policy.count + 1 };
        Ok(Self { target, policy, processors })
    }
}

impl World {
    /// How threads meet: by messages, but where only the protocol's handlers can run.
    fn meeting(&self) -> Meeting {
        if self.policy.servers == Servers::Hardware { Meeting::Memory } else { Meeting::Messages }
    }
}

/// The policy that a machine is named after, else the usual one, else the first preset that it can do.
fn usual_policy(machine: &str, check: impl Fn(&Policy) -> Result<(), Refusal>) -> Result<Policy, Refusal> {
    let known = PRESETS.iter().map(|preset| preset.name);
    let own = known.clone().filter(|name| *name == machine);
    let policies = own.chain([USUAL_POLICY]).chain(known).filter_map(|name| name.parse::<Policy>().ok());
    let mut first = None;
    for policy in policies {
        match check(&policy) {
            Ok(()) => return Ok(policy),
            Err(refusal) => first = first.or(Some(refusal)),
        }
    }
    Err(first.expect("there is a usual policy"))
}

/// Runs every test in every world: natively one after the other, for a run takes all of the host; the runs of a model beside
/// each other, for each is one thread.
fn run<'a>(subjects: &'a [Subject], worlds: &'a [World], dose: Dose) -> Result<Trials<'a>, Problem> {
    let progress = Progress::new(subjects.len() * worlds.len());
    let mut by_world = Vec::new();
    for world in worlds {
        let jobs = if world.target.is_native() { 1 } else { worlds::cores() };
        by_world.push(in_parallel(subjects, jobs, |subject| {
            progress.begin(format!("{} on {}", subject.question.test.name, world.target.label()));
            let dose = Dose { meeting: world.meeting(), ..dose };
            let trial = Trial::run(&subject.question, world, dose);
            progress.step();
            trial
        })?);
    }
    let mut by_world: Vec<_> = by_world.into_iter().map(Vec::into_iter).collect();
    let trials = subjects.iter().map(|_| by_world.iter_mut().filter_map(Iterator::next).collect()).collect();
    Ok(Trials { subjects, worlds, dose, trials })
}

/// What `run` makes of each, in their order, by so many threads.
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

impl Trials<'_> {
    /// What each world shows.
    fn tallies(&self) -> Vec<Tally> {
        let tally = |world: usize| {
            let trials = self.trials.iter().map(|of_test| &of_test[world]);
            Tally::of(self.subjects.iter().map(|subject| &*subject.question).zip(trials))
        };
        (0..self.worlds.len()).map(tally).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_runs_the_policy_it_is_named_after_or_one_that_it_can_do() {
        let policy = |machine: &str, can: &[&str]| {
            let check = |policy: &Policy| policy.check(machine, can);
            usual_policy(machine, check).map(|policy| policy.to_string())
        };
        let all = ["poll", "keyed-dispatch", "dispatch-register", "embedded-processors"];
        assert_eq!(policy("hurricane", &all), Ok("hurricane:1".to_owned()));
        assert_eq!(policy("mine", &all), Ok("floating".to_owned()));
        assert_eq!(policy("hurricane", &["dedicated-processors"]), Ok("fixed:1".to_owned()));
        let refusal = policy("mine", &[]).unwrap_err();
        assert!(matches!(refusal, Refusal::Policy { needs: "poll", .. }), "{refusal}");
    }

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
