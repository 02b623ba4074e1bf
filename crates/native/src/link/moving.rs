//! Moving on what a processor finds waiting in the outboxes of its node, and telling senders what has been handled.
//!
//! `backlog` says why nobody is told too late. This module must never know what a message is for.

use crate::link::lane::Lane;
use crate::link::wake;
use crate::processor::core::Processor;

/// Moves what it can from the outboxes into the rings, and then publishes what could not be before. Whether anything moved.
#[inline]
pub(crate) fn move_on(processor: &Processor) -> bool {
    processor.node().backlog.is_left() && clear_backlog(processor)
}

#[cold]
fn clear_backlog(processor: &Processor) -> bool {
    let node = processor.node();
    let before = node.backlog.words();
    for (lane, to) in processor.sending.lanes() {
        if lane.flush(&node.backlog) {
            wake::receiver(processor, to);
        }
    }
    if node.backlog.settles() {
        processor.world().lanes_into(node.id).for_each(Lane::publish_acknowledged);
    }
    node.backlog.words() < before
}

/// Tells senders of what this processor has handled, or leaves that to the processor that empties the outboxes.
#[inline]
pub(crate) fn tell_acknowledged(processor: &Processor) {
    if !processor.service.take_debt() {
        return;
    }
    let node = processor.node();
    if node.backlog.may_acknowledge() {
        processor.world().lanes_into(node.id).for_each(Lane::publish_acknowledged);
    } else {
        node.backlog.owe();
        clear_backlog(processor);
    }
}
