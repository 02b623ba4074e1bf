//! Processors that change their roles while a program runs: a node under a policy that adapts measures itself, and dedicates
//! processors to handlers or has them compute again.
//!
//! Nothing wakes a node to measure: it looks at its clocks when a handler ends and when a thread polls, and an interval is over
//! with the first such instant after its [length](interval). A processor changes its role when it has nothing to go on with: it
//! idles, its handler has ended, or its thread waits or polls. The threads of one that is dedicated go on elsewhere: wherever
//! the node's processors share their threads, else on those that compute, in turn, until their own computes again; each pays
//! for the switch. The last processor dedicated computes again when no message is left that was handed to it.
//!
//! While a processor is dedicated, others look for no events where they poll. Where events are dispatched by key, those that
//! idle still take what it has no time for.
//!
//! Must never know when a change is wise: that is [`Controller`]'s.

use machine::{ByClass, Capability, Class, Cost, Machine};
use tempest::policy::{Dispatch, Injector, Servers};
use tempest::world::{Controller, Reading};
use tempest::{Adjustment, NodeId, Policy, Why};
use trace::Event as Traced;
use units::Time;

use crate::api::Edge;
use crate::cluster::Cluster;
use crate::processor::core::Activity;

/// The roles of a node's processors.
#[derive(Debug)]
pub(crate) struct Roles {
    controller: Controller,
    interval: Time,
    /// What a handler counts in what is done: what it takes to get to it.
    handler: Time,
    /// How many processors are dedicated, and how many are to be, and why.
    dedicated: u32,
    wanted: u32,
    why: Option<Why>,
    /// What had been measured when the interval began.
    begin: Totals,
}

/// What a node's processors have done so far.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    at: Time,
    /// In handlers, and idle: those that compute, and those dedicated.
    handling: [Time; 2],
    idle: [Time; 2],
    looking: Time,
    /// In the program's own work.
    own: Time,
    /// Handlers run.
    handlers: u64,
    /// All time that events have waited.
    waited: Time,
}

/// How long a node measures, in messages: as long as a processor takes to send one, to receive it, and to change to it and back,
/// by the machine's own prices. So many that none of them rules what is measured, and few to wait for where roles are wrong.
const MESSAGES: u64 = 16;

/// What a processor pays for something on its path.
fn path(price: &Option<ByClass<Cost>>) -> Time {
    price.as_ref().map_or(Time::ZERO, |price| price.of(Class::User).path)
}

impl Roles {
    /// At the start, where a policy changes roles: all compute.
    pub(crate) fn of(machine: &Machine, policy: &Policy) -> Option<Box<Self>> {
        if policy.servers != Servers::Adaptive {
            return None;
        }
        let (primitives, processor) = (&machine.primitives, &machine.processor);
        let handler = path(&primitives.dispatch);
        let message = path(&primitives.send_header) + handler + processor.thread_switch + processor.poll;
        Some(Box::new(Self {
            controller: Controller::new(),
            interval: message * MESSAGES,
            handler,
            dedicated: 0,
            wanted: 0,
            why: None,
            begin: Totals::default(),
        }))
    }
}

impl Cluster {
    /// Whether processors of a node are dedicated to its handlers by a policy that may take them back.
    pub(crate) fn is_served(&self, node: usize) -> bool {
        self.nodes[node].dispatch.roles.as_ref().is_some_and(|roles| roles.dedicated > 0)
    }

    /// Which server of the dispatch queue `core` is at present, if it may run handlers.
    pub(crate) fn serves(&self, core: usize) -> Option<usize> {
        let own = &self.cores[core];
        // One at a time is what one dedicated processor does alone.
        let leaves_to_dedicated =
            self.setting.policy.dispatch == Dispatch::Serial && self.is_served(own.node);
        own.server.filter(|_| own.dedicated || !leaves_to_dedicated)
    }

    /// Whether somebody of a node injects what is handed over.
    pub(crate) fn injects_for_others(&self, node: usize) -> bool {
        self.setting.policy.injector != Injector::Sender || self.is_served(node)
    }

    /// Whether threads of a node leave the sending to processors that are dedicated for a time: where handlers run one at a time
    /// and one processor runs them, a second has nothing else to do.
    pub(crate) fn hands_over_to_dedicated(&self, node: usize) -> bool {
        let roles = self.nodes[node].dispatch.roles.as_ref();
        let may = self.setting.policy.dispatch == Dispatch::Serial
            && !self.setting.machine.can.contains(&Capability::SenderInjects);
        may && roles.is_some_and(|roles| roles.dedicated > 1)
    }

    /// Looks at the clocks: if the interval is over, asks whether roles should change.
    pub(crate) fn measure(&mut self, node: usize) {
        let now = self.agenda.now;
        let Some(roles) = &self.nodes[node].dispatch.roles else { return };
        if now < roles.begin.at + roles.interval || roles.dedicated != roles.wanted {
            return;
        }
        let totals = self.totals_of(node);
        let processors = self.nodes[node].cores as u32;
        let Some(roles) = &mut self.nodes[node].dispatch.roles else { return };
        let reading = roles.reading(&totals, processors);
        roles.begin = totals;
        let Some((wanted, why)) = roles.controller.observe(&reading) else { return };
        roles.wanted = wanted;
        roles.why = Some(why);
        for core in self.cores_of(node).rev() {
            if self.cores[core].is_idle() {
                self.free(core);
            }
        }
    }

    fn cores_of(&self, node: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[node];
        node.first_core..node.first_core + node.cores
    }

    fn totals_of(&self, node: usize) -> Totals {
        let mut totals = Totals {
            at: self.agenda.now,
            waited: self.nodes[node].dispatch.queue.waits().total,
            ..Totals::default()
        };
        for core in &self.cores[self.cores_of(node)] {
            let role = usize::from(core.dedicated);
            totals.handling[role] += core.service.handling;
            totals.idle[role] += core.idle_at(self.agenda.now);
            totals.looking += core.service.looking;
            totals.own += core.breakdown.compute;
            totals.handlers += core.counters.handlers;
        }
        totals
    }

    /// `core` has nothing to go on with: it changes its role if its node wants that. Whether it did.
    pub(crate) fn change_role(&mut self, core: usize) -> bool {
        let node = self.cores[core].node;
        let Some(roles) = &self.nodes[node].dispatch.roles else { return false };
        let dedicated = self.cores[core].dedicated;
        let changes = match dedicated {
            false => roles.dedicated < roles.wanted && self.may_leave_threads(core),
            true => roles.dedicated > roles.wanted && (roles.dedicated > 1 || self.has_injected_all(node)),
        };
        if changes {
            self.take_role(core, !dedicated);
        }
        changes
    }

    fn may_leave_threads(&self, core: usize) -> bool {
        let own = &self.cores[core];
        own.interrupted.is_none() && !own.held && !own.masked && !own.starved
    }

    fn has_injected_all(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        node.port.handed_over.is_empty() && !node.port.injecting && node.port.starved.is_empty()
    }

    fn take_role(&mut self, core: usize, dedicated: bool) {
        let (now, node) = (self.agenda.now, self.cores[core].node);
        self.cores[core].book_idling(now);
        self.cores[core].take_role(dedicated, now);
        self.bind_threads(node);
        let totals = self.totals_of(node);
        let Some(roles) = &mut self.nodes[node].dispatch.roles else { return };
        roles.dedicated = if dedicated { roles.dedicated + 1 } else { roles.dedicated - 1 };
        roles.begin = totals;
        let made = roles.why.map(|why| Adjustment {
            node: NodeId(node as u32),
            at: now,
            dedicated: roles.dedicated,
            why,
        });
        self.measure.adjustments.extend(made);
    }

    /// Binds the threads of a node to processors that compute: to their own, or else to others in turn.
    fn bind_threads(&mut self, node: usize) {
        let now = self.agenda.now;
        let computing: Vec<_> = self.cores_of(node).filter(|&core| !self.cores[core].dedicated).collect();
        let mut others = computing.iter().copied().cycle();
        let mut ready: Vec<u32> = Vec::new();
        for core in self.cores_of(node) {
            ready.extend(self.cores[core].ready.drain(..));
        }
        for core in self.cores_of(node) {
            self.cores[core].forget_waits(now);
        }
        for index in 0..self.nodes[node].threads.all.len() {
            let home = self.nodes[node].threads.all[index].home;
            let core = if self.cores[home].dedicated { others.next().unwrap_or(home) } else { home };
            let thread = &mut self.nodes[node].threads.all[index];
            thread.moved |= thread.core != core && !self.setting.shares_threads;
            thread.core = core;
            if thread.waits_for_block() {
                self.note_wait_for_block(node, index as u32, true);
            }
        }
        for thread in ready {
            let core = self.nodes[node].threads.all[thread as usize].core;
            self.cores[core].ready.push_back(thread);
        }
    }

    /// Roles of a node have changed: those that idle see what there is for them now.
    pub(crate) fn look_again(&mut self, node: usize) {
        for core in self.cores_of(node) {
            if self.cores[core].is_idle() && self.has_ready(core) {
                self.free(core);
            }
        }
        self.notify(node);
    }

    /// Whether the thread on `core` has to go elsewhere because its processor is to be dedicated.
    fn has_to_leave(&self, core: usize) -> bool {
        let roles = &self.nodes[self.cores[core].node].dispatch.roles;
        let wanted = roles.as_ref().is_some_and(|roles| roles.dedicated < roles.wanted);
        wanted && self.may_leave_threads(core)
    }

    fn leave_thread(&mut self, core: usize) {
        let Activity::Thread(thread) = self.cores[core].activity else { return };
        let (node, processor) = (self.cores[core].node, self.cores[core].number);
        self.record(Traced::Leave { node: node as u32, processor, thread });
        self.take_role(core, true);
        self.queue_thread(node, thread);
        self.free(core);
        self.look_again(node);
    }
}

impl Edge {
    /// At a poll of a thread under a policy that adapts: measures, and goes to another processor if this one is to be dedicated.
    pub(crate) fn leave_for_handlers(&self) {
        let leaves = {
            let (mut state, core) = (self.state(), self.core());
            let node = state.cores[core].node;
            state.measure(node);
            state.has_to_leave(core)
        };
        if !leaves {
            return;
        }
        self.settle();
        let leaves = self.state().has_to_leave(self.core());
        if leaves {
            self.state().leave_thread(self.core());
            self.suspend();
        }
    }
}

impl Roles {
    /// The interval that ends with these totals.
    fn reading(&self, to: &Totals, processors: u32) -> Reading {
        let (from, dedicated) = (&self.begin, self.dedicated);
        let length = (to.at - from.at).as_seconds();
        let rate = |from: Time, to: Time| {
            if length > 0.0 { to.saturating_sub(from).as_seconds() / length } else { 0.0 }
        };
        let share = |from: Time, to: Time, of: u32| (rate(from, to) / f64::from(of.max(1))).min(1.0);
        let computing = processors - dedicated;
        let done = |totals: &Totals| totals.own + self.handler * totals.handlers;
        Reading {
            at: to.at,
            processors,
            dedicated,
            handlers: share(from.handling[0], to.handling[0], computing),
            looking: share(from.looking, to.looking, computing),
            idle: share(from.idle[0], to.idle[0], computing),
            protocol: if dedicated > 0 { 1.0 - share(from.idle[1], to.idle[1], dedicated) } else { 0.0 },
            waiting: rate(from.waited, to.waited),
            progress: rate(done(from), done(to)),
        }
    }
}
