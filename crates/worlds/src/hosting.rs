//! The place of the nodes of a run on this host: one process, or processes of their own.
//!
//! A command makes many runs, and a process of a node takes part in a single run. So the launcher gives it an *order*: the arguments of
//! the command that makes this run alone. This module must never know how a command reads its arguments.

use std::time::Duration;

use native::{Local, Processes};
use tempest::entry::Problems;
use tempest::outcome::Refusal;
use tempest::world::World;

/// The place of the nodes of a run on this host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Hosting {
    /// All nodes in this process.
    #[default]
    Local,
    /// Nodes in processes of their own.
    Processes {
        /// Number of nodes in each process, at least 1.
        nodes_each: u32,
        /// The time of silence after which a process is lost.
        peer_timeout: Duration,
    },
}

impl Hosting {
    /// The world of this host with nodes in this place. `order` has the arguments of the command that makes this run alone, for its
    /// processes.
    pub fn world(self, order: &[String]) -> Box<dyn World> {
        match self {
            Self::Local => Box::new(Local::new()),
            Self::Processes { nodes_each, peer_timeout } => {
                let world = Processes::new().nodes_each(nodes_each).peer_timeout(peer_timeout);
                Box::new(world.described(order.join(&SEPARATOR.to_string())))
            }
        }
    }

    /// Whether this place can have the nodes of a run.
    ///
    /// # Errors
    /// [`Refusal::Host`]: the nodes need more processes than a run can have, or this system cannot start any.
    pub fn check(self, nodes: u32) -> Result<(), Refusal> {
        match self {
            Self::Local => Ok(()),
            Self::Processes { nodes_each, .. } => Processes::new().nodes_each(nodes_each).check(nodes),
        }
    }

    /// The arguments that choose this place on the command line.
    pub fn arguments(self) -> Vec<String> {
        let Self::Processes { nodes_each, peer_timeout } = self else { return Vec::new() };
        let timeout = format!("{} ns", peer_timeout.as_nanos());
        let (nodes, timeout) = (nodes_each.to_string(), timeout.as_str());
        let all = ["--world", "processes", "--nodes-per-process", &nodes, "--peer-timeout", timeout];
        all.map(str::to_owned).to_vec()
    }

    /// The name of the place on the command line and in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Processes { .. } => "processes",
        }
    }
}

/// Separates the arguments of an order: no argument of a process contains it.
const SEPARATOR: char = '\0';

/// The arguments of the run that this process is to take part in, without the name of the command; `None` if no launcher has started
/// this process for a command.
///
/// # Errors
/// A launcher has started the process, and its message cannot be read. The error is one line.
pub fn order() -> Result<Option<Vec<String>>, &'static str> {
    let order = native::member()?.and_then(|member| member.order());
    Ok(order.map(|order| order.split(SEPARATOR).map(str::to_owned).collect()))
}

/// The problems that the launcher of this process has made for its run. A process that no launcher has started has none yet.
pub(crate) fn problems() -> Problems {
    // A message of a launcher that cannot be read ends the process elsewhere: see `order`.
    let member = native::member().ok().flatten();
    member.map_or_else(Problems::default, |member| member.problems().clone())
}
