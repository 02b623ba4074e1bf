//! The transition functions that the explorer drives: a protocol's own, unless a test puts a mistake in their
//! place.
//!
//! This module must never know how the state space is searched.

use protocols::stache::{
    Home, HomeAction, HomeEvent, Line, LineAction, LineEvent, Residence, ResidenceAction, ResidenceEvent,
    ToCache, ToHome, Unspecified, Variant, Whereabouts,
};
use tempest::Tag;

/// The protocol as the explorer calls it. The provided methods are the functions that run in every world.
pub trait Rules {
    /// Tables that the nodes follow.
    fn variant(&self) -> Variant;

    /// Whether messages between two nodes arrive in the order in which they were sent.
    fn channels_keep_order(&self) -> bool {
        self.variant() == Variant::Ordered
    }

    /// [`Home::lowers`].
    fn home_lowers(&self, home: &Home, event: HomeEvent) -> Option<Tag> {
        home.lowers(event)
    }

    /// [`Home::step`].
    ///
    /// # Errors
    /// If no rule covers the event.
    fn home_step(
        &self,
        home: &mut Home,
        event: HomeEvent,
        act: &mut dyn FnMut(HomeAction),
    ) -> Result<(), Unspecified> {
        home.step(event, self.variant(), act)
    }

    /// [`Home::due`].
    fn home_due(&self, home: &mut Home) -> Option<HomeEvent> {
        home.due()
    }

    /// [`Line::lowers`].
    fn line_lowers(&self, line: Line, event: LineEvent) -> Option<Tag> {
        line.lowers(event)
    }

    /// [`Line::step`].
    ///
    /// # Errors
    /// If no rule covers the event.
    fn line_step(
        &self,
        line: &mut Line,
        event: LineEvent,
        act: &mut dyn FnMut(LineAction),
    ) -> Result<(), Unspecified> {
        line.step(event, self.variant(), act)
    }

    /// [`Line::due`].
    fn line_due(&self, line: &mut Line) -> Option<LineEvent> {
        line.due()
    }

    /// Whether the page of a block in this state may be laid to rest: not while something is on its way to it.
    fn may_rest(&self, line: Line) -> bool {
        !line.is_busy()
    }

    /// [`Residence::step`].
    ///
    /// # Errors
    /// If no rule covers the event.
    fn residence_step(
        &self,
        residence: &mut Residence,
        known: Whereabouts,
        event: ResidenceEvent,
        act: &mut dyn FnMut(ResidenceAction),
    ) -> Result<(), Unspecified> {
        residence.step(known, event, act)
    }

    /// [`Whereabouts::outdates`].
    fn outdates(&self, known: Whereabouts, message: ToCache, moves: u32) -> bool {
        known.outdates(message, moves)
    }

    /// The home that a node believes in after it knew `known` and is told `now`: the later of the two.
    fn learns(&self, known: Whereabouts, now: Whereabouts) -> Whereabouts {
        known.max(now)
    }

    /// Whether a node gives up a block in this state for the page to move there: not while something is on its way to it.
    fn may_vacate(&self, line: Line) -> bool {
        !line.is_busy()
    }

    /// Whether the words that a message brings home get into its memory.
    fn places(&self, _message: ToHome) -> bool {
        true
    }
}

impl Rules for Variant {
    fn variant(&self) -> Variant {
        *self
    }
}
