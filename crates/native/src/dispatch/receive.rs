//! Receiving: taking messages out of the lanes into a node, and accounting for those that have been dealt with.
//!
//! A message is *in flight* from the moment its sender counts it until it is counted handled here, after its handler has
//! run. That is done once for a batch of a lane where it is handled there and then. `quiescence` needs no more: what
//! is handled is counted late, never early, so the sums agree only when nothing is in flight; and a processor counts its
//! batch before it can say that it is idle, so they do agree in the end. What a batch's handlers send is counted, as always,
//! before anybody can see it, and so before the batch is. A sender's credits come back once for a batch too: while a batch is
//! under way fewer are known than there are, which keeps the bound of the outboxes (`lane`).
//!
//! This module must never know what is done with a message that was received.

use tempest::NodeId;

use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::right::Turn;
use crate::link::lane::Lane;
use crate::link::ring::{BadLength, Origin, Received};
use crate::memory::blocks;
use crate::processor::core::Processor;

/// Messages taken from one lane before the next is looked at.
pub(crate) const BATCH: usize = 32;

/// What has been dealt with of the messages that came from one lane, a batch at most, until it is counted: those handled in the low
/// half, and of these the messages of threads in the high half. One number is one register of the loop.
#[derive(Default)]
pub(crate) struct Tally(u64);

impl Tally {
    /// Its handler has run.
    #[inline]
    pub(crate) fn count(&mut self, message: &Received) {
        self.0 += 1 | u64::from(message.origin == Origin::Thread) << 32;
    }

    fn handled(&self) -> u64 {
        self.0 & 0xffff_ffff
    }

    fn by_threads(&self) -> u64 {
        self.0 >> 32
    }
}

/// The right to receive, if nobody has it; an only processor needs none.
#[inline]
pub(crate) fn try_receive(processor: &Processor) -> Option<Turn<'_>> {
    processor.node().right_to_receive.try_take(processor.number())
}

/// Takes messages from the lanes into this node as long as `each` says, which counts what it has dealt with; returns
/// how many. Needs the right to receive.
pub(crate) fn receive(processor: &Processor, mut each: impl FnMut(&Received, &mut Tally) -> bool) -> usize {
    processor.bursts.begin();
    let mut received = 0;
    let mut message = Received::blank();
    let node = &processor.node().resident.node;
    // What comes next is handled here, too, unless it goes to a queue.
    let looks_ahead = node.foresees() && !matches!(processor.node().dispatcher, Dispatcher::Keyed(_));
    let floor = processor.floor();
    for (lane, source) in processor.world().lanes_into(processor.node().id).zip(0..) {
        let (mut tally, mut goes_on) = (Tally::default(), true);
        let drained = lane.receive(BATCH, NodeId(source), &mut message, |message, is_good| {
            if let Some(floor) = floor {
                floor.go_on(&processor.speaker);
            }
            if looks_ahead {
                lane.look_ahead(NodeId(source), |packet| node.prefetch(packet));
            }
            goes_on = match is_good {
                Ok(()) => !blocks::unload(processor, message) || each(message, &mut tally),
                Err(length) => refuse(processor, &length),
            };
            goes_on
        });
        count_dealt_with(processor, lane, &tally);
        if drained.messages > 0 {
            processor.bursts.note(drained.messages, drained.more);
            received += drained.messages;
        }
        if !goes_on {
            break;
        }
    }
    received
}

#[cold]
fn refuse(processor: &Processor, length: &BadLength) -> bool {
    processor.fail(format!("a message claims {} words", length.0));
    true
}

/// Accounts for a batch of messages of a lane, once for all. Until then they are in flight, which is only the safe
/// side: see `quiescence`.
#[inline]
fn count_dealt_with(processor: &Processor, lane: &Lane, tally: &Tally) {
    if tally.handled() == 0 {
        return;
    }
    processor.gauge().count_handlers(tally.handled());
    if tally.by_threads() > 0 {
        lane.count_handled(tally.by_threads());
        if processor.node().backlog.may_acknowledge() {
            lane.publish_acknowledged();
        } else {
            processor.service.owe();
        }
    }
    processor.gauge().count_handled(tally.handled());
}
