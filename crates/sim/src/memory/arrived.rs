//! The lines of memory that an interface has written and no processor has loaded since, where the machine does not describe caches.
//!
//! Without caches every access is a hit but the first load of such a line, which comes from memory. This module must
//! never know the cost of a line.

use std::collections::HashSet;
use std::ops::Range;

use units::Bytes;

/// Lines that have arrived in memory.
#[derive(Debug)]
pub(super) struct Arrived {
    line: Bytes,
    /// `None` before the first line has arrived: a machine may have very many nodes.
    lines: Option<Box<Lines>>,
}

/// Lines, by their numbers.
#[derive(Debug, Default)]
struct Lines {
    all: HashSet<u64>,
    /// The addresses among which all bytes lie that ever arrived. Most loads are elsewhere.
    among: Range<u64>,
}

/// The numbers of the lines of bytes, of lines of the size `line`.
fn lines(line: Bytes, address: u64, bytes: u64) -> Range<u64> {
    address / line.get()..(address + bytes).div_ceil(line.get())
}

/// Removes lines. Returns the number of removed lines.
#[inline(never)]
fn remove(all: &mut HashSet<u64>, lines: Range<u64>) -> u64 {
    lines.filter(|line| all.remove(line)).count() as u64
}

impl Arrived {
    /// An empty set of lines of the size `line`.
    pub(super) fn new(line: Bytes) -> Self {
        Self { line, lines: None }
    }

    /// Adds the lines of bytes that have arrived.
    pub(super) fn add(&mut self, address: u64, bytes: u64) {
        let (arrived, line) = (lines(self.line, address, bytes), self.line.get());
        let (first, end) = (arrived.start * line, arrived.end * line);
        let Lines { all, among } = &mut **self.lines.get_or_insert_default();
        let first = if among.is_empty() { first } else { among.start.min(first) };
        *among = first..among.end.max(end);
        all.extend(arrived);
    }

    /// Removes the lines of bytes that are loaded. Returns the number of lines that were here.
    #[inline]
    pub(super) fn take(&mut self, address: u64, bytes: u64) -> u64 {
        let Some(Lines { all, among }) = self.lines.as_deref_mut() else { return 0 };
        if address >= among.end || address + bytes <= among.start {
            return 0;
        }
        remove(all, lines(self.line, address, bytes))
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
