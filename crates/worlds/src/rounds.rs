//! Combinations measured together: in rounds, so that whatever changes while they run changes for all of them. This module
//! must never rank what it measures.
//!
//! A round runs every combination once. The first round on this host warms up and does not count. The order of a round
//! is that of a Williams square: over as many rounds as there are combinations (twice as many of an odd number), each of
//! them has each place in the round, and comes directly behind each other one, equally often. So no combination has an
//! advantage of its place, nor of what ran before it, and a drift of the host widens all intervals instead of making a
//! winner.
//!
//! Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments",
//! *Australian Journal of Scientific Research* A 2 (1949).

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use compare::Combination;
use tempest::Outcome;
use units::Time;

use crate::{Error, Repeat, Setting};

/// A run that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The place of the combination among those that run together.
    pub index: usize,
    /// The number of this run of the combination, from 1; 0 of a run that warms up and does not count.
    pub run: u32,
    /// The number of runs that count. Under [`Repeat::Auto`] it is an estimate, which changes as samples come in.
    pub runs: u32,
    /// The number of runs of these combinations that are over.
    pub done: usize,
    /// The number of all runs of these combinations, those that are over included: as sure as `runs`.
    pub all: usize,
}

/// The end of one combination.
#[derive(Debug)]
pub(crate) enum End {
    /// It ran at least once.
    Ran(Combination),
    /// It was stopped before a run that counts was over.
    Stopped,
    /// It cannot run, or a run did not end well.
    Failed(Error),
}

/// Runs combinations of one target together, and calls `tell` before each run; a break stops everything before that run.
pub(crate) fn measure(
    settings: &[Setting],
    repeat: Repeat,
    tell: &mut dyn FnMut(Turn) -> ControlFlow<()>,
) -> Vec<End> {
    let mut rounds = Rounds::new(settings, repeat.at_first(settings.len()));
    // Whoever breaks wants no more, not nothing.
    let _ = rounds.go(repeat, warms_up(settings, repeat), tell);
    rounds.states.into_iter().zip(settings).map(|(state, setting)| state.end(setting)).collect()
}

/// The number of all runs of combinations of one target to count on before the first.
pub(crate) fn at_first(settings: &[Setting], repeat: Repeat) -> usize {
    settings.len() * (repeat.at_first(settings.len()) as usize + usize::from(warms_up(settings, repeat)))
}

/// Whether a round comes first that does not count: a model has nothing to warm up, and a single run is taken as it is.
fn warms_up(settings: &[Setting], repeat: Repeat) -> bool {
    repeat != Repeat::Times(1) && settings.iter().any(|setting| setting.target.is_native())
}

/// The runs of one combination so far.
#[derive(Default)]
struct State {
    outcomes: Vec<Outcome>,
    samples: Vec<Time>,
    error: Option<Error>,
}

/// The rounds so far.
struct Rounds<'s> {
    settings: &'s [Setting],
    states: Vec<State>,
    /// The number of runs that count, as far as is known.
    runs: u32,
    /// The number of runs that are over.
    done: usize,
}

impl<'s> Rounds<'s> {
    fn new(settings: &'s [Setting], runs: u32) -> Self {
        Self { settings, states: settings.iter().map(|_| State::default()).collect(), runs, done: 0 }
    }

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
        let good: Vec<_> = self.states.iter().filter(|state| state.error.is_none()).collect();
        if good.is_empty() {
            return ControlFlow::Break(());
        }
        repeat.is_enough(rounds, took, good.iter().map(|state| state.samples.as_slice()))
    }

    /// Runs every combination once that has not failed.
    fn round(&mut self, round: u32, tell: &mut dyn FnMut(Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        let good: Vec<_> =
            (0..self.states.len()).filter(|&index| self.states[index].error.is_none()).collect();
        let rest = (self.runs + 1).saturating_sub(round) as usize;
        let all = self.done + rest * good.len();
        for place in order(good.len(), round as usize) {
            let index = good[place];
            tell(Turn { index, run: round, runs: self.runs, done: self.done, all })?;
            self.states[index].run(&self.settings[index], round > 0);
            self.done += 1;
        }
        ControlFlow::Continue(())
    }
}

impl State {
    fn run(&mut self, setting: &Setting, counts: bool) {
        match setting.once() {
            Ok(outcome) if counts => {
                self.samples.push(outcome.timed());
                self.outcomes.push(outcome);
            }
            Ok(_) => {}
            Err(error) => self.error = Some(error),
        }
    }

    fn end(self, setting: &Setting) -> End {
        match self.error {
            Some(error) => End::Failed(error),
            None if self.outcomes.is_empty() => End::Stopped,
            None => End::Ran(setting.combination(self.outcomes)),
        }
    }
}

/// The order of so many combinations in a round: each round's is a row of a Williams square.
fn order(count: usize, round: usize) -> Vec<usize> {
    // Of an odd number it takes the mirrored square as well.
    let is_mirrored = count % 2 == 1 && (round / count) % 2 == 1;
    let zigzag = |place: usize| if place % 2 == 0 { place / 2 } else { count - 1 - place / 2 };
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
