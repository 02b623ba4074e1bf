//! The routed networks, with figures that can be redone by hand.
//!
//! Unless a test says otherwise a link carries a byte in a nanosecond, a hop takes 10 ns, injection and ejection 5 ns
//! together, and a router's buffer holds 20 bytes.

mod agenda;
mod contention;
mod cross_traffic;
mod distance;
mod driver;
mod laws;
mod load;
mod promises;
mod saturation;
mod shallow;
