//! Everything modelled, and time. Changed only by engine events and by the effects of the fiber that runs now.

use std::collections::VecDeque;

use des::{Choice, EventQueue};
use hardware::{Lock, Network, Prices};
use machine::Machine;
use tempest::policy::{Injector, Servers, Split};
use tempest::world::{Name, Resident};
use tempest::{Adjustment, NodeId, Policy, Shape, Waiter};
use trace::{Digest, Event, Sink};
use units::Time;

use crate::anatomy::Anatomy;
use crate::cargo::Flight;
use crate::core::{Activity, Core};
use crate::network_processor::Loop;
use crate::node::{Node, Reason, Thread, ThreadState};
use crate::phases::Phases;
use crate::roles::Roles;
use crate::shared::Blocks;
use crate::staging::{Shipping, Step};

/// What the engine's queue holds. Small: entries are copied at every sift.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happening {
    /// The fiber at work on a core goes on, unless an interrupt has put it off since.
    Continue { core: u32, epoch: u32 },
    /// The first byte of something sent is at its destination.
    Arrive { flight: u32 },
    /// It has passed the port in.
    Pass { flight: u32 },
    /// What a node sends to itself is there.
    Deliver { flight: u32 },
    /// Something moves inside the network.
    Network { event: hardware::Event },
    /// A message that the network processor handed over can be seen by the computing processor.
    Forward { flight: u32 },
    /// The next step of a packet of a transfer.
    Packet { packet: u32, step: Step },
    /// A message may have waited too long at a port in.
    Overflow { flight: u32, number: u32 },
    /// The device of a node may ask for the bus to write the next line that has been placed.
    Post { node: u32 },
    /// Somebody of a node may find something to do that nobody could do before.
    Look { node: u32 },
}

impl Happening {
    /// Somebody looks, and may find nothing; or what nobody waits for goes on.
    pub(crate) fn is_a_look(self) -> bool {
        matches!(self, Self::Look { .. } | Self::Overflow { .. } | Self::Post { .. })
    }
}

/// The modelled machine at one instant.
pub(crate) struct State {
    pub(crate) machine: Machine,
    pub(crate) policy: Policy,
    /// Whether nodes have a network processor at work: all that concerns one is skipped where there is none.
    pub(crate) assisted: bool,
    /// Whether processors of a node share their threads.
    pub(crate) shares_threads: bool,
    /// Whether the policy changes the roles of processors while a program runs.
    pub(crate) adapts: bool,
    /// What it has changed.
    pub(crate) adjustments: Vec<Adjustment>,
    pub(crate) network: Network,
    pub(crate) prices: Prices,
    pub(crate) now: Time,
    /// When the last event before now was that had an effect, if nothing but looks without one came since.
    pub(crate) quiet_since: Option<Time>,
    pub(crate) events: EventQueue<Happening>,
    /// Cores whose fibers go on at the present time, in order, each with the epoch it was told in. They come before
    /// every queued event, and save most of them.
    pub(crate) due: VecDeque<(usize, u32)>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) cores: Vec<Core>,
    pub(crate) flights: Vec<Flight>,
    pub(crate) free_flights: Vec<u32>,
    pub(crate) shipping: Shipping,
    /// Where blocks of shared memory are, if there is any.
    pub(crate) blocks: Option<Blocks>,
    pub(crate) anatomy: Anatomy,
    /// Whether several processors of a node run handlers, each with a cache of its own for directory entries.
    pub(crate) shares_entries: bool,
    /// Messages and deposits sent so far.
    pub(crate) sent: u64,
    pub(crate) phases: Phases,
    pub(crate) sink: Sink,
    /// The core whose fiber runs at this instant of the host: it cannot be interrupted, it is not suspended.
    pub(crate) running: Option<usize>,
    /// Threads that have not returned.
    pub(crate) live: usize,
    /// Engine events so far.
    pub(crate) happened: u64,
    /// How long nothing may happen.
    pub(crate) stall_limit: Option<Time>,
    /// When something last happened: a handler or a thread ended or went on.
    pub(crate) progress: Time,
}

impl State {
    /// The machine before anything runs. `residents` are the programs of the nodes, made by the caller with the
    /// dispatchers of `queues`.
    pub(crate) fn new(
        machine: &Machine,
        policy: &Policy,
        split: Split,
        shape: Shape,
        seed: u64,
        residents: Vec<(&Resident, hardware::EventQueue<crate::core::Event, Name>)>,
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
            machine: machine.clone(),
            policy: policy.clone(),
            assisted,
            shares_threads: crate::ready::shares_threads(machine, policy),
            adapts: policy.servers == Servers::Adaptive,
            adjustments: Vec::new(),
            network: Network::new(&machine.network, machine.interface.gap, shape.nodes),
            prices: Prices::new(&machine.processor.work),
            now: Time::ZERO,
            quiet_since: None,
            events: EventQueue::new(),
            due: VecDeque::new(),
            nodes: Vec::new(),
            cores: Vec::new(),
            flights: Vec::new(),
            free_flights: Vec::new(),
            shipping: Shipping::default(),
            blocks: residents.first().and_then(|(resident, _)| Blocks::of(&resident.node, machine)),
            anatomy: Anatomy::new(messages),
            shares_entries: servers > 1,
            sent: 0,
            phases: Phases::default(),
            sink: Sink::Digest(Digest::default()),
            running: None,
            live: (shape.nodes * shape.threads) as usize,
            happened: 0,
            stall_limit: None,
            progress: Time::ZERO,
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
            state.nodes.push(Node {
                waist: resident.node.clone(),
                first_core,
                cores: cores_per_node,
                queue,
                unseen: Default::default(),
                spilled: 0,
                incoming: Default::default(),
                line: Default::default(),
                network: assisted.then(|| Loop::new(first_core + cores_per_node - 1)),
                lock: machine.interface.lock_migration.map(Lock::new),
                interface: hardware::Interface::new(
                    &crate::routing::paced(machine),
                    polls.unwrap_or_default(),
                ),
                memory: machine.node_memory.as_ref().map(|costs| {
                    Box::new(hardware::memory::NodeMemory::new(costs, machine.memory.line, on_bus))
                }),
                entries: Default::default(),
                lowerings: Default::default(),
                posted: 0,
                resumed: Default::default(),
                stager: Default::default(),
                handed_over: Default::default(),
                injecting: false,
                passing: 0,
                starved: Default::default(),
                threads: (0..shape.threads as usize)
                    .map(|thread| Thread {
                        core: first_core + thread / threads_per_core,
                        home: first_core + thread / threads_per_core,
                        moved: false,
                        state: ThreadState::Going,
                        generation: 0,
                        awaited: 0,
                        awaits_room: false,
                        noticing: false,
                        granted: None,
                    })
                    .collect(),
                ready: Default::default(),
                routine: Default::default(),
                poll_owner: 0,
                next_interrupt: 0,
                roles: Roles::of(machine, policy),
                tie: choice.tie(index as u32),
            });
        }
        state
    }

    /// Records an event of the run at the present time.
    pub(crate) fn record(&mut self, event: Event) {
        self.sink.record(self.now, event);
    }

    /// Has the fiber at work on `core` go on at `at`.
    pub(crate) fn continue_at(&mut self, core: usize, at: Time) {
        let (tie, epoch) = (self.nodes[self.cores[core].node].tie, self.cores[core].epoch);
        self.cores[core].until = at;
        self.events.push(at, tie, Happening::Continue { core: core as u32, epoch });
    }

    /// Has the fiber at work on `core` go on now, `cost` ahead of engine time: nobody sees it before its next effect.
    pub(crate) fn continue_now(&mut self, core: usize, cost: Time) {
        let state = &mut self.cores[core];
        state.until = self.now;
        state.ahead += cost;
        self.due.push_back((core, state.epoch));
    }

    /// Brings engine time up to the clock of `core`, whose fiber runs now. True if that fiber must suspend because
    /// something else comes first; it will be taken up at the right time.
    pub(crate) fn settle(&mut self, core: usize) -> bool {
        let ahead = std::mem::take(&mut self.cores[core].ahead);
        if ahead.is_zero() {
            return false;
        }
        let target = self.now + ahead;
        let nothing_before = self.due.is_empty() && self.events.next_time().is_none_or(|next| next > target);
        if nothing_before && !self.is_stalled_at(target) {
            self.now = target;
            return false;
        }
        self.continue_at(core, target);
        true
    }

    /// Whether too long would have passed since something last happened.
    pub(crate) fn is_stalled_at(&self, at: Time) -> bool {
        self.stall_limit.is_some_and(|limit| at.saturating_sub(self.progress) > limit)
    }

    /// Whether messages of `core`'s threads are injected by a protocol processor.
    pub(crate) fn hands_over(&self, core: usize) -> bool {
        let own = &self.cores[core];
        match self.policy.injector {
            Injector::Protocol => !own.dedicated,
            Injector::Network => !own.dedicated && self.nodes[own.node].network.is_some(),
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
        let thread = &self.nodes[self.cores[core].node].threads[self.thread_on(core) as usize];
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
        self.nodes[node].threads[thread as usize].state = ThreadState::Blocked { reason, since: self.now };
        self.record(Event::Block { node: node as u32, thread, what });
        self.record(Event::Leave { node: node as u32, processor, thread });
        self.free(core);
    }

    /// Whether that wait of a thread on a node has not been ended yet.
    pub(crate) fn waits(&self, node: usize, waiter: Waiter) -> bool {
        self.nodes[node].threads[waiter.thread as usize].generation == waiter.generation
    }

    /// A blocked thread of a node may run again. False if that wait has been ended already.
    pub(crate) fn resume(&mut self, node: usize, waiter: Waiter) -> bool {
        if !self.waits(node, waiter) {
            return false;
        }
        let thread = &mut self.nodes[node].threads[waiter.thread as usize];
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
        let thread = &mut self.nodes[node].threads[waiter.thread as usize];
        // One that has not blocked yet sees the count when it looks before it does.
        thread.noticing |= waits && matches!(thread.state, ThreadState::Blocked { .. });
        self.resume(node, waiter);
    }

    /// A thread may run again: a processor that idles takes it.
    pub(crate) fn make_ready(&mut self, node: usize, thread: u32) {
        self.record(Event::Resume { node: node as u32, thread });
        self.progress = self.now;
        let place = &mut self.nodes[node].threads[thread as usize];
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

impl State {
    /// How long a sender on `core` waits for room if nothing else happens: until the interface takes its next message.
    pub(crate) fn wait_for_room(&self, core: usize) -> Time {
        let (node, at) = (self.cores[core].node, self.now + self.cores[core].ahead);
        if !self.takes_commands(node) {
            // It looks again after a poll; nobody tells it.
            let processor = &self.machine.processor;
            return processor.poll.max(processor.clock.cycles_to_time(1));
        }
        self.interface_room_at(node, at) - at
    }
}
