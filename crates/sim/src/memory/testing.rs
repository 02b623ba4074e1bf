//! A processor at work on a node in round numbers, for tests.
//!
//! This module must never know a machine file.

use machine::{ByClass, Cost, Primitives};
use tempest::Operations;
use tempest::outcome::Stage;
use units::{Time, TotalTime};

use super::Memory;
use super::at_work::AtWork;
use crate::measure::anatomy::Anatomy;
use crate::prices::{List, PriceLists};
use crate::processor::core::Core;

/// The price of a primitive of any class.
pub(super) fn price(cost: Cost) -> Option<ByClass<Cost>> {
    Some(ByClass::uniform(cost))
}

/// Two processors of a node, its memory and its prices.
pub(crate) struct Bench {
    pub(crate) cores: [Core; 2],
    pub(crate) memory: Memory,
    pub(crate) prices: PriceLists,
    pub(crate) anatomy: Anatomy,
}

impl Bench {
    pub(crate) fn new(memory: Memory, general: Primitives) -> Self {
        Self {
            cores: [0, 1].map(|number| Core::new(0, number, false, 1)),
            prices: PriceLists::in_round_numbers(&general, &|made| memory.time_of(made)),
            memory,
            anatomy: Anatomy::new(1),
        }
    }

    /// A processor at work at an instant.
    pub(super) fn at_work(&mut self, processor: usize, now: Time) -> AtWork<'_> {
        AtWork {
            now,
            core: &mut self.cores[processor],
            memory: &mut self.memory,
            prices: &self.prices,
            anatomy: &mut self.anatomy,
        }
    }

    /// The time that a processor has run ahead, and the overhead and the waits for memory in all its time.
    pub(crate) fn spent(&self, processor: usize) -> (Time, Time, Time) {
        let core = &self.cores[processor];
        let spent = core.ledger.breakdown_at(Time::ZERO);
        let of_one = |sum: TotalTime| sum.mean(1).expect("it is one processor's");
        (core.clock.ahead(), of_one(spent.overhead), of_one(spent.memory))
    }

    /// The account of costs of the only message and of threads.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        self.anatomy.stages(["message", Stage::ACCESS].into_iter())
    }

    /// The time of a program's own operations.
    pub(super) fn time_of(&self, done: Operations) -> Time {
        self.prices.operations(List::General, done)
    }
}
