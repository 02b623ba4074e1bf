//! What it takes processors of a node to get from their threads to handlers and back, where software does that: a routine
//! that is called at back-edges and faults, and in a loop by whoever has nothing else to do. Pure data and its section
//! `[software_dispatch]`.

use units::{Frequency, Time};

use crate::section::Section;

/// The dispatch routine: a call of it takes messages out of the network, then serves the faults of the node, one handler at
/// a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoftwareDispatch {
    /// A computing processor calls it at every so many loop back-edges unless the policy says otherwise; at least 1.
    pub poll_every: u32,
    /// From an event to its being seen by a processor that calls the routine in a loop.
    pub notice: Time,
    /// From a thread that cannot go on to the routine.
    pub enter: Time,
    /// What a call at a back-edge takes beyond a poll that finds nothing, when it finds something.
    pub find: Time,
    /// From the routine back to where a processor that also computes finds out what is next.
    pub leave: Time,
    /// What a call takes longer when another processor of the node made the one before: the routine's code and state move.
    pub migrate: Time,
    /// Letting a thread go on that was the last one on its processor.
    pub wake: Time,
    /// The most messages that a call on a processor which also computes takes out of the network; at least 1. `None`: all.
    pub drain: Option<usize>,
}

impl SoftwareDispatch {
    pub(crate) fn read(section: &Section<'_>, clock: Frequency) -> Option<Self> {
        let poll_every = section.count("poll_every");
        let notice = section.time("notice", clock);
        let enter = section.time("enter", clock);
        let find = section.time("find", clock);
        let leave = section.time("leave", clock);
        let migrate = section.time("migrate", clock);
        let wake = section.time("wake", clock);
        let drain = section.limit("drain");
        Some(Self {
            poll_every: poll_every?,
            notice: notice?,
            enter: enter?,
            find: find?,
            leave: leave?,
            migrate: migrate?,
            wake: wake?,
            drain: drain?,
        })
    }
}
