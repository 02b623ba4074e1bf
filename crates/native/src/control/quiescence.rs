//! Quiescence detection: whether a processor of a world is active, or work is in flight between processors.
//!
//! Every processor counts the work that it gives to others (`sent`: messages, wake-ups across processors, grants) before any of them
//! can see it, and counts received work (`handled`) after it is done. It sets `idle` when it has no ready thread, sees no work and is
//! about to sleep, and clears it before it touches any.
//!
//! Two waves read all processors: the first reads `idle` and `handled`, the second `idle` and `sent`. If both find all processors idle
//! and the sums agree, the world was quiescent at the end of the first wave (Mattern, "Algorithms for distributed termination
//! detection", 1987, the four-counter method): `handled` only grows and was read first, `sent` only grows and was read last, so equality
//! means that at the moment between the waves all work sent had been handled. Then no processor has work, and only work creates work. (A
//! processor takes back the count of a send that found no room. It is not idle then, and the count is too high meanwhile, never too
//! low.)
//!
//! `handled` is stored with release and read with acquire. So if the first wave counts work that a processor handled after it had been
//! found idle, the second wave sees that processor awake.
//!
//! This module must never know a processor's work. It uses only the atomics of `sync`, so that the models run it as it is.

use std::ops::Deref;

use crate::parts::gauge::Gauge;
use crate::sync::{Ordering, mutated};

/// Whether all processors are idle and all work that they sent has been handled.
pub(crate) fn is_quiescent<G: Deref<Target = Gauge>>(gauges: &[G]) -> bool {
    let handled = |gauge: &Gauge| gauge.handled.load(Ordering::SeqCst);
    let sent = |gauge: &Gauge| gauge.sent.load(Ordering::SeqCst);
    if mutated!("sent-read-first") {
        return wave(gauges, sent).is_some_and(|sent| wave(gauges, handled) == Some(sent));
    }
    wave(gauges, handled).is_some_and(|handled| wave(gauges, sent) == Some(handled))
}

/// The sum of a counter over all processors, or `None` if one is not idle.
fn wave<G: Deref<Target = Gauge>>(gauges: &[G], read: impl Fn(&Gauge) -> u64) -> Option<u64> {
    let order = if mutated!("idle-looked-at-early") { Ordering::Acquire } else { Ordering::SeqCst };
    gauges.iter().map(|gauge| gauge.idle.load(order).then(|| read(gauge))).sum()
}
