//! The event loop: takes the next event, and resumes the fiber that the event belongs to.
//!
//! The fibers are kept apart from the modelled state, so that the state is never borrowed while a fiber runs.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use tempest::outcome::{Failure, Refusal};
use tempest::world::Resident;
use units::Time;

use crate::cluster::{Cluster, gauges, memory, network, overflow, sending, trains};
use crate::fibers::Fibers;
use crate::foresight;
use crate::happening::{Happening, Packed};
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
    pub(crate) fn new(mut state: Cluster, residents: Rc<[Resident]>) -> Self {
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

    #[inline(never)]
    fn drive(&mut self) -> Result<(), Failure> {
        while let Some(next) = self.advance() {
            let place = match next {
                Next::Thread { core, node, thread } => self.fibers.place_of_thread(core, node, thread),
                Next::Handler { core } => self.fibers.place_of_handler(core),
            };
            self.fibers.resume(place.map_err(no_memory)?);
        }
        ending(&mut self.state.borrow_mut())
    }

    fn advance(&self) -> Option<Next> {
        advance(&mut self.state.borrow_mut(), &self.fibers)
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
#[cold]
fn no_memory(error: std::io::Error) -> Failure {
    Failure::Refused(Refusal::Host(format!("no memory for the stacks of the threads and handlers: {error}")))
}

/// Makes every thread ready at time zero.
fn start(cluster: &mut Cluster) {
    cluster.link.routing.start(&mut cluster.agenda);
    for node in 0..cluster.nodes.len() {
        for thread in 0..cluster.nodes[node].threads.len() {
            cluster.nodes[node].threads.queue(thread as u32);
        }
    }
    for core in 0..cluster.cores.len() {
        cluster.free(core);
    }
}

/// Takes events until one lets a fiber go on. `None` when the run stops, or no event is left. No fiber runs at first.
#[inline(never)]
fn advance(cluster: &mut Cluster, fibers: &Fibers) -> Option<Next> {
    cluster.leave_fiber();
    if cluster.agenda.is_stopped() {
        return None;
    }
    loop {
        let (core, epoch) = match cluster.agenda.take_due() {
            Some(due) => {
                trains::catch_up(cluster);
                due
            }
            None => {
                let event = begin_next(cluster, fibers)?;
                let Some((core, epoch)) = event.continuation() else {
                    handle(cluster, event.into());
                    continue;
                };
                (core as usize, epoch)
            }
        };
        let next = take_up(cluster, core, epoch);
        if next.is_some() {
            return next;
        }
    }
}

/// Handles an event that lets no fiber go on by itself.
#[inline]
fn handle(cluster: &mut Cluster, happening: Happening) {
    match happening {
        Happening::Continue { .. } => unreachable!("the fiber of a continuation goes on"),
        Happening::Arrive { flight } => cluster.arrive(flight),
        Happening::LeavePair { flight } => sending::leave_pair(cluster, flight),
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
}

/// Moves the present time to the next event, and returns that event. `None` when no event is left, or the run has stalled or come to
/// the end of modelled time, which stops it.
#[inline]
fn begin_next(cluster: &mut Cluster, fibers: &Fibers) -> Option<Packed> {
    let next = cluster.agenda.take_next();
    let Some((at, event)) = next.filter(|&(_, event)| !cluster.link.routing.is_over(event, &cluster.agenda))
    else {
        cluster.agenda.end();
        gauges::sample(cluster, true);
        return None;
    };
    cluster.agenda.begin(at, event);
    trains::catch_up(cluster);
    if cluster.agenda.foresees() {
        foresight::ask(cluster, fibers);
    }
    if cluster.measure.is_watched() {
        gauges::sample(cluster, false);
    }
    if cluster.agenda.has_ended() { give_up(cluster) } else { Some(event) }
}

/// Handles an event inside the network, and the events that follow it there before anything else happens.
#[inline(never)]
fn stay_in_network(cluster: &mut Cluster, first: hardware::Event) {
    let mut next = Some(first);
    while let Some(event) = next {
        cluster.go_through_network(event);
        let is_over = cluster.link.routing.is_quiet(|| cluster.agenda.waiting());
        let goes_on = !is_over && cluster.measure.sampler.is_none();
        next = if goes_on { cluster.agenda.go_on_inside() } else { None };
        if next.is_some() && cluster.agenda.foresees() {
            foresight::ask_for_passages(cluster);
        }
    }
}

/// Stops the run, which has come to the end of modelled time, or has made no progress for longer than the stall limit.
#[cold]
fn give_up(cluster: &mut Cluster) -> Option<Packed> {
    let (spinning, blocked) = (standstill::spinning(cluster), standstill::blocked(cluster));
    let stalled = || Failure::Stalled {
        limit: cluster.agenda.limits().stall().unwrap_or(Time::MAX),
        spinning,
        blocked,
    };
    let why = standstill::beyond_time(cluster).unwrap_or_else(stalled);
    cluster.agenda.stop(why);
    None
}

/// The fiber that goes on at a core whose continuation is due. `None` if an interrupt has put that continuation
/// off.
#[inline]
fn take_up(cluster: &mut Cluster, core: usize, epoch: u32) -> Option<Next> {
    let own = &cluster.cores[core];
    if !own.clock.counts(epoch) {
        return None;
    }
    let next = if own.runs_handler() {
        Next::Handler { core }
    } else if let Some(thread) = own.thread() {
        Next::Thread { core, node: own.node(), thread }
    } else {
        end_step(cluster, core);
        return None;
    };
    if trains::go_on(cluster, core) {
        return None;
    }
    cluster.enter_fiber(core);
    Some(next)
}

/// Ends the step of a core that has no fiber.
fn end_step(cluster: &mut Cluster, core: usize) {
    match cluster.cores[core].activity() {
        Activity::Injecting => cluster.finish_injection(core),
        Activity::Trapped => overflow::finish_trap(cluster, core),
        Activity::Step(step) => network::finish_step(cluster, core, step),
        activity @ (Activity::Idle { .. } | Activity::Thread(_) | Activity::Handler) => {
            unreachable!("no step of a core that is {activity:?} ends")
        }
    }
}

/// The result of the run: an error for the reason that has stopped it, or the end of its events.
fn ending(cluster: &mut Cluster) -> Result<(), Failure> {
    match cluster.agenda.take_stop().or_else(|| standstill::beyond_time(cluster)) {
        Some(why) => Err(why),
        None if cluster.live == 0 => Ok(()),
        None => Err(Failure::Deadlock { at: cluster.agenda.now(), blocked: standstill::blocked(cluster) }),
    }
}
