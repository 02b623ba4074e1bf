//! Emptying the outboxes of a processor's node, and acknowledging handled messages.
//!
//! `backlog` shows why no acknowledgement is forgotten. This module must never know the purpose of a message.

use crate::link::wake;
use crate::parts::core::Processor;
use crate::rings::lane::Lane;

/// Moves messages from the outboxes into the rings, then publishes owed acknowledgements. Returns whether any message moved.
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

/// Acknowledges the messages that this processor has handled, or leaves that to the processor that empties the outboxes.
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
