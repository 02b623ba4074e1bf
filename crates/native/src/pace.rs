//! How far apart this world wants a computing processor's looks for events to be. How that comes about: [`tempest::Pace`].

use tempest::Pace;
use units::Time;

/// About so far: a twentieth of the time goes into looking then, and a message waits half of it on the average, which is what
/// it takes to come and go.
pub const LOOKS_APART: Time = Time::from_microseconds(1);

/// Femtoseconds in a nanosecond.
const NANOSECOND: u64 = 1_000_000;

/// Of a processor that has not looked yet.
pub(crate) const fn pace() -> Pace {
    Pace::new(LOOKS_APART.as_femtoseconds() / NANOSECOND)
}
