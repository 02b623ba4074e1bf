//! The dispatch of a node: the protocol event that comes next, the processor that takes it, and the processor that injects a
//! message.
//!
//! A node's dispatch consists of three closed choices. Each is made once, from the machine and the policy. [`Dispatch`] says
//! where events wait and how they get to a processor. [`Serving`](serving::Serving) says which processors run handlers.
//! [`Injection`](injection::Injection) says which processors put messages into the interface. A [`Dispatcher`] holds all
//! three. It is given the present time and the node's processors. It answers which processor starts which work, and the cluster
//! carries that out.
//!
//! | file | content |
//! |---|---|
//! | `own` | processors look for messages themselves, where nodes have no dispatch queue |
//! | `register` | a device or a queue presents events to the processors that run handlers |
//! | `routine` | the dispatch routine of a node whose software takes its processors to handlers |
//! | `network` | network processors beside the computing processors |
//! | `state_machine` | a hardware state machine |
//! | `dispatcher` | the three choices of one node together, and its decisions |
//! | `service` | the processors that run the handlers of each class of messages |
//! | `serving`, `turns`, `roles` | the processors that run handlers, the turns that they take, the roles that change |
//! | `idle` | the idle processors, in the order in which they became idle |
//! | `injection` | the way of messages into the interface |
//! | `events` | the events that wait, and the dispatch queue |
//! | `keys`, `precedence` | the keys that threads ask for, and the events that precede them where software dispatches |
//!
//! This module must never know the meaning of a message, or any cost.

pub(crate) mod ahead;
pub(crate) mod dispatcher;
pub(crate) mod events;
pub(crate) mod idle;
pub(crate) mod injection;
mod keys;
pub(crate) mod network;
pub(crate) mod own;
pub(crate) mod precedence;
pub(crate) mod register;
pub(crate) mod roles;
pub(crate) mod routine;
pub(crate) mod service;
pub(crate) mod serving;
pub(crate) mod state_machine;
#[cfg(test)]
mod testing;
pub(crate) mod turns;

use machine::{ByClass, Capability, Class, Cost, Endpoints, Machine, NetworkProcessor};
use pdq::specification::Config;
use tempest::Policy;
use tempest::policy::{Dispatch as Order, Servers, Split};
use units::Time;

use crate::prices::List;
use crate::processor::core::Core;
pub(crate) use dispatcher::Dispatcher;
use events::Events;
pub(crate) use events::Found;
use network::NetworkProcessors;
use own::Own;
use register::Register;
use routine::Routine;
use service::Service;
use state_machine::StateMachine;

/// The place where the events of a node wait, and the way in which they get to a processor.
// Its tag is a byte of its own: each event asks for it several times, and a tag inside the contents takes five instructions to read.
#[derive(Debug)]
#[repr(u8)]
pub(crate) enum Dispatch {
    /// Processors look for messages themselves, between their threads.
    Own(Own),
    /// A queue presents events to the processors that run handlers.
    Register(Register),
    /// The software of the node calls a dispatch routine.
    Routine(Box<Routine>),
    /// Network processors look at the interface, beside the computing processors.
    Network(Box<NetworkProcessors>),
    /// A hardware state machine takes the events of the system, in order.
    StateMachine(StateMachine),
}

/// A node at one instant, as its dispatch sees it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) now: Time,
    /// The node's processors, by number.
    pub(crate) cores: &'a [Core],
    /// The number of the processor whose fiber runs now, and which cannot be interrupted.
    pub(crate) running: Option<usize>,
    /// Whether the interface has room for a message. Only a network processor asks.
    pub(crate) room: bool,
}

/// The way in which a processor notices an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Noticed {
    /// The processor looks, and the handler begins after a delay.
    Look {
        /// The delay.
        after: Time,
    },
    /// The event interrupts the processor.
    Interrupt,
}

impl Noticed {
    /// The processor looks, and the handler begins at once.
    pub(crate) const AT_ONCE: Self = Self::Look { after: Time::ZERO };

    /// The time until the processor takes the event. `interrupt` is the time of an interrupt.
    pub(crate) fn delay(self, interrupt: Time) -> Time {
        match self {
            Self::Look { after } => after,
            Self::Interrupt => interrupt,
        }
    }
}

/// A processor that is to start work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// An idle processor serves an event or a message after a delay.
    Serve {
        /// The processor's number.
        number: usize,
        delay: Time,
    },
    /// A processor that computes or waits is interrupted.
    Interrupt {
        /// The processor's number.
        number: usize,
    },
}

/// The work of a poll at a back-edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Poll {
    /// The thread calls the dispatch routine, if it has its turn.
    Call,
    /// The thread looks for events.
    Look {
        /// Whether the look needs the lock of the interface.
        locks: bool,
    },
    /// The thread goes on: no look is due.
    Pass,
    /// The thread goes on: other processors look.
    LeaveToOthers,
    /// The thread leaves the processor first, if the processor is to be dedicated.
    Adapt,
}

impl Dispatch {
    /// The dispatch of a node of `processors` processors. The first ones compute, as `split` says, and the last ones are network
    /// processors.
    fn of(machine: &Machine, policy: &Policy, split: Split, processors: usize) -> Self {
        let alone = split.computing == 1;
        let loops = network_processors(machine, policy);
        let service = Service::of(machine, policy);
        match (&machine.software_dispatch, &machine.network_processor, policy.servers) {
            (Some(prices), ..) => Self::Routine(Box::new(Routine::new(processors, prices.clone()))),
            (None, Some(network), _) if loops > 0 => {
                let lock = machine.queue_pairs.as_ref().and_then(|pairs| pairs.lock);
                let lock = lock.or(machine.interface.lock_migration);
                let joins_steps = lock.is_none() && !loops_use_bus(machine, network);
                Self::Network(Box::new(NetworkProcessors::new(
                    network,
                    service,
                    processors - loops,
                    joins_steps,
                    endpoints(machine, policy, split),
                )))
            }
            (None, _, Servers::Alone | Servers::Compute | Servers::Network | Servers::Either) if alone => {
                Self::Own(Own::new(false))
            }
            (None, _, Servers::Hardware) => Self::StateMachine(StateMachine(service)),
            (None, ..) if !has_dispatch_queue(machine, policy, split) => Self::Own(Own::new(true)),
            (None, ..) => Self::Register(Register),
        }
    }

    /// Whether processor `number`, which the dispatch queue knows as `server`, would find an event to handle.
    fn has_event(&self, number: usize, server: usize, events: &Events) -> bool {
        match self {
            Self::Own(own) => own.has_event(server, events),
            Self::Register(register) => register.has_event(server, events),
            Self::Routine(routine) => routine.has_event(number, server, events),
            Self::Network(network) => network.has_event(server, events),
            Self::StateMachine(state_machine) => state_machine.has_event(server, events),
        }
    }

    /// Whether a fault of the thread on processor `number` binds the processor to its threads.
    fn holds(&self, number: usize) -> bool {
        matches!(self, Self::Routine(routine) if routine.holds(number))
    }

    /// Whether a message waits outside the dispatch queue.
    fn something_waits(&self) -> bool {
        match self {
            Self::Own(own) => !own.inbox.is_empty(),
            Self::Routine(routine) => routine.something_waits(),
            Self::Network(network) => network.something_waits(),
            Self::Register(_) | Self::StateMachine(_) => false,
        }
    }

    /// The number of messages that wait outside the dispatch queue.
    fn waiting(&self) -> usize {
        match self {
            Self::Own(own) => own.inbox.len(),
            Self::Routine(routine) => routine.waiting(),
            Self::Network(network) => network.waiting(),
            Self::Register(_) | Self::StateMachine(_) => 0,
        }
    }

    /// Whether handlers of a class can run on this node.
    pub(crate) fn runs(&self, class: Class) -> bool {
        if let Self::StateMachine(state_machine) = self { state_machine.runs(class) } else { true }
    }
}

/// Whether the nodes of a machine have a queue into which messages go by themselves, before a processor looks: the
/// queue of a device, of software that dispatches by key, or of each endpoint.
fn has_dispatch_queue(machine: &Machine, policy: &Policy, split: Split) -> bool {
    let queues = [Capability::KeyedDispatch, Capability::DispatchRegister];
    endpoints(machine, policy, split).is_some() || queues.iter().any(|queue| machine.can.contains(queue))
}

/// The number of network processors at work on a node of a machine under a policy.
pub(crate) fn network_processors(machine: &Machine, policy: &Policy) -> usize {
    match &machine.network_processor {
        Some(network) if service::asks_for_network(policy) && machine.software_dispatch.is_none() => {
            network.count
        }
        _ => 0,
    }
}

/// Whether a step of a network processor's loop besides handlers may use the bus, and so may wait for other processors of its node.
fn loops_use_bus(machine: &Machine, network: &NetworkProcessor) -> bool {
    let own = &network.primitives;
    let steps = [
        &own.take,
        &own.send_header,
        &own.send_own,
        &own.send_word,
        &own.start_transfer,
        &own.extract,
        &own.extract_own,
        &own.hand_over,
    ];
    let uses_bus = |cost: Cost| !cost.bus.is_empty() || !cost.after.is_empty();
    let any_uses = |price: &ByClass<Cost>| Class::ALL.iter().any(|&class| uses_bus(price.of(class)));
    machine.node_memory.is_some() && steps.into_iter().flatten().any(any_uses)
}

/// The price list of the processor of a number, on a node of `processors`.
pub(crate) fn price_list(
    machine: &Machine,
    policy: &Policy,
    split: Split,
    processors: usize,
    number: usize,
) -> List {
    if number >= processors - network_processors(machine, policy) {
        return List::Network;
    }
    let in_device = is_in_device(policy) && number >= split.computing as usize;
    if in_device { List::Embedded } else { List::General }
}

/// Whether processors inside the network device run the handlers. Such processors have no caches on the node's bus.
pub(crate) fn is_in_device(policy: &Policy) -> bool {
    matches!(policy.servers, Servers::Embedded | Servers::Hardware)
}

/// The number of endpoints of the interface, one for each processor that looks for events itself: the computing processors, or the
/// dedicated ones. `None` where all of them look in one place, or a single one does.
pub(crate) fn endpoints(machine: &Machine, policy: &Policy, split: Split) -> Option<usize> {
    if machine.interface.endpoints != Endpoints::Processor {
        return None;
    }
    match policy.servers {
        Servers::Idle => Some(split.computing as usize),
        Servers::Compute | Servers::Network | Servers::Either if split.computing > 1 => {
            Some(split.computing as usize)
        }
        Servers::Taken | Servers::Added => Some(split.dedicated as usize),
        _ => None,
    }
}

/// Whether a policy can be carried out where each processor that looks for events has an endpoint of the interface of its own: no
/// processor inside the device, and none that changes its role, has one.
pub(crate) fn fits_endpoints(policy: &Policy) -> bool {
    !matches!(policy.servers, Servers::Embedded | Servers::Hardware | Servers::Adaptive)
}

/// The dispatch queue of each node of a machine under a policy.
pub(crate) fn queue(machine: &Machine, policy: &Policy, split: Split) -> Config {
    // A network processor and a computing one work side by side, each serially.
    let together = network_processors(machine, policy) > 0 && Service::of(machine, policy).network_runs_any();
    let endpoints = endpoints(machine, policy, split);
    let partitions = match (endpoints, policy.dispatch) {
        (Some(endpoints), _) => endpoints,
        (None, Order::Partitioned) => split.dedicated as usize,
        (None, Order::Serial | Order::Keyed) => 1,
    };
    Config {
        window: machine.queue.window,
        capacity: Some(machine.queue.capacity),
        serial: policy.dispatch == Order::Serial && !together && endpoints.is_none(),
        partitions,
    }
}
