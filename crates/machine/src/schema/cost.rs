//! The cost of one use of a primitive. This module must never know a particular primitive, nor its form in a file.

use units::Time;

use crate::Transactions;

/// The cost of one use of a primitive: a named step of a handler or of messaging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Time on the handler's critical path: the rest of the handler waits for it.
    pub path: Time,
    /// Further time that the processor stays occupied once the handler is over.
    pub occupancy: Time,
    /// Further time in which the processor is free again but cannot start another service: it waits for a DMA or for
    /// the network's acknowledgement.
    pub wait: Time,
    /// Further time on the critical path for each memory line, if the primitive handles a block.
    pub line: Time,
    /// The transactions on the node's memory bus whose time `path` contains, if the file describes the bus.
    pub bus: Transactions,
    /// The transactions on the node's memory bus whose time `occupancy` contains, if the file describes the bus.
    pub after: Transactions,
}

impl Cost {
    /// The cost of `count` uses in a row: `wait` as for a single use, everything else `count` times.
    #[inline]
    pub fn times(self, count: u64) -> Self {
        // Most uses are single, and need no multiplication.
        if count == 1 {
            return self;
        }
        Self {
            path: self.path * count,
            occupancy: self.occupancy * count,
            line: self.line * count,
            bus: self.bus.times(count),
            after: self.after.times(count),
            ..self
        }
    }

    /// The cost of two primitives in succession: the sum, but of the two waits only the longer.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self {
            path: self.path + other.path,
            occupancy: self.occupancy + other.occupancy,
            wait: self.wait.max(other.wait),
            line: self.line + other.line,
            bus: self.bus.and(other.bus),
            after: self.after.and(other.after),
        }
    }

    /// The time on the critical path for a block of `lines` memory lines.
    pub fn path_of(self, lines: u64) -> Time {
        self.path + self.line * lines
    }
}
