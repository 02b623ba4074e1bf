//! The processors of a node that run its handlers, and how each of them comes to look for an event.
//!
//! Must never know where events wait, or what they are.

use machine::Machine;
use tempest::Policy;
use tempest::policy::{Dispatch, Servers, Split};

use super::has_endpoints;
use super::roles::Roles;
use super::turns::Turns;
use crate::processor::core::Core;

/// The processors of one node that run handlers.
#[derive(Debug)]
pub(crate) enum Serving {
    /// The first processor, beside its threads.
    First,
    /// The processors from this number on, which do nothing else.
    Dedicated {
        /// The number of computing processors.
        computing: usize,
    },
    /// The processors from this number on, which are inside the device.
    Embedded {
        /// The number of computing processors.
        computing: usize,
    },
    /// Every computing processor, when it idles or when it polls in its turn.
    Floating(Turns),
    /// Every computing processor, each for the events of its own endpoint of the interface.
    Endpoints,
    /// Every processor as under `Floating` while none is dedicated; processors become dedicated while the program runs.
    Adaptive(Box<Adaptive>),
}

/// Processors that change between computing and serving.
#[derive(Debug)]
pub(crate) struct Adaptive {
    pub(super) roles: Roles,
    turns: Turns,
    /// Whether computing processors run no handlers while one is dedicated: events are handled one at a time.
    leaves_all: bool,
}

impl Serving {
    /// The processors that run handlers under a policy, with so many computing ones.
    pub(crate) fn of(machine: &Machine, policy: &Policy, split: Split) -> Self {
        match policy.servers {
            Servers::Compute | Servers::Network | Servers::Either => Self::First,
            Servers::Idle if has_endpoints(machine, policy) => Self::Endpoints,
            Servers::Idle => Self::Floating(Turns::new(policy.turns)),
            Servers::Adaptive => Self::Adaptive(Box::new(Adaptive {
                roles: Roles::new(machine),
                turns: Turns::new(policy.turns),
                leaves_all: policy.dispatch == Dispatch::Serial,
            })),
            Servers::Taken | Servers::Added => Self::Dedicated { computing: split.computing as usize },
            Servers::Embedded | Servers::Hardware => Self::Embedded { computing: split.computing as usize },
        }
    }

    /// The number by which the dispatch queue knows a processor that ever runs handlers.
    pub(crate) fn server(&self, number: usize) -> Option<usize> {
        match self {
            Self::First => (number == 0).then_some(0),
            Self::Dedicated { computing } | Self::Embedded { computing } => number.checked_sub(*computing),
            Self::Floating(_) | Self::Endpoints | Self::Adaptive(_) => Some(number),
        }
    }

    /// The number by which the dispatch queue knows a processor that runs handlers at present; `dedicated` says whether it does
    /// nothing else.
    pub(crate) fn serves_now(&self, number: usize, dedicated: bool) -> Option<usize> {
        let server = self.server(number)?;
        let leaves = matches!(self, Self::Adaptive(adaptive) if adaptive.leaves_all && adaptive.is_served());
        (dedicated || !leaves).then_some(server)
    }

    /// The number of processors that are dedicated for a time.
    pub(crate) fn dedicated_for_a_time(&self) -> u32 {
        if let Self::Adaptive(adaptive) = self { adaptive.roles.dedicated() } else { 0 }
    }

    /// Whether a computing processor leaves events to the dedicated ones wherever it has a thread, and none interrupts it.
    pub(crate) fn is_served(&self) -> bool {
        self.dedicated_for_a_time() > 0
    }

    /// Whether a processor may take an event that another one leaves to it. An event of an endpoint is one processor's.
    pub(crate) fn shares_events(&self) -> bool {
        match self {
            Self::Endpoints => false,
            Self::First
            | Self::Dedicated { .. }
            | Self::Embedded { .. }
            | Self::Floating(_)
            | Self::Adaptive(_) => true,
        }
    }

    /// The turns that the processors take at present.
    pub(crate) fn turns(&self) -> Option<&Turns> {
        match self {
            Self::Floating(turns) => Some(turns),
            Self::Adaptive(adaptive) if !adaptive.is_served() => Some(&adaptive.turns),
            _ => None,
        }
    }

    /// The turns that the processors take at present.
    pub(crate) fn turns_mut(&mut self) -> Option<&mut Turns> {
        match self {
            Self::Floating(turns) => Some(turns),
            Self::Adaptive(adaptive) if !adaptive.is_served() => Some(&mut adaptive.turns),
            _ => None,
        }
    }

    /// The turn passes from a processor to the next, where processors ever take turns.
    pub(crate) fn pass_turn(&mut self, number: usize, count: usize) {
        match self {
            Self::Floating(turns) => turns.pass(number, count),
            Self::Adaptive(adaptive) => adaptive.turns.pass(number, count),
            Self::First | Self::Dedicated { .. } | Self::Embedded { .. } | Self::Endpoints => {}
        }
    }

    /// Whether a processor was the last to have the turn passed to it, where processors ever take turns.
    pub(crate) fn had_turn(&self, number: usize) -> bool {
        match self {
            Self::Floating(turns) => turns.owner_is(number),
            Self::Adaptive(adaptive) => adaptive.turns.owner_is(number),
            Self::First | Self::Dedicated { .. } | Self::Embedded { .. } | Self::Endpoints => false,
        }
    }

    /// Whether a back-edge poll of a processor looks for events: where processors take turns, the poll of the one whose turn it is,
    /// which passes the turn on. While others are dedicated to handlers, no poll looks.
    pub(crate) fn looks(&mut self, number: usize, count: usize) -> bool {
        match self {
            Self::First | Self::Dedicated { .. } | Self::Embedded { .. } | Self::Endpoints => true,
            Self::Adaptive(adaptive) if adaptive.is_served() => false,
            Self::Floating(turns) => take_turn(turns, number, count),
            Self::Adaptive(adaptive) => take_turn(&mut adaptive.turns, number, count),
        }
    }

    /// Whether a processor that computes and polls may call a routine that one processor calls at a time.
    pub(crate) fn has_turn(&self, number: usize, cores: &[Core]) -> bool {
        match self.turns() {
            Some(turns) => turns.is_of(number, cores),
            None => self.serves_now(number, cores[number].is_dedicated()).is_some(),
        }
    }

    /// The roles, where they change.
    pub(crate) fn roles(&self) -> Option<&Roles> {
        if let Self::Adaptive(adaptive) = self { Some(&adaptive.roles) } else { None }
    }

    /// The roles, where they change.
    pub(crate) fn roles_mut(&mut self) -> Option<&mut Roles> {
        if let Self::Adaptive(adaptive) = self { Some(&mut adaptive.roles) } else { None }
    }
}

impl Adaptive {
    /// Whether a processor is dedicated.
    fn is_served(&self) -> bool {
        self.roles.dedicated() > 0
    }
}

fn take_turn(turns: &mut Turns, number: usize, count: usize) -> bool {
    let owns = turns.owner_is(number);
    if owns {
        turns.pass(number, count);
    }
    owns
}
