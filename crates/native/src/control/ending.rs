//! When a world has ended, or never will.
//!
//! That nothing is going on and nothing is in flight is told exactly by `quiescence`. At that moment the world has ended if every
//! thread has returned; else those that have not all wait for something that nobody is left to do: a deadlock. The last processor
//! to become idle always comes here after having said so, and then sees everybody idle, so neither can go unnoticed.

use std::sync::atomic::Ordering;

use crate::cluster::world::{Stage, World};
use crate::control::quiescence::is_quiescent;

/// Stops the world if nothing is going on and nothing is in flight.
pub(crate) fn detect(world: &World) {
    if !world.is_running() || !is_quiescent(&world.gauges) {
        return;
    }
    let finished = world.live.load(Ordering::Acquire) == 0;
    world.stop(if finished { Stage::Ended } else { Stage::Deadlocked });
}
