//! How long a processor has waited whose work came soon: told by how often it has looked.
//!
//! A look at the clock takes as long as a handler, and it would stand between the work that was waited for and whoever goes on
//! with it. So only one such wait in [`SAMPLE`] is timed. The others are taken to have lasted as long as a line through those
//! says, those of the last time above all: so much for each look, and so much for the one that finds something, which has to
//! wait until that has come over from another core.
//!
//! Which waits are timed the clock says, as if by dice. Were it every so-manieth one, a program whose waits are short and long
//! in turn might have only short ones timed.
//!
//! This module must never know what is looked for.

use std::cell::Cell;

/// One in so many waits is timed: a power of two.
const SAMPLE: u64 = 16;

/// What was timed so many samples ago counts for about a third of what has just been.
const MEMORY: f64 = 64.0;

/// Sums over the waits that were timed.
#[derive(Clone, Copy, Default)]
struct Timed {
    waits: f64,
    looks: f64,
    ns: f64,
    looks_squared: f64,
    looks_by_ns: f64,
}

impl Timed {
    /// With one more, while the others fade.
    fn and(self, looks: f64, ns: f64) -> Self {
        let keep = 1.0 - 1.0 / MEMORY;
        Self {
            waits: self.waits * keep + 1.0,
            looks: self.looks * keep + looks,
            ns: self.ns * keep + ns,
            looks_squared: self.looks_squared * keep + looks * looks,
            looks_by_ns: self.looks_by_ns * keep + looks * ns,
        }
    }

    /// The line of least squares: nanoseconds of no look, and of each. Where all had as many looks, one through zero.
    fn line(self) -> (f64, f64) {
        let spread = self.waits * self.looks_squared - self.looks * self.looks;
        let each = if spread > 1e-6 * self.looks * self.looks {
            (self.waits * self.looks_by_ns - self.looks * self.ns) / spread
        } else {
            self.ns / self.looks
        };
        ((self.ns - each * self.looks) / self.waits, each)
    }
}

/// What a processor knows of its looks.
#[derive(Default)]
pub(crate) struct Looks {
    timed: Cell<Timed>,
    /// What a wait takes, in nanoseconds: beside its looks, and for each.
    line: Cell<(f64, f64)>,
}

impl Looks {
    /// Whether a wait that began then is to be timed: all are until something is known.
    #[inline]
    pub(crate) fn is_sampled(&self, began_ns: u64) -> bool {
        // Nothing that a program does in turn agrees with multiples of the golden ratio.
        let dice = began_ns.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SAMPLE.ilog2());
        dice == 0 || self.timed.get().waits == 0.0
    }

    /// A wait that was timed took so many looks and nanoseconds.
    pub(crate) fn learn(&self, looks: u32, took_ns: u64) {
        let timed = self.timed.get().and(f64::from(looks), took_ns as f64);
        self.timed.set(timed);
        self.line.set(timed.line());
    }

    /// How long a wait of so many looks has taken, in nanoseconds, as far as is known.
    #[inline]
    pub(crate) fn time_ns(&self, looks: u32) -> u64 {
        let (beside, each) = self.line.get();
        (beside + each * f64::from(looks)).max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits of so many looks and nanoseconds, over and over, a hundred nanoseconds apart: what is told of all of them, by what
    /// they took.
    fn told(waits: &[(u32, u64)]) -> f64 {
        let looks = Looks::default();
        let (mut now, mut told, mut took) = (0, 0, 0);
        for (count, ns) in waits.iter().cycle().take(100_000) {
            if looks.is_sampled(now) {
                looks.learn(*count, *ns);
                told += ns;
            } else {
                told += looks.time_ns(*count);
            }
            took += ns;
            now += ns + 100;
        }
        told as f64 / took as f64
    }

    #[test]
    fn waits_are_told_by_their_looks_also_where_they_are_short_and_long_in_turn() {
        let wait = |looks: u32| (looks, 80 + 20 * u64::from(looks));
        let mut one_in_sixteen = [wait(1); 16];
        one_in_sixteen[7] = wait(60);
        for waits in [&[wait(10)][..], &[wait(1), wait(60)], &[wait(60), wait(1), wait(1)], &one_in_sixteen] {
            let told = told(waits);
            assert!((0.99..1.01).contains(&told), "{told} of what {waits:?} took");
        }
    }

    #[test]
    fn until_something_is_known_all_are_timed_and_then_one_in_sixteen() {
        let looks = Looks::default();
        assert!((0..100).all(|began| looks.is_sampled(began)));
        looks.learn(4, 100);
        assert_eq!((looks.time_ns(4), looks.time_ns(2)), (100, 50));
        looks.learn(24, 500);
        assert_eq!((looks.time_ns(4), looks.time_ns(34)), (100, 700), "20 each, and 20");
        let sampled = (0..16_000).filter(|began| looks.is_sampled(*began * 380)).count();
        assert!((900..1100).contains(&sampled), "{sampled} of 16000");
    }
}
