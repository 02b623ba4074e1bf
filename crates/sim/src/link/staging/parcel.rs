//! The transfers under way through staging interfaces, and their packets.
//!
//! This module must never know when a packet moves.

use hardware::memory::Slot;
use units::Time;

use crate::link::command::Command;

/// A transfer on its way.
#[derive(Debug)]
pub(super) struct Shipment {
    pub(super) command: Command,
    /// Whether the first packet has been made.
    pub(super) begun: bool,
    /// The bytes whose packets have been made.
    pub(super) made: u64,
    /// The bytes that are in place.
    pub(super) placed: u64,
}

/// A packet of a transfer.
#[derive(Debug)]
pub(super) struct Parcel {
    pub(super) shipment: u32,
    /// The place of its first byte in the transfer.
    pub(super) offset: u64,
    pub(super) bytes: u64,
    /// Block of the packet at the source.
    pub(super) staged_in: Option<Slot>,
    pub(super) kept_in: Option<Slot>,
    pub(super) joined: bool,
    /// The time at which its first byte came out of the network.
    pub(super) arrived: Time,
    /// Lines of the packet at the destination. The flag says whether the packet covers the whole line.
    pub(super) lines: Vec<(u64, bool)>,
    /// The number of its lines that are in memory, and the time at which the last of those is.
    pub(super) deposited: (usize, Time),
}

/// Puts an item into the first free place. Returns the place.
pub(super) fn file<T>(places: &mut Vec<Option<T>>, item: T) -> u32 {
    let free = places.iter().position(Option::is_none).unwrap_or(places.len());
    if free == places.len() {
        places.push(None);
    }
    places[free] = Some(item);
    free as u32
}
