//! The event loop: takes the next event, and resumes the fiber it belongs to.
//!
//! Fibers are apart from the state they act on, so that the state is never borrowed while a fiber runs.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use machine::Class;
use tempest::world::{Held, Resident};
use tempest::{Blocked, Failure, NodeId, Refusal, ThreadId};
use trace::Event as Traced;
use units::Time;

use crate::agenda::Happening;
use crate::cluster::Cluster;
use crate::fibers::Fibers;
use crate::processor::core::{Activity, Core, Event, Job};
use crate::processor::threads::{Reason, ThreadState};

/// A modelled machine with the fibers that run on it.
pub(crate) struct Engine {
    state: Rc<RefCell<Cluster>>,
    fibers: Fibers,
}

/// Who goes on next.
enum Next {
    Thread { core: usize, node: usize, thread: u32 },
    Handler { core: usize },
}

impl Engine {
    /// An engine about to start every thread at time zero.
    pub(crate) fn new(mut state: Cluster, residents: &[Resident]) -> Self {
        state.start();
        let state = Rc::new(RefCell::new(state));
        Self { fibers: Fibers::new(Rc::clone(&state), residents), state }
    }

    /// Runs until nothing is left to happen. The state says how it ended.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let ended = catch_unwind(AssertUnwindSafe(|| self.drive()));
        ended.unwrap_or_else(|panic| Err(self.failure(&*panic)))
    }

    fn drive(&mut self) -> Result<(), Failure> {
        loop {
            let next = self.state.borrow_mut().advance()?;
            let Some(next) = next else { return self.state.borrow().ending() };
            let resumed = match next {
                Next::Thread { core, node, thread } => self.fibers.resume_thread(core, node, thread),
                Next::Handler { core } => self.fibers.resume_handler(core),
            };
            resumed.map_err(no_memory)?;
            self.state.borrow_mut().running = None;
        }
    }

    /// The state at the end.
    pub(crate) fn state(&self) -> std::cell::Ref<'_, Cluster> {
        self.state.borrow()
    }

    /// The state at the end, for what is done with it then.
    pub(crate) fn state_mut(&self) -> std::cell::RefMut<'_, Cluster> {
        self.state.borrow_mut()
    }

    fn failure(&self, panic: &(dyn std::any::Any + Send)) -> Failure {
        let text = tempest::world::panic_message(panic);
        // The panic may have come out of the state itself.
        let at = self.state.try_borrow().map(|state| state.where_now()).unwrap_or_default();
        Failure::Program(format!("{text}{at}"))
    }
}

/// The failure of a run whose fibers find no room.
fn no_memory(error: std::io::Error) -> Failure {
    Failure::Refused(Refusal::Host(format!("no memory for the stacks of the threads and handlers: {error}")))
}

impl Cluster {
    /// Every thread is ready at time zero.
    fn start(&mut self) {
        self.start_network();
        for node in 0..self.nodes.len() {
            for thread in 0..self.nodes[node].threads.all.len() {
                self.queue_thread(node, thread as u32);
            }
        }
        for core in 0..self.cores.len() {
            self.free(core);
        }
    }

    /// Lets time pass until a fiber goes on. `None` when nothing is left to happen.
    fn advance(&mut self) -> Result<Option<Next>, Failure> {
        loop {
            while let Some((core, epoch)) = self.agenda.due.pop_front() {
                self.agenda.quiet_since = None;
                if let Some(next) = self.take_up(core, epoch) {
                    return Ok(Some(next));
                }
            }
            let Some((at, happening)) = self.agenda.events.pop() else {
                // Looks that found nothing do not make a run longer.
                self.agenda.now = self.agenda.quiet_since.unwrap_or(self.agenda.now);
                return Ok(None);
            };
            if self.is_over(happening) {
                self.agenda.now = self.agenda.quiet_since.unwrap_or(self.agenda.now);
                return Ok(None);
            }
            self.agenda.quiet_since =
                happening.is_a_look().then(|| self.agenda.quiet_since.unwrap_or(self.agenda.now));
            self.agenda.now = at;
            self.agenda.happened += 1;
            if self.is_stalled_at(at) {
                let limit = self.agenda.stall_limit.unwrap_or_default();
                return Err(Failure::Stalled { limit, blocked: self.blocked() });
            }
            match happening {
                Happening::Arrive { flight } => self.arrive(flight),
                Happening::Pass { flight } => self.pass(flight),
                Happening::Deliver { flight } => self.deliver(flight),
                Happening::Network { event } => self.go_through_network(event),
                Happening::Forward { flight } => self.forward(flight),
                Happening::Overflow { flight, uses } => self.overflow(flight, uses),
                Happening::Packet { packet, step } => self.step_packet(packet, step),
                Happening::Post { node } => self.write_posted(node as usize),
                Happening::Look { node } => self.notify(node as usize),
                Happening::Continue { core, epoch } => {
                    if let Some(next) = self.take_up(core as usize, epoch) {
                        return Ok(Some(next));
                    }
                }
            }
        }
    }

    /// Which fiber goes on at a core whose time has come, if that continuation still counts.
    fn take_up(&mut self, core: usize, epoch: u32) -> Option<Next> {
        if self.cores[core].epoch != epoch {
            return None;
        }
        match self.cores[core].activity {
            Activity::Injecting => {
                self.finish_injection(core);
                None
            }
            Activity::Trapped => {
                self.finish_trap(core);
                None
            }
            Activity::Step(step) => {
                self.finish_step(core, step);
                None
            }
            Activity::Thread(thread) => {
                self.running = Some(core);
                Some(Next::Thread { core, node: self.cores[core].node, thread })
            }
            Activity::Handler => {
                self.running = Some(core);
                Some(Next::Handler { core })
            }
            Activity::Idle { .. } => unreachable!("an idle core has no continuation"),
        }
    }

    pub(crate) fn begin_handler(&mut self, core: usize) -> Job {
        let job = self.cores[core].job.take().expect("a handler begins with an event");
        let (node, processor) = (self.cores[core].node as u32, self.cores[core].number);
        if let Event::Message { flight } = job.event {
            let class = self.class_of(flight);
            let flight = &self.link.flights[flight as usize];
            let (message, source) = (flight.packet().id().0, flight.packet().source().0);
            let start = Traced::HandlerStart { node, processor, message, source, flow: flight.number };
            self.cores[core].kind = flight.kind;
            self.measure.sink.record(self.agenda.now + self.cores[core].ahead, start);
            self.cores[core].class = class;
            self.cores[core].key = Some(job.held.key());
        }
        job
    }

    /// After the handler on `core` has ended: whether the same fiber may go straight on with the next one, because
    /// this core has been given one and no other event comes before it.
    pub(crate) fn handler_goes_on(&mut self, core: usize) -> bool {
        let goes_on = self.agenda.due.front() == Some(&(core, self.cores[core].epoch))
            && self.cores[core].activity == Activity::Handler;
        if goes_on {
            self.agenda.due.pop_front();
        }
        goes_on
    }

    /// Whom the handler on `core` has let go on is at the bus before what follows the handler. True if its fiber must suspend.
    pub(crate) fn lets_others_first(&mut self, core: usize) -> bool {
        let waits = !self.cores[core].after.is_empty() && !self.agenda.due.is_empty();
        if waits {
            self.continue_now(core, Time::ZERO);
        }
        waits
    }

    /// Spends the occupancy that follows a handler.
    pub(crate) fn spend_completion(&mut self, core: usize) {
        let back = self.way_back(core);
        self.cores[core].tail += back;
        self.spend_tail(core);
    }

    /// The handler on `core` has ended: its key is free, and the core too.
    pub(crate) fn finish_handler(&mut self, core: usize, held: Held) {
        let (node, processor) = (self.cores[core].node, self.cores[core].number);
        self.record(Traced::HandlerEnd { node: node as u32, processor });
        self.cores[core].counters.handlers += 1;
        self.leave_handler(core);
        self.nodes[node].dispatch.queue.complete(self.agenda.now, held);
        self.agenda.progress = self.agenda.now;
        self.measure(node);
        self.free(core);
        self.notify(node);
    }

    /// What is charged on `core` is no handler's any more.
    pub(crate) fn leave_handler(&mut self, core: usize) {
        let (now, threads) = (self.agenda.now, self.measure.anatomy.threads());
        let state = &mut self.cores[core];
        state.end_handler(now);
        (state.class, state.kind, state.key) = (Class::User, threads, None);
        self.note_handler_end(core);
    }

    /// A thread gets the key it asked for.
    pub(crate) fn grant(&mut self, core: usize, thread: u32, held: Held) {
        let node = self.cores[core].node;
        self.nodes[node].threads.all[thread as usize].granted = Some(held);
        self.make_ready(node, thread);
        self.free(core);
        self.notify(node);
    }

    /// The thread on `core` has returned.
    pub(crate) fn finish_thread(&mut self, core: usize, thread: u32) {
        let Core { node, number: processor, .. } = self.cores[core];
        self.nodes[node].threads.all[thread as usize].state = ThreadState::Finished;
        self.live -= 1;
        self.agenda.progress = self.agenda.now;
        self.record(Traced::ThreadEnd { node: node as u32, thread });
        self.record(Traced::Leave { node: node as u32, processor, thread });
        self.free(core);
    }

    fn ending(&self) -> Result<(), Failure> {
        if self.live == 0 {
            Ok(())
        } else {
            Err(Failure::Deadlock { at: self.agenda.now, blocked: self.blocked() })
        }
    }

    /// Every thread that waits, and for what.
    fn blocked(&self) -> Vec<Blocked> {
        let mut blocked = Vec::new();
        for (node, place) in self.nodes.iter().enumerate() {
            for (index, thread) in place.threads.all.iter().enumerate() {
                if let ThreadState::Blocked { reason, since } = &thread.state {
                    let thread = ThreadId { node: NodeId(node as u32), index: index as u32 };
                    blocked.push(Blocked { thread, waits_for: self.describe(reason), since: *since });
                }
            }
        }
        blocked
    }

    fn describe(&self, reason: &Reason) -> String {
        match reason {
            Reason::Wait(wait) => wait.to_string(),
            Reason::Key(key) => format!("key {key}"),
            Reason::Phase { name } => {
                let threads: usize = self.nodes.iter().map(|node| node.threads.all.len()).sum();
                format!("phase `{name}`: {} of {threads} threads have come", self.phase_arrivals())
            }
        }
    }

    /// Where and when the fiber that runs now is, for a failure.
    fn where_now(&self) -> String {
        let Some(core) = self.running else { return String::new() };
        let doing = match self.cores[core].activity {
            Activity::Thread(thread) => format!("thread {thread}"),
            _ => "a handler".to_owned(),
        };
        format!(" (in {doing} on {}, at {})", self.node_id(core), self.agenda.now)
    }
}
