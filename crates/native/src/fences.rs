//! The pair of fences between a processor that supplies work and a processor that goes to sleep.
//!
//! The supplier stores the work, passes the light fence and tests whether the other sleeps. The sleeper announces its sleep, passes the
//! heavy fence and looks for work once more. At least one of them sees the other's store: see [`pdq::Fences`].
//!
//! A heavy fence of an asymmetric pair takes some ten microseconds, and interrupts every running thread of the process. So such a pair is
//! for worlds whose processors look for work for long before they sleep. If they sleep at once, fences are symmetric. A processor that
//! breaks into a seizure of a dispatch queue has waited for as long already, so there the pair is asymmetric in every world.
//!
//! This module must never know the work, or the sleepers.

pub(crate) use pdq::Fences;

/// The fences of a world whose nodes are in several processes; `sleep_is_rare` if its processors look for long before they sleep.
#[cfg(target_os = "linux")]
pub(crate) fn between_processes(sleep_is_rare: bool) -> Fences {
    if sleep_is_rare { Fences::between_processes() } else { Fences::symmetric() }
}

/// The fences of a world; `sleep_is_rare` if its processors look for long before they sleep.
pub(crate) fn between_givers_and_sleepers(sleep_is_rare: bool) -> Fences {
    if sleep_is_rare { Fences::asymmetric() } else { Fences::symmetric() }
}
