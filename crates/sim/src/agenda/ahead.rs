//! Guesses about the next events, and their places in the host's memory: for a caller that prefetches them.
//!
//! An event that is pushed meanwhile may come before a guessed one. This module must never change the order of events.

use super::Agenda;
use crate::happening::Happening;

impl Agenda {
    /// The event that stood `ahead` places behind the present one in its delay's row.
    #[inline]
    pub(crate) fn usual_ahead(&self, ahead: usize) -> Option<Happening> {
        self.usual.behind(ahead).map(Happening::from)
    }

    /// The event inside the network that stood `ahead` places behind the present one in its delay's row.
    #[inline]
    pub(crate) fn usual_inside_ahead(&self, ahead: usize) -> Option<hardware::Event> {
        self.usual.behind(ahead)?.inside()
    }

    /// The event that comes after `ahead` others in the present queue, if nothing is pushed before. `None` if nothing is known.
    pub(crate) fn event_ahead(&self, ahead: usize) -> Option<Happening> {
        self.events.after(ahead).map(Happening::from)
    }

    /// The event of a node that comes after `ahead` others, if nothing is pushed before. `None` if nothing is known.
    pub(crate) fn event_of(&self, node: usize, ahead: usize) -> Option<Happening> {
        self.events.after_of(node, ahead).map(Happening::from)
    }

    /// The node whose turn probably comes after `ahead` others and the present one, and its first event. `None` if nothing is known.
    pub(crate) fn turn_ahead(&self, ahead: usize) -> Option<(usize, Happening)> {
        self.events.first_of_turn(ahead).map(|(node, event)| (node, event.into()))
    }

    /// Prefetches the queue of a node.
    pub(crate) fn ask_for_queue(&self, node: usize) {
        fiber::prefetch_value(self.events.place_of(node));
    }

    /// Prefetches the entries in the queue of a node.
    pub(crate) fn ask_inside_queue(&self, node: usize) {
        self.events.things_of(node).into_iter().for_each(fiber::prefetch_value);
    }

    /// Prefetches the queues that the last pushes for other nodes join later.
    #[inline(never)]
    pub(super) fn ask_for_posted(&self) {
        self.events.posted_to(0).into_iter().for_each(|node| self.ask_for_queue(node));
        let before = self.events.posted_to(1).and_then(|node| self.events.end_of(node));
        before.into_iter().for_each(fiber::prefetch_value);
    }
}
