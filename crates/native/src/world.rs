//! The world of one process on this host: its refusals, the run of a job, the outcome.

use std::sync::Arc;

use tempest::outcome::{Failure, Outcome, Refusal, Size, Unobeyed};
use tempest::policy::{Notice, Servers, Split};
use tempest::world::Launch;
use tempest::{Mechanism, Policy};
use units::Bytes;

use crate::lock::lock;
use crate::measure::outcome;
use crate::parts::adaptive::Judging;
use crate::parts::settling::Terms;
use crate::parts::world::{Stage, World};
use crate::rings::bounds::Depths;
use crate::rings::lane::Lane;
use crate::rings::message::SLOT_BYTES;
use crate::runner::cores::Cores;
use crate::runner::os_threads::{self, Farewell};

/// Capabilities of this host, in the words of policies' needs.
const CAN: &[&str] = &[
    "poll",
    "interrupt",
    "keyed-dispatch",
    "dedicated-processors",
    "added-processors",
    "adaptive-dedication",
    // The dispatch queue is in memory that every processor caches: it takes the place of a device's register.
    "dispatch-register",
    "helper-thread",
    "transfer",
    "deposit",
    "shared-memory",
];

/// Maximum number of processors of a world: each is an OS thread.
const MAX_PROCESSORS: u32 = 4096;

/// Maximum number of program threads: each has a stack.
const MAX_THREADS: u32 = 1 << 20;

/// Memory for the events of a traced run, in bytes: 1.6 million events. They are written when the run is over or the memory is full.
const TRACE_ROOM: usize = 64 << 20;

/// Memory for the rings of all lanes together, in bytes. If rings of the usual size do not fit, they are smaller.
const RING_MEMORY: usize = 256 << 20;

/// Minimum number of slots of a ring.
const MIN_SLOTS: usize = 8;

/// The native world: all nodes in this process, and every processor an OS thread.
#[derive(Clone, Debug, Default)]
pub struct Local {
    depths: Depths,
    judging: Judging,
}

impl Local {
    /// The world of this host.
    pub fn new() -> Self {
        Self::default()
    }

    /// This host with rings of `slots` messages (a power of two) and `window` credits per lane, for tests
    /// that want full rings.
    ///
    /// # Panics
    /// If `slots` is not a power of two, or `window` is 0.
    #[must_use]
    pub fn with_depths(slots: usize, window: u64) -> Self {
        assert!(slots.is_power_of_two(), "rings of {slots} slots: expected a power of two");
        assert!(window > 0, "no thread could ever send without a credit");
        Self { depths: Depths { slots, window, ..Depths::default() }, ..Self::default() }
    }

    /// This host with `memory` for the outboxes of all nodes together, which hold messages of handlers that no ring has room for yet. The
    /// default is 1 GiB. A run that needs more ends with an error.
    ///
    /// A protocol in which messages of threads start others, and those start none, needs little of it, whatever its fan-out: while
    /// outboxes are full, a node takes in few messages of threads. All messages that one handler sends have to fit.
    #[must_use]
    pub fn with_outboxes(self, memory: Bytes) -> Self {
        let outboxes = usize::try_from(memory.get()).unwrap_or(usize::MAX);
        Self { depths: Depths { outboxes, ..self.depths }, ..self }
    }

    /// Changes the roles of processors all the time and without reason under an adaptive policy, even if processors share cores. For tests
    /// that changes of roles break nothing.
    #[must_use]
    pub fn restless(self) -> Self {
        Self { judging: Judging::Restless, ..self }
    }

    /// Checks that this host supports a mechanism and a policy.
    ///
    /// # Errors
    /// A [`Refusal`] that names the missing capability.
    pub fn check(mechanism: Mechanism, policy: &Policy) -> Result<(), Refusal> {
        mechanism.check("native", CAN)?;
        policy.check("native", CAN)?;
        if policy.notice != Notice::Poll && !matches!(policy.servers, Servers::Taken | Servers::Added) {
            let why = Unobeyed::NotInterrupted { machine: "native".to_owned() };
            return Err(Refusal::Unobeyed { policy: policy.clone(), why });
        }
        Ok(())
    }

    /// Checks that a run can have `nodes` nodes of `processors` processors, and `threads` threads per computing processor. Returns the
    /// split of a node's processors.
    ///
    /// # Errors
    /// A [`Refusal`] that names the number that is zero or too large.
    pub fn check_size(policy: &Policy, nodes: u32, processors: u32, threads: u32) -> Result<Split, Refusal> {
        Size::expect_some(&[(nodes, "nodes"), (processors, "processors"), (threads, "threads")])?;
        let split = policy.split(processors)?;
        let helper = u32::from(policy.helper.is_some());
        let of_node = split.computing.checked_add(split.dedicated).and_then(|all| all.checked_add(helper));
        let all = of_node.and_then(|each| each.checked_mul(nodes));
        if all.is_none_or(|all| all > MAX_PROCESSORS) {
            let fewer = "--nodes or --processors";
            return Err(Refusal::Size(Size::TooMany { what: "processors", most: MAX_PROCESSORS, fewer }));
        }
        if nodes.saturating_mul(split.computing).saturating_mul(threads) > MAX_THREADS {
            return Err(Refusal::Size(Size::TooMany {
                what: "threads",
                most: MAX_THREADS,
                fewer: "--threads",
            }));
        }
        Ok(split)
    }

    /// Number of cores that this process may run on. On a processor of a world: the number of cores that its world has.
    pub fn cores() -> usize {
        Cores::here().count()
    }
}

fn refusal(launch: &Launch) -> Result<Split, Refusal> {
    Local::check(launch.mechanism, &launch.policy)?;
    Local::check_size(&launch.policy, launch.nodes, launch.processors, launch.threads)
}

/// The depths that memory allows for the rings between `nodes` nodes: at most the wanted ones, with windows in proportion.
///
/// # Errors
/// If there is not even memory for the smallest rings.
fn affordable(wanted: Depths, nodes: u32) -> Result<Depths, Refusal> {
    let lanes = (nodes as usize).pow(2);
    let memory = |slots: usize| {
        let lane = slots.checked_mul(SLOT_BYTES)?.checked_add(size_of::<Lane>())?;
        lane.checked_mul(lanes)
    };
    let fits = |slots| memory(slots).is_some_and(|bytes| bytes <= RING_MEMORY);
    let mut slots = wanted.slots;
    while slots > MIN_SLOTS && !fits(slots) {
        slots /= 2;
    }
    if !fits(slots) {
        let what = "the rings between each two of them";
        return Err(Refusal::Size(Size::TooMuchMemory { nodes, what, most: RING_MEMORY }));
    }
    let window = u128::from(wanted.window) * slots as u128 / wanted.slots as u128;
    let window = u64::try_from(window).expect("a ring grows no deeper than it was wanted").max(1);
    Ok(Depths { slots, window, ..wanted })
}

impl Local {
    /// Calls `run` with the terms of a run on this host.
    pub(crate) fn with_terms<R>(
        &self,
        launch: &Launch,
        run: impl FnOnce(&Terms<'_>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let split = refusal(launch).map_err(Failure::Refused)?;
        let depths = affordable(self.depths, launch.nodes).map_err(Failure::Refused)?;
        // So equal policies run equally by construction, and no run of `floating` on one processor takes turns with itself.
        let launch = &Launch { policy: launch.policy.canonical(launch.processors), ..launch.clone() };
        run(&Terms { launch, split, depths, judging: self.judging, cores: Self::cores() })
    }
}

impl tempest::world::World for Local {
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure> {
        self.with_terms(launch, |terms| {
            let launch = terms.launch;
            let world = Arc::new(World::local(terms)?);
            if let Some(recorder) = &launch.trace {
                recorder.begin(terms.cast(world.own_node(0).resident.node.message_names()));
                recorder.write_late(TRACE_ROOM);
            }
            let disposal = world.disposal();
            let ended = finish(&world, os_threads::run(&world, launch));
            drop(world);
            disposal.judge(ended)
        })
    }
}

fn finish(world: &World, farewell: Farewell) -> Result<Outcome, Failure> {
    let mut blocked = std::mem::take(&mut *lock(&world.blocked));
    blocked.sort_by_key(|blocked| blocked.thread);
    match (world.take_failure(), world.stage()) {
        (Some(Failure::Stalled { limit, spinning, .. }), _) => {
            Err(Failure::Stalled { limit, spinning, blocked })
        }
        (Some(failure), _) => Err(failure),
        (None, Stage::Deadlocked) => Err(Failure::Deadlock { at: world.now(), blocked }),
        (None, _) => {
            assert_eq!(farewell, Farewell::Joined, "a run without a failure leaves no OS thread behind");
            outcome(world)
        }
    }
}

fn outcome(world: &World) -> Result<Outcome, Failure> {
    let end = world.running_ns();
    Ok(outcome::outcome(&world.seating, end, outcome::records(world, end)?))
}
