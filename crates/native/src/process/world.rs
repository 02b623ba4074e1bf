//! The world whose nodes are processes of this host, as its users have it.
//!
//! This module must never know how processes are started.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tempest::outcome::{Failure, Outcome, Refusal};
use tempest::world::{Launch, World};

use crate::Local;
use crate::process::settings::Settings;
use crate::process::{Member, member, system};

/// The native world with its nodes in processes of this host, one node in each unless stated otherwise.
///
/// The processes execute the program of this process again, with the same arguments. Where it runs this world, each process takes its
/// part in the run, and ends with it. So a program has to come to the same runs in the same order whenever it is executed. Its standard
/// output is closed in the processes, and their standard input is empty.
///
/// The program makes its problem in each process by itself, but for the problems of the [launch](Launch::problems): the process that
/// launches the others hands these on, and the others find them with their [member](crate::Member::problems). Nothing else that the program
/// keeps in memory outside segments, messages and shared memory is known to other nodes.
#[derive(Clone, Debug)]
pub struct Processes {
    local: Local,
    nodes_each: u32,
    peer_timeout: Duration,
    order: Option<String>,
}

impl Default for Processes {
    fn default() -> Self {
        Self { local: Local::new(), nodes_each: 1, peer_timeout: Self::PEER_TIMEOUT, order: None }
    }
}

impl Processes {
    /// The usual time of silence after which a process is lost.
    pub const PEER_TIMEOUT: Duration = Duration::from_secs(5);

    /// A process for each node.
    pub fn new() -> Self {
        Self::default()
    }

    /// A process for each `nodes` nodes; the last may have fewer.
    #[must_use]
    pub fn nodes_each(self, nodes: u32) -> Self {
        Self { nodes_each: nodes, ..self }
    }

    /// Takes a process for lost, and ends the run, when it has been silent for longer than `timeout`. Each process gives a sign of life ten
    /// times in this time, also while the program computes.
    #[must_use]
    pub fn peer_timeout(self, timeout: Duration) -> Self {
        Self { peer_timeout: timeout, ..self }
    }

    /// Gives the processes a description of the run, which [`member`](crate::member) shows them at once: a command makes many runs, and each
    /// of its processes takes part in a single run. A process takes part in the first run with its own description, and makes all runs
    /// before it as [`Local`] does.
    #[must_use]
    pub fn described(self, order: String) -> Self {
        Self { order: Some(order), ..self }
    }

    /// Whether a run of `nodes` nodes can have its processes here.
    ///
    /// # Errors
    /// [`Refusal::Host`]: they are more than a launcher can have, or this system cannot start any.
    pub fn check(&self, nodes: u32) -> Result<(), Refusal> {
        system::processes(nodes, self.nodes_each).map(drop)
    }

    /// Changes the settings of the nodes' runtime, such as the depths of rings.
    #[must_use]
    pub fn with(self, local: Local) -> Self {
        Self { local, ..self }
    }
}

impl Processes {
    /// Whether the process was started for this run: the run of its order or, without an order, the run of its number.
    fn is_run_of(&self, member: &Member, calls: u64) -> bool {
        match member.order() {
            Some(order) => self.order.as_deref() == Some(order),
            None => calls == member.calls(),
        }
    }
}

impl World for Processes {
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure> {
        static CALLS: AtomicU64 = AtomicU64::new(0);

        let calls = CALLS.fetch_add(1, Ordering::Relaxed);
        let member = member().map_err(|why| Failure::Refused(Refusal::Host(why.to_owned())))?;
        match member {
            Some(member) if self.is_run_of(member, calls) => {
                self.local.with_terms(launch, |terms| member.run(terms))
            }
            // Another run of the program, before the process's own.
            Some(_) => self.local.run(launch),
            None => {
                let (nodes_each, peer_timeout) = (self.nodes_each, self.peer_timeout);
                let settings = Settings { nodes_each, peer_timeout, order: self.order.as_deref(), calls };
                self.local.with_terms(launch, |terms| system::run(terms, &settings))
            }
        }
    }
}
