//! The search for the end of a world, which node 0 keeps.
//!
//! # When the end is looked for
//!
//! A search is *due* when all threads of all nodes have returned, and when the watch of a process has seen no progress for a while: the
//! world may be deadlocked.
//!
//! # A search is two waves that agree
//!
//! In a *wave* every node replies once, at a moment when all its processors are idle, with the numbers of works that they have sent and
//! handled. Two waves in a row of which the second began when the first was complete find the end if each node replies the same, and the
//! sums of both numbers agree (Mattern, "Algorithms for distributed termination detection", 1987, the four-counter method). The numbers
//! only grow. A node that replies the same twice has handled nothing and sent nothing between its two replies, so it was idle all the time;
//! hence all nodes were idle at the moment between the waves, and as much had been handled as sent. Only work creates work.
//!
//! Otherwise, if all threads have returned, the next wave begins at once: each node replies to it only when it is idle. If some have not,
//! the search is given up until the watch asks again, so that it disturbs a run little.
//!
//! This module must never know processors, or how the nodes tell each other.

use units::Time;

use crate::lock::lock;
use crate::sync::{AtomicBool, Mutex, Ordering};

/// A node's reply in a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reply {
    /// Works that the node has given to others.
    pub(crate) sent: u64,
    /// Works of others that it has handled.
    pub(crate) handled: u64,
    /// Time in nanoseconds from the start of the run at which the node's last processor became idle.
    pub(crate) idle_since: u64,
}

/// The state of the search.
pub(crate) struct Search {
    /// Whether a wave should begin when node 0 is idle.
    due: AtomicBool,
    inner: Mutex<Inner>,
}

struct Inner {
    /// By node: whether all of its threads have returned.
    returned: Vec<bool>,
    /// Number of the wave in progress, or of the last one.
    wave: u64,
    in_progress: bool,
    /// By node: its reply in the wave before this one, if that belongs to the same search.
    before: Vec<Option<Reply>>,
    /// By node: its reply in this wave.
    now: Vec<Option<Reply>>,
}

/// The consequence of a reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sequel {
    /// The wave is not complete, or the search has been given up.
    Nothing,
    /// The wave with this number begins.
    Wave(u64),
    /// All nodes have been idle, with nothing in flight, since this time.
    Quiescent { since: Time, finished: bool },
}

impl Search {
    /// The search in a world of `nodes` nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        let none = vec![None; nodes];
        let returned = vec![false; nodes];
        let inner = Inner { returned, wave: 0, in_progress: false, before: none.clone(), now: none };
        Self { due: AtomicBool::new(false), inner: Mutex::new(inner) }
    }

    /// Notes that all threads of a node have returned. Returns false if there is no such node, or it had told before.
    pub(crate) fn note_returned(&self, node: usize) -> bool {
        let mut inner = lock(&self.inner);
        let is_first =
            inner.returned.get_mut(node).is_some_and(|returned| !std::mem::replace(returned, true));
        if is_first && inner.has_finished() {
            self.ask();
        }
        is_first
    }

    /// Makes a search due.
    pub(crate) fn ask(&self) {
        self.due.store(true, Ordering::Release);
    }

    /// Begins a wave if one is due and none in progress. Returns its number.
    pub(crate) fn begin(&self) -> Option<u64> {
        if !self.due.load(Ordering::Acquire) {
            return None;
        }
        let mut inner = lock(&self.inner);
        if inner.in_progress {
            return None;
        }
        self.due.store(false, Ordering::Relaxed);
        inner.before.fill(None);
        Some(inner.begin())
    }

    /// Records the reply of a node in a wave. A reply to another wave than that in progress is ignored.
    pub(crate) fn reply(&self, wave: u64, node: usize, reply: Reply) -> Sequel {
        let mut inner = lock(&self.inner);
        if !inner.in_progress || inner.wave != wave || node >= inner.now.len() {
            return Sequel::Nothing;
        }
        inner.now[node] = Some(reply);
        if inner.now.iter().any(Option::is_none) {
            return Sequel::Nothing;
        }
        inner.judge()
    }
}

impl Inner {
    fn has_finished(&self) -> bool {
        self.returned.iter().all(|returned| *returned)
    }

    /// Whether each node has replied with the numbers of the wave before.
    fn agrees(&self) -> bool {
        let numbers = |reply: &Option<Reply>| reply.map(|reply| (reply.sent, reply.handled));
        self.now.iter().map(numbers).eq(self.before.iter().map(numbers))
    }

    fn begin(&mut self) -> u64 {
        self.in_progress = true;
        self.wave += 1;
        self.now.fill(None);
        self.wave
    }

    /// Judges a complete wave.
    fn judge(&mut self) -> Sequel {
        let replies = self.now.iter().flatten();
        // Numbers that a node tells may be any.
        let sum = |of: fn(&Reply) -> u64| replies.clone().map(|reply| u128::from(of(reply))).sum::<u128>();
        let balanced = sum(|reply| reply.sent) == sum(|reply| reply.handled);
        if balanced && self.agrees() {
            let since = replies.map(|reply| reply.idle_since).max().unwrap_or(0);
            self.in_progress = false;
            return Sequel::Quiescent { since: Time::from_nanoseconds(since), finished: self.has_finished() };
        }
        let may_be_idle = balanced && self.before.iter().all(Option::is_none);
        std::mem::swap(&mut self.before, &mut self.now);
        if may_be_idle || self.has_finished() {
            return Sequel::Wave(self.begin());
        }
        self.in_progress = false;
        Sequel::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(sent: u64, handled: u64) -> Reply {
        Reply { sent, handled, idle_since: sent }
    }

    /// A search in a world of two nodes, in its first wave.
    fn search() -> Search {
        let search = Search::new(2);
        assert_eq!(search.begin(), None, "no search is due");
        search.ask();
        assert_eq!((search.begin(), search.begin()), (Some(1), None), "a wave is in progress");
        search
    }

    #[test]
    fn two_waves_that_agree_find_the_end() {
        let search = search();
        assert_eq!(search.reply(1, 1, reply(5, 3)), Sequel::Nothing);
        assert_eq!(search.reply(1, 0, reply(1, 3)), Sequel::Wave(2));
        assert_eq!(search.reply(1, 0, reply(9, 9)), Sequel::Nothing, "the first wave is over");
        assert_eq!(search.reply(2, 0, reply(1, 3)), Sequel::Nothing);
        let found = Sequel::Quiescent { since: Time::from_nanoseconds(5), finished: false };
        assert_eq!(search.reply(2, 1, reply(5, 3)), found);
    }

    #[test]
    fn a_message_in_flight_ends_a_search_before_all_threads_have_returned() {
        let search = search();
        search.reply(1, 0, reply(1, 0));
        assert_eq!(search.reply(1, 1, reply(0, 0)), Sequel::Nothing);
        assert_eq!(search.begin(), None);
        search.ask();
        assert_eq!(search.begin(), Some(2));
    }

    #[test]
    fn a_node_that_worked_between_two_waves_ends_a_search() {
        let search = search();
        search.reply(1, 0, reply(1, 1));
        assert_eq!(search.reply(1, 1, reply(0, 0)), Sequel::Wave(2));
        search.reply(2, 0, reply(2, 1));
        assert_eq!(search.reply(2, 1, reply(0, 1)), Sequel::Nothing);
    }

    #[test]
    fn waves_follow_each_other_when_all_threads_have_returned() {
        let search = Search::new(2);
        assert!(search.note_returned(0) && !search.note_returned(0) && !search.note_returned(2));
        assert_eq!(search.begin(), None);
        assert!(search.note_returned(1));
        assert_eq!(search.begin(), Some(1));
        for wave in 1..4 {
            search.reply(wave, 0, reply(wave, 0));
            assert_eq!(search.reply(wave, 1, reply(0, 0)), Sequel::Wave(wave + 1));
        }
        for wave in 4..6 {
            search.reply(wave, 0, reply(3, 0));
            let verdict = search.reply(wave, 1, reply(0, 3));
            assert_eq!(matches!(verdict, Sequel::Quiescent { finished: true, .. }), wave == 5, "{verdict:?}");
        }
    }

    #[test]
    fn numbers_of_any_size_are_compared() {
        let search = search();
        search.reply(1, 0, reply(u64::MAX, 1));
        assert_eq!(search.reply(1, 1, reply(u64::MAX, 1)), Sequel::Nothing);
    }

    #[test]
    fn a_reply_of_no_node_is_ignored() {
        assert_eq!(search().reply(1, 2, reply(0, 0)), Sequel::Nothing);
    }
}
