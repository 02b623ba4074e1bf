//! A server, run by a thread: claims of several items at a time, and a buffer for items that its handlers enqueue.
//!
//! # State private to a worker
//!
//! * *A claim*: up to a block of items, run one after the other. Their number depends on the duration of the last
//!   ones, so that claimed items that have not begun wait for a few microseconds only, unless a handler takes much
//!   longer than those before. Where claims are shared, another worker takes them then.
//! * *The outbox*: items that its handlers enqueue. They go to the lanes when the claim ends, before its keys are
//!   released, when a lane's worth is full, and whenever the worker looks for work. So an item is in its place before
//!   another thread can know that its sender's handler has ended.
//!
//! A worker prefers the lanes at which it is at home (they are its own as long as all servers have work), stays with
//! a lane for a few claims, and regularly begins elsewhere, so that no lane depends on one worker. It does not break
//! into a claim of another before it has looked around in vain for longer than a claim should take.
//!
//! This module must never know how a lane keeps its order.

use std::fmt;
use std::iter::repeat_n;
use std::num::NonZeroU64;
use std::panic::resume_unwind;

use super::gate::AT_GATE;
use super::handling::{Batch, Handling, Payload};
use super::inbox::Span;
use super::inside::assert_outside_handlers;
use super::lane::{Lane, Serving};
use super::outbox::Outbox;
use super::pace::Pace;
use super::rounds::Rounds;
use super::{Dispatch, Queue, tuning};
use crate::sync::{Instant, Ordering, mutated, spin_loop};
use crate::{Held, Key, UserKey};

/// A server of a [`Queue`], run by a thread.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Key, Keyed, Queue, queue};
///
/// let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
/// let counts = Keyed::sparse(queue.id(), |_| 0_u64);
/// for n in 0..100 {
///     queue.enqueue(Key::User(n % 10), n);
/// }
/// queue.close(); // no more from outside
/// std::thread::scope(|scope| {
///     for server in 0..2 {
///         let (queue, counts) = (&queue, &counts);
///         scope.spawn(move || {
///             queue.worker(server).run(|n, mut handling| {
///                 *counts.get(&mut handling.proof()) += n;
///                 if (90..100).contains(&n) {
///                     handling.enqueue(Key::User(n - 90), 1000); // still runs
///                 }
///             });
///         });
///     }
/// });
/// assert_eq!(counts.into_entries()[3], (3, 3 + 13 + 23 + 33 + 43 + 53 + 63 + 73 + 83 + 93 + 1000));
/// ```
///
/// Items that a worker enqueues are buffered: they take their place at the latest when the handler's batch ends, when the
/// worker looks for work, on [`Worker::flush`] and when the worker is dropped.
pub struct Worker<'q, T, K: UserKey = u64> {
    pub(super) batch: Batch<'q, T, K>,
    pub(super) server: usize,
    pub(super) rounds: Rounds,
    pub(super) pace: Pace,
    pub(super) watch: Option<Watch>,
    /// Whether the last claim is from a lane away from home.
    pub(super) stole: bool,
    /// Whether the last look at the lanes found a latch taken.
    pub(super) missed: bool,
    /// Largest number of items of the next claim.
    pub(super) most: u64,
    /// Whether `idle` counts this worker as searching for work.
    pub(super) searching: bool,
    pub(super) picked: Vec<(Key<K>, T)>,
    pub(super) picked_keys: Vec<Key<K>>,
}

/// A claim of another worker that is observed, because it may be taking too long.
pub(super) struct Watch {
    lane: usize,
    claim: NonZeroU64,
    since: Instant,
}

/// Items claimed by a worker, by the way to run them.
enum Work<'q, T, K: UserKey> {
    /// Items of an inbox, run in place.
    Span(Span<'q, T, K>),
    /// Items from a lane's index, moved into `picked`.
    Picked,
    /// A sequential item, run alone.
    Alone(T),
}

impl<'q, T, K: UserKey> Worker<'q, T, K> {
    pub(super) fn new(queue: &'q Queue<T, K>, server: usize) -> Self {
        let lanes = queue.lanes_of(server);
        let apart = queue.config.partitions > 1;
        Self {
            server,
            rounds: Rounds::new(lanes, server, queue.config.servers, apart),
            pace: Pace::default(),
            watch: None,
            stole: false,
            missed: false,
            most: tuning::FIRST_CLAIM,
            searching: false,
            picked: Vec::new(),
            picked_keys: Vec::new(),
            batch: Batch::new(Outbox::new(queue)),
        }
    }

    /// Returns the queue that this worker serves.
    pub fn queue(&self) -> &'q Queue<T, K> {
        self.batch.queue()
    }

    /// Appends an item to the queue, as [`Queue::enqueue`] does, but through this worker's buffer.
    #[inline]
    pub fn enqueue(&mut self, key: Key<K>, item: T) {
        self.batch.outbox.push(key, item);
    }

    /// Moves all items of this worker's buffer into the queue: every item that any thread enqueues afterwards is younger.
    pub fn flush(&mut self) {
        if !self.batch.outbox.is_empty() {
            self.pace.produces();
            self.batch.outbox.flush();
        }
    }

    /// Takes one item, as [`Queue::dequeue`] does, for the caller to handle. `None` if no item can run.
    pub fn dequeue(&mut self) -> Option<Dispatch<'q, T, K>> {
        self.flush();
        let dispatch = self.queue().dequeue(self.server);
        if dispatch.is_some() {
            self.found();
        }
        dispatch
    }

    /// Claims a batch of items and runs `handler` for each. Returns their number: 0 if there are none, or if other workers run
    /// them.
    ///
    /// # Panics
    ///
    /// With the panic of a handler, after the whole batch has been run and its keys released. Of several panics, the
    /// first.
    pub fn serve(&mut self, mut handler: impl FnMut(T, Handling<'_, 'q, T, K>)) -> usize {
        let (served, panics) = self.serve_catching(&mut handler);
        if let Some(payload) = panics.into_iter().next() {
            resume_unwind(payload);
        }
        served
    }

    /// Runs `handler` for items until the queue is closed and all items are done, or it is aborted. Sleeps when there is no work.
    ///
    /// # Panics
    ///
    /// With the panic of a handler, after its whole batch has been run and the keys are free. Of several panics, the first.
    pub fn run(&mut self, mut handler: impl FnMut(T, Handling<'_, 'q, T, K>)) {
        while self.serve(&mut handler) > 0 || self.search() {}
    }

    /// Runs `handler` for items until the queue is closed and drained, or aborted. Panics of handlers are counted and given to
    /// `report`, and the worker goes on.
    pub(crate) fn run_catching(
        &mut self,
        mut handler: impl FnMut(T, Handling<'_, 'q, T, K>),
        mut report: impl FnMut(Payload),
    ) {
        loop {
            let (served, panics) = self.serve_catching(&mut handler);
            panics.into_iter().for_each(&mut report);
            if served == 0 && !self.search() {
                return;
            }
        }
    }

    /// Waits until there may be an item to run: spins for some microseconds, then sleeps. Returns false if the queue is closed
    /// and all items are done, or it is aborted.
    ///
    /// # Panics
    ///
    /// In debug builds, inside a handler that a worker of this queue runs: the handler would wait for itself.
    pub fn wait(&mut self) -> bool {
        let goes_on = self.search();
        // The caller may serve now or not: other workers must not rely on it.
        self.found();
        goes_on
    }

    /// Waits until there may be an item to run. Other workers rely on this one to find it, until it has taken an item or sleeps
    /// again. Returns false if the queue is closed and all items are done, or it is aborted.
    fn search(&mut self) -> bool {
        let queue = self.queue();
        assert_outside_handlers(queue.id());
        self.flush();
        if !self.searching {
            queue.idle.search();
            self.searching = true;
        }
        loop {
            if self.spins_into_work() {
                return true;
            }
            let registration = queue.idle.register();
            if !mutated!("no-second-look") && self.searches_thoroughly() || queue.has_ended() {
                queue.idle.deregister(&registration);
                return !queue.has_ended();
            }
            queue.idle.sleep(&registration);
        }
    }

    fn spins_into_work(&self) -> bool {
        let start = Instant::now();
        loop {
            for _ in repeat_n((), tuning::LOOKS) {
                if self.sees_work() {
                    return true;
                }
                spin_loop();
            }
            if self.queue().is_closed() || start.is_past(tuning::SPIN_NS) {
                return false;
            }
        }
    }

    /// Whether there is an item for this worker without breaking into another's claim.
    fn sees_work(&self) -> bool {
        let queue = self.queue();
        let gate = queue.gate.shows_work() && queue.passes_gate(self.server);
        gate || self.rounds.lanes().iter().any(|at| is_free(&queue.lanes[*at]))
    }

    /// Whether there is any item for this worker. Takes the latches, so it is ordered with every change that makes an item ready.
    fn searches_thoroughly(&self) -> bool {
        self.queue().search(self.server)
    }

    /// Counts this worker as no longer searching for work, if it was. If it was the last searcher and there is more work, wakes a
    /// sleeper.
    #[inline]
    fn found(&mut self) {
        if self.searching {
            self.stop_search();
        }
    }

    #[cold]
    fn stop_search(&mut self) {
        self.searching = false;
        let queue = self.queue();
        let was_last = queue.idle.stop_search();
        if was_last
            && !mutated!("last-finder-wakes-nobody")
            && (queue.gate.search()
                || queue.lanes.iter().any(|lane| lane.shows_work_in_order() || lane.shows_unbegun()))
        {
            queue.idle.wake(1);
        }
    }

    fn serve_catching(
        &mut self,
        handler: &mut impl FnMut(T, Handling<'_, 'q, T, K>),
    ) -> (usize, Vec<Payload>) {
        self.flush();
        let Some((lane, work)) = self.find() else { return (0, Vec::new()) };
        self.found();
        match work {
            Work::Alone(item) => (1, self.run_alone(item, handler)),
            Work::Span(span) => self.run_span(lane, span, handler),
            Work::Picked => self.run_picked(lane, handler),
        }
    }

    /// Claims work, and returns it with the index of its lane; `usize::MAX` for a sequential item.
    fn find(&mut self) -> Option<(usize, Work<'q, T, K>)> {
        let queue = self.queue();
        if queue.passes_gate(self.server)
            && let Some(item) = queue.gate.take()
        {
            return Some((usize::MAX, Work::Alone(item)));
        }
        if self.most == tuning::BLOCK as u64 {
            self.pace.wait();
        }
        if self.rounds.is_away_next() {
            self.look_behind();
        }
        let found = self.find_in_all_lanes();
        if found.is_none() && self.look_behind() { self.find_in_all_lanes() } else { found }
    }

    /// Claims work in the first lane that has some. If a lane was skipped because another server was in it, looks again and waits
    /// for that server: it may leave items in the lane's inbox without waking a worker for them.
    #[inline]
    fn find_in_all_lanes(&mut self) -> Option<(usize, Work<'q, T, K>)> {
        let found = self.find_in_lanes();
        let is_sure = found.is_some() || !self.missed || mutated!("missed-lane-is-empty");
        if is_sure { found } else { self.find_patiently() }
    }

    #[inline]
    fn find_in_lanes(&mut self) -> Option<(usize, Work<'q, T, K>)> {
        let (queue, most) = (self.queue(), self.most);
        let (picked, missed) = (&mut self.picked, &mut self.missed);
        *missed = false;
        let mut look = |lane: usize| claim(&queue.lanes[lane], most, picked, missed);
        // Regularly the other way round, so that no lane depends on the server that is at home there.
        let away_first = self.rounds.turn();
        if !away_first {
            let found = self.rounds.at_home(&mut look);
            if found.is_some() {
                self.stole = false;
                return found;
            }
        }
        let found = self.rounds.elsewhere(&mut look);
        self.stole = found.is_some();
        if found.is_none() && away_first {
            return self.rounds.at_home(&mut look);
        }
        found
    }

    /// Claims work in the first lane that has some. Waits for the latch of a lane that another thread is in.
    #[cold]
    fn find_patiently(&mut self) -> Option<(usize, Work<'q, T, K>)> {
        let queue = self.queue();
        for at in self.rounds.lanes() {
            let lane = &queue.lanes[*at];
            if is_free(lane)
                && let Some(work) = claim_in(lane.serve(), self.most, &mut self.picked)
            {
                return Some((*at, work));
            }
        }
        None
    }

    /// Watches a claim of another worker that keeps items waiting, and breaks into it if it takes longer than a claim should.
    /// Returns true if there is an item to take now. The worker calls this when it sees no other work, and regularly.
    #[cold]
    fn look_behind(&mut self) -> bool {
        let queue = self.queue();
        if let Some(watch) = &self.watch
            && queue.lanes[watch.lane].attended() == Some(watch.claim)
            && queue.lanes[watch.lane].shows_more()
        {
            if !watch.since.is_past(tuning::PATIENCE_NS) {
                return false;
            }
            let lane = watch.lane;
            self.watch = None;
            let (found, back) = queue.lanes[lane].serve().break_in();
            queue.room.re_enter(back);
            return found;
        }
        // The watched claim has ended, so it is another's turn.
        let lanes = queue.lanes.len();
        let next = self.watch.as_ref().map_or(self.server, |watch| watch.lane) + 1;
        let own = |lane: &usize| self.rounds.lanes().contains(lane) && queue.lanes[*lane].shows_more();
        let attended = (0..lanes).map(|step| (next + step) % lanes).filter(own);
        let mut claims = attended.filter_map(|lane| {
            Some(Watch { lane, claim: queue.lanes[lane].attended()?, since: Instant::now() })
        });
        self.watch = claims.next();
        false
    }

    fn run_alone(&mut self, item: T, handler: &mut impl FnMut(T, Handling<'_, 'q, T, K>)) -> Vec<Payload> {
        self.queue().room.leave(1);
        self.batch.place = AT_GATE;
        let mut item = Some(item);
        let panics = self.batch.run(|| Some((Key::Sequential, item.take()?)), handler);
        self.flush();
        if self.batch.left.kept.pop().is_none() {
            self.queue().complete(Held::new(Key::Sequential, self.queue().id(), AT_GATE));
        }
        panics
    }

    fn run_span(
        &mut self,
        at: usize,
        mut span: Span<'q, T, K>,
        handler: &mut impl FnMut(T, Handling<'_, 'q, T, K>),
    ) -> (usize, Vec<Payload>) {
        let timed = self.begin(at, span.len());
        self.note_visit(&span);
        if let Some(next) = self.rounds.next_home() {
            self.queue().lanes[next].expect_reading();
        }
        let panics = self.batch.run(|| span.next(), handler);
        // The items that no other server has taken back.
        let items = span.begun();
        self.end(timed, items);
        if !mutated!("complete-before-send") {
            self.flush();
        }
        let mut serving = self.serve_again(at, items);
        serving.finish(span, &mut self.batch.left);
        self.queue().settle(serving.leave());
        (items, panics)
    }

    fn run_picked(
        &mut self,
        at: usize,
        handler: &mut impl FnMut(T, Handling<'_, 'q, T, K>),
    ) -> (usize, Vec<Payload>) {
        let items = self.picked.len();
        let timed = self.begin(at, items);
        self.picked_keys.clear();
        self.picked_keys.extend(self.picked.iter().map(|(key, _)| *key));
        let mut picked = std::mem::take(&mut self.picked);
        let panics = {
            let mut picked = picked.drain(..);
            self.batch.run(|| picked.next(), handler)
        };
        self.picked = picked;
        self.end(timed, items);
        self.flush();
        let mut serving = self.serve_again(at, items);
        serving.finish_picked(&self.picked_keys, &mut self.batch.left);
        self.queue().settle(serving.leave());
        (items, panics)
    }

    /// Adapts the next place and time to look for work to the number of items that `span`, the claim, has left behind.
    #[inline]
    fn note_visit(&mut self, span: &Span<'q, T, K>) {
        if span.rest() >= tuning::FEW as u64 {
            self.pace.lags();
            return;
        }
        if span.rest() == 0 {
            self.rounds.leave_home();
        }
        if !span.is_own() {
            self.pace.catches_up(span.len());
        }
    }

    fn begin(&mut self, at: usize, items: usize) -> Option<Instant> {
        self.queue().room.leave(items);
        self.batch.place = at as u64;
        // Two looks at the clock cost as much as several short handlers. Where the size would not change, and for
        // single items, only a sample is timed.
        let matters = items > 1 && self.most < tuning::BLOCK as u64;
        (matters || self.rounds.is_sampled()).then(Instant::now)
    }

    /// Adapts the size of later claims to the duration of a claim of `items` items, which began at `timed` (if that was measured).
    fn end(&mut self, timed: Option<Instant>, items: usize) {
        let Some(start) = timed.filter(|_| items > 0) else { return };
        let each = start.ns_until(Instant::now()) / items as u64;
        // By no more than twice: one slow item among many should not make all later claims small, nor the reverse.
        let most = (tuning::CLAIM_NS / each.max(1)).clamp(1, tuning::BLOCK as u64);
        self.most = most.min(self.most * 2);
    }

    /// Takes the latch of lane `at`, from which a claim of `items` items has been run.
    #[inline]
    fn serve_again(&self, at: usize, items: usize) -> Serving<'q, T, K> {
        let queue = self.queue();
        queue.room.re_enter(self.batch.left.returned.len());
        let mut serving = queue.lanes[at].serve();
        if self.stole {
            serving.count_stolen(items);
        }
        serving
    }
}

impl<T, K: UserKey> Drop for Worker<'_, T, K> {
    fn drop(&mut self) {
        self.flush();
        self.found();
        let queue = self.queue();
        queue.servers[self.server].employed.store(false, Ordering::Release);
        if queue.shows_work() {
            queue.idle.tell();
        }
    }
}

impl<T, K: UserKey> fmt::Debug for Worker<'_, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Whether there is an item to take in `lane` without breaking into another's claim, as far as is visible without the latch.
#[inline]
fn is_free<T, K: UserKey>(lane: &Lane<T, K>) -> bool {
    lane.shows_work() && lane.attended().is_none()
}

/// Claims up to `most` items of `lane`, in place or into `picked`. Sets `missed` if another thread is in the lane.
#[inline]
fn claim<'q, T, K: UserKey>(
    lane: &'q Lane<T, K>,
    most: u64,
    picked: &mut Vec<(Key<K>, T)>,
    missed: &mut bool,
) -> Option<Work<'q, T, K>> {
    if !is_free(lane) {
        return None;
    }
    let serving = lane.try_serve();
    *missed |= serving.is_none();
    claim_in(serving?, most, picked)
}

#[inline]
fn claim_in<'q, T, K: UserKey>(
    mut serving: Serving<'q, T, K>,
    most: u64,
    picked: &mut Vec<(Key<K>, T)>,
) -> Option<Work<'q, T, K>> {
    if let Some(span) = serving.claim(most) {
        return Some(Work::Span(span));
    }
    serving.pick(most as usize, picked);
    (!picked.is_empty()).then_some(Work::Picked)
}
