//! The helper of a node: an OS thread, and no processor, that runs the handlers which nobody else runs in time.
//!
//! Under a policy with `+helper` every node has one. It sleeps until a message comes while every processor of the node that
//! serves runs threads. Then it waits out the policy's bound, and if nothing has been handled on the node by then, it runs the
//! handlers itself, with the proofs of a dedicated processor. Until that no processor loses anything to it. It stays up, one
//! look each time the bound has passed, as long as messages come; it is pinned to no core.
//!
//! Who looks at what waits, and why no message waits for ever, stands in `attendance`.
//!
//! # Ending
//!
//! The helper counts as idle also while it waits out the bound: it has taken nothing. See `ending`.
//!
//! This module must never know what a message is for.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use tempest::NodeId;
use trace::Event as Traced;

use crate::cluster::world::{World, host_time};
use crate::control::attendance;
use crate::processor::berth::Berth;
use crate::processor::core::Processor;
use crate::processor::idle::NAP;

impl World {
    /// Where the helper of a node sleeps, if it has one.
    #[inline]
    pub(crate) fn helper_berth(&self, node: NodeId) -> Option<&Berth> {
        self.berths.get(self.processors + node.0 as usize)
    }

    /// Something waits on a node: wakes its helper if that sleeps and nobody else is about to look. Whoever gave it has passed
    /// the light barrier.
    #[inline]
    pub(crate) fn rouse_helper(&self, node: NodeId) {
        if let Some(berth) = self.helper_berth(node) {
            attendance::rouse(
                berth,
                || !self.is_attended(node),
                || self.roused_ns[node.0 as usize].store(self.now_ns(), Ordering::Relaxed),
            );
        }
    }

    /// Whether a processor idles that serves this node, and is not at handlers that may take long.
    fn is_attended(&self, node: NodeId) -> bool {
        let mut servers = self.gauges[self.servers(node)].iter().zip(self.server_berths(node));
        servers.any(|(gauge, berth)| gauge.is_idling() && !berth.is_engaged())
    }

    /// What the processors of a node have dealt with: it stands still only while none of them serves.
    fn handled_on(&self, node: NodeId) -> u64 {
        self.gauges[self.servers(node)].iter().map(|gauge| gauge.handled.load(Ordering::Relaxed)).sum()
    }
}

impl Processor {
    /// As the helper of its node: sleeps and helps until the world stops.
    pub(crate) fn help(&self) {
        let mut naps =
            Naps { bound: self.world.policy.helper.map_or(NAP, host_time), lates: [Duration::ZERO; 2] };
        set_exact_timer();
        while self.world.is_running() {
            self.rest();
            let berth = &self.world.berths[self.index];
            let slept = attendance::sleep(
                berth,
                &self.world.fences,
                || !self.world.is_running(),
                || self.sees_any_service(),
                || !self.world.is_attended(self.node().id),
            );
            let roused_ns = || self.world.roused_ns[self.node().id.0 as usize].load(Ordering::Relaxed);
            // Waking has taken part of the bound.
            self.stand_by(&mut naps, if slept { roused_ns() } else { self.world.now_ns() });
        }
    }

    /// It runs threads again after it has idled: what came meanwhile was left to it.
    pub(crate) fn leave_to_helper(&self) {
        if self.world.helper_berth(self.node().id).is_none() {
            return;
        }
        attendance::leave(
            &self.world.fences,
            || self.sees_service(),
            || _ = self.serve(),
            || self.world.rouse_helper(self.node().id),
        );
    }

    /// Looks each time the bound has passed, until somebody idles or nothing comes any more.
    fn stand_by(&self, naps: &mut Naps, mut since_ns: u64) {
        let node = self.node().id;
        let mut before = self.world.handled_on(node);
        // The end of the world ends a nap only if it comes during that.
        while self.world.is_running() {
            let passed = Duration::from_nanos(self.world.now_ns().saturating_sub(since_ns));
            let longest = if self.node().backlog.is_left() { NAP } else { Duration::MAX };
            naps.nap(passed, longest, || self.world.is_running());
            since_ns = self.world.now_ns();
            if self.world.is_attended(node) {
                return;
            }
            let nobody_serves = self.world.handled_on(node) == before;
            if nobody_serves && !self.sees_any_service() {
                return;
            }
            if nobody_serves {
                self.step_in(before);
            }
            before = self.world.handled_on(node);
        }
    }

    /// Serves as long as nobody else does, and there is something to serve.
    fn step_in(&self, handled: u64) {
        self.gauge().idle.store(false, Ordering::SeqCst);
        self.gauge().count_interrupt();
        self.trace(|node, processor| Traced::Interrupt { node, processor });
        let nobody_else_serves = || self.world.handled_on(self.node().id) == handled;
        while self.world.is_running() && self.serve() > 0 && nobody_else_serves() {}
        self.rest();
    }

    /// Has nothing to do with what may be on its way.
    fn rest(&self) {
        self.gauge().idle.store(true, Ordering::SeqCst);
        self.world.detect_ending();
    }

    /// Whether there is something to run or to move on, also if only a thorough search finds it.
    fn sees_any_service(&self) -> bool {
        self.sees_service() || self.sees_hidden_events()
    }

    /// Whether there is something to run or to move on.
    pub(crate) fn sees_service(&self) -> bool {
        self.sees_events() || self.node().backlog.is_left()
    }
}

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
