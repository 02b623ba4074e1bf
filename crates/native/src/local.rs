//! The world of one process on this host: what it refuses, how it runs a job, what it reports.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use core_affinity::CoreId;
use pdq::DispatcherId;
use tempest::policy::{Notice, Servers, Split};
use tempest::{Dispatching, Failure, Launch, NodeId, Outcome, Policy, Report, Resident, Shape, Utilization};
use units::Time;

use crate::gauge::Gauge;
use crate::lane::{Depths, Lane};
use crate::node::{Dispatcher, Node, lock};
use crate::processor::Processor;
use crate::world::{Stage, World};

/// What this host can do, in the words of policies' needs.
const CAN: &[&str] = &["poll", "interrupt", "keyed-dispatch", "dedicated-processors"];

/// The most processors of a world: each is an OS thread.
const MAX_PROCESSORS: u32 = 4096;

/// The most program threads: each has a stack.
const MAX_THREADS: u32 = 1 << 20;

/// How often a run with a stall limit is looked at.
const WATCH: Duration = Duration::from_millis(5);

/// Several nodes in this process: every processor is an OS thread.
#[derive(Clone, Debug, Default)]
pub struct Local {
    depths: Depths,
}

impl Local {
    /// The world of this host.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with rings of `slots` messages (a power of two) and `window` credits per lane, for tests that want full
    /// rings to happen.
    #[must_use]
    pub fn with_depths(slots: usize, window: u64) -> Self {
        Self { depths: Depths { slots, window } }
    }

    /// Whether this host can do what a policy needs.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn check(policy: &Policy) -> Result<(), String> {
        policy.check("native", CAN)?;
        if policy.notice != Notice::Poll && policy.servers != Servers::Taken {
            return Err(format!(
                "policy `{policy}` needs a computing processor that can be interrupted, which machine `native` lacks: only a \
             dedicated processor can be woken, as under `fixed:1+interrupt`"
            ));
        }
        Ok(())
    }

    /// Cores that this process may run on.
    pub fn cores() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }
}

fn refusal(launch: &Launch) -> Result<Split, String> {
    let policy = &launch.policy;
    for (count, what) in
        [(launch.nodes, "nodes"), (launch.processors, "processors"), (launch.threads, "threads")]
    {
        if count == 0 {
            return Err(format!("--{what} 0: expected at least 1"));
        }
    }
    Local::check(policy)?;
    let split = policy.split(launch.processors)?;
    let processors = launch.nodes.checked_mul(split.computing + split.dedicated);
    if processors.is_none_or(|processors| processors > MAX_PROCESSORS) {
        return Err(format!(
            "more than {MAX_PROCESSORS} processors in all: expected fewer --nodes or --processors"
        ));
    }
    let threads = launch.nodes.saturating_mul(split.computing).saturating_mul(launch.threads);
    if threads > MAX_THREADS {
        return Err(format!("more than {MAX_THREADS} threads in all: expected fewer --threads"));
    }
    Ok(split)
}

impl tempest::World for Local {
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure> {
        let split = refusal(launch).map_err(Failure::Refused)?;
        let shape = Shape { nodes: launch.nodes, threads: split.computing * launch.threads };
        let world = Arc::new(catch_unwind(AssertUnwindSafe(|| self.settle(launch, split, shape))).map_err(
            |panic| Failure::Program(format!("{} (while settling on its nodes)", message(&*panic))),
        )?);
        run_processors(&world, launch);
        finish(&world)
    }
}

impl Local {
    fn settle(&self, launch: &Launch, split: Split, shape: Shape) -> World {
        let processors = (split.computing + split.dedicated) as usize;
        let settle = |node| {
            let identity = DispatcherId::fresh();
            let resident = launch.job.settle(NodeId(node), shape, identity.id());
            Node::new(resident, Dispatcher::new(&launch.policy, split, identity), processors)
        };
        let nodes: Vec<_> = (0..launch.nodes).map(settle).collect();
        let lanes = (0..nodes.len() * nodes.len()).map(|_| Lane::new(self.depths)).collect();
        let oversubscribed = nodes.len() * processors > Self::cores();
        let threads = (shape.nodes * shape.threads) as usize;
        World::new(launch.policy.clone(), split, nodes, lanes, threads, oversubscribed)
    }
}

/// Starts every processor, and returns when all have stopped.
fn run_processors(world: &Arc<World>, launch: &Launch) {
    let cores =
        if world.oversubscribed { Vec::new() } else { core_affinity::get_core_ids().unwrap_or_default() };
    let start = Barrier::new(world.gauges.len());
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if let Some(limit) = launch.stall_limit {
            let stopped = &stopped;
            scope.spawn(move || watch(world, limit, stopped));
        }
        let processors: Vec<_> = (0..world.gauges.len())
            .map(|index| {
                let (core, start) = (cores.get(index).copied(), &start);
                scope.spawn(move || run_processor(world, index, launch.threads, core, start))
            })
            .collect();
        for processor in processors {
            // A processor catches what its program panics with; the error is in the world.
            let _ = processor.join();
        }
        stopped.store(true, Ordering::Release);
    });
}

fn run_processor(world: &Arc<World>, index: usize, threads: u32, core: Option<CoreId>, start: &Barrier) {
    if let Some(core) = core {
        // Where the host forbids it, the processor runs unpinned.
        core_affinity::set_for_current(core);
    }
    world.berths[index].belongs_to_current_thread();
    start.wait();
    world.start_clock();
    let processor = Rc::new(Processor::new(Arc::clone(world), index, threads));
    let whose = processor.describe();
    match catch_unwind(AssertUnwindSafe(|| processor.run())) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            world.fail(Failure::Refused(format!("no memory for the stacks of the threads: {error}")))
        }
        Err(panic) => world.fail(Failure::Program(format!("{}{whose}", message(&*panic)))),
    }
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

/// Ends a run in which nothing has happened for `limit`.
fn watch(world: &World, limit: Time, stopped: &AtomicBool) {
    let limit_ns = Duration::from_nanos((limit.as_femtoseconds() / 1_000_000).max(1));
    let mut last = (u64::MAX, Instant::now());
    while !stopped.load(Ordering::Acquire) && world.is_running() {
        let live = world.live.load(Ordering::Acquire) as u64;
        let progress = world.gauges.iter().map(Gauge::progress).sum::<u64>().wrapping_sub(live);
        if progress != last.0 {
            last = (progress, Instant::now());
        } else if last.1.elapsed() > limit_ns {
            world.fail(Failure::Stalled { limit, blocked: Vec::new() });
        }
        std::thread::sleep(WATCH);
    }
}

fn finish(world: &World) -> Result<Outcome, Failure> {
    let mut blocked = std::mem::take(&mut *lock(&world.blocked));
    blocked.sort_by_key(|blocked| blocked.thread);
    match (world.take_failure(), world.stage()) {
        (Some(Failure::Stalled { limit, .. }), _) => Err(Failure::Stalled { limit, blocked }),
        (Some(failure), _) => Err(failure),
        (None, Stage::Deadlocked) => Err(Failure::Deadlock { at: world.now(), blocked }),
        (None, _) => Ok(outcome(world)),
    }
}

fn outcome(world: &World) -> Outcome {
    let now = world.now_ns();
    let (counters, breakdown) = world.totals(now);
    let mut report = Report::default();
    world.nodes.iter().map(|node| &node.resident).map(Resident::report).for_each(|part| report.merge(part));
    Outcome {
        time: Time::from_nanoseconds(now),
        phases: world.phase_records(),
        counters,
        breakdown,
        utilization: utilization(world, now),
        dispatching: dispatching(world),
        events: None,
        digest: None,
        report,
    }
}

fn utilization(world: &World, now: u64) -> Utilization {
    let busy = |dedicated: bool| {
        let mut gauges =
            world.gauges.iter().enumerate().filter(|(index, _)| world.is_dedicated(*index) == dedicated);
        let (count, idle) = gauges
            .by_ref()
            .fold((0, 0), |(count, idle), (_, gauge)| (count + 1, idle + gauge.idle_until(now)));
        (count > 0 && now > 0).then(|| 1.0 - (idle as f64 / (now * count) as f64).min(1.0))
    };
    Utilization { compute: busy(false).unwrap_or(0.0), protocol: busy(true) }
}

fn dispatching(world: &World) -> Dispatching {
    let waited = |node: &Node| match &node.dispatcher {
        Dispatcher::Serial(_) => 0,
        Dispatcher::Keyed(queue) => queue.statistics().waited_on_key,
    };
    Dispatching { waited_on_key: world.nodes.iter().map(waited).sum(), mean_wait: None }
}
