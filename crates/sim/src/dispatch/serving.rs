//! The processors of a node that run its handlers, and the way in which each comes to look for an event.
//!
//! This module must never know the place or the meaning of waiting events.

use machine::Machine;
use tempest::Policy;
use tempest::policy::{Dispatch, Servers, Split};

use super::endpoints;
use super::roles::Roles;
use super::turns::Turns;
use crate::processor::core::Core;

/// The processors of one node that run handlers.
#[derive(Debug)]
pub(crate) enum Serving {
    /// The first processor runs handlers besides its threads.
    First,
    /// The processors from a number on run handlers and nothing else.
    Dedicated {
        /// The number of computing processors.
        computing: usize,
    },
    /// The processors inside the device, from number `computing` on.
    Embedded {
        /// The number of computing processors.
        computing: usize,
    },
    /// Every computing processor runs handlers, when it idles or polls in its turn.
    Floating(Turns),
    /// Every computing processor runs the handlers of its own endpoint of the interface.
    Endpoints {
        /// The number of computing processors.
        computing: usize,
    },
    /// Processors become dedicated while the program runs. While none is, every processor runs handlers as under `Floating`.
    Adaptive(Box<Adaptive>),
}

/// Processors that change between computing and serving.
#[derive(Debug)]
pub(crate) struct Adaptive {
    pub(super) roles: Roles,
    turns: Turns,
    /// Whether computing processors run no handlers while another is dedicated. Events are then handled one at a time.
    leaves_all: bool,
}

impl Serving {
    /// The processors that run handlers under a policy, with the roles of `split`.
    pub(crate) fn of(machine: &Machine, policy: &Policy, split: Split) -> Self {
        let computing = split.computing as usize;
        let turns = || Turns::new(policy.turns, computing);
        let has_endpoints = endpoints(machine, policy, split).is_some();
        match policy.servers {
            Servers::Alone => Self::First,
            // One processor takes no turns.
            Servers::Compute | Servers::Network | Servers::Either if computing == 1 => Self::First,
            Servers::Compute | Servers::Network | Servers::Either | Servers::Idle if has_endpoints => {
                Self::Endpoints { computing }
            }
            Servers::Compute | Servers::Network | Servers::Either => Self::Floating(turns()),
            Servers::Idle => Self::Floating(turns()),
            Servers::Adaptive => Self::Adaptive(Box::new(Adaptive {
                roles: Roles::new(machine),
                turns: turns(),
                leaves_all: policy.dispatch == Dispatch::Serial,
            })),
            Servers::Taken | Servers::Added => Self::Dedicated { computing },
            Servers::Embedded | Servers::Hardware => Self::Embedded { computing },
        }
    }

    /// The number of a processor in the dispatch queue; `None` if the processor never runs handlers.
    pub(crate) fn server(&self, number: usize) -> Option<usize> {
        match self {
            Self::First => (number == 0).then_some(0),
            Self::Dedicated { computing } | Self::Embedded { computing } => number.checked_sub(*computing),
            Self::Floating(turns) => turns.includes(number).then_some(number),
            Self::Endpoints { computing } => (number < *computing).then_some(number),
            Self::Adaptive(_) => Some(number),
        }
    }

    /// The number of the first processors that only ever run threads.
    pub(crate) fn only_compute(&self) -> usize {
        match self {
            Self::Dedicated { computing } | Self::Embedded { computing } => *computing,
            Self::First | Self::Floating(_) | Self::Endpoints { .. } | Self::Adaptive(_) => 0,
        }
    }

    /// The number in the dispatch queue of a processor that runs handlers at present. `dedicated` says whether it does nothing
    /// else.
    pub(crate) fn serves_now(&self, number: usize, dedicated: bool) -> Option<usize> {
        match self {
            Self::First => (number == 0).then_some(0),
            Self::Adaptive(adaptive) if !dedicated && adaptive.leaves_all && adaptive.is_served() => None,
            _ => self.server(number),
        }
    }

    /// The number of processors that are dedicated for a time.
    pub(crate) fn dedicated_for_a_time(&self) -> u32 {
        if let Self::Adaptive(adaptive) = self { adaptive.roles.dedicated() } else { 0 }
    }

    /// Whether a computing processor that has a thread always leaves events to dedicated processors, and is never interrupted.
    pub(crate) fn is_served(&self) -> bool {
        self.dedicated_for_a_time() > 0
    }

    /// Whether a processor may take an event that another one leaves. An event of an endpoint belongs to one processor.
    pub(crate) fn shares_events(&self) -> bool {
        match self {
            Self::Endpoints { .. } => false,
            Self::First
            | Self::Dedicated { .. }
            | Self::Embedded { .. }
            | Self::Floating(_)
            | Self::Adaptive(_) => true,
        }
    }

    /// The turns, while the processors take turns.
    pub(crate) fn turns(&self) -> Option<&Turns> {
        match self {
            Self::Floating(turns) => Some(turns),
            Self::Adaptive(adaptive) if !adaptive.is_served() => Some(&adaptive.turns),
            _ => None,
        }
    }

    /// The turns, while the processors take turns.
    pub(crate) fn turns_mut(&mut self) -> Option<&mut Turns> {
        match self {
            Self::Floating(turns) => Some(turns),
            Self::Adaptive(adaptive) if !adaptive.is_served() => Some(&mut adaptive.turns),
            _ => None,
        }
    }

    /// Passes the turn from a processor to the next, where processors ever take turns.
    pub(crate) fn pass_turn(&mut self, number: usize) {
        match self {
            Self::Floating(turns) => turns.pass(number),
            Self::Adaptive(adaptive) => adaptive.turns.pass(number),
            Self::First | Self::Dedicated { .. } | Self::Embedded { .. } | Self::Endpoints { .. } => {}
        }
    }

    /// Whether the turn was passed last to a processor, where processors ever take turns.
    pub(crate) fn had_turn(&self, number: usize) -> bool {
        match self {
            Self::Floating(turns) => turns.owner_is(number),
            Self::Adaptive(adaptive) => adaptive.turns.owner_is(number),
            Self::First | Self::Dedicated { .. } | Self::Embedded { .. } | Self::Endpoints { .. } => false,
        }
    }

    /// Whether a poll of a processor at a back-edge looks for events. Where processors take turns, the poll looks if it is the
    /// processor's turn, and passes the turn on. No poll looks while other processors are dedicated.
    pub(crate) fn looks(&mut self, number: usize) -> bool {
        match self {
            Self::First | Self::Dedicated { .. } | Self::Embedded { .. } | Self::Endpoints { .. } => true,
            Self::Adaptive(adaptive) if adaptive.is_served() => false,
            Self::Floating(turns) => take_turn(turns, number),
            Self::Adaptive(adaptive) => take_turn(&mut adaptive.turns, number),
        }
    }

    /// Whether a processor that computes and polls may call the dispatch routine. One processor calls it at a time.
    /// `held` says whether the fault of a processor's thread binds that processor.
    pub(crate) fn has_turn(&self, number: usize, cores: &[Core], held: impl Fn(usize) -> bool) -> bool {
        match self.turns() {
            Some(turns) => turns.is_of(number, cores, held),
            None => self.serves_now(number, cores[number].is_dedicated()).is_some(),
        }
    }

    /// The roles; `None` where they never change.
    pub(crate) fn roles(&self) -> Option<&Roles> {
        if let Self::Adaptive(adaptive) = self { Some(&adaptive.roles) } else { None }
    }

    /// The roles; `None` where they never change.
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

fn take_turn(turns: &mut Turns, number: usize) -> bool {
    let owns = turns.owner_is(number);
    if owns {
        turns.pass(number);
    }
    owns
}
