//! The traits that a world implements and the parts that a world needs, for authors of a world.
//!
//! A program or a protocol needs nothing of this. A world implements [`World`], which runs a job, and [`Messages`] and
//! [`Scheduling`], through which threads and handlers act; a simulator implements [`Accounting`] too. A world has each
//! [`Node`] of a job installed ([`settle`]), makes the handles ([`thread`], [`handler`]), gives each message that
//! arrives as a [`Packet`] to [`Node::deliver`] under its [`DispatchKey`], and asks the [`Resident`] for its report in
//! the end. When the nodes have been dropped their [`Disposal`] says whether the program's destructors have failed the
//! run.

use pdq::DispatcherId;

use crate::outcome::Failure;
use crate::plain::Flow;
use crate::{Event, Handler, Job, NodeId, Shape, Thread, Waiter};

pub use ::segment::{MemorySource, SharedFile};

pub use crate::data::address::AddressRange;
pub use crate::data::exports::{ExportedSegment, Exports};
pub use crate::data::full_count::FullCount;
pub use crate::data::segment::{BadAccess, BadPlace, SegmentId, Segments};
pub use crate::data::transfer::Transfer;
pub use crate::memory::{Blocks, Downgrade, Words};
pub use crate::message::charge::Charge;
pub use crate::message::node::{BadPacket, Node, PacketFacts};
pub use crate::message::parts::NodeParts;
pub use crate::outcome::blame::{given_away, note_panic, panic_message, panicked, take_place};
pub use crate::outcome::disposal::Disposal;
pub use crate::plain::Work;
pub use crate::plain::access::Touch;
pub use crate::plain::identity::MessageId;
pub use crate::plain::key::{DispatchKey, Held, Name, Proof, Serial};
pub use crate::plain::packet::Packet;
pub use crate::policy::adaptive::{Controller, Reading};
pub use crate::processor::{Accounting, Messages, Pace, PollInterval, Processor, Scheduling, Wait};
pub use crate::run::job::Resident;
pub use crate::run::{Launch, World};

/// The largest number of timed regions in a run: the measurements at the start of each are kept in memory until the run
/// ends.
const MOST_REGIONS: usize = 1 << 17;

/// Checks that a run which has entered `entered` timed regions may begin another, the region `name`.
///
/// # Panics
/// If the run has entered the largest number of regions already.
pub fn expect_region(entered: usize, name: &str) {
    assert!(
        entered < MOST_REGIONS,
        "phase `{name}` is one too many: a run has at most {MOST_REGIONS} timed regions"
    );
}

/// Makes the handle of thread `index` of `node`, run by `processor`, whose polls look for messages at `interval`. A
/// simulator charges the thread's work to `accounting`, which is `None` where work takes real time.
pub fn thread<'a>(
    node: &'a Node,
    index: u32,
    processor: &'a dyn Processor,
    accounting: Option<&'a dyn Accounting>,
    interval: PollInterval,
) -> Thread<'a> {
    Thread::new(node, index, processor, accounting, interval)
}

/// Makes the handle of a handler on `node` for an event sent by `source`, running on `processor` while it holds the key
/// of `proof`. A simulator charges the handler's work to `accounting`, which is `None` where work takes real time.
pub fn handler<'a>(
    node: &'a Node,
    source: NodeId,
    proof: Proof<'a>,
    processor: &'a dyn Processor,
    accounting: Option<&'a dyn Accounting>,
) -> Handler<'a> {
    Handler::new(node, source, proof, processor, accounting)
}

/// Installs the program of `job` on node `id`, whose events go through `dispatcher`: registers its messages and makes
/// its state. `memory` gives the node all memory that other nodes access. `first` is the first node of this process, with
/// which the node shares memory; `None` while the first node itself is installed. A world lets no node run that is not
/// [like](Node::expect_like) the first node of the run.
///
/// # Errors
/// [`Refusal::Configurations`](crate::outcome::Refusal::Configurations) if two protocols of the program install a third
/// one with different configurations; [`Failure::Program`] if the program panics.
pub fn settle(
    job: &Job,
    id: NodeId,
    shape: Shape,
    flow: Flow,
    dispatcher: DispatcherId,
    memory: &MemorySource,
    first: Option<&Node>,
) -> Result<Resident, Failure> {
    job.settle(id, shape, flow, dispatcher, memory, first)
}

/// Converts a name that has come from another process to a text that lives as long as this process.
pub fn lasting(name: String) -> &'static str {
    crate::plain::names::lasting(name)
}

/// Adds `amount` to the count of an event of `node`. Passes the waiters whose awaited count this reaches to `resume`,
/// in order of arrival.
///
/// # Panics
/// If another node uses the event, or the count would exceed 64 bits.
pub fn signal(event: &Event, node: NodeId, amount: u64, resume: impl FnMut(Waiter)) {
    event.add(node, amount, resume);
}

/// Adds `amount` to the count of an event as [`signal`] does, but without atomic updates where only `node` uses the
/// event. The caller must be the one OS thread that runs all threads and handlers of `node`.
///
/// # Panics
/// If another node uses the event, or the count would exceed 64 bits.
#[inline]
pub fn signal_alone(event: &Event, node: NodeId, amount: u64, resume: impl FnMut(Waiter)) {
    event.add_alone(node, amount, resume);
}

/// Returns the present count of an event, without regard to a simulator's clock. Only a world calls this.
pub fn counted(event: &Event) -> u64 {
    event.counted()
}

/// Lets the thread of `waiter` on `node` wait for an event: the signal by which the count reaches `at_least` resumes
/// the thread. Returns false, and does nothing, if the count has reached `at_least` already.
///
/// # Panics
/// If another node uses the event.
pub fn enlist(event: &Event, node: NodeId, at_least: u64, waiter: Waiter) -> bool {
    event.enlist(node, at_least, waiter)
}

/// Lets the thread of `waiter` wait for an event as [`enlist`] does, without atomic updates. The caller must be the one
/// OS thread that runs all threads and handlers of `node`.
///
/// # Panics
/// If another node uses the event.
#[inline]
pub fn enlist_alone(event: &Event, node: NodeId, at_least: u64, waiter: Waiter) -> bool {
    event.enlist_alone(node, at_least, waiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "phase `late` is one too many: a run has at most 131072 timed regions"]
    fn timed_regions_have_an_end() {
        expect_region(MOST_REGIONS - 1, "last");
        expect_region(MOST_REGIONS, "late");
    }
}
