//! The queue of lines that a cache has given up and that memory does not have yet. The queue drains by itself, in order.
//! It must never know states of lines.

use std::collections::VecDeque;

use units::Time;

/// A line on its way to memory.
#[derive(Clone, Copy, Debug)]
struct Entry {
    line: u64,
    /// The end of the line's data phase, when its place in the queue is free.
    left: Time,
    /// The time from which memory has the line.
    accepted: Time,
}

/// The write-back queue of a cache.
#[derive(Clone, Debug)]
pub(crate) struct WriteBacks {
    room: usize,
    entries: VecDeque<Entry>,
    /// The start of the data phase of the last line. No line overtakes another.
    last: Time,
    /// The time from which memory has all lines.
    accepted: Time,
    /// The time at which the last write-back is acknowledged.
    done: Time,
}

impl WriteBacks {
    /// Makes an empty queue with room for `room` lines, at least 1.
    pub(crate) fn new(room: usize) -> Self {
        Self { room, entries: VecDeque::new(), last: Time::ZERO, accepted: Time::ZERO, done: Time::ZERO }
    }

    /// The time at which a line that comes at `now` finds room.
    pub(crate) fn room_at(&mut self, now: Time) -> Time {
        while self.entries.front().is_some_and(|entry| entry.accepted <= now) {
            self.entries.pop_front();
        }
        let waiting = self.entries.iter().filter(|entry| entry.left > now).count();
        match (waiting + 1).checked_sub(self.room) {
            None | Some(0) => now,
            // The lines that wait are the last of the queue; `excess` of them must leave first.
            Some(excess) => self.entries[self.entries.len() - waiting + excess - 1].left,
        }
    }

    /// The start of the data phase of the last line; the next line does not leave earlier.
    pub(crate) fn last(&self) -> Time {
        self.last
    }

    /// Takes a line whose data are on the bus from `start` to `left`, which memory has from `accepted` on, and whose
    /// write-back is acknowledged at `done`.
    pub(crate) fn push(&mut self, line: u64, (start, left): (Time, Time), accepted: Time, done: Time) {
        self.entries.push_back(Entry { line, left, accepted });
        self.last = start;
        self.accepted = self.accepted.max(accepted);
        self.done = self.done.max(done);
    }

    /// The time from which memory has a line. `None`: the line is not in the queue, or memory has all of the queue at `now`.
    #[inline]
    pub(crate) fn accepted(&self, line: u64, now: Time) -> Option<Time> {
        if self.accepted <= now {
            return None;
        }
        self.entries.iter().rev().find(|entry| entry.line == line).map(|entry| entry.accepted)
    }

    /// The time at which all write-backs up to now are acknowledged.
    pub(crate) fn done(&self) -> Time {
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::cycles;

    #[test]
    fn a_full_queue_has_room_when_its_oldest_line_has_left() {
        let mut queue = WriteBacks::new(2);
        for line in 0..3 {
            let start = 10 * line;
            let left = (cycles(start), cycles(start + 10));
            queue.push(line, left, cycles(start + 15), cycles(start + 20));
        }
        // Lines leave at 10, 20, 30. At 5 all three wait, at 10 two, at 20 one.
        assert_eq!(queue.room_at(cycles(5)), cycles(20));
        assert_eq!(queue.room_at(cycles(12)), cycles(20));
        assert_eq!(queue.room_at(cycles(20)), cycles(20));
        assert_eq!(
            [(2, 34), (2, 35), (7, 0)].map(|(line, now)| queue.accepted(line, cycles(now))),
            [Some(cycles(35)), None, None]
        );
        assert_eq!(queue.done(), cycles(40));
    }
}
