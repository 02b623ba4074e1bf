//! The fibers that handlers run on: as many as handlers have ever been at work at once, not one for each processor.
//!
//! A machine of many nodes has few handlers at work at any time; a stack for each of its processors would be most of
//! its memory. A fiber belongs to a processor from the start of a handler to its end, and to nobody in between.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;

use fiber::{Fiber, Pool, Status};
use tempest::{Handler, Resident};

use crate::core::{Event, Job};
use crate::edge::Edge;
use crate::state::State;

/// Those fibers.
pub(crate) struct Handlers {
    pool: Pool,
    state: Rc<RefCell<State>>,
    residents: Rc<[Resident]>,
    fibers: Vec<Fiber>,
    /// Of those, the ones that belong to nobody.
    idle: Vec<u32>,
    /// Per core, the one that belongs to it.
    working: Vec<Option<u32>>,
    desk: Rc<Desk>,
}

/// What a fiber is told when it is resumed, and says when it suspends.
#[derive(Debug, Default)]
struct Desk {
    /// The core that it is to run handlers on.
    core: Cell<usize>,
    /// It has no handler at work.
    done: Cell<bool>,
}

impl Handlers {
    /// No fibers yet.
    pub(crate) fn new(pool: Pool, state: Rc<RefCell<State>>, residents: &[Resident]) -> Self {
        let cores = state.borrow().cores.len();
        Self {
            pool,
            state,
            residents: residents.into(),
            fibers: Vec::new(),
            idle: Vec::new(),
            working: vec![None; cores],
            desk: Rc::default(),
        }
    }

    /// Lets the handler of `core` go on, or the one start that it has been given.
    ///
    /// # Errors
    /// If there is no memory for one more stack.
    pub(crate) fn resume(&mut self, core: usize) -> io::Result<()> {
        let index = match self.working[core].take().or_else(|| self.idle.pop()) {
            Some(index) => index,
            None => self.hire()?,
        };
        self.desk.core.set(core);
        // A handler's fiber never returns: it says at the desk that it is done.
        let (Status::Suspended | Status::Finished) = self.fibers[index as usize].resume();
        if self.desk.done.take() {
            self.idle.push(index);
        } else {
            self.working[core] = Some(index);
        }
        Ok(())
    }

    fn hire(&mut self) -> io::Result<u32> {
        let (state, residents, desk) = (self.state.clone(), self.residents.clone(), self.desk.clone());
        let fiber = self.pool.spawn(move || {
            loop {
                let core = desk.core.get();
                serve(&Edge::new(state.clone(), core), core, &residents);
                desk.done.set(true);
                fiber::suspend();
            }
        })?;
        self.fibers.push(fiber);
        Ok((self.fibers.len() - 1) as u32)
    }
}

/// Runs the handler that a core has been given, and those that it is given while nothing else happens.
fn serve(edge: &Edge, core: usize, residents: &[Resident]) {
    let node = edge.state().cores[core].node;
    loop {
        let job = edge.state().begin_handler(core);
        run_job(edge, core, &residents[node], job);
        if !edge.state().handler_goes_on(core) {
            return;
        }
    }
}

/// Runs one event on the handler fiber of a core, and gives its key back.
fn run_job(edge: &Edge, core: usize, resident: &Resident, job: Job) {
    let mut held = job.held;
    match job.event {
        Event::Message { flight } => {
            let node = &resident.node;
            let packet = edge.state().land(flight);
            node.deliver(&packet, &mut Handler::new(node, packet.source(), held.proof(), edge));
            if edge.state().settle_tail(core) {
                fiber::suspend();
            }
            edge.state().finish_handler(core, held);
        }
        Event::Grant { thread } => edge.state().grant(core, thread, held),
    }
}
