//! Everything modelled, at one instant. Changed only by engine events and by the effects of the fiber that runs now.
//!
//! Must never decide what a part can decide for itself.

pub(crate) mod node;
pub(crate) mod passage;
pub(crate) mod scheduling;

use des::{Choice, EventQueue};
use hardware::{Lock, Network, Prices};
use machine::Machine;
use tempest::policy::{Injector, Servers, Split};
use tempest::world::{Name, Resident};
use tempest::{NodeId, Policy, Shape, Waiter};
use trace::{Digests, Event, Sink};
use units::Time;

use crate::agenda::{Agenda, Happening};
use crate::dispatch::Desk;
use crate::dispatch::network_processor::Loop;
use crate::dispatch::roles::Roles;
use crate::link::staging::Shipping;
use crate::link::{Link, Port};
use crate::measure::Measure;
use crate::measure::anatomy::Anatomy;
use crate::measure::phases::Phases;
use crate::memory::Memory;
use crate::memory::blocks::Blocks;
use crate::processor::core::{Activity, Core};
use crate::processor::threads::{Reason, Thread, ThreadState, Threads};
use crate::setting::Setting;
use node::Node;

/// The modelled machine at one instant.
pub(crate) struct Cluster {
    pub(crate) setting: Setting,
    pub(crate) agenda: Agenda,
    pub(crate) measure: Measure,
    pub(crate) nodes: Vec<Node>,
    pub(crate) cores: Vec<Core>,
    pub(crate) link: Link,
    /// Where blocks of shared memory are, if there is any.
    pub(crate) blocks: Option<Blocks>,
    /// The core whose fiber runs at this instant of the host: it cannot be interrupted, it is not suspended.
    pub(crate) running: Option<usize>,
    /// Threads that have not returned.
    pub(crate) live: usize,
}

impl Cluster {
    /// The machine before anything runs. `residents` are the programs of the nodes, made by the caller with the
    /// dispatchers of `queues`.
    pub(crate) fn new(
        machine: &Machine,
        policy: &Policy,
        split: Split,
        shape: Shape,
        seed: u64,
        residents: Vec<(&Resident, hardware::EventQueue<crate::processor::core::Event, Name>)>,
    ) -> Self {
        let assisted = has_network_processor(machine, policy);
        let polls = machine.network_processor.as_ref().and_then(|network| network.idle_poll);
        let cores_per_node = (split.computing + split.dedicated) as usize + usize::from(assisted);
        let choice = Choice::new(seed);
        let messages = residents.first().map_or(0, |(resident, _)| resident.node.message_names().count());
        let servers = (0..cores_per_node).filter_map(|number| server_number(policy, split, number)).count();
        // Processors and state machines of a device have no caches on the bus of the node.
        let in_device = matches!(policy.servers, Servers::Embedded | Servers::Hardware);
        let on_bus = if in_device { split.computing as usize } else { cores_per_node };
        let mut state = Self {
            setting: Setting {
                machine: machine.clone(),
                policy: policy.clone(),
                prices: Prices::new(&machine.processor.work),
                assisted,
                shares_threads: crate::processor::ready::shares_threads(machine, policy),
                adapts: policy.servers == Servers::Adaptive,
                shares_entries: servers > 1,
                lead: crate::setting::lead(machine),
            },
            agenda: Agenda {
                now: Time::ZERO,
                quiet_since: None,
                events: EventQueue::new(),
                due: Default::default(),
                happened: 0,
                stall_limit: None,
                progress: Time::ZERO,
            },
            measure: Measure {
                anatomy: Anatomy::new(messages),
                phases: Phases::default(),
                sink: Sink::Digest(Digests::default()),
                adjustments: Vec::new(),
            },
            nodes: Vec::new(),
            cores: Vec::new(),
            link: Link {
                network: Network::new(&machine.network, machine.interface.gap, shape.nodes),
                flights: Vec::new(),
                free_flights: Vec::new(),
                shipping: Shipping::default(),
            },
            blocks: residents.first().and_then(|(resident, _)| Blocks::of(&resident.node, machine)),
            running: None,
            live: (shape.nodes * shape.threads) as usize,
        };
        for (index, (resident, queue)) in residents.into_iter().enumerate() {
            let first_core = state.cores.len();
            let threads_per_core = (shape.threads / split.computing) as usize;
            state.cores.extend((0..cores_per_node).map(|number| {
                let dedicated = number >= split.computing as usize;
                let server = server_number(policy, split, number);
                let core = Core::new(index, number as u16, server, dedicated, messages as u16);
                core.with_pace(machine.processor.pace)
            }));
            let threads = (0..shape.threads as usize).map(|thread| Thread {
                core: first_core + thread / threads_per_core,
                home: first_core + thread / threads_per_core,
                moved: false,
                state: ThreadState::Going,
                generation: 0,
                awaited: 0,
                awaits_room: false,
                noticing: false,
                granted: None,
            });
            let system = machine
                .node_memory
                .as_ref()
                .map(|costs| Box::new(hardware::memory::NodeMemory::new(costs, machine.memory.line, on_bus)));
            state.nodes.push(Node {
                waist: resident.node.clone(),
                first_core,
                cores: cores_per_node,
                threads: Threads { all: threads.collect(), ready: Default::default() },
                dispatch: Desk {
                    queue,
                    unseen: Default::default(),
                    spilled: 0,
                    incoming: Default::default(),
                    network: assisted.then(|| Loop::new(first_core + cores_per_node - 1)),
                    resumed: Default::default(),
                    routine: Default::default(),
                    poll_owner: 0,
                    roles: Roles::of(machine, policy),
                    next_interrupt: 0,
                },
                port: Port {
                    interface: hardware::Interface::new(
                        &crate::link::routing::paced(machine),
                        polls.unwrap_or_default(),
                    ),
                    lock: machine.interface.lock_migration.map(Lock::new),
                    line: Default::default(),
                    stager: Default::default(),
                    handed_over: Default::default(),
                    starved: Default::default(),
                    injecting: false,
                    passing: 0,
                    sent: 0,
                },
                memory: Memory {
                    system,
                    entries: Default::default(),
                    lowerings: Default::default(),
                    posted: 0,
                },
                tie: choice.tie(index as u32),
            });
        }
        state
    }

    /// Records an event of the run at the present time.
    pub(crate) fn record(&mut self, event: Event) {
        self.measure.sink.record(self.agenda.now, event);
    }

    /// Has the fiber at work on `core` go on at `at`.
    pub(crate) fn continue_at(&mut self, core: usize, at: Time) {
        let (tie, epoch) = (self.nodes[self.cores[core].node].tie, self.cores[core].epoch);
        self.cores[core].until = at;
        self.agenda.events.push(at, tie, Happening::Continue { core: core as u32, epoch });
    }

    /// Has the fiber at work on `core` go on now, `cost` ahead of engine time: nobody sees it before its next effect.
    pub(crate) fn continue_now(&mut self, core: usize, cost: Time) {
        let state = &mut self.cores[core];
        state.until = self.agenda.now;
        state.ahead += cost;
        self.agenda.due.push_back((core, state.epoch));
    }

    /// Brings engine time up to the clock of `core`, whose fiber runs now. True if that fiber must suspend because
    /// something else comes first; it will be taken up at the right time.
    pub(crate) fn settle(&mut self, core: usize) -> bool {
        let ahead = std::mem::take(&mut self.cores[core].ahead);
        if ahead.is_zero() {
            return false;
        }
        let target = self.agenda.now + ahead;
        let nothing_before =
            self.agenda.due.is_empty() && self.agenda.events.next_time().is_none_or(|next| next > target);
        if nothing_before && !self.is_stalled_at(target) {
            self.agenda.now = target;
            return false;
        }
        self.continue_at(core, target);
        true
    }

    /// Whether too long would have passed since something last happened.
    pub(crate) fn is_stalled_at(&self, at: Time) -> bool {
        self.agenda.stall_limit.is_some_and(|limit| at.saturating_sub(self.agenda.progress) > limit)
    }

    /// Whether messages of `core`'s threads are injected by a protocol processor.
    pub(crate) fn hands_over(&self, core: usize) -> bool {
        let own = &self.cores[core];
        match self.setting.policy.injector {
            Injector::Protocol => !own.dedicated,
            Injector::Network => !own.dedicated && self.nodes[own.node].dispatch.network.is_some(),
            Injector::Sender => !own.dedicated && self.hands_over_to_dedicated(own.node),
            Injector::Device => false,
        }
    }

    /// The thread that runs on `core`.
    pub(crate) fn thread_on(&self, core: usize) -> u32 {
        match self.cores[core].activity {
            Activity::Thread(thread) => thread,
            other => unreachable!("a thread acts on a core that is {other:?}"),
        }
    }

    /// Whether the waiter that the thread on `core` took last has not been resumed yet.
    pub(crate) fn still_awaits(&self, core: usize) -> bool {
        let thread = &self.nodes[self.cores[core].node].threads.all[self.thread_on(core) as usize];
        thread.awaited == thread.generation
    }

    /// The thread that runs on `core` blocks from now on.
    pub(crate) fn block(&mut self, core: usize, reason: Reason) {
        let thread = self.thread_on(core);
        let Core { node, number: processor, .. } = self.cores[core];
        self.cores[core].counters.blocks += 1;
        let what = reason.what();
        if reason.is_block() {
            self.note_wait_for_block(node, thread, true);
        }
        self.nodes[node].threads.all[thread as usize].state =
            ThreadState::Blocked { reason, since: self.agenda.now };
        self.record(Event::Block { node: node as u32, thread, what });
        self.record(Event::Leave { node: node as u32, processor, thread });
        self.free(core);
    }

    /// Whether that wait of a thread on a node has not been ended yet.
    pub(crate) fn waits(&self, node: usize, waiter: Waiter) -> bool {
        self.nodes[node].threads.all[waiter.thread as usize].generation == waiter.generation
    }

    /// A blocked thread of a node may run again. False if that wait has been ended already.
    pub(crate) fn resume(&mut self, node: usize, waiter: Waiter) -> bool {
        if !self.waits(node, waiter) {
            return false;
        }
        let thread = &mut self.nodes[node].threads.all[waiter.thread as usize];
        thread.generation = thread.generation.wrapping_add(1);
        if matches!(thread.state, ThreadState::Blocked { .. }) {
            self.make_ready(node, waiter.thread);
        }
        true
    }

    /// A thread may run again that waits for deposits. No handler resumes it: it polls and reads the count, which is in
    /// no cache now.
    pub(crate) fn resume_by_deposit(&mut self, node: usize, waiter: Waiter) {
        let waits = self.waits(node, waiter);
        let thread = &mut self.nodes[node].threads.all[waiter.thread as usize];
        // One that has not blocked yet sees the count when it looks before it does.
        thread.noticing |= waits && matches!(thread.state, ThreadState::Blocked { .. });
        self.resume(node, waiter);
    }

    /// A thread may run again: a processor that idles takes it.
    pub(crate) fn make_ready(&mut self, node: usize, thread: u32) {
        self.record(Event::Resume { node: node as u32, thread });
        self.agenda.progress = self.agenda.now;
        let place = &mut self.nodes[node].threads.all[thread as usize];
        let before = std::mem::replace(&mut place.state, ThreadState::Going);
        if matches!(before, ThreadState::Blocked { reason, .. } if reason.is_block()) {
            self.note_wait_for_block(node, thread, false);
        }
        self.queue_thread(node, thread);
        if let Some(core) = self.taker(node, thread) {
            self.free(core);
        }
    }

    /// The node as messages name it.
    pub(crate) fn node_id(&self, core: usize) -> NodeId {
        NodeId(self.cores[core].node as u32)
    }
}

/// Whether nodes of a machine have a network processor that has something to do under a policy.
fn has_network_processor(machine: &Machine, policy: &Policy) -> bool {
    let assists =
        policy.injector == Injector::Network || matches!(policy.servers, Servers::Network | Servers::Either);
    assists && machine.network_processor.is_some()
}

/// Which server of the dispatch queue processor `number` of a node is, if it runs handlers at all.
fn server_number(policy: &Policy, split: Split, number: usize) -> Option<usize> {
    let computing = split.computing as usize;
    match policy.servers {
        Servers::Compute | Servers::Network | Servers::Either => (number == 0).then_some(0),
        Servers::Idle | Servers::Adaptive => Some(number),
        _ => number.checked_sub(computing),
    }
}

impl Cluster {
    /// How long a sender on `core` waits for room if nothing else happens: until the interface takes its next message.
    pub(crate) fn wait_for_room(&self, core: usize) -> Time {
        let (node, at) = (self.cores[core].node, self.agenda.now + self.cores[core].ahead);
        if !self.takes_commands(node) {
            // It looks again after a poll; nobody tells it.
            let processor = &self.setting.machine.processor;
            return processor.poll.max(processor.clock.cycles_to_time(1));
        }
        self.interface_room_at(node, at) - at
    }
}
