//! Tests for waiting work: messages, events that may be dispatched, downgrades that can go on.
//!
//! This module must never know the purpose of the work.

use crate::memory::lowering;
use crate::parts::core::Processor;
use crate::parts::dispatcher::{Dispatcher, Shared};
use crate::rings::lane::Lane;

/// Whether there are events or a backlog, including events that only a thorough search finds.
pub(crate) fn sees_any_service(processor: &Processor) -> bool {
    sees_service(processor) || sees_hidden_events(processor)
}

/// Whether there are events to run or a backlog to move on.
pub(crate) fn sees_service(processor: &Processor) -> bool {
    sees_events(processor) || processor.node().backlog.is_left()
}

/// Whether the dispatch queue has to be searched: it has changed since this processor's last fruitless search, or a repetition is due.
#[inline]
pub(crate) fn sees_dispatchable(processor: &Processor, shared: &Shared) -> bool {
    processor.duty.is_search_due(&shared.changes)
}

/// Whether there are events that only a thorough search finds. For a processor that is about to sleep.
pub(crate) fn sees_hidden_events(processor: &Processor) -> bool {
    let Dispatcher::Keyed(shared) = &processor.node().dispatcher else { return false };
    let queue = &shared.queue;
    let server = processor.server();
    let hides = || queue.shows(server) && queue.search(server);
    let sees = hides() || queue.seized_for().is_some() && !queue.is_empty();
    if sees {
        processor.duty.search_next();
    }
    sees
}

/// Whether there may be events to receive or to run.
#[inline]
pub(crate) fn sees_events(processor: &Processor) -> bool {
    sees_events_but(processor, |_| true)
}

/// Whether events wait for this processor. Messages that the node sent to itself do not count while
/// another processor has the floor.
#[inline]
pub(crate) fn sees_events_due(processor: &Processor) -> bool {
    match processor.floor() {
        None => sees_events(processor),
        Some(floor) => sees_events_but(processor, |own| {
            floor.may_be_free_for(&processor.speaker)
                && own.has_message()
                && floor.is_free_for(&processor.speaker)
        }),
    }
}

/// Whether there may be events to receive or to run. `counts` tests the lane from the node to itself.
#[inline]
fn sees_events_but(processor: &Processor, counts: impl Fn(&Lane) -> bool) -> bool {
    let node = processor.node();
    let changed = match &node.dispatcher {
        Dispatcher::Keyed(shared) => sees_dispatchable(processor, shared) || lowering::sees_change(processor),
        _ if node.has_set_aside() => return lowering::sees_change(processor),
        _ => false,
    };
    let mut lanes = processor.world().lanes_into(node.id).zip(0..);
    changed || lanes.any(|(lane, source)| (source != node.id.0 || counts(lane)) && lane.has_message())
}

/// Whether there is a reason not to sleep.
#[inline]
pub(crate) fn sees_work(processor: &Processor) -> bool {
    processor.sees_own_work() || processor.serves() && sees_events(processor)
}
