//! The program by messages: requests, replies, and what each node contributes to the check.
//!
//! It must never know which world runs it, nor how words were chosen.

use std::sync::Arc;

use tempest::{
    Cells, Event, Handler, Keyed, NodeId, Operations, Protocol, Quiet, Report, Setup, Thread, handlers,
};

use super::reference::{check_told, check_words, figures, told_hash};
use super::workload::Workload;

/// What every request adds. It must be 1: see the check.
pub(super) const AMOUNT: u64 = 1;

/// Where the threads' sums of hashes are handed in.
pub(super) const COLLECTOR: NodeId = NodeId(0);

/// Making a request: load the word's number; its node and place (2), the loop's count, bound and branch, and
/// the window's bound.
pub(super) const ISSUE: Operations = Operations::NONE.loads(1).integers(6);

/// The fetch&add proper: load and store of the word (figure 2 of the study; a lock would double both), and the
/// addition.
const FETCH_ADD: Operations = Operations::NONE.loads(1).stores(1).integers(1);

/// One extra step of a handler: a multiplication and an addition, each waiting for the one before.
pub(super) const STEP: Operations = Operations::NONE.integers(2);

/// Taking a reply: a load, an addition and a store. The hash is the check's, not the program's.
const TAKE: Operations = Operations::NONE.loads(1).stores(1).integers(1);

/// One node's share.
pub(super) struct FetchAdd {
    workload: Arc<Workload>,
    node: NodeId,
    words: Keyed<Word>,
    /// Per thread: the replies it has had.
    replied: Box<[Event]>,
    /// Per thread: the sum of the hashes of what it was told.
    told: Cells<u64>,
    /// On the collector: the sum of what all threads were told.
    collected: Cells<u64>,
}

/// A word, and what the extra steps of its handlers have come to.
struct Word {
    value: u64,
    residue: u64,
}

/// The extra steps: a linear congruential generator (D. E. Knuth's MMIX), of which each step needs the last.
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
    /// Adds to a word of the receiver; `place` is that of the word among the receiver's words.
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

    /// Tells a thread what a word held before. Sum and count of the thread are atomic, so that replies need no exclusion.
    #[message]
    fn reply(&self, place: u32, thread: u32, old: u64, cx: &mut Handler<'_>) {
        cx.charge(TAKE);
        let word = place * cx.nodes() + cx.source().0;
        self.told.add(thread as usize, told_hash(word, old));
        cx.signal(&self.replied[thread as usize], 1);
    }

    /// Brings a thread's sum of hashes to the collector.
    #[message]
    fn told(&self, sum: u64, _cx: &mut Handler<'_>) {
        self.collected.add(0, sum);
    }

    /// Makes a thread's requests, and returns when it has all replies.
    fn make_requests(&self, thread: &Thread<'_>, words: &[u32]) {
        let replied = &self.replied[thread.index() as usize];
        let window = u64::from(self.workload.parameters.window);
        for (sent, &word) in (1..).zip(words) {
            thread.charge(ISSUE);
            let (home, place) = (NodeId(word % thread.nodes()), word / thread.nodes());
            thread.send(home, Self::request(place, thread.index(), AMOUNT));
            thread.wait(replied, (sent + 1_u64).saturating_sub(window));
            thread.poll();
        }
        thread.wait(replied, words.len() as u64);
    }

    /// Hands in the sum of what the thread was told, when nothing is added any more.
    fn hand_in(&self, thread: &Thread<'_>) {
        let sum = self.told.get(thread.index() as usize);
        thread.send(COLLECTOR, Self::told(sum));
    }

    fn main(&self, thread: &Thread<'_>) {
        let words: Vec<u32> = self.workload.words_of(thread.id()).collect();
        thread.phase("add");
        self.make_requests(thread, &words);
        thread.phase("check");
        self.hand_in(thread);
    }

    fn report(&self, end: &mut Quiet<'_>) -> Report {
        let totals: Vec<u64> = end.entries(&self.words).map(|(_, word)| word.value).collect();
        let mut report = Report::default();
        if self.node == COLLECTOR {
            report = check_told(&self.workload, self.collected.get(0));
        }
        check_words(&self.workload, self.node, &totals, &mut report);
        figures(&self.workload, self.node, &totals, report)
    }
}
