//! The lines of memory that an interface has written and no processor has loaded since, where the machine does not describe caches.
//!
//! Without caches every access is a hit but the first load of such a line, which comes from memory. This module must never know
//! what a line takes.

use std::collections::HashSet;
use std::ops::Range;

use units::Bytes;

/// Lines that have arrived in memory.
#[derive(Debug)]
pub(super) struct Arrived {
    line: Bytes,
    lines: HashSet<u64>,
    /// The addresses among which all bytes lie that ever arrived. Most loads are elsewhere.
    among: Range<u64>,
}

impl Arrived {
    /// No line, of lines of the size `line`.
    pub(super) fn new(line: Bytes) -> Self {
        Self { line, lines: HashSet::new(), among: 0..0 }
    }

    fn lines(&self, address: u64, bytes: u64) -> Range<u64> {
        let line = self.line.get();
        address / line..(address + bytes).div_ceil(line)
    }

    /// Adds the lines of bytes that have arrived.
    pub(super) fn add(&mut self, address: u64, bytes: u64) {
        let (arrived, line) = (self.lines(address, bytes), self.line.get());
        let (first, end) = (arrived.start * line, arrived.end * line);
        let first = if self.among.is_empty() { first } else { self.among.start.min(first) };
        self.among = first..self.among.end.max(end);
        self.lines.extend(arrived);
    }

    /// Removes the lines of bytes that are loaded. Returns the number of lines that were here.
    #[inline]
    pub(super) fn take(&mut self, address: u64, bytes: u64) -> u64 {
        if address >= self.among.end || address + bytes <= self.among.start {
            return 0;
        }
        let loaded = self.lines(address, bytes);
        loaded.filter(|line| self.lines.remove(line)).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_has_arrived_is_loaded_from_memory_once() {
        let mut arrived = Arrived::new(Bytes::new(32));
        assert_eq!(arrived.take(0, 1 << 20), 0);
        // From the middle of line 1 to the middle of line 3.
        arrived.add(48, 64);
        assert_eq!(arrived.take(0, 32), 0);
        assert_eq!((arrived.take(56, 8), arrived.take(32, 8)), (1, 0));
        assert_eq!(arrived.take(40, 200), 2);
        assert_eq!(arrived.take(40, 200), 0);
        arrived.add(40, 8);
        assert_eq!(arrived.take(40, 8), 1, "it has arrived again");
    }
}
