//! How often the threads of a processor look for events at their polls.
//!
//! Must never know what a look finds, beyond that it found something.

use tempest::world::Pace;
use units::Time;

/// The polls of one processor.
#[derive(Debug)]
pub(crate) struct Looks {
    /// How far apart looks are meant to be; `None` where every poll looks.
    pace: Option<Pace>,
    /// Polls until the next look.
    until: u32,
}

impl Looks {
    /// Looks that are meant to be `apart`: where that is no time at all, every poll looks.
    pub(crate) fn new(apart: Time) -> Self {
        Self { pace: (!apart.is_zero()).then(|| Pace::new(apart)), until: 1 }
    }

    /// A poll: whether the thread passes by and does not look.
    pub(crate) fn passes(&mut self) -> bool {
        let passes = self.until > 1;
        self.until -= u32::from(passes);
        passes
    }

    /// The thread has looked at `at`.
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
        // Polls 10 ns apart.
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
