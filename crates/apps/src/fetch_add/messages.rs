//! Fetch&add by messages: a thread sends a request to the word's node, and the handler there adds and replies.
//!
//! This module must never know how words were chosen.

use std::sync::Arc;

use tempest::{
    Cells, Event, FinalState, Handler, Keyed, NodeId, Operations, Private, Protocol, Report, Setup, Thread,
    handlers,
};

use super::reference::{check_told, check_words, figures};
use super::workload::{Workload, told_hash};

/// The amount that every request adds. The check relies on its being 1.
pub(super) const AMOUNT: u64 = 1;

/// The node that gathers the threads' sums of hashes.
pub(super) const COLLECTOR: NodeId = NodeId(0);

/// The work of making a request, beside the load of the word's number: compute its node and its place; count, bound and branch
/// of the loop; the bound of the window.
pub(super) const ISSUE: Operations = Operations::NONE.integers(6);

/// The name of a thread's list of words.
pub(super) const LIST: &str = "fetch_add.words";

/// The work of the fetch&add proper: load the word, add, store the word, as in figure 2 of the study. A lock would
/// double loads and stores.
const FETCH_ADD: Operations = Operations::NONE.loads(1).stores(1).integers(1);

/// The work of one extra step of a handler: a multiplication and an addition, each of which needs the result before.
pub(super) const STEP: Operations = Operations::NONE.integers(2);

/// The work of taking a reply: a load, an addition and a store. The hash belongs to the check and is not charged.
const TAKE: Operations = Operations::NONE.loads(1).stores(1).integers(1);

/// The state of fetch-add by messages on one node.
pub(super) struct FetchAdd {
    workload: Arc<Workload>,
    node: NodeId,
    words: Keyed<Word>,
    /// The number of replies that each thread has had, indexed by thread.
    replied: Box<[Event]>,
    /// The sum of the hashes of each thread's replies, indexed by thread.
    told: Cells<u64>,
    /// The sum of all threads' hashes; used on the collector only.
    collected: Cells<u64>,
}

/// A word, and the result of the extra steps of its handlers.
struct Word {
    value: u64,
    residue: u64,
}

/// Does the extra steps of a handler: a linear congruential generator (D. E. Knuth's MMIX), whose steps cannot run in
/// parallel.
pub(super) fn residue(from: u64, steps: u32) -> u64 {
    let step = |x: u64| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (0..steps).fold(from, |x, _| step(x))
}

impl Protocol for FetchAdd {
    type Config = Arc<Workload>;

    fn install(workload: &Arc<Workload>, setup: &mut Setup<'_>) -> Self {
        let threads = setup.shape().threads as usize;
        let words = workload.counts_on(setup.node()).count();
        Self {
            workload: Arc::clone(workload),
            node: setup.node(),
            words: setup.keyed(words, |_| Word { value: 0, residue: 0 }),
            replied: (0..threads).map(|_| Event::new("fetch_add.replied")).collect(),
            told: Cells::new(threads, 0),
            collected: Cells::new(1, 0),
        }
    }
}

#[handlers]
impl FetchAdd {
    /// Adds `amount` to a word of the receiver. `place` names the word among the receiver's words.
    #[message(key = place)]
    fn request(&self, place: u32, thread: u32, amount: u64, cx: &mut Handler<'_>) {
        let steps = self.workload.parameters.steps;
        cx.charge(FETCH_ADD.and(STEP.times(steps)));
        let source = cx.source();
        cx.with(&self.words, |word, cx| {
            let old = word.value;
            word.value = old.wrapping_add(amount);
            word.residue = residue(word.residue ^ old, steps);
            cx.send(source, Self::reply(place, thread, old));
        });
    }

    /// Tells a thread the previous value of a word. The thread's sum and count are atomic, so replies need no
    /// exclusion.
    #[message]
    fn reply(&self, place: u32, thread: u32, old: u64, cx: &mut Handler<'_>) {
        cx.charge(TAKE);
        let word = place * cx.nodes() + cx.source().0;
        self.told.add(cx, thread as usize, told_hash(word, old));
        cx.signal(&self.replied[thread as usize], 1);
    }

    /// Brings a thread's sum of hashes to the collector.
    #[message]
    fn told(&self, sum: u64, cx: &mut Handler<'_>) {
        self.collected.add(cx, 0, sum);
    }

    /// Makes all requests of a thread, and returns when the thread has all replies.
    fn make_requests(&self, thread: &Thread<'_>, words: &Private<u32>) {
        let replied = &self.replied[thread.index() as usize];
        let window = u64::from(self.workload.parameters.window);
        for (sent, index) in (1..).zip(0..words.len()) {
            thread.charge(ISSUE);
            let word = words.get(thread, index);
            let (home, place) = (NodeId(word % thread.nodes()), word / thread.nodes());
            thread.send(home, Self::request(place, thread.index(), AMOUNT));
            thread.wait(replied, (sent + 1_u64).saturating_sub(window));
            thread.poll();
        }
        thread.wait(replied, words.len() as u64);
    }

    /// Sends the thread's sum of hashes to the collector, after all additions.
    fn hand_in(&self, thread: &Thread<'_>) {
        let sum = self.told.get(thread, thread.index() as usize);
        thread.send(COLLECTOR, Self::told(sum));
    }

    fn main(&self, thread: &Thread<'_>) {
        let words = thread.private_of(LIST, self.workload.words_of(thread.id()).collect());
        thread.phase("add");
        self.make_requests(thread, &words);
        thread.phase("check");
        self.hand_in(thread);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let totals: Vec<u64> = end.entries(&self.words).map(|(_, word)| word.value).collect();
        let mut report = Report::default();
        if self.node == COLLECTOR {
            report = check_told(&self.workload, self.collected.get(end, 0));
        }
        check_words(&self.workload, self.node, &totals, &mut report);
        figures(&self.workload, self.node, &totals, report)
    }
}
