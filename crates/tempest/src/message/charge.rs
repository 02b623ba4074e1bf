//! The primitives that protocols state they charge, so that a world can ask for the prices before a run.
//!
//! This module must never know any price.

use crate::{Class, Primitive};

/// The part of a protocol that charges a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charger {
    /// The program's threads.
    Threads,
    /// The handlers of messages of a class.
    HandlersOf(Class),
}

/// A primitive that a protocol on a node may charge, and the part of the protocol that does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The primitive.
    pub primitive: Primitive,
    /// The part that charges it.
    pub by: Charger,
}
