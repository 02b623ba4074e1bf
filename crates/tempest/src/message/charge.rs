//! Declarations of the primitives that protocols charge, so that a world can look up their prices before a run.
//!
//! This module must never know any price.

use crate::{Class, Primitive};

/// The part of a protocol that charges a [`Primitive`]: its threads, or its handlers of a class of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charger {
    /// The program's threads.
    Threads,
    /// The handlers of messages of this class.
    HandlersOf(Class),
}

/// A protocol's declaration that its threads or handlers may charge a [`Primitive`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The primitive that may be charged.
    pub primitive: Primitive,
    /// The threads or handlers that charge the primitive.
    pub by: Charger,
}
