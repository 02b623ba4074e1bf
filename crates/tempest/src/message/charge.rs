//! Declarations of the primitives that protocols charge, so that a world can look up their prices before a run.
//!
//! This module must never know any price.

use crate::{Class, Primitive};

/// The part of a protocol that charges a primitive: its threads, or handlers of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charger {
    /// The program's threads.
    Threads,
    /// The handlers of messages of a class.
    HandlersOf(Class),
}

/// A primitive that an installed protocol may charge, and the part of the protocol that charges it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The primitive that may be charged.
    pub primitive: Primitive,
    /// The part of the protocol that charges the primitive.
    pub by: Charger,
}
