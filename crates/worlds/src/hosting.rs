//! The place of the nodes of a run on this host: one process, or processes of their own.
//!
//! A command makes many runs, and a process of a node takes part in a single run. So the launcher gives it an *order*: the arguments of
//! the `run` command that makes this run. This module must never know how a command reads its arguments.

use std::time::Duration;

use native::{Local, Processes};
use tempest::Mechanism;
use tempest::world::World;

use crate::Setting;

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
    /// A process for each node, with the usual time of silence.
    pub const PROCESSES: Self = Self::Processes { nodes_each: 1, peer_timeout: Processes::PEER_TIMEOUT };

    /// The name of the place on the command line and in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Processes { .. } => "processes",
        }
    }

    /// The world that makes the run of this setting.
    pub(crate) fn world(self, setting: &Setting) -> Box<dyn World> {
        match self {
            Self::Local => Box::new(Local::new()),
            Self::Processes { nodes_each, peer_timeout } => {
                let world = Processes::new().nodes_each(nodes_each).peer_timeout(peer_timeout);
                Box::new(world.described(order_of(setting)))
            }
        }
    }
}

/// Separates the arguments of an order: no argument of a process contains it.
const SEPARATOR: char = '\0';

/// The arguments of the run that this process is to take part in, without the name of the command; `None` if no launcher has started
/// this process for a command.
pub fn order() -> Option<Vec<String>> {
    let order = native::member()?.order()?;
    Some(order.split(SEPARATOR).map(str::to_owned).collect())
}

/// The order of the run of this setting.
fn order_of(setting: &Setting) -> String {
    let Setting { subject, mechanism, nodes, processors, threads, policy, seed, .. } = setting;
    let mut order: Vec<String> =
        ["run", subject.entry.name, "--world", "processes"].map(str::to_owned).to_vec();
    let options = [
        ("--mechanism", mechanism.to_string()),
        ("--policy", policy.to_string()),
        ("--nodes", nodes.to_string()),
        ("--processors", processors.to_string()),
        ("--threads", threads.to_string()),
        ("--seed", seed.to_string()),
    ];
    let inputs = subject.texts.iter().map(|text| ("--input", text.clone()));
    let shared = (*mechanism == Mechanism::SharedMemory).then(|| {
        let sharing = subject.sharing;
        [("--block", sharing.block.to_string()), ("--protocol", sharing.protocol.to_string())]
    });
    let problem = subject.problem.map(|shape| ("--problem", format!("{}x{}", shape.nodes, shape.threads)));
    let all = options.into_iter().chain(inputs).chain(shared.into_iter().flatten()).chain(problem);
    order.extend(all.flat_map(|(name, value)| [name.to_owned(), value]));
    order.join(&SEPARATOR.to_string())
}
