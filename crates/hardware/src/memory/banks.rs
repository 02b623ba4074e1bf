//! Interleaved memory banks behind one controller. This module must never know a bus or a cache.

use des::Server;
use std::sync::Arc;

use units::Time;

use crate::Divisor;

/// The memory of a node.
#[derive(Clone, Debug)]
pub(crate) struct Banks {
    /// The costs, which all nodes of a machine share.
    costs: Arc<machine::Banks>,
    banks: Vec<Server>,
    /// Number of banks.
    count: Divisor,
    /// Whether the controller's last order was a write. A read has to turn the controller round first.
    writing: bool,
    /// The time at which the controller has been turned round.
    turned: Time,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
}

impl Banks {
    pub(crate) fn new(costs: &machine::Banks) -> Self {
        Self {
            banks: vec![Server::default(); costs.count],
            count: Divisor::new(costs.count as u64),
            costs: Arc::new(costs.clone()),
            writing: false,
            turned: Time::ZERO,
            reads: 0,
            writes: 0,
        }
    }

    /// Orders a read of a line at `at`. Returns the time at which its first word is there.
    pub(crate) fn read(&mut self, line: u64, at: Time) -> Time {
        self.reads += 1;
        if std::mem::take(&mut self.writing) {
            self.turned = at + self.costs.turnaround;
        }
        let at = at.max(self.turned);
        let busy = self.costs.read;
        self.bank(line).acquire(at, busy) + self.costs.latency
    }

    /// The time from which a write of a line can be taken.
    pub(crate) fn open(&mut self, line: u64) -> Time {
        self.bank(line).free_at()
    }

    /// Takes a line whose data come from `start` to `end`. Its bank begins to write after `held` more. Returns the time from
    /// which every later read finds the line.
    pub(crate) fn write(&mut self, line: u64, (start, end): (Time, Time), held: Time) -> Time {
        self.writes += 1;
        self.writing = true;
        let busy = held + self.costs.write;
        self.bank(line).acquire(start, busy);
        end + self.costs.accept
    }

    /// The time up to `now` for which each bank has been busy.
    pub(crate) fn busy_at(&self, now: Time) -> impl Iterator<Item = Time> + '_ {
        self.banks.iter().map(move |bank| bank.busy_at(now))
    }

    fn bank(&mut self, line: u64) -> &mut Server {
        &mut self.banks[self.count.remainder(line) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::{banks, cycles};

    #[test]
    fn neighbours_are_read_side_by_side_and_a_bank_one_after_the_other() {
        let mut memory = Banks::new(&banks());
        // Two banks, 21 to the first word, busy for 24.
        let ready: Vec<_> = (0..4).map(|line| memory.read(line, cycles(0))).collect();
        assert_eq!(ready, [21, 21, 45, 45].map(cycles));
        assert_eq!(memory.reads, 4);
        // Each has two reads of 24; of the second 6 have passed.
        assert_eq!(memory.busy_at(cycles(30)).collect::<Vec<_>>(), [30, 30].map(cycles));
    }

    #[test]
    fn only_the_first_read_after_a_write_turns_the_controller_round() {
        let mut memory = Banks::new(&banks());
        // Its bank is busy from 0 to 8; it is there 7 after its last word.
        assert_eq!(memory.write(0, (cycles(0), cycles(4)), Time::ZERO), cycles(11));
        assert_eq!(memory.open(0), cycles(8));
        assert_eq!(memory.read(1, cycles(100)), cycles(131));
        assert_eq!(memory.read(2, cycles(200)), cycles(221));
    }
}
