//! A barrier lets no thread leave before every thread has come.
//!
//! After each barrier every thread asks every node whether all of its threads had come to it: the question is asked after
//! the barrier, so the answer must be yes. In turn each thread comes late.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use protocols::Barrier;
use protocols::stache::{self, Stache};
use protocols::sync::{BarrierRoom, Collectives, SharedBarrier};
use tempest::{
    Cells, Event, FinalState, Handler, Layout, NodeId, Operations, Protocol, Report, Setup, Shape, Thread,
    handlers,
};

use crate::Setting;

/// Barriers in a row.
const BARRIERS: u64 = 20;

/// No thread leaves a barrier before every thread has come to it.
pub fn barriers_hold_everybody(setting: &Setting<'_>) {
    setting.verified::<Meetings>("barriers_hold_everybody", Kind::Dissemination, 2);
}

/// No thread leaves a barrier along a tree before every thread has come to it.
pub fn tree_barriers_hold_everybody(setting: &Setting<'_>) {
    for fan_in in [1, 2, 4].map(|fan_in| NonZeroU32::new(fan_in).expect("none is zero")) {
        setting.verified::<Meetings>("tree_barriers_hold_everybody", Kind::Tree(fan_in), 2);
    }
}

/// No thread leaves a barrier through shared memory early, for any length of a block.
pub fn shared_barriers_hold_everybody(setting: &Setting<'_>) {
    for (block, fan_in) in [(16, 1), (64, 2), (128, 4)] {
        let mut layout = Layout::new(setting.nodes, block).expect("a length of blocks");
        let room = SharedBarrier::room(&mut layout).expect("one barrier has room");
        let fan_in = NonZeroU32::new(fan_in).expect("none is zero");
        let kind = Kind::Shared(stache::Config::new(layout), room, fan_in);
        setting.verified::<Meetings>("shared_barriers_hold_everybody", kind, 2);
    }
}

/// Kind of barrier.
enum Kind {
    Dissemination,
    /// A combining tree of this fan-in.
    Tree(NonZeroU32),
    /// At a place in shared memory.
    Shared(stache::Config, BarrierRoom, NonZeroU32),
}

/// The installed barrier.
enum Installed {
    Dissemination(Arc<Barrier>),
    Tree(Arc<Collectives>),
    Shared(Box<SharedBarrier>),
}

impl Installed {
    fn on(kind: &Kind, setup: &mut Setup<'_>) -> Self {
        match kind {
            Kind::Dissemination => Self::Dissemination(setup.install::<Barrier>(&())),
            Kind::Tree(fan_in) => Self::Tree(setup.install::<Collectives>(fan_in)),
            Kind::Shared(config, room, fan_in) => {
                let stache = setup.install::<Stache>(config);
                Self::Shared(Box::new(SharedBarrier::new(setup, stache.memory(), *room, *fan_in)))
            }
        }
    }

    fn wait(&self, thread: &Thread<'_>) {
        match self {
            Self::Dissemination(barrier) => barrier.wait(thread),
            Self::Tree(collectives) => collectives.barrier(thread),
            Self::Shared(barrier) => barrier.wait(thread),
        }
    }
}

struct Meetings {
    shape: Shape,
    barrier: Installed,
    /// By thread of the node: barriers it has come to.
    come: Cells<u64>,
    asked: Event,
}

impl Protocol for Meetings {
    type Config = Kind;

    fn install(kind: &Kind, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        Self {
            shape,
            barrier: Installed::on(kind, setup),
            come: Cells::new(shape.threads as usize, 0),
            asked: Event::new("conformance.asked"),
        }
    }
}

/// Makes the thread late, in a model and natively: a barrier that does not wait for every thread is left without this
/// one.
pub(crate) fn dawdle(thread: &Thread<'_>) {
    thread.charge(Operations::NONE.flops(100_000));
    // A sleeper that wakes is preferred by the operating system; after a yield it has to wait for all else that runs on the host.
    for _ in 0..4 {
        thread.poll();
        sleep(Duration::from_micros(50));
    }
}

#[handlers]
impl Meetings {
    /// Asks whether all threads of this node have come to a barrier.
    #[message]
    fn ask(&self, barrier: u64, cx: &mut Handler<'_>) {
        for thread in 0..self.come.len() {
            let come = self.come.get(cx, thread);
            assert!(come >= barrier, "thread {thread} had come to {come} barriers, not {}", barrier);
        }
        cx.signal(&self.asked, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let mine = thread.node().0 * thread.threads() + thread.index();
        let all = self.shape.nodes * self.shape.threads;
        for barrier in 1..=BARRIERS {
            if barrier as u32 % all == mine {
                dawdle(thread);
            }
            self.come.set(thread, thread.index() as usize, barrier);
            self.barrier.wait(thread);
            for to in (0..thread.nodes()).map(NodeId) {
                thread.send(to, Self::ask(barrier));
            }
        }
        thread.wait(&self.asked, BARRIERS * u64::from(self.shape.nodes * self.shape.threads));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let expected = BARRIERS * u64::from(self.shape.nodes * self.shape.threads);
        let asked = self.asked.count(end);
        Report::checked(asked == expected, || format!("{asked} questions: expected {expected}"))
    }
}
