//! Histogram by messages: a program of 25 lines. This module must never know which world runs it.

use tempest::*;

/// Threads count values into bins of the next node.
#[program]
pub struct Histogram {
    /// values of each node
    #[input(default = 9999, range = 1..=999_999)]
    values: u32,
    #[keyed(64)]
    bins: Keyed<u64>,
}

#[handlers]
impl Histogram {
    /// Counts a value in its bin.
    #[message(key = bin)]
    fn count(&self, bin: u64, cx: &mut Handler<'_>) {
        cx.with(&self.bins, |count, _| *count += 1);
    }
    fn main(&self, thread: &Thread<'_>) {
        for value in thread.share(0..self.values) {
            thread.send(thread.next_node(), Self::count(value * value % 64));
        }
    }
    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let due = |bin| (0..u64::from(self.values)).filter(|value| value * value % 64 == bin).count() as u64;
        let wrong = (0..64).filter(|&bin| *end.get(&self.bins, bin) != due(bin)).count();
        Report::checked(wrong == 0, || format!("{wrong} bins hold another count than a sequential run's"))
    }
}
