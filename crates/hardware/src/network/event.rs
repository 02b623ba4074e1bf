//! The values that pass between a routed network and its caller: messages to be launched, and events, each a worm, a source of cross
//! traffic or a credit as one number.
//!
//! This module must never know when an event happens.

use units::Time;

/// An event inside the network. The caller hands it to [`Fabric::step`](super::Fabric::step) at its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event(u32);

impl Event {
    /// The bit that tells a source of cross traffic from a worm.
    const SOURCE: u32 = 1 << 31;

    /// The bit that tells a channel to which a credit returns from a worm.
    const CREDIT: u32 = 1 << 30;

    pub(super) fn worm(worm: u32) -> Self {
        Self(worm)
    }

    pub(super) fn source(source: u32) -> Self {
        Self(Self::SOURCE | source)
    }

    pub(super) fn credit(channel: u32) -> Self {
        Self(Self::CREDIT | channel)
    }

    /// The event as a number, for a caller that keeps its events in little space.
    #[inline]
    pub fn number(self) -> u32 {
        self.0
    }

    /// The event of a [number](Self::number).
    #[inline]
    pub fn of_number(number: u32) -> Self {
        Self(number)
    }

    /// Whether the event is not about a worm.
    pub(super) fn is_apart(self) -> bool {
        self.0 >= Self::CREDIT
    }

    pub(super) fn as_source(self) -> Option<u32> {
        (self.0 & Self::SOURCE != 0).then_some(self.0 & !Self::SOURCE)
    }

    pub(super) fn as_credit(self) -> Option<u32> {
        (self.is_apart() && self.0 & Self::SOURCE == 0).then_some(self.0 & !Self::CREDIT)
    }
}

/// A message to be launched.
#[derive(Clone, Copy, Debug)]
pub struct Parcel {
    /// The caller's number for the message, returned when its head arrives.
    pub cargo: u32,
    /// The caller's rank of this message's events among simultaneous ones.
    pub tie: u32,
    /// The source node.
    pub from: u32,
    /// The destination node, which is not the source.
    pub to: u32,
    /// The bytes of the message, headers included.
    pub bytes: u64,
    /// The time of the message through the slower of the two ports.
    pub passage: Time,
}
