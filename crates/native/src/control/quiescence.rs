//! Whether anything is going on in a world, or in flight between its processors.
//!
//! Every processor counts what it gives others to do (`sent`: messages, wake-ups across processors, grants) before
//! anybody can see it, and what it has done of that (`handled`) after it has done it. It says `idle` when it has no ready
//! thread, sees no work and is about to sleep, and takes that back before it touches any.
//!
//! Two waves look at all processors: the first reads `idle` and `handled`, the second `idle` and `sent`. If both find
//! everybody idle and the sums agree, nothing was going on at the end of the first wave (Mattern, "Algorithms for
//! distributed termination detection", 1987, the four-counter method): `handled` only grows and was read first, `sent`
//! only grows and was read last, so equality means that at the moment between the waves everything sent had been
//! handled. Then nobody has work, and only work makes work. (A processor takes back what it has counted for a send that found
//! no room. It is not idle then, and what is counted meanwhile is too much, never too little.)
//!
//! `handled` is stored with release and read with acquire. A processor that handled something after it had been found
//! idle, and whose first wave counts that already, is therefore seen awake by the second.
//!
//! This module must never know what a processor does; it names no atomic but those of `sync`, so that the models run it as it is.

use std::ops::Deref;

use crate::measure::gauge::Gauge;
use crate::sync::{Ordering, mutated};

/// Whether all processors are idle, and all that they have given others to do has been done.
pub(crate) fn is_quiescent<G: Deref<Target = Gauge>>(gauges: &[G]) -> bool {
    let handled = |gauge: &Gauge| gauge.handled.load(Ordering::SeqCst);
    let sent = |gauge: &Gauge| gauge.sent.load(Ordering::SeqCst);
    if mutated!("sent-read-first") {
        return wave(gauges, sent).is_some_and(|sent| wave(gauges, handled) == Some(sent));
    }
    wave(gauges, handled).is_some_and(|handled| wave(gauges, sent) == Some(handled))
}

/// The sum over all processors, or `None` if one is not idle.
fn wave<G: Deref<Target = Gauge>>(gauges: &[G], read: impl Fn(&Gauge) -> u64) -> Option<u64> {
    let order = if mutated!("idle-looked-at-early") { Ordering::Acquire } else { Ordering::SeqCst };
    gauges.iter().map(|gauge| gauge.idle.load(order).then(|| read(gauge))).sum()
}
