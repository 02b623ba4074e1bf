//! The helper of a node: an OS thread, and no processor, that runs the handlers which nobody else runs in time.
//!
//! Under a policy with `+helper` every node has one. It sleeps until a message comes while every processor of the node that
//! serves runs threads. Then it waits out the policy's bound, and if nothing has been handled on the node by then, it runs the
//! handlers itself, with the proofs of a dedicated processor. Until that no processor loses anything to it. It stays up, one
//! look each time the bound has passed, as long as messages come; it is pinned to no core.
//!
//! The module `attendance` says which OS thread looks at messages that wait, and why no message waits for ever.
//!
//! # Ending
//!
//! The helper counts as idle also while it waits out the bound: it has taken nothing. See `ending`.
//!
//! This module must never know what a message is for.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use trace::Event as Traced;

use crate::cluster::world::host_time;
use crate::control::{attendance, ending};
use crate::dispatch::{looks, serve};
use crate::processor::berth::NAP;
use crate::processor::core::Processor;

/// How a helper waits until the bound has passed.
struct Naps {
    bound: Duration,
    /// How late the last two naps ended. Hosts end naps late, and at least so late mostly.
    lates: [Duration; 2],
}

impl Naps {
    /// Naps for what is left of the bound, but no longer than `longest`, as long as `goes_on`. A wake-up that comes late, for a sleep that
    /// is over, ends no nap.
    fn nap(&mut self, passed: Duration, longest: Duration, goes_on: impl Fn() -> bool) {
        let wanted = self.bound.min(longest);
        let late = self.lates[0].min(self.lates[1]).min(wanted / 2);
        let nap = wanted.saturating_sub(passed + late);
        if nap.is_zero() {
            return;
        }
        let start = Instant::now();
        while start.elapsed() < nap && goes_on() {
            thread::park_timeout(nap.saturating_sub(start.elapsed()));
        }
        self.lates = [start.elapsed().saturating_sub(nap), self.lates[0]];
    }
}

/// Has the host end this OS thread's naps when they are over, not up to 50 us later, as it does to save power.
fn set_exact_timer() {
    #[cfg(target_os = "linux")]
    {
        use std::num::NonZeroU64;
        // Where it is refused, the bound is that much longer.
        let _refused = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    }
}

/// Sleeps and helps until the world stops, as the helper of its node.
pub(crate) fn help(processor: &Processor) {
    let mut naps =
        Naps { bound: processor.world().policy.helper.map_or(NAP, host_time), lates: [Duration::ZERO; 2] };
    set_exact_timer();
    while processor.world().is_running() {
        rest(processor);
        let berth = &processor.world().berths[processor.index()];
        let slept = attendance::sleep(
            berth,
            &processor.world().fences,
            || !processor.world().is_running(),
            || looks::sees_any_service(processor),
            || !processor.world().is_attended(processor.node().id),
        );
        let roused_ns =
            || processor.world().roused_ns[processor.node().id.0 as usize].load(Ordering::Relaxed);
        // Waking has taken part of the bound.
        stand_by(processor, &mut naps, if slept { roused_ns() } else { processor.world().now_ns() });
    }
}

/// The processor runs threads again after it has idled. What came meanwhile was left to it; what it leaves now is the helper's.
pub(crate) fn leave_to_helper(processor: &Processor) {
    if processor.world().helper_berth(processor.node().id).is_none() {
        return;
    }
    attendance::leave(
        &processor.world().fences,
        || looks::sees_service(processor),
        || _ = serve::serve(processor),
        || processor.world().rouse_helper(processor.node().id),
    );
}

/// Looks each time the bound has passed, until somebody idles or nothing comes any more.
fn stand_by(processor: &Processor, naps: &mut Naps, mut since_ns: u64) {
    let node = processor.node().id;
    let mut before = processor.world().handled_on(node);
    // The end of the world ends a nap only if it comes during that.
    while processor.world().is_running() {
        let passed = Duration::from_nanos(processor.world().now_ns().saturating_sub(since_ns));
        let longest = if processor.node().backlog.is_left() { NAP } else { Duration::MAX };
        naps.nap(passed, longest, || processor.world().is_running());
        since_ns = processor.world().now_ns();
        if processor.world().is_attended(node) {
            return;
        }
        let nobody_serves = processor.world().handled_on(node) == before;
        if nobody_serves && !looks::sees_any_service(processor) {
            return;
        }
        if nobody_serves {
            step_in(processor, before);
        }
        before = processor.world().handled_on(node);
    }
}

/// Serves as long as nobody else does, and there is something to serve.
fn step_in(processor: &Processor, handled: u64) {
    processor.gauge().idle.store(false, Ordering::SeqCst);
    processor.gauge().count_interrupt();
    processor.tracer.trace(|node, processor| Traced::Interrupt { node, processor });
    let nobody_else_serves = || processor.world().handled_on(processor.node().id) == handled;
    while processor.world().is_running() && serve::serve(processor) > 0 && nobody_else_serves() {}
    rest(processor);
}

/// Has nothing to do with what may be on its way.
fn rest(processor: &Processor) {
    processor.gauge().idle.store(true, Ordering::SeqCst);
    ending::detect(processor.world());
}
