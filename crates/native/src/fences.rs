//! The pair of fences between who gives work and who goes to sleep.
//!
//! Whoever gives work stores it, passes the light fence and looks whether somebody sleeps. Whoever goes to sleep says so,
//! passes the heavy one and looks for work once more. One of the two sees the other: [`pdq::Fences`] says why.
//!
//! A heavy fence of an asymmetric pair takes some ten microseconds, and interrupts every running thread of the process. So
//! such a pair is for worlds where whoever has nothing to do looks for long before it sleeps. Where it sleeps at once, fences
//! are symmetric. Whoever breaks into a seizure of a dispatch queue has waited for as long already, so there the pair is asymmetric
//! in every world.
//!
//! This module must never know what is given, or who sleeps.

pub(crate) use pdq::Fences;

/// For a world whose processors sleep rarely, or not.
pub(crate) fn between_givers_and_sleepers(sleep_is_rare: bool) -> Fences {
    if sleep_is_rare { Fences::asymmetric() } else { Fences::symmetric() }
}
