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

use crate::clock::monotonic_ns;
use crate::dispatch::serial;
use crate::lock::lock;
use crate::parts::core::Processor;
use crate::parts::stacks;
use crate::parts::world::{Stage, World};
use crate::processor::{helper, scheduler, unwinding};
use crate::runner::cores::Cores;
use crate::runner::stillness::{Judgement, Stillness};

/// Time for which a run that has failed or is deadlocked waits for its processors to see it.
const GRACE: Duration = Duration::from_secs(1);

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

/// The OS threads of the processors of this process.
pub(crate) struct Processors {
    lifecycle: Arc<Lifecycle>,
    handles: Vec<JoinHandle<()>>,
}

impl Processors {
    /// Starts the processors, and waits until all have arrived. If the system refuses one, the run has failed.
    pub(crate) fn start(world: &Arc<World>, launch: &Launch) -> Self {
        let lifecycle = Arc::new(Lifecycle::default());
        let cores = Cores::here();
        let all = world.own_processors().count();
        let mut handles = Vec::new();
        for (number, index) in world.own_processors().enumerate() {
            match start(world, &lifecycle, index, launch, cores.clone()) {
                Ok(processor) => handles.push(processor),
                Err(error) => {
                    let why = format!(
                        "the host refuses OS thread {number} of {all}: {error}; expected fewer --nodes or --processors"
                    );
                    world.fail(Failure::Refused(Refusal::Host(why)));
                    break;
                }
            }
        }
        lifecycle.await_all(handles.len());
        Self { lifecycle, handles }
    }

    /// Releases all processors: the clock has started.
    pub(crate) fn release(&self) {
        self.lifecycle.release();
    }

    /// Waits at most `patience` until all processors are gone. Returns whether they are.
    pub(crate) fn sees_off(&self, patience: Duration) -> bool {
        self.lifecycle.sees_off(self.handles.len(), patience)
    }

    /// Joins the OS threads of a run in which all processors are gone.
    pub(crate) fn join(self) {
        for processor in self.handles {
            // A panic of it has been recorded where it was caught; a panic of a thread-local destructor aborts the process.
            let _ended = processor.join();
        }
    }
}

/// Runs every processor of a world of this process until it has stopped.
pub(crate) fn run(world: &Arc<World>, launch: &Launch) -> Farewell {
    let processors = Processors::start(world, launch);
    world.start_clock(monotonic_ns());
    processors.release();
    let farewell = watch(world, &processors, launch);
    if farewell == Farewell::Joined {
        processors.join();
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
        let is_pinned = !world.oversubscribed && !world.seating.is_helper(index);
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
    let is_helper = own.world().seating.is_helper(own.endpoint.index());
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
fn watch(world: &World, processors: &Processors, launch: &Launch) -> Farewell {
    let mut stillness = Stillness::new(progress(world), launch.stall_limit);
    while !processors.sees_off(stillness.pause()) {
        if matches!(world.stage(), Stage::Failed | Stage::Deadlocked) {
            return last_grace(processors);
        }
        match stillness.look(progress(world)) {
            Judgement::Moves => {}
            Judgement::Still => world.ask_for_the_end(),
            Judgement::Stalled { limit, since } => {
                let spinning = running(world, launch.threads, since);
                world.fail(Failure::Stalled { limit, spinning, blocked: Vec::new() });
            }
        }
    }
    Farewell::Joined
}

/// Waits for the processors of a run that has failed or is deadlocked.
pub(crate) fn last_grace(processors: &Processors) -> Farewell {
    if processors.sees_off(GRACE) { Farewell::Joined } else { Farewell::LeftBehind }
}

/// The threads that have been running during `since` without progress: one of each computing processor that is not idle.
pub(crate) fn running(world: &World, each: u32, since: Duration) -> Vec<Spinning> {
    let now = world.now();
    let since = now.saturating_sub(Time::from_nanoseconds(since.as_nanos() as u64));
    let runs = |index: &usize| {
        let gauge = &world.gauges[*index];
        !world.seating.is_dedicated(*index) && !gauge.is_idling() && !gauge.idle.load(Ordering::Relaxed)
    };
    let named = |index| {
        let (node, number) = world.seating.seat(index);
        let thread = ThreadId { node: NodeId(node as u32), index: number as u32 * each };
        let attempt = Attempt::Compute { of: each };
        Spinning { thread, attempt, times: 0, since, phase: None, unhandled: 0 }
    };
    world.own_processors().filter(runs).map(named).collect()
}

/// A measure of progress: it is constant only while nothing happens in the world.
pub(crate) fn progress(world: &World) -> u64 {
    world.gauges.iter().map(|gauge| gauge.progress()).sum()
}
