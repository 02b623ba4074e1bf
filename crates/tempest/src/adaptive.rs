//! The adaptive policy's judgement: when a node dedicates a processor to handlers, and when it takes one back.
//!
//! One pure rule for every world. A world measures what its node did in an interval and gives the [`Reading`] to the node's
//! [`Controller`]; what that answers the world does, and reports as an [`Adjustment`]. This module must never know how a
//! world measures, or how it moves a processor from one role to the other.

use std::fmt;

use units::Time;

use crate::NodeId;

/// What a node did in an interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// When the interval ended, since the run began.
    pub at: Time,
    /// Processors of the node.
    pub processors: u32,
    /// Of those, how many were dedicated to handlers.
    pub dedicated: u32,
    /// Share of the computing processors' time, 0 to 1, that handlers and looking for events took.
    pub overhead: f64,
    /// Share of the computing processors' time, 0 to 1, in which they had nothing to do.
    pub idle: f64,
    /// Share of the dedicated processors' time, 0 to 1, that handlers took; 0 where there are none.
    pub protocol: f64,
    /// Events that waited to be dispatched, on the average over the interval.
    pub waiting: f64,
}

/// Why a controller decided as it did.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Why {
    /// Handlers took this share of the computing processors' time.
    Overhead(f64),
    /// So many events waited, on the average.
    Waiting(f64),
    /// Dedicated processors were busy for this share of their time only.
    Unused(f64),
}

/// A change that was made on a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adjustment {
    /// The node.
    pub node: NodeId,
    /// When, since the run began.
    pub at: Time,
    /// How many of its processors are dedicated from then on.
    pub dedicated: u32,
    /// Why.
    pub why: Why,
}

/// Decides for one node.
#[derive(Clone, Debug, Default)]
pub struct Controller {}

impl Controller {
    /// For a node that has dedicated no processor yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many processors are to be dedicated from now on and why, if that changes.
    pub fn observe(&mut self, _reading: &Reading) -> Option<(u32, Why)> {
        None
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overhead(share) => {
                write!(f, "handlers took {:.0} % of the computing processors' time", share * 100.0)
            }
            Self::Waiting(events) => write!(f, "{events:.1} events waited"),
            Self::Unused(share) => {
                write!(f, "dedicated processors were busy for {:.0} % of their time", share * 100.0)
            }
        }
    }
}
