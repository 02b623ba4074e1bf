//! The places of receive slots in a node's memory. By a slot the protocol engine of an interface finds, and checks, the memory that
//! others write.
//!
//! There is a slot for each other node and each segment: the words that one source may write in one segment. Its base
//! and length are the segment's, and its permissions are the segment's rights, so the waist makes the check. A slot
//! fills a line.
//!
//! This module must never know when a slot is looked up.

use hardware::memory::NodeMemory;
use tempest::NodeId;
use tempest::world::{AddressRange, Node as Waist, SegmentId};

/// The line of the slot for words of a source, another node, in a segment of this one. `line` is the size of a line.
pub(crate) fn line_of(waist: &Waist, source: NodeId, segment: SegmentId, line: u64) -> u64 {
    let others_before = source.0 - u32::from(source > waist.id());
    first_line(line) + u64::from(others_before) * waist.segment_count() as u64 + u64::from(segment.0)
}

/// The first line of the table.
fn first_line(line: u64) -> u64 {
    AddressRange::Interface.page_named("slots", 0).div_ceil(line)
}

/// Puts the slots of a node where they are when a run begins. They have just been made, one after the other, so that the engine has at
/// hand the last ones for which it has room.
pub(super) fn open_before(system: &mut NodeMemory, waist: &Waist) {
    let all = u64::from(waist.shape().nodes - 1) * waist.segment_count() as u64;
    let first = first_line(system.line());
    let kept = system.slots_at_hand() as u64;
    (all.saturating_sub(kept)..all).for_each(|slot| system.open_slot_before(first + slot));
}
