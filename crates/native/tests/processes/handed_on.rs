//! Problems that the launcher makes, and its processes find.
//!
//! This module must never know the way of a problem to another process.

use std::convert::Infallible;
use std::sync::Arc;

use tempest::entry::{Frozen, Problems};
use tempest::outcome::{Failure, Outcome};
use tempest::world::{Launch, World};
use tempest::{FinalState, Job, Protocol, Report, Setup, Thread, handlers};
use tradewind_native::{Processes, member};

use crate::kit::{descriptors, left_behind};
use crate::programs::fail;

/// Number of words of the problem: several pages.
const WORDS: u64 = 10_000;

/// A program whose threads read a problem.
struct Reads(Arc<Frozen<u64>>);

impl Protocol for Reads {
    type Config = Arc<Frozen<u64>>;

    fn install(words: &Self::Config, _: &mut Setup<'_>) -> Self {
        Self(Arc::clone(words))
    }
}

#[handlers]
impl Reads {
    fn main(&self, _: &Thread<'_>) {}

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        let is_whole = self.0.iter().copied().eq(0..WORDS);
        Report::checked(is_whole, || format!("other words than 0 to {WORDS}"))
    }
}

/// Makes the run in a launcher, or takes part in it as a process, which finds the words and must not make them.
fn run() -> Result<Outcome, Failure> {
    let member = member().unwrap_or_else(|why| fail(why));
    let problems = member.map_or_else(Problems::default, |member| member.problems().clone());
    let Ok(words) = problems.get("words", "", || {
        if member.is_some() {
            fail("a process makes a problem that its launcher has made");
        }
        Ok::<Frozen<u64>, Infallible>((0..WORDS).collect())
    });
    let job = Job::new::<Reads>(words);
    let launch = Launch { nodes: 3, problems, ..Launch::new(job, "single".parse().expect("a policy")) };
    Processes::new().described("problem".to_owned()).run(&launch)
}

/// Takes the part of a process.
pub(crate) fn take_part() -> ! {
    _ = run();
    unreachable!("a process ends with its run");
}

/// Runs the part. Returns the failed checks.
pub(crate) fn broken(_: bool) -> Vec<String> {
    let before = descriptors();
    let failed = match run() {
        Ok(outcome) if outcome.report.verified() && outcome.report.checks == 3 => None,
        Ok(outcome) => {
            Some(format!("{} checks, {}", outcome.report.checks, outcome.report.failures.join("; ")))
        }
        Err(failure) => Some(failure.to_string()),
    };
    println!("a problem handed on to 3 processes, {} broken", u32::from(failed.is_some()));
    let why = failed.or_else(|| left_behind(before));
    why.map(|why| format!("a problem handed on: {why}")).into_iter().collect()
}
