//! The OS threads of a world: started together, watched, and joined.
//!
//! A processor *arrives* when it has all its resources, is *released* together with all others when the clock starts, and is *gone*
//! when it has stopped. The launcher of the world watches the progress meanwhile, if there is a limit.
//!
//! A run ends well only when every OS thread has been joined, helpers included. So the report then has exclusive access to the program's
//! tables.
//!
//! A run that has failed or is deadlocked does not wait for ever for a processor whose thread computes and never polls, or whose
//! destructors do: after [`GRACE`] the processor and its OS thread are left behind, until the thread yields or the process ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fiber::{Crew, Fiber, Status};
use tempest::outcome::{Attempt, Failure, Refusal, Spinning};
use tempest::world::Launch;
use tempest::world::panic_message;
use tempest::{NodeId, ThreadId};
use trace::Recorder;
use units::Time;

use crate::dispatch::serial;
use crate::lock::lock;
use crate::parts::core::Processor;
use crate::parts::stacks;
use crate::parts::world::{Stage, World, host_time};
use crate::processor::{helper, scheduler, unwinding};
use crate::runner::cores::Cores;

/// Time for which a run that has failed or is deadlocked waits for its processors to see it.
const GRACE: Duration = Duration::from_secs(1);

/// Interval of the watch: so long that an idle run takes no core for it.
const WATCH: Duration = Duration::from_millis(200);

/// Minimum interval of the watch, and the first one: each is twice as long as the one before.
const CLOSE_WATCH: Duration = Duration::from_millis(1);

/// Looks per stall limit, if the minimum interval allows.
const LOOKS_PER_LIMIT: u32 = 10;

/// Stack of a processor's OS thread. Its scheduling loop and its threads run on stacks of their own (`stacks`).
const STACK_BYTES: usize = 256 * 1024;

/// The end of a world's OS threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Farewell {
    /// All have been joined.
    Joined,
    /// The run has failed or is deadlocked, and at least one OS thread may still compute.
    LeftBehind,
}

/// Counts of a world's processors by stage. Each processor notifies only the launcher, which wakes all of them once: if they notified one
/// another, thousands of processors would wake each other millions of times.
#[derive(Default)]
struct Lifecycle {
    counts: Mutex<Counts>,
    /// Signals the launcher: a processor has arrived, or is gone.
    changed: Condvar,
    /// Signals the processors.
    released: Condvar,
}

#[derive(Default)]
struct Counts {
    arrived: usize,
    released: bool,
    gone: usize,
}

impl Lifecycle {
    /// Changes the counts for a processor and notifies the launcher.
    fn tell(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut lock(&self.counts));
        self.changed.notify_one();
    }

    /// Waits until all `processors` have arrived or are gone: a processor that has panicked on its way never arrives.
    fn await_all(&self, processors: usize) {
        let left = |counts: &mut Counts| counts.arrived + counts.gone < processors;
        let counts = self.changed.wait_while(lock(&self.counts), left);
        drop(counts.unwrap_or_else(PoisonError::into_inner));
    }

    /// Releases every processor that has arrived.
    fn release(&self) {
        lock(&self.counts).released = true;
        self.released.notify_all();
    }

    /// Waits for the release of all.
    fn await_release(&self) {
        let counts = self.released.wait_while(lock(&self.counts), |counts| !counts.released);
        drop(counts.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits at most `patience` until all `processors` are gone. Returns whether they are.
    fn sees_off(&self, processors: usize, patience: Duration) -> bool {
        let left = |counts: &mut Counts| counts.gone < processors;
        let waited = self.changed.wait_timeout_while(lock(&self.counts), patience, left);
        let (counts, _): (MutexGuard<'_, Counts>, _) = waited.unwrap_or_else(PoisonError::into_inner);
        counts.gone >= processors
    }
}

/// Runs every processor of the world until it has stopped.
pub(crate) fn run(world: &Arc<World>, launch: &Launch) -> Farewell {
    let lifecycle = Arc::new(Lifecycle::default());
    let cores = Cores::here();
    let mut processors = Vec::new();
    for index in 0..world.gauges.len() {
        match start(world, &lifecycle, index, launch, cores.clone()) {
            Ok(processor) => processors.push(processor),
            Err(error) => {
                let all = world.gauges.len();
                let why = format!(
                    "it refuses OS thread {index} of {all}: {error}; expected fewer --nodes or --processors"
                );
                world.fail(Failure::Refused(Refusal::Host(why)));
                break;
            }
        }
    }
    lifecycle.await_all(processors.len());
    world.start_clock();
    lifecycle.release();
    let farewell = watch(world, &lifecycle, processors.len(), launch);
    if farewell == Farewell::Joined {
        for processor in processors {
            // A panic of it has been recorded where it was caught; a panic of a thread-local destructor aborts the process.
            let _ended = processor.join();
        }
    }
    farewell
}

fn start(
    world: &Arc<World>,
    lifecycle: &Arc<Lifecycle>,
    index: usize,
    launch: &Launch,
    cores: Cores,
) -> std::io::Result<JoinHandle<()>> {
    let (world, lifecycle) = (Arc::clone(world), Arc::clone(lifecycle));
    let (threads, recorder) = (launch.threads, launch.trace.clone());
    let processor = thread::Builder::new().name(format!("processor {index}")).stack_size(STACK_BYTES);
    processor.spawn(move || {
        let is_pinned = !world.oversubscribed && !world.is_helper(index);
        cores.seat(is_pinned.then_some(index));
        let run = || run_processor(&world, &lifecycle, index, threads, recorder);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            world.spoil(Failure::Program(format!("processor {index} panicked: {}", panic_message(&*panic))));
        }
        drop(world);
        lifecycle.tell(|counts| counts.gone += 1);
    })
}

fn run_processor(
    world: &Arc<World>,
    lifecycle: &Lifecycle,
    index: usize,
    threads: u32,
    recorder: Option<Recorder>,
) {
    world.stolen[index].watch_current_thread();
    let processor = Rc::new(Processor::new(Arc::clone(world), index, threads, recorder));
    let scheduler = spawn_scheduler(&processor);
    lifecycle.tell(|counts| counts.arrived += 1);
    lifecycle.await_release();
    match scheduler {
        Ok(scheduler) => run_scheduler(&processor, scheduler),
        Err(error) => {
            let why = format!(
                "no memory for the stacks of processor {index}, one for each of {threads} threads: {error}; expected fewer --threads"
            );
            world.fail(Failure::Refused(Refusal::Host(why)));
        }
    }
    processor.endpoint.tracer.finish();
    serial::return_serial(&processor);
}

/// Makes the stacks of a processor, for its threads and for the loop that runs them. Returns the loop's fiber.
fn spawn_scheduler(processor: &Rc<Processor>) -> std::io::Result<Fiber> {
    let pool = stacks::pool();
    let threads = scheduler::spawn_threads(processor, &pool)?;
    let own = Rc::clone(processor);
    let is_helper = own.world().is_helper(own.endpoint.index());
    stacks::spawn(processor, &pool, move || {
        let mut threads = Crew::new(threads);
        let run = || if is_helper { helper::help(&own) } else { scheduler::run(&own, &mut threads) };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            unwinding::fail_by_panic(&own, &*panic);
        }
        scheduler::unwind(&own.endpoint, threads);
    })
}

/// Runs until the world stops.
fn run_scheduler(processor: &Processor, mut scheduler: Fiber) {
    let why = match catch_unwind(AssertUnwindSafe(|| scheduler.resume())) {
        Ok(Status::Finished) => return,
        Ok(Status::Suspended) => format!(
            "{processor} suspended the fiber that it runs on: expected a wait by a method of `Thread`"
        ),
        Err(panic) => format!("{processor} panicked: {}", panic_message(&*panic)),
    };
    processor.endpoint.fail(why);
}

/// Waits until the run is over. Has the search for its end begin whenever there has been no progress: the run may be deadlocked. Ends it after
/// `limit` without progress, measured in looks: a process that is stopped for a while has not stalled.
fn watch(world: &World, lifecycle: &Lifecycle, processors: usize, launch: &Launch) -> Farewell {
    let (limit, threads) = (launch.stall_limit, launch.threads);
    let patience = limit.map(host_time);
    let longest = patience.map_or(WATCH, |patience| (patience / LOOKS_PER_LIMIT).clamp(CLOSE_WATCH, WATCH));
    let mut pause = CLOSE_WATCH;
    let (mut last, mut since) = (progress(world), Duration::ZERO);
    while !lifecycle.sees_off(processors, pause) {
        if matches!(world.stage(), Stage::Failed | Stage::Deadlocked) {
            let all = lifecycle.sees_off(processors, GRACE);
            return if all { Farewell::Joined } else { Farewell::LeftBehind };
        }
        let now = progress(world);
        if now == last {
            since += pause;
            world.ask_for_the_end();
        } else {
            since = Duration::ZERO;
        }
        last = now;
        pause = (2 * pause).min(longest);
        if let (Some(limit), Some(patience)) = (limit, patience)
            && since > patience
        {
            let spinning = running(world, threads, since);
            world.fail(Failure::Stalled { limit, spinning, blocked: Vec::new() });
        }
    }
    Farewell::Joined
}

/// The threads that have been running during `since` without progress: one of each computing processor that is not idle.
fn running(world: &World, each: u32, since: Duration) -> Vec<Spinning> {
    let now = world.now();
    let since = now.saturating_sub(Time::from_nanoseconds(since.as_nanos() as u64));
    let runs = |index: &usize| {
        let gauge = &world.gauges[*index];
        !world.is_dedicated(*index) && !gauge.is_idling() && !gauge.idle.load(Ordering::Relaxed)
    };
    let named = |index| {
        let (node, number) = world.seat(index);
        let thread = ThreadId { node: NodeId(node as u32), index: number as u32 * each };
        let attempt = Attempt::Compute { of: each };
        Spinning { thread, attempt, times: 0, since, phase: None, unhandled: 0 }
    };
    (0..world.processors).filter(runs).map(named).collect()
}

/// A measure of progress: it is constant only while nothing happens in the world.
fn progress(world: &World) -> u64 {
    world.gauges.iter().map(|gauge| gauge.progress()).sum()
}
