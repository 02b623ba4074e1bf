//! The event loop: takes the next event, and resumes the fiber that the event belongs to.
//!
//! The fibers are kept apart from the modelled state, so that the state is never borrowed while a fiber runs.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use tempest::world::Resident;
use tempest::{Failure, Refusal};
use units::Time;

use crate::cluster::{Cluster, gauges, memory, network, overflow, trains};
use crate::fibers::Fibers;
use crate::foresight;
use crate::happening::Happening;
use crate::processor::core::Activity;
use crate::{standstill, unwinding};

/// A modelled machine with the fibers that run on it.
pub(crate) struct Engine {
    state: Rc<RefCell<Cluster>>,
    fibers: Fibers,
}

/// The fiber that goes on next.
enum Next {
    Thread { core: usize, node: usize, thread: u32 },
    Handler { core: usize },
}

impl Engine {
    /// An engine in which every thread is ready to start at time zero.
    pub(crate) fn new(mut state: Cluster, residents: &[Resident]) -> Self {
        start(&mut state);
        let state = Rc::new(RefCell::new(state));
        Self { fibers: Fibers::new(Rc::clone(&state), residents), state }
    }

    /// Runs until no event is left. The modelled state then says how the run ended. After a failure no fiber is left.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let ended = catch_unwind(AssertUnwindSafe(|| self.drive()));
        let ended =
            ended.unwrap_or_else(|panic| Err(unwinding::ended_by(&mut self.state.borrow_mut(), &*panic)));
        if ended.is_err() {
            self.state.borrow_mut().agenda.close();
            self.fibers.unwind();
        }
        ended
    }

    fn drive(&mut self) -> Result<(), Failure> {
        loop {
            let next = advance(&mut self.state.borrow_mut(), &self.fibers)?;
            let Some(next) = next else { return ending(&self.state.borrow()) };
            let resumed = match next {
                Next::Thread { core, node, thread } => self.fibers.resume_thread(core, node, thread),
                Next::Handler { core } => self.fibers.resume_handler(core),
            };
            resumed.map_err(no_memory)?;
        }
    }

    /// The modelled state at the end of the run.
    pub(crate) fn state(&self) -> std::cell::Ref<'_, Cluster> {
        self.state.borrow()
    }

    /// The modelled state at the end of the run, mutable.
    pub(crate) fn state_mut(&self) -> std::cell::RefMut<'_, Cluster> {
        self.state.borrow_mut()
    }
}

/// The failure of a run that has no host memory for another fiber.
fn no_memory(error: std::io::Error) -> Failure {
    Failure::Refused(Refusal::Host(format!("no memory for the stacks of the threads and handlers: {error}")))
}

/// Makes every thread ready at time zero.
fn start(cluster: &mut Cluster) {
    cluster.link.road.start(&mut cluster.agenda);
    for node in 0..cluster.nodes.len() {
        for thread in 0..cluster.nodes[node].threads.len() {
            cluster.nodes[node].threads.queue(thread as u32);
        }
    }
    for core in 0..cluster.cores.len() {
        cluster.free(core);
    }
}

/// Takes events until one lets a fiber go on. `None` when no event is left. No fiber runs at first.
fn advance(cluster: &mut Cluster, fibers: &Fibers) -> Result<Option<Next>, Failure> {
    cluster.running = None;
    if cluster.agenda.is_stopped() {
        return cluster.agenda.take_stop().map_or(Ok(None), Err);
    }
    'events: loop {
        let (core, epoch) = 'due: {
            if let Some(due) = cluster.agenda.take_due() {
                trains::catch_up(cluster);
                break 'due due;
            }
            let Some(happening) = begin_next(cluster, fibers)? else { return Ok(None) };
            match happening {
                Happening::Continue { core, epoch } => break 'due (core as usize, epoch),
                Happening::Arrive { flight } => cluster.arrive(flight),
                Happening::Pass { flight } => cluster.pass(flight),
                Happening::Deliver { flight } => cluster.deliver(flight),
                Happening::Network { event } => stay_in_network(cluster, event),
                Happening::Forward { flight } => cluster.forward(flight),
                Happening::Overflow { flight, uses } => overflow::check(cluster, flight, uses),
                Happening::Packet { packet, step } => cluster.step_packet(packet, step),
                Happening::Post { node } => memory::write_posted(cluster, node as usize),
                Happening::Look { node } => cluster.notify(node as usize),
                Happening::Reach { node } => network::reach(cluster, node as usize),
            }
            continue 'events;
        };
        if let Some(next) = take_up(cluster, core, epoch) {
            return Ok(Some(next));
        }
    }
}

/// Moves the present time to the next event, and returns that event. `None` when no event is left.
fn begin_next(cluster: &mut Cluster, fibers: &Fibers) -> Result<Option<Happening>, Failure> {
    let next = cluster.agenda.take_next();
    let Some((at, happening)) =
        next.filter(|&(_, happening)| !cluster.link.road.is_over(happening, &cluster.agenda))
    else {
        cluster.agenda.end();
        gauges::sample(cluster, true);
        return Ok(None);
    };
    cluster.agenda.begin(at, happening);
    trains::catch_up(cluster);
    if cluster.agenda.foresees_passages() {
        foresight::ask_for_passages(cluster);
    } else if cluster.agenda.foresees() {
        foresight::ask(cluster, fibers);
    }
    if let Some(reached) = &cluster.measure.reached {
        reached.note(at);
    }
    if cluster.measure.sampler.is_some() {
        gauges::sample(cluster, false);
    }
    match cluster.agenda.stalled() {
        Some(limit) => Err(stall(cluster, limit)),
        None => Ok(Some(happening)),
    }
}

/// Handles an event inside the network, and those that follow it there before anything else happens.
#[inline(never)]
fn stay_in_network(cluster: &mut Cluster, first: hardware::Event) {
    let mut next = Some(first);
    while let Some(event) = next {
        cluster.go_through_network(event);
        let is_over = cluster.link.road.is_quiet(|| cluster.agenda.waiting());
        let goes_on = !is_over && cluster.measure.sampler.is_none();
        next = if goes_on { cluster.agenda.go_on_inside() } else { None };
        if next.is_some() && cluster.agenda.foresees_passages() {
            foresight::ask_for_passages(cluster);
        }
    }
}

/// The failure of a run that has made no progress for longer than `limit`.
#[cold]
fn stall(cluster: &Cluster, limit: Time) -> Failure {
    let spinning = standstill::spinning(cluster);
    Failure::Stalled { limit, spinning, blocked: standstill::blocked(cluster) }
}

/// The fiber that goes on at a core whose continuation is due. `None` if an interrupt has put that continuation
/// off.
fn take_up(cluster: &mut Cluster, core: usize, epoch: u32) -> Option<Next> {
    if !cluster.cores[core].clock.counts(epoch) {
        return None;
    }
    match cluster.cores[core].activity() {
        Activity::Injecting => {
            cluster.finish_injection(core);
            None
        }
        Activity::Trapped => {
            overflow::finish_trap(cluster, core);
            None
        }
        Activity::Step(step) => {
            network::finish_step(cluster, core, step);
            None
        }
        Activity::Thread(_) | Activity::Handler if trains::go_on(cluster, core) => None,
        Activity::Thread(thread) => {
            cluster.running = Some(core);
            Some(Next::Thread { core, node: cluster.cores[core].node(), thread })
        }
        Activity::Handler => {
            cluster.running = Some(core);
            Some(Next::Handler { core })
        }
        Activity::Idle { .. } => unreachable!("an idle core has no continuation"),
    }
}

fn ending(cluster: &Cluster) -> Result<(), Failure> {
    if cluster.live == 0 {
        Ok(())
    } else {
        Err(Failure::Deadlock { at: cluster.agenda.now(), blocked: standstill::blocked(cluster) })
    }
}
