//! Quiescence detection on a node: whether a processor is active, and the works that its processors have sent and handled.
//!
//! Every processor counts the work that it gives to others (`sent`: messages, wake-ups across processors, grants) before any of them
//! can see it, and counts received work (`handled`) after it is done. It sets `idle` when it has no ready thread, sees no work and is
//! about to sleep, and clears it before it touches any.
//!
//! Two waves read all processors of the node: the first reads `idle` and `handled`, the second `idle` and `sent`. If both find all
//! processors idle, the node has two sums. `handled` only grows and was read first, `sent` only grows and was read last. So if the sums of
//! all nodes agree, as much had been handled as sent at the moment between the waves (Mattern, "Algorithms for distributed termination
//! detection", 1987, the four-counter method; `parts::ending` has the waves over the nodes). (A processor takes back the count of a
//! send that found no room. It is not idle then, and the count is too high meanwhile, never too low.)
//!
//! `handled` is stored with release and read with acquire. So if the first wave counts work that a processor handled after it had been
//! found idle, the second wave sees that processor awake.
//!
//! This module must never know a processor's work. It uses only the atomics of `sync`, so that the models run it as it is.

use crate::parts::gauge::Gauge;
use crate::sync::{Ordering, mutated};

/// The works of the processors of a node, all of which are idle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sums {
    pub(crate) handled: u64,
    pub(crate) sent: u64,
}

/// The sums over all processors; `None` if one is not idle.
pub(crate) fn sums<'g>(gauges: impl Iterator<Item = &'g Gauge> + Clone) -> Option<Sums> {
    let handled = |gauge: &Gauge| gauge.handled.load(Ordering::SeqCst);
    let sent = |gauge: &Gauge| gauge.sent.load(Ordering::SeqCst);
    if mutated!("sent-read-first") {
        let sent = wave(gauges.clone(), sent)?;
        return Some(Sums { handled: wave(gauges, handled)?, sent });
    }
    let handled = wave(gauges.clone(), handled)?;
    Some(Sums { handled, sent: wave(gauges, sent)? })
}

/// The sum of a counter over all processors, or `None` if one is not idle.
fn wave<'g>(mut gauges: impl Iterator<Item = &'g Gauge>, read: impl Fn(&Gauge) -> u64) -> Option<u64> {
    let order = if mutated!("idle-looked-at-early") { Ordering::Acquire } else { Ordering::SeqCst };
    gauges.try_fold(0, |sum, gauge| gauge.idle.load(order).then(|| sum + read(gauge)))
}
