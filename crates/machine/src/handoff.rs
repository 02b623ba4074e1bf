//! The queues between the compute processors of a node and its network processor. Pure data and its section
//! `[handoff]`.

use units::{Frequency, Time};

use crate::section::Section;

/// A queue in memory that both kinds of processor reach, one each way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// Messages it holds; at least 1. The writer of one more waits.
    pub capacity: usize,
    /// From the end of writing an entry until the other side can see it.
    pub visible: Time,
}

impl Handoff {
    pub(crate) fn read(section: &Section<'_>, clock: Frequency) -> Option<Self> {
        let capacity = section.count("capacity");
        let visible = section.time("visible", clock);
        Some(Self { capacity: capacity?, visible: visible? })
    }
}
