//! The clocks whose cycles a value of a machine file may count. This module must never know a particular section.

use units::Frequency;

/// Stands in for a clock that was refused, so that the other mistakes of the file are found in the same reading.
pub(super) const NO_CLOCK: Frequency = Frequency::from_megahertz(1_000);

/// The clocks whose cycles a value may count.
#[derive(Clone, Copy)]
pub(crate) struct Clocks {
    /// The clock of the section, whose cycles are just `cycles`.
    pub(crate) own: Frequency,
    /// The clock of the memory bus, where there is one.
    pub(crate) bus: Option<Frequency>,
}
