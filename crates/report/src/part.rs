//! The names of the six parts of time for people. This module must never know how a part is drawn.

use compare::Part;

/// The name of a part.
pub(crate) const fn name(part: Part) -> &'static str {
    match part {
        Part::Compute => "compute",
        Part::Memory => "memory and NI wait",
        Part::Overhead => "message overhead",
        Part::Synchronization => "synchronization",
        Part::Idle => "idle",
        Part::Taken => "taken by the OS",
    }
}
