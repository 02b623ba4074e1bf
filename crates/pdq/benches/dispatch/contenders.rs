//! The contenders: names, kinds and construction.

use crate::actors::Actors;
use crate::harness::{Contestant, Raced};
use crate::inline::Inline;
use crate::jobs::Jobs;
use crate::ours::{Ours, OursSingle};
use crate::partition::Partition;
use crate::shared::{Channel, Segments};
use crate::state::{NoLock, Parking, Spin, Work};
use crate::workload::{Cell, Keys, Topology};

/// All of them, in the order of the tables' columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    Ours,
    /// Our queue, where a producer that does not serve enqueues item by item.
    OursSingle,
    /// A single worker of our queue that produces and serves, beside the two-thread run.
    OursAlone,
    /// A single thread that runs handlers without a queue or a lock.
    OneThread,
    InlineLock,
    Partition,
    SegQueue,
    SegQueueParking,
    Channel,
    Tokio,
    Rayon,
}

/// The role of a contender in the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Ours,
    /// Another way to use ours.
    Design,
    /// Runs only where its comparison says something, and has no column.
    Reference,
    /// Not a usable queue: shows the limit of the host.
    Bound,
    /// A common alternative to our queue.
    Rival,
}

pub(crate) const ALL: [Name; 11] = [
    Name::Ours,
    Name::OursSingle,
    Name::OursAlone,
    Name::OneThread,
    Name::InlineLock,
    Name::Partition,
    Name::SegQueue,
    Name::SegQueueParking,
    Name::Channel,
    Name::Tokio,
    Name::Rayon,
];

impl Name {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::OursSingle => "ours-single",
            Self::OursAlone => "ours-alone",
            Self::OneThread => "one-thread",
            Self::InlineLock => "inline-lock",
            Self::Partition => "partition",
            Self::SegQueue => "segqueue",
            Self::SegQueueParking => "segqueue-pl",
            Self::Channel => "channel",
            Self::Tokio => "tokio",
            Self::Rayon => "rayon",
        }
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Ours => Kind::Ours,
            Self::OursSingle => Kind::Design,
            Self::OursAlone | Self::OneThread => Kind::Reference,
            Self::InlineLock | Self::Partition => Kind::Bound,
            Self::SegQueue | Self::SegQueueParking | Self::Channel | Self::Tokio | Self::Rayon => Kind::Rival,
        }
    }

    /// Whether it has something to say about this cell.
    pub(crate) fn applies(self, cell: Cell) -> bool {
        match self {
            // Two workers have no thread that only produces.
            Self::OursSingle => cell.topology != Topology::Both,
            Self::OursAlone => cell.topology == Topology::Both && cell.keys == Keys::Uniform(1),
            Self::OneThread => cell.topology == Topology::Both && cell.keys.skewed() && cell.handler == 200,
            _ => true,
        }
    }

    /// Topology of this contender in the cell: references run alone, all others as the cell says.
    pub(crate) fn topology(self, cell: Cell) -> Topology {
        if self.kind() == Kind::Reference { Topology::Alone } else { cell.topology }
    }

    /// Whether it keeps the order of each producer's items of one key when two workers serve. Where it does not, the
    /// handler does not look.
    fn ordered(self) -> bool {
        !matches!(self, Self::SegQueue | Self::SegQueueParking | Self::Channel | Self::Rayon)
    }

    pub(crate) fn build(self, cell: Cell, iterations: u32) -> Box<dyn Contestant> {
        let topology = self.topology(cell);
        // Where a single worker takes items first in, first out, there is order even without a promise.
        let in_line = topology.workers() == 1 && self != Self::Rayon;
        let work = Work { who: self.text(), iterations, ordered: self.ordered() || in_line };
        match self {
            Self::Ours | Self::OursAlone => Box::new(Raced::<Ours, NoLock>::new(cell, topology, work)),
            Self::OursSingle => Box::new(Raced::<OursSingle, NoLock>::new(cell, topology, work)),
            Self::OneThread => Box::new(Inline::<NoLock>::new(cell, topology, work)),
            Self::InlineLock => Box::new(Inline::<Spin>::new(cell, topology, work)),
            Self::Partition => Box::new(Raced::<Partition, NoLock>::new(cell, topology, work)),
            Self::SegQueue => Box::new(Raced::<Segments, Spin>::new(cell, topology, work)),
            Self::SegQueueParking => Box::new(Raced::<Segments, Parking>::new(cell, topology, work)),
            Self::Channel => Box::new(Raced::<Channel, Spin>::new(cell, topology, work)),
            Self::Tokio => Box::new(Actors::new(cell, topology, work)),
            Self::Rayon => Box::new(Jobs::new(cell, topology, work)),
        }
    }
}
