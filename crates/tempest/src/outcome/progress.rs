//! Progress of a simulation, and the thread or handler that it runs, as other threads of the host read them. This
//! module must never know any one world.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use units::Time;

use crate::{NodeId, ThreadId};

/// The progress of a simulation, and the thread or handler that runs now. The simulator writes it, and other threads of
/// the host read it during the run. A clone shares its state with the original.
///
/// Writing down each instant would slow the simulator. Instead another thread [asks](Self::ask), and the simulator
/// answers when it reaches its next event. Without an answer no event has been reached since: a thread or handler
/// computes, or loops, without calling a method of [`Thread`](crate::Thread) that takes modelled time.
#[derive(Clone, Debug, Default)]
pub struct RunProgress(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The modelled instant, in femtoseconds, from which on the world looks for requests; 0 when a thread has asked for
    /// an answer.
    looks_from: AtomicU64,
    time: AtomicU64,
    answers: AtomicU64,
    running: AtomicU64,
}

impl Default for Shared {
    fn default() -> Self {
        let [time, answers, running] = [0, 0, NOBODY].map(AtomicU64::new);
        Self { looks_from: AtomicU64::new(u64::MAX), time, answers, running }
    }
}

/// The thread or handler that a simulator runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Running {
    /// This thread of the program.
    Thread(ThreadId),
    /// A handler of this node.
    Handler(NodeId),
}

impl std::fmt::Display for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Thread(thread) => thread.fmt(f),
            Self::Handler(node) => write!(f, "a handler on {node}"),
        }
    }
}

/// The encoding of no fiber. A fiber is encoded as its node in the upper half and its thread, or [`HANDLER`], in the
/// lower half.
const NOBODY: u64 = u64::MAX;

/// The encoding of a handler, in place of a thread's index.
const HANDLER: u32 = u32::MAX;

impl RunProgress {
    /// The modelled time that the run had reached at the simulator's last answer; zero before any answer, and in a
    /// world without modelled time.
    pub fn time(&self) -> Time {
        Time::from_femtoseconds(self.0.time.load(Ordering::Relaxed))
    }

    /// The number of answers that the simulator has given until now.
    pub fn answers(&self) -> u64 {
        self.0.answers.load(Ordering::Relaxed)
    }

    /// Asks the simulator to answer with its time when it reaches its next event.
    pub fn ask(&self) {
        self.0.looks_from.store(0, Ordering::Relaxed);
    }

    /// The thread or handler that the simulator runs now; `None` while it runs neither.
    pub fn running(&self) -> Option<Running> {
        let running = self.0.running.load(Ordering::Relaxed);
        let (node, index) = (NodeId((running >> 32) as u32), running as u32);
        match index {
            _ if running == NOBODY => None,
            HANDLER => Some(Running::Handler(node)),
            _ => Some(Running::Thread(ThreadId { node, index })),
        }
    }

    /// The modelled time from which on the simulator checks whether another thread has asked for an answer, and whether
    /// the run is over; zero when a thread has asked.
    #[inline]
    pub fn looks_from(&self) -> Time {
        Time::from_femtoseconds(self.0.looks_from.load(Ordering::Relaxed))
    }

    /// Sets the modelled time from which on the simulator checks whether another thread has asked for an answer. This
    /// also ends a request.
    #[inline]
    pub fn look_from(&self, at: Time) {
        self.0.looks_from.store(at.as_femtoseconds(), Ordering::Relaxed);
    }

    /// Answers a request: the simulator has reached the modelled time `now`.
    pub fn note(&self, now: Time) {
        self.0.time.store(now.as_femtoseconds(), Ordering::Relaxed);
        self.0.answers.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that thread `thread` of `node` runs now, or for `None` a handler of `node`.
    #[inline]
    pub fn enter(&self, node: u32, thread: Option<u32>) {
        let running = u64::from(node) << 32 | u64::from(thread.unwrap_or(HANDLER));
        self.0.running.store(running, Ordering::Relaxed);
    }

    /// Notes that neither a thread nor a handler runs now.
    #[inline]
    pub fn leave(&self) {
        self.0.running.store(NOBODY, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_answers_once_it_is_asked() {
        let (world, watcher) = {
            let progress = RunProgress::default();
            (progress.clone(), progress)
        };
        assert_eq!((world.looks_from(), watcher.answers(), watcher.running()), (Time::MAX, 0, None));
        watcher.ask();
        assert_eq!(world.looks_from(), Time::ZERO);
        world.note(Time::from_nanoseconds(7));
        assert_eq!((watcher.time(), watcher.answers()), (Time::from_nanoseconds(7), 1));
    }

    #[test]
    fn a_watcher_sees_which_fiber_runs() {
        let progress = RunProgress::default();
        progress.enter(3, Some(1));
        assert_eq!(progress.running().map(|it| it.to_string()).as_deref(), Some("node 3 thread 1"));
        progress.enter(0, None);
        assert_eq!(progress.running(), Some(Running::Handler(NodeId(0))));
        progress.leave();
        assert_eq!(progress.running(), None);
    }
}
