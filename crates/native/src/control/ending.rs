//! Detection of a world's end, or of a deadlock.
//!
//! `quiescence` tells exactly whether no processor is active and no message is in flight. At that moment the world has ended if every
//! thread has returned. Otherwise the remaining threads wait for events that no processor is left to cause: a deadlock. The last
//! processor to become idle always calls `detect` after it has said so, and then sees all processors idle, so neither goes unnoticed.

use std::sync::atomic::Ordering;

use crate::control::quiescence::is_quiescent;
use crate::parts::world::{Stage, World};

/// Stops the world if it is quiescent.
pub(crate) fn detect(world: &World) {
    if !world.is_running() || !is_quiescent(&world.gauges) {
        return;
    }
    let finished = world.live.load(Ordering::Acquire) == 0;
    world.stop(if finished { Stage::Ended } else { Stage::Deadlocked });
}
