//! A thread as a sender: its messages, and the times at which it makes them. This module must never know how they are
//! handled.

use std::hint::black_box;

use rand::RngExt;
use rand_distr::{Distribution, Exp1, Zipf};
use rand_pcg::Pcg64;
use tempest::entry::mix;
use tempest::{Operations, Thread};

use super::item::{Item, Kind, Tag};
use super::study::{Draw, Spread, Study, Synchronization};

/// The operations by which a thread measures how long one takes.
const SAMPLE: u32 = 1 << 16;

/// The integer operations of one turn of [`compute`].
const TURN: u32 = 8;

/// Computes `operations` operations, which depend on each other, on the host. The caller charges a model for them.
pub(super) fn compute(operations: u32) {
    black_box((0..operations.div_ceil(TURN)).fold(u64::from(operations), |word, _| mix(word)));
}

/// The time of an integer operation, in femtoseconds.
pub(super) fn operation(thread: &Thread<'_>) -> f64 {
    let start = thread.now();
    compute(SAMPLE);
    thread.charge(Operations::NONE.integers(SAMPLE));
    (thread.now() - start).as_femtoseconds() as f64 / f64::from(SAMPLE)
}

/// Waits until a femtosecond.
pub(super) fn stay(thread: &Thread<'_>, operation: f64, until: f64) {
    loop {
        let left = until - thread.now().as_femtoseconds() as f64;
        if left <= 0.0 {
            return;
        }
        // Natively a charge takes no time, and the loop looks at the clock.
        let operations = (left / operation.max(1.0)).ceil().min(f64::from(u32::MAX));
        thread.charge(Operations::NONE.integers(operations as u32));
    }
}

/// The messages of one sender.
pub(super) struct Messages<'s> {
    study: &'s Study,
    random: &'s mut Pcg64,
    ranks: Zipf<f64>,
}

impl<'s> Messages<'s> {
    pub(super) fn new(study: &'s Study, random: &'s mut Pcg64) -> Self {
        let asked = &study.asked;
        let ranks = Zipf::new(f64::from(asked.keys), asked.skew).expect("the inputs are within their ranges");
        Self { study, random, ranks }
    }

    /// The generator, which times are drawn from too.
    pub(super) fn random(&mut self) -> &mut Pcg64 {
        self.random
    }

    /// The message of a number, made at a femtosecond.
    pub(super) fn make(&mut self, number: u32, made: u64) -> Item {
        let by_itself = self.study.asked.synchronization != Synchronization::Keyed;
        let (kind, key) = (self.kind(), self.key(number));
        Item { tag: Tag::new(kind, key, by_itself), made, number, length: self.length() }
    }

    fn kind(&mut self) -> Kind {
        let asked = &self.study.asked;
        let percent = self.random.random_range(0.0..100.0);
        if percent < asked.sequential {
            Kind::Sequential
        } else if percent < asked.sequential + asked.nosync {
            Kind::NoSync
        } else {
            Kind::Keyed
        }
    }

    fn key(&mut self, number: u32) -> u32 {
        let keys = self.study.asked.keys;
        match self.study.asked.draw {
            Draw::Turn => number % keys,
            // A uniform sample just below 1 may be rounded up to a rank beyond the last.
            Draw::Random => (self.ranks.sample(self.random) as u32).min(keys) - 1,
        }
    }

    fn length(&mut self) -> u32 {
        let mean = self.study.asked.length;
        match self.study.asked.spread {
            Spread::Fixed => mean,
            Spread::Exponential => {
                let factor: f64 = Exp1.sample(self.random);
                (factor * f64::from(mean)).round() as u32
            }
        }
    }
}
