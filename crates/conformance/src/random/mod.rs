//! Random programs, and their required results.
//!
//! A [`Case`] is a small generated program, drawn from a seed: messages under keys of all kinds that start others,
//! holds, waits, transfers, deposits, panics in all places, threads that catch panics, and guards that use the world
//! during them; with the policy and the size of the nodes that it runs on. An oracle computes its result, one event
//! after the other: the counts of a run that ends well, the threads of a deadlock, or the words of a panic. A [case's
//! run](Case::run) compares a world with that.
//!
//! A case that fails can be drawn again from its seed, and made smaller by [`Case::shrunk`].
//!
//! | module | content |
//! |---|---|
//! | `script` | the language of the programs |
//! | `draw` | programs from seeds |
//! | `oracle` | the result of a program |
//! | `stage`, `actor` | a program as a world runs it: its messages, its threads |
//! | `shrink` | smaller programs that may fail in the same way |
//!
//! This module must never know any one world.

mod actor;
mod draw;
mod oracle;
mod script;
mod shrink;
mod stage;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use tempest::outcome::{Blocked, Failure, Outcome};
use tempest::world::{Launch, World};
use tempest::{Job, Policy, Shape};
use units::Time;

pub(crate) use draw::Draw;
use draw::MOST;
use oracle::{Stuck, Verdict, judge};
use script::{Script, panic_words, phases_of};
use stage::{Play, Shared, Stage};

/// Time without events after which a run is given up, in the world's own time.
const STALL_LIMIT: Time = Time::from_microseconds(10_000_000);

/// The most nodes, processors of a node, and threads of a processor.
const MOST_NODES: u32 = 4;
const MOST_PROCESSORS: u32 = 4;
const MOST_THREADS: u32 = 3;

/// The seeds of a test: `count` of them from 0 on, or as many as the environment variable `TRADEWIND_PROGRAMS` says, from the one
/// that `TRADEWIND_SEED` says on.
///
/// # Panics
/// If a variable is no number.
pub fn seeds(count: u64) -> Range<u64> {
    let number = |variable: &str, default| match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text}: expected a number")),
        Err(_) => default,
    };
    let first = number("TRADEWIND_SEED", 0);
    first..first + number("TRADEWIND_PROGRAMS", count)
}

/// A random program with its policy and the size of its nodes.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The seed that it was drawn from.
    pub seed: u64,
    policy: Policy,
    nodes: u32,
    processors: u32,
    /// Threads of each computing processor.
    threads: u32,
    script: Script,
}

impl Case {
    /// Draws a case under a policy out of `policies`.
    ///
    /// # Panics
    /// If there is no policy, one does not parse, or one needs more than 4 processors.
    pub fn draw(seed: u64, policies: &[&str]) -> Self {
        let mut draw = Draw::new(seed);
        let text = draw.pick(policies);
        let policy: Policy = text.parse().unwrap_or_else(|error| panic!("policy `{text}`: {error}"));
        let least = (1..=MOST_PROCESSORS).find(|&processors| policy.split(processors).is_ok());
        let least =
            least.unwrap_or_else(|| panic!("policy `{text}` needs more than {MOST_PROCESSORS} processors"));
        let (nodes, processors) = (draw.number(1, MOST_NODES), draw.number(least, MOST_PROCESSORS));
        let threads = draw.number(1, MOST_THREADS);
        let mut case = Self { seed, policy, nodes, processors, threads, script: Script::default() };
        case.script = draw.script(case.shape(), threads == 1);
        case
    }

    fn shape(&self) -> Shape {
        let split = self.policy.split(self.processors).expect("the policy leaves somebody to compute");
        Shape { nodes: self.nodes, threads: split.computing * self.threads }
    }

    /// Runs the case in a world.
    ///
    /// # Errors
    /// Compares the result with the oracle's; the error states both.
    pub fn run(&self, world: &dyn World) -> Result<(), String> {
        let verdict = self.verdict();
        let expected = match &verdict {
            Verdict::Well { nodes, .. } => Some(nodes.clone()),
            Verdict::Fails(_) | Verdict::Deadlock(_) => None,
        };
        let play = Shared(Arc::new(Play { script: self.script.clone(), expected, body: actor::run }));
        let result = world.run(&Launch {
            nodes: self.nodes,
            processors: self.processors,
            threads: self.threads,
            seed: self.seed,
            stall_limit: Some(STALL_LIMIT),
            ..Launch::new(Job::new::<Stage>(play), self.policy.clone())
        });
        compare(&verdict, result)
    }

    /// Whether the rules of programs are kept: all threads enter the same phases, and threads that wait in vain give
    /// their processors away, else no world on a host could tell.
    fn is_fair(&self) -> bool {
        let mut phases = self.script.bodies.iter().map(|body| phases_of(body));
        let first = phases.next();
        if !phases.all(|others| Some(others) == first) {
            return false;
        }
        !matches!(self.verdict(), Verdict::Deadlock(stuck) if stuck.iter().any(|one| one.spins))
    }

    fn verdict(&self) -> Verdict {
        judge(&self.script, self.shape(), MOST).expect("a drawn program is small, and so is a smaller one")
    }
}

fn compare(verdict: &Verdict, result: Result<Outcome, Failure>) -> Result<(), String> {
    match (verdict, result) {
        (Verdict::Well { messages, .. }, Ok(outcome)) => {
            if !outcome.report.verified() {
                return Err(outcome.report.failures.join("\n"));
            }
            let counted = outcome.counters.messages;
            let right = counted == *messages;
            right.then_some(()).ok_or_else(|| format!("{counted} messages were counted: expected {messages}"))
        }
        (Verdict::Fails(panics), Err(Failure::Program(said))) => {
            let right = panics.iter().any(|&number| says(&said, &panic_words(number)));
            right
                .then_some(())
                .ok_or_else(|| format!("failed with `{said}`: expected one of panics {panics:?}"))
        }
        (Verdict::Deadlock(stuck), Err(Failure::Deadlock { blocked, .. })) => {
            compare_deadlock(stuck, &blocked)
        }
        (Verdict::Well { .. }, Err(failure)) => Err(format!("expected to end well: {failure}")),
        (Verdict::Fails(panics), other) => {
            Err(format!("expected one of panics {panics:?}: {}", told(&other)))
        }
        (Verdict::Deadlock(stuck), other) => {
            Err(format!("expected a deadlock of {stuck:?}: {}", told(&other)))
        }
    }
}

/// Whether `said` contains `words`, not followed by a digit.
fn says(said: &str, words: &str) -> bool {
    said.match_indices(words)
        .any(|(at, _)| !said[at + words.len()..].starts_with(|next: char| next.is_ascii_digit()))
}

fn told(result: &Result<Outcome, Failure>) -> String {
    match result {
        Ok(_) => "it ended well".to_owned(),
        Err(failure) => failure.to_string(),
    }
}

fn compare_deadlock(stuck: &[Stuck], blocked: &[Blocked]) -> Result<(), String> {
    let mut blocked: Vec<_> = blocked.iter().collect();
    blocked.sort_by_key(|one| one.thread);
    let same = stuck.len() == blocked.len()
        && stuck.iter().zip(&blocked).all(|(stuck, blocked)| {
            stuck.thread == blocked.thread && stuck.says.iter().all(|what| blocked.waits_for.contains(what))
        });
    same.then_some(()).ok_or_else(|| {
        let list = |all: Vec<String>| all.join("\n  ");
        let told = list(blocked.iter().map(ToString::to_string).collect());
        let expected =
            list(stuck.iter().map(|one| format!("{}: {}", one.thread, one.says.join(", "))).collect());
        format!("a deadlock of\n  {told}\nexpected one of\n  {expected}")
    })
}

/// The seed, the policy, the size, and the whole program.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, policy, nodes, processors, threads, script } = self;
        writeln!(
            f,
            "seed {seed}: policy `{policy}`, {nodes} nodes of {processors} processors, {threads} threads on each computing one"
        )?;
        script.fmt(f)
    }
}
