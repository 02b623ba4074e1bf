//! The dispatch routine of nodes whose software gets from threads to handlers and back.
//!
//! A call of the routine takes messages out of the network and runs their handlers, then goes once through the *slots*, one for
//! each processor, in which threads leave their access faults. A node is in one call at a time, so its handlers never overlap.
//! Who calls: a dedicated processor, in a loop; others at back-edges, when their thread cannot go on, and in a loop while they
//! have none. A processor whose fault waits in its slot is *held*: it takes no other thread before the fault's handler has run.
//!
//! A thread that is ready comes before events that wait: the loop is left for it.
//!
//! Must never know what a message means, nor whose turn it is ([`turns`](crate::dispatch::turns)).

use std::collections::VecDeque;

use machine::SoftwareDispatch;
use tempest::policy::Notice;
use tempest::world::DispatchKey;
use units::Time;

use crate::api::Edge;
use crate::cluster::Cluster;
use crate::dispatch::Arrived;
use crate::processor::core::{Activity, Bucket, Event, Job};

/// The routine of one node.
#[derive(Debug, Default)]
pub(crate) struct Routine {
    /// Faults that no call has come to.
    slots: VecDeque<Slot>,
    call: Option<Call>,
    /// The core that made the last call.
    last: Option<usize>,
}

/// A fault that waits.
#[derive(Debug)]
struct Slot {
    /// The core whose slot it is.
    core: usize,
    key: DispatchKey,
    event: Event,
}

/// A call that has not returned.
#[derive(Debug)]
struct Call {
    core: usize,
    /// Messages that it still takes.
    messages: usize,
    /// Slots that it still goes through, once it has begun to.
    slots: Option<usize>,
    /// Whose fault is served at the moment.
    serves: Option<usize>,
    /// It is on its way back.
    returns: bool,
}

impl Routine {
    /// Whether a fault waits.
    pub(crate) fn has_faults(&self) -> bool {
        !self.slots.is_empty()
    }

    fn is_open_to(&self, core: usize) -> bool {
        self.call.as_ref().is_none_or(|call| call.core == core)
    }
}

impl Cluster {
    /// Whether nodes have such a routine.
    pub(crate) fn calls_routine(&self) -> bool {
        self.setting.machine.software_dispatch.is_some()
    }

    fn prices_of_routine(&self) -> &SoftwareDispatch {
        self.setting.machine.software_dispatch.as_ref().expect("asked only where there is a routine")
    }

    /// At how many back-edges of its loops a thread polls.
    pub(crate) fn poll_interval(&self) -> u32 {
        let usual = match &self.setting.machine.software_dispatch {
            Some(routine) => routine.poll_every,
            // A device that interrupts when all compute spares them the looking.
            None => u32::from(self.setting.policy.notice != Notice::InterruptWhenBusy),
        };
        self.setting.policy.poll_interval(usual)
    }

    /// Leaves a fault of the thread on `core` in its slot.
    pub(crate) fn fill_slot(&mut self, core: usize, key: DispatchKey, event: Event) {
        let node = &mut self.nodes[self.cores[core].node];
        node.dispatch.queue.arrive(self.agenda.now);
        node.dispatch.routine.slots.push_back(Slot { core, key, event });
        self.cores[core].held = true;
    }

    /// Whether a call by `core` would find an event.
    pub(crate) fn finds_event(&self, core: usize, server: usize) -> bool {
        let node = &self.nodes[self.cores[core].node];
        let waits = !node.dispatch.unseen.is_empty() || node.dispatch.routine.has_faults();
        // What is taken out is handled at once, which it could not be while a thread holds a key.
        let found =
            if node.dispatch.queue.is_empty() { waits } else { node.dispatch.queue.can_dispatch(server) };
        let waits = !node.dispatch.resumed.is_empty() || found && !node.dispatch.queue.is_held();
        waits && node.dispatch.routine.is_open_to(core)
    }

    /// `core` has nothing to do now: the routine goes on, or returns; then a thread, or the loop.
    pub(crate) fn free_from_routine(&mut self, core: usize) {
        self.release_held(core);
        let way_in = self.way_in(core);
        let goes_on = self.goes_on(core) && self.start_handler(core, Time::ZERO);
        if goes_on {
            return;
        }
        let returned = self.return_from_call(core);
        if self.cores[core].dedicated && self.serve(core, Time::ZERO) {
            return;
        }
        if !self.takes_threads(core) || !self.back_to_thread(core) {
            self.idle(core);
        }
        let node = self.cores[core].node;
        self.let_held_go_on(node);
        let had_turn = self.nodes[node].dispatch.poll_owner == usize::from(self.cores[core].number);
        let caller = if returned || had_turn { self.next_caller(node) } else { self.caller(node) };
        if let Some(caller) = caller {
            let notice = if returned { Time::ZERO } else { self.prices_of_routine().notice };
            let delay = if caller == core { way_in } else { notice };
            self.start_handler(caller, delay);
        }
    }

    /// Something has come that may be dispatchable: finds a processor for it.
    pub(crate) fn notify_routine(&mut self, node: usize) {
        match self.caller(node) {
            Some(core) => {
                let notice = self.prices_of_routine().notice;
                self.serve(core, notice);
            }
            None if self.nodes[node].dispatch.routine.call.is_none() => {
                self.interrupt(node);
            }
            None => {}
        }
    }

    /// Whether `core` goes on with a thread that is ready.
    ///
    /// Not while it is held; but a key may have been given to such a thread, or may wait for its access, and all handlers of the
    /// node wait for the key.
    pub(crate) fn takes_threads(&self, core: usize) -> bool {
        !self.cores[core].held || self.waits_for_thread(self.cores[core].node)
    }

    /// Whether handlers of a node wait for a key that none of them holds.
    fn waits_for_thread(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        node.dispatch.routine.call.is_none() && node.dispatch.queue.is_held()
    }

    /// As far as it has come to that, processors that are held and idle take threads.
    fn let_held_go_on(&mut self, node: usize) {
        if !self.waits_for_thread(node) {
            return;
        }
        let first = self.nodes[node].first_core;
        for core in first..first + self.nodes[node].cores {
            if self.cores[core].held && self.cores[core].is_idle() {
                self.back_to_thread(core);
            }
        }
    }

    fn idle(&mut self, core: usize) {
        self.end_idling(core);
        self.cores[core].begin_idling(self.agenda.now);
    }

    /// What it takes `core` from what it has done until now to the routine.
    fn way_in(&self, core: usize) -> Time {
        let from_thread = matches!(self.cores[core].activity, Activity::Thread(_));
        if from_thread { self.prices_of_routine().enter } else { Time::ZERO }
    }

    /// The fault whose handler has run on `core` holds no processor any more.
    fn release_held(&mut self, core: usize) {
        let call =
            self.nodes[self.cores[core].node].dispatch.routine.call.as_mut().filter(|call| call.core == core);
        let Some(held) = call.and_then(|call| call.serves.take()) else { return };
        self.cores[held].held = false;
        if held != core && self.cores[held].is_idle() {
            self.back_to_thread(held);
        }
    }

    /// Whether the call on `core` does more than it has done.
    fn goes_on(&self, core: usize) -> bool {
        let routine = &self.nodes[self.cores[core].node].dispatch.routine;
        let call = routine.call.as_ref().filter(|call| call.core == core && !call.returns);
        call.is_some_and(|call| call.messages > 0 || call.slots.unwrap_or(routine.slots.len()) > 0)
    }

    /// The way back from the call on `core`, if that has done all it does: what it takes.
    pub(crate) fn way_back(&mut self, core: usize) -> Time {
        if !self.calls_routine() || self.cores[core].dedicated || self.goes_on(core) {
            return Time::ZERO;
        }
        let leave = self.prices_of_routine().leave;
        let call = self.nodes[self.cores[core].node].dispatch.routine.call.as_mut();
        let back = call.filter(|call| call.core == core).map_or(Time::ZERO, |call| {
            call.returns = true;
            leave
        });
        self.cores[core].service.looking += back;
        back
    }

    /// The call on `core` is over, if there is one: the next one's turn.
    fn return_from_call(&mut self, core: usize) -> bool {
        let routine = &mut self.nodes[self.cores[core].node].dispatch.routine;
        let returned = routine.call.take_if(|call| call.core == core).is_some();
        if returned {
            self.pass_turn(core);
        }
        returned
    }

    /// The next event of the call on `core`, or the first of a new one.
    pub(crate) fn next_in_call(&mut self, core: usize, server: usize) -> Option<Job> {
        if !self.finds_event(core, server) {
            return None;
        }
        if !self.goes_on(core) {
            self.begin_call(core);
        }
        let node = &mut self.nodes[self.cores[core].node];
        if let Some(resumed) = node.dispatch.resumed.pop_front() {
            return Some(resumed);
        }
        if node.dispatch.queue.is_empty() {
            self.take_out(core);
        }
        let now = self.agenda.now;
        let dispatched = self.nodes[self.cores[core].node].dispatch.queue.dispatch(now, server)?;
        Some(Job { held: dispatched.held, event: dispatched.event })
    }

    fn begin_call(&mut self, core: usize) {
        let SoftwareDispatch { drain, migrate, .. } = *self.prices_of_routine();
        let most = drain.filter(|_| !self.cores[core].dedicated).unwrap_or(usize::MAX);
        let node = &mut self.nodes[self.cores[core].node];
        let messages = node.dispatch.unseen.len().min(most);
        node.dispatch.routine.call = Some(Call { core, messages, slots: None, serves: None, returns: false });
        let moved = node.dispatch.routine.last.replace(core).is_some_and(|last| last != core);
        if moved {
            self.cores[core].spend(Bucket::Overhead, migrate);
            self.cores[core].service.looking += migrate;
        }
    }

    /// The call on `core` takes out the next event that waits, for the dispatch queue.
    fn take_out(&mut self, core: usize) {
        let node = &mut self.nodes[self.cores[core].node];
        let Some(call) = &mut node.dispatch.routine.call else { return };
        if call.messages > 0
            && let Some(Arrived { at, flight }) = node.dispatch.unseen.pop_front()
        {
            call.messages -= 1;
            let key = self.key_of(self.cores[core].node, self.link.flights[flight as usize].packet());
            self.nodes[self.cores[core].node].dispatch.queue.enqueue(at, key, Event::Message { flight });
            return;
        }
        call.messages = 0;
        let slots = call.slots.get_or_insert(node.dispatch.routine.slots.len());
        if let Some(Slot { core, key, event }) = node.dispatch.routine.slots.pop_front() {
            *slots = slots.saturating_sub(1);
            call.serves = Some(core);
            node.dispatch.queue.enqueue(self.agenda.now, key, event);
        }
    }
}

impl Edge {
    /// A poll at a back-edge.
    pub(crate) fn call_routine(&self) {
        self.settle();
        if !self.state().has_turn(self.core()) {
            return;
        }
        {
            let mut state = self.state();
            let poll = state.setting.machine.processor.poll;
            state.cores[self.core()].spend(Bucket::Overhead, poll);
            state.cores[self.core()].service.looking += poll;
        }
        self.settle();
        let find = self.state().prices_of_routine().find;
        if !self.yield_to_handlers(find) {
            self.state().pass_turn(self.core());
        }
    }
}
