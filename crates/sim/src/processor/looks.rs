//! The polls of a processor's threads, and how many of them look for events.
//!
//! This module must never know what a look finds, only whether it found something.

use tempest::world::Pace;
use units::Time;

/// The polls of one processor.
#[derive(Debug)]
pub(crate) struct Looks {
    /// The distance that looks aim at; `None` if every poll looks.
    pace: Option<Pace>,
    /// The number of polls until the next look.
    until: u32,
}

impl Looks {
    /// Polls whose looks aim at a distance of `apart`. If that is zero, every poll looks.
    pub(crate) fn new(apart: Time) -> Self {
        Self { pace: (!apart.is_zero()).then(|| Pace::new(apart)), until: 1 }
    }

    /// Counts a poll. Returns whether the thread passes by without a look.
    pub(crate) fn passes(&mut self) -> bool {
        let passes = self.until > 1;
        self.until -= u32::from(passes);
        passes
    }

    /// Records a look of the thread at `at`, and whether it found an event.
    pub(crate) fn note(&mut self, found: bool, at: Time) {
        if let Some(pace) = &self.pace {
            pace.note(found);
            self.until = pace.next(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_pass_by_until_a_look_is_due() {
        let ns = Time::from_nanoseconds;
        let mut looks = Looks::new(ns(100));
        let mut looked = 0;
        // Polls come 10 ns apart.
        for poll in 0..1000 {
            if !looks.passes() {
                looked += 1;
                looks.note(false, ns(10 * poll));
            }
        }
        assert!((20..=200).contains(&looked), "{looked} looks");
        let mut always = Looks::new(Time::ZERO);
        assert!(!always.passes());
    }
}
