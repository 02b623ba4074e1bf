//! A barrier lets nobody leave before everybody has come.
//!
//! After each barrier every thread asks every node whether all of its threads had come to it: the question is asked after
//! the barrier, so the answer must be yes. In turn each thread comes late.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use protocols::Barrier;
use tempest::{
    Cells, Event, Handler, Key, Message, NodeId, Operations, Program, Protocol, Report, Setup, Shape, Thread,
};

use crate::Setting;

/// Barriers in a row.
const BARRIERS: u64 = 20;

/// Nobody leaves a barrier before everybody has come to it.
pub fn barriers_hold_everybody(setting: &Setting<'_>) {
    setting.verified::<Meetings>("barriers_hold_everybody", (), 2);
}

struct Meetings {
    shape: Shape,
    barrier: Arc<Barrier>,
    /// By thread of the node: barriers it has come to.
    come: Cells<u64>,
    asked: Event,
}

/// Have all come to this barrier?
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Ask {
    barrier: u64,
}

impl Message for Ask {
    type Protocol = Meetings;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, meetings: &Meetings, _payload: &[u64], cx: &mut Handler<'_>) {
        for thread in 0..meetings.come.len() {
            let come = meetings.come.get(thread);
            assert!(
                come >= self.barrier,
                "thread {thread} had come to {come} barriers, not {}",
                self.barrier
            );
        }
        cx.signal(&meetings.asked, 1);
    }
}

impl Protocol for Meetings {
    type Config = ();

    fn install((): &(), setup: &mut Setup<'_>) -> Self {
        setup.message::<Ask>();
        let shape = setup.shape();
        Self {
            shape,
            barrier: setup.install::<Barrier>(&()),
            come: Cells::new(shape.threads as usize, 0),
            asked: Event::new("conformance.asked"),
        }
    }
}

impl Meetings {
    /// Comes late, in a model and natively: a barrier that does not wait for everybody is left without this thread.
    fn dawdle(thread: &Thread<'_>) {
        thread.charge(Operations::NONE.flops(100_000));
        for _ in 0..1000 {
            thread.poll();
            std::thread::yield_now();
        }
    }
}

impl Program for Meetings {
    fn main(&self, thread: &Thread<'_>) {
        let mine = thread.node().0 * thread.threads() + thread.index();
        let all = self.shape.nodes * self.shape.threads;
        for barrier in 1..=BARRIERS {
            if barrier as u32 % all == mine {
                Self::dawdle(thread);
            }
            self.come.set(thread.index() as usize, barrier);
            self.barrier.wait(thread);
            for to in (0..thread.nodes()).map(NodeId) {
                thread.send(to, Ask { barrier }, &[]);
            }
        }
        thread.wait(&self.asked, BARRIERS * u64::from(self.shape.nodes * self.shape.threads));
    }

    fn report(&self) -> Report {
        let expected = BARRIERS * u64::from(self.shape.nodes * self.shape.threads);
        let asked = self.asked.count();
        Report::checked(asked == expected, || format!("{asked} questions: expected {expected}"))
    }
}
