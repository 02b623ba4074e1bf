//! The polls that look, where the policy leaves that open and the machine says how far apart looks are meant to be.
//!
//! Must never know what a look finds, beyond that it finds something.

use machine::Machine;
use tempest::Policy;
use tempest::world::Pace;
use units::Time;

/// The polls of one processor's threads.
#[derive(Debug)]
pub(crate) enum Looks {
    /// Every poll looks.
    EveryPoll,
    /// A poll looks after a number of polls that adapts to what looks find.
    Paced {
        pace: Pace,
        /// The number of polls to the next look, that one included.
        until: u32,
    },
}

impl Looks {
    /// The polls of a processor that has not polled.
    pub(crate) fn new(machine: &Machine, policy: &Policy) -> Self {
        let apart = machine.processor.pace;
        if apart.is_zero() || policy.poll_every.is_some() { Self::EveryPoll } else { Self::every(apart) }
    }

    fn every(apart: Time) -> Self {
        Self::Paced { pace: Pace::new(apart), until: 1 }
    }

    /// Whether the next poll passes by without a look.
    pub(crate) fn pass(&mut self) -> bool {
        match self {
            Self::Paced { until, .. } if *until > 1 => {
                *until -= 1;
                true
            }
            _ => false,
        }
    }

    /// A look at `now` is over.
    pub(crate) fn note(&mut self, now: Time, found: bool) {
        if let Self::Paced { pace, until } = self {
            pace.note(found);
            *until = pace.next(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::testing::ns;

    #[test]
    fn looks_that_come_too_often_let_polls_pass() {
        let mut looks = Looks::every(ns(1000));
        let mut passed = 0;
        for poll in 0..100 {
            match looks.pass() {
                true => passed += 1,
                false => looks.note(ns(10 * poll), false),
            }
        }
        assert!(
            passed > 50,
            "{passed} of 100 polls, 10 ns apart, passed by where looks are meant to be 1000 ns apart"
        );
    }

    #[test]
    fn every_poll_looks_where_the_machine_says_nothing() {
        let mut looks = Looks::EveryPoll;
        assert!((0..10).all(|poll| {
            looks.note(ns(poll), false);
            !looks.pass()
        }));
    }
}
