//! The helper of a node: an OS thread beside the processors. It runs handlers that no processor runs in time.
//!
//! Under a policy with `+helper` every node has one. It sleeps until a message arrives while every server of the node runs threads. Then
//! it waits for the policy's bound. If no message has been handled on the node by then, it runs the handlers itself, with the proofs of a
//! dedicated processor. Until then it takes nothing from any processor. It stays awake, with one look per bound, as long as messages
//! arrive. It is pinned to no core.
//!
//! The module `attendance` decides which OS thread looks for waiting messages, and shows that no message waits for ever.
//!
//! # Ending
//!
//! The helper also counts as idle while it waits for the bound: it has taken no work. See `ending`.
//!
//! This module must never know the purpose of a message.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use trace::Event as Traced;

use crate::control::ending;
use crate::dispatch::{looks, serve};
use crate::parts::attendance;
use crate::parts::core::Processor;
use crate::parts::endpoint::Endpoint;
use crate::parts::parker::Parker;
use crate::parts::tuning::NAP;
use crate::parts::world::host_time;

/// Timed waits of a helper for the bound.
struct Naps {
    bound: Duration,
    /// Delays of the last two wake-ups. Hosts end naps late, mostly by at least a minimal delay, which is subtracted.
    lates: [Duration; 2],
}

impl Naps {
    /// Naps for the rest of the bound, but at most `longest`, while `goes_on`.
    fn nap(&mut self, parker: &Parker, passed: Duration, longest: Duration, goes_on: impl Fn() -> bool) {
        let wanted = self.bound.min(longest);
        let late = self.lates[0].min(self.lates[1]).min(wanted / 2);
        let nap = wanted.saturating_sub(passed + late);
        if nap.is_zero() {
            return;
        }
        let start = Instant::now();
        while start.elapsed() < nap && goes_on() {
            parker.rest(nap.saturating_sub(start.elapsed()));
        }
        self.lates = [start.elapsed().saturating_sub(nap), self.lates[0]];
    }
}

/// Sets the timer slack of this OS thread to 1 ns, so that naps end on time and not up to 50 us later, as hosts do to save power.
fn set_exact_timer() {
    #[cfg(target_os = "linux")]
    {
        use std::num::NonZeroU64;
        // If the host refuses, naps end that much later.
        let _refused = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    }
}

/// Sleeps and helps until the world stops, as the helper of its node.
pub(crate) fn help(processor: &Processor) {
    let mut naps =
        Naps { bound: processor.world().policy.helper.map_or(NAP, host_time), lates: [Duration::ZERO; 2] };
    set_exact_timer();
    while processor.world().is_running() {
        rest(&processor.endpoint);
        let parker = processor.endpoint.parker();
        let slept = attendance::sleep(
            parker,
            &processor.world().fences,
            || !processor.world().is_running(),
            || looks::sees_any_service(&processor.endpoint, &processor.service),
            || !processor.world().is_attended(processor.node().id),
        );
        let roused_ns =
            || processor.world().roused_ns[processor.node().id.0 as usize].load(Ordering::Relaxed);
        // The wake-up has taken part of the bound.
        stand_by(processor, &mut naps, if slept { roused_ns() } else { processor.world().now_ns() });
    }
}

/// Ends a processor's idleness before it runs threads again: serves the messages that have arrived meanwhile, and leaves the rest to the
/// helper.
pub(crate) fn leave_to_helper(processor: &Processor) {
    if processor.world().helper_parker(processor.node().id).is_none() {
        return;
    }
    attendance::leave(
        &processor.world().fences,
        || looks::sees_service(&processor.endpoint, &processor.service),
        || _ = serve::serve(processor),
        || processor.world().rouse_helper(processor.node().id),
    );
}

/// Looks once per bound, until a processor idles or no message arrives any more.
fn stand_by(processor: &Processor, naps: &mut Naps, mut since_ns: u64) {
    let node = processor.node().id;
    let mut before = processor.world().handled_on(node);
    // The end of the world ends a nap only if it comes during the nap.
    while processor.world().is_running() {
        let passed = Duration::from_nanos(processor.world().now_ns().saturating_sub(since_ns));
        let longest = if processor.node().backlog.is_left() { NAP } else { Duration::MAX };
        naps.nap(processor.endpoint.parker(), passed, longest, || processor.world().is_running());
        since_ns = processor.world().now_ns();
        if processor.world().is_attended(node) {
            return;
        }
        let nobody_serves = processor.world().handled_on(node) == before;
        if nobody_serves && !looks::sees_any_service(&processor.endpoint, &processor.service) {
            return;
        }
        if nobody_serves {
            step_in(processor, before);
        }
        before = processor.world().handled_on(node);
    }
}

/// Serves while no processor does and there are events.
fn step_in(processor: &Processor, handled: u64) {
    processor.gauge().idle.store(false, Ordering::SeqCst);
    processor.gauge().count_interrupt();
    processor.endpoint.tracer.trace(|node, processor| Traced::Interrupt { node, processor });
    let nobody_else_serves = || processor.world().handled_on(processor.node().id) == handled;
    while processor.world().is_running() && serve::serve(processor) > 0 && nobody_else_serves() {}
    rest(&processor.endpoint);
}

/// Marks the helper as idle, and detects the end of the world.
fn rest(endpoint: &Endpoint) {
    endpoint.gauge().fall_idle(|| endpoint.world().now_ns());
    ending::detect(endpoint);
}
