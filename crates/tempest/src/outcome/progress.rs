//! Progress of a modelled run, and the fiber that runs, for another thread of the host. This module must never know
//! any one world.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use units::Time;

use crate::{NodeId, ThreadId};

/// Progress of a modelled run, and the fiber that runs. The world writes it, other threads of the host read it
/// meanwhile. A copy shares everything with its original.
///
/// A world does not write down each instant, which would take it time. Another thread [asks](Self::ask), and the world answers when
/// it comes to its next event. A world that does not answer has come to none: a fiber computes, or loops, without a call of the
/// [`Thread`](crate::Thread) that takes modelled time.
#[derive(Clone, Debug, Default)]
pub struct RunProgress(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The instant, in femtoseconds, from which on the world stops to look around.
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

/// A fiber of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Running {
    /// A thread of the program.
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

/// Stands for no fiber. A fiber is its node in the upper half and its thread, or [`HANDLER`], in the lower half.
const NOBODY: u64 = u64::MAX;

/// Stands for a handler in the place of a thread.
const HANDLER: u32 = u32::MAX;

impl RunProgress {
    /// The time that the run had reached at its last answer; the start before any, and where the world has no modelled time.
    pub fn time(&self) -> Time {
        Time::from_femtoseconds(self.0.time.load(Ordering::Relaxed))
    }

    /// The number of answers until now.
    pub fn answers(&self) -> u64 {
        self.0.answers.load(Ordering::Relaxed)
    }

    /// Asks the world to answer when it comes to its next event.
    pub fn ask(&self) {
        self.0.looks_from.store(0, Ordering::Relaxed);
    }

    /// The fiber that runs now; `None` while the world itself is at work, and before and after the run.
    pub fn running(&self) -> Option<Running> {
        let running = self.0.running.load(Ordering::Relaxed);
        let (node, index) = (NodeId((running >> 32) as u32), running as u32);
        match index {
            _ if running == NOBODY => None,
            HANDLER => Some(Running::Handler(node)),
            _ => Some(Running::Thread(ThreadId { node, index })),
        }
    }

    /// The instant from which on the world looks whether it was asked, and whether the run goes on.
    #[inline]
    pub fn looks_from(&self) -> Time {
        Time::from_femtoseconds(self.0.looks_from.load(Ordering::Relaxed))
    }

    /// Sets the instant from which on the world looks whether it was asked. It is zero when the world was.
    #[inline]
    pub fn look_from(&self, at: Time) {
        self.0.looks_from.store(at.as_femtoseconds(), Ordering::Relaxed);
    }

    /// Answers: the world has come to the instant `now`.
    pub fn note(&self, now: Time) {
        self.0.time.store(now.as_femtoseconds(), Ordering::Relaxed);
        self.0.answers.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a thread of a node runs now, or a handler.
    #[inline]
    pub fn enter(&self, node: u32, thread: Option<u32>) {
        let running = u64::from(node) << 32 | u64::from(thread.unwrap_or(HANDLER));
        self.0.running.store(running, Ordering::Relaxed);
    }

    /// Notes that no fiber runs now.
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
