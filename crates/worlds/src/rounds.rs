//! Combinations measured together: in rounds, so that a change of the host affects all of them. This module must never
//! rank them.
//!
//! A round runs every combination once. The first round on this host warms up and does not count. The order of a round
//! is that of a Williams square: over as many rounds as there are combinations (twice as many of an odd number), each
//! combination has each place in the round equally often, and comes directly behind each other one equally often. So no
//! combination profits from its place or from the run before it, and a drift of the host widens all intervals instead
//! of making a winner.
//!
//! Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments",
//! *Australian Journal of Scientific Research* A 2 (1949).

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use compare::Combination;
use tempest::outcome::Outcome;
use units::Time;

use crate::{Error, Repeat, Setting};

/// A run that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Index of the combination among those run together.
    pub index: usize,
    /// The number of this run of the combination, from 1; 0 of a run that warms up and does not count.
    pub run: u32,
    /// The number of runs that count. Under [`Repeat::Auto`] it is an estimate, which changes as samples come in.
    pub runs: u32,
    /// The number of runs of these combinations that are over.
    pub done: usize,
    /// The number of all runs of these combinations, finished ones included. Under [`Repeat::Auto`] it is an estimate.
    pub all: usize,
}

/// The end of one combination.
#[derive(Debug)]
pub(crate) enum End {
    /// The combination ran at least once.
    Ran(Combination),
    /// The combination was stopped before a run that counts was over.
    Stopped,
    /// The combination cannot run, or a run did not end well.
    Failed(Error),
}

/// Combinations of one target that are measured together. Finished runs can be read at any time, also by another thread
/// while a run is in progress.
#[derive(Debug)]
pub(crate) struct Together {
    settings: Vec<Setting>,
    repeat: Repeat,
    states: Mutex<Vec<State>>,
}

impl Together {
    /// Combinations of which nothing has run.
    pub(crate) fn new(settings: Vec<Setting>, repeat: Repeat) -> Self {
        let states = settings.iter().map(|_| State::default()).collect();
        Self { settings, repeat, states: Mutex::new(states) }
    }

    /// The combinations, in their order.
    pub(crate) fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The number of all runs to count on before the first.
    pub(crate) fn at_first(&self) -> usize {
        let warming = usize::from(warms_up(&self.settings, self.repeat));
        self.settings.len() * (self.repeat.at_first(self.settings.len()) as usize + warming)
    }

    /// Runs all of them, and calls `tell` before each run; a break stops everything before that run.
    pub(crate) fn run(&self, tell: &mut dyn FnMut(Turn) -> ControlFlow<()>) {
        let runs = self.repeat.at_first(self.settings.len());
        let mut rounds = Rounds { settings: &self.settings, states: &self.states, runs, done: 0 };
        // After a break, the runs that are over still count.
        let _ = rounds.go(self.repeat, warms_up(&self.settings, self.repeat), tell);
    }

    /// The result of each combination so far.
    pub(crate) fn ends(&self) -> Vec<End> {
        lock(&self.states).iter().zip(&self.settings).map(|(state, setting)| state.end(setting)).collect()
    }
}

/// The states of combinations. They are whole at any time, also where a run has panicked.
fn lock(states: &Mutex<Vec<State>>) -> MutexGuard<'_, Vec<State>> {
    states.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a round comes first that does not count: a model has nothing to warm up, and a single run is taken as it is.
fn warms_up(settings: &[Setting], repeat: Repeat) -> bool {
    repeat != Repeat::Times(1) && settings.iter().any(|setting| setting.target.is_native())
}

/// Finished runs of one combination.
#[derive(Debug, Default)]
struct State {
    outcomes: Vec<Outcome>,
    samples: Vec<Time>,
    error: Option<Error>,
}

/// Rounds in progress.
struct Rounds<'s> {
    settings: &'s [Setting],
    states: &'s Mutex<Vec<State>>,
    /// The number of runs that count, as far as is known.
    runs: u32,
    /// The number of runs that are over.
    done: usize,
}

impl Rounds<'_> {
    fn go(
        &mut self,
        repeat: Repeat,
        warms_up: bool,
        tell: &mut dyn FnMut(Turn) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if warms_up {
            self.round(0, tell)?;
        }
        let began = Instant::now();
        for round in 1.. {
            self.round(round, tell)?;
            self.runs = self.is_enough(repeat, round, began.elapsed())?;
        }
        ControlFlow::Continue(())
    }

    fn is_enough(&self, repeat: Repeat, rounds: u32, took: Duration) -> ControlFlow<(), u32> {
        let states = lock(self.states);
        let good: Vec<_> = states.iter().filter(|state| state.error.is_none()).collect();
        if good.is_empty() {
            return ControlFlow::Break(());
        }
        repeat.is_enough(rounds, took, good.iter().map(|state| state.samples.as_slice()))
    }

    /// Runs every combination once that has not failed.
    fn round(&mut self, round: u32, tell: &mut dyn FnMut(Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        let states = lock(self.states);
        let good: Vec<_> = (0..states.len()).filter(|&index| states[index].error.is_none()).collect();
        drop(states);
        let rest = (self.runs + 1).saturating_sub(round) as usize;
        let all = self.done + rest * good.len();
        for place in order(good.len(), round as usize) {
            let index = good[place];
            tell(Turn { index, run: round, runs: self.runs, done: self.done, all })?;
            let outcome = self.settings[index].once();
            lock(self.states)[index].add(outcome, round > 0);
            self.done += 1;
        }
        ControlFlow::Continue(())
    }
}

impl State {
    /// Adds the result of a run.
    fn add(&mut self, outcome: Result<Outcome, Error>, counts: bool) {
        match outcome {
            Ok(outcome) if counts => {
                self.samples.push(outcome.timed());
                self.outcomes.push(outcome);
            }
            Ok(_) => {}
            Err(error) => self.error = Some(error),
        }
    }

    fn end(&self, setting: &Setting) -> End {
        match &self.error {
            Some(error) => End::Failed(error.clone()),
            None if self.outcomes.is_empty() => End::Stopped,
            None => End::Ran(setting.combination(self.outcomes.clone())),
        }
    }
}

/// The order of `count` combinations in a round: each round's is a row of a Williams square.
fn order(count: usize, round: usize) -> Vec<usize> {
    // Of an odd number it takes the mirrored square as well.
    let is_mirrored = count % 2 == 1 && (round / count) % 2 == 1;
    let zigzag = |place: usize| if place.is_multiple_of(2) { place / 2 } else { count - 1 - place / 2 };
    let at = |place: usize| (zigzag(if is_mirrored { count - 1 - place } else { place }) + round) % count;
    (0..count).map(at).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn each_has_each_place_and_follows_each_other_one_equally_often() {
        for count in 1..12 {
            let rounds = if count % 2 == 0 { count } else { 2 * count };
            let mut places = HashMap::<_, usize>::new();
            let mut follows = HashMap::<_, usize>::new();
            for round in 0..rounds {
                let order = order(count, round);
                order
                    .iter()
                    .enumerate()
                    .for_each(|place| *places.entry((place.0, *place.1)).or_default() += 1);
                order.windows(2).for_each(|pair| *follows.entry((pair[0], pair[1])).or_default() += 1);
            }
            assert_eq!(places.len(), count * count);
            assert!(places.values().all(|times| *times == rounds / count), "{count}: {places:?}");
            assert_eq!(follows.len(), count * count - count);
            assert!(follows.values().all(|times| *times == rounds / count), "{count}: {follows:?}");
        }
    }
}
