//! All threads of all nodes agree on timed regions, and a world repeats every run that it can repeat.

use tempest::outcome::Outcome;
use tempest::{Cells, Event, FinalState, Handler, NodeId, Protocol, Report, Setup, Shape, Thread, handlers};

use crate::Setting;

const NAMES: [&str; 3] = ["first", "second", "third"];

const THREADS: u32 = 2;

/// No thread of any node enters a region before all have come, and the record has every region once, in order,
/// with its share of the time and of the messages.
pub fn phases_agree(setting: &Setting<'_>) {
    let promise = "phases_agree";
    let outcome = setting.verified::<Phases>(promise, (), THREADS);
    let names: Vec<_> = outcome.phases.iter().map(|phase| phase.name).collect();
    setting.demand(promise, names == NAMES, || format!("the regions {names:?}: expected {NAMES:?}"));
    let (time, all) = (outcome.timed(), outcome.time);
    setting.demand(promise, time <= all, || format!("regions of {time} in a run of {all}"));
    // Nothing is sent before the first region, so that the regions have all messages between them.
    let messages: u64 = outcome.phases.iter().map(|phase| phase.counters.messages).sum();
    let expected = outcome.counters.messages;
    setting.demand(promise, messages == expected, || {
        format!("{messages} messages in the regions: expected {expected}, which is all of them")
    });
}

/// A world that gives a digest of its events gives the same outcome again.
pub fn runs_repeat(setting: &Setting<'_>) {
    let promise = "runs_repeat";
    let run = || -> Outcome { setting.verified::<Phases>(promise, (), THREADS) };
    let once = run();
    if once.digest.is_some() {
        let again = run();
        setting.demand(promise, once == again, || format!("first {once:?}, then {again:?}"));
    }
}

struct Phases {
    shape: Shape,
    /// By region: the threads of this node that were about to enter it.
    came: Cells<u64>,
    answers: Box<[Event]>,
}

impl Protocol for Phases {
    type Config = ();

    fn install(_: &(), setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let answers = (0..shape.threads).map(|_| Event::new("conformance.answers")).collect();
        Self { shape, came: Cells::new(NAMES.len(), 0), answers }
    }
}

#[handlers]
impl Phases {
    /// Asks whether all threads of the receiving node have come to a region that the sender is in.
    #[message]
    fn ask(&self, region: u32, thread: u32, cx: &mut Handler<'_>) {
        let (came, threads) = (self.came.get(cx, region as usize), u64::from(self.shape.threads));
        let name = NAMES[region as usize];
        assert_eq!(came, threads, "threads of {} at `{name}` when {} was in it", cx.node(), cx.source());
        let source = cx.source();
        cx.send(source, Self::answer(thread.into()));
    }

    #[message(key = thread)]
    fn answer(&self, thread: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.answers[thread as usize], 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        for (region, name) in (0..).zip(NAMES) {
            self.came.add(thread, region as usize, 1);
            thread.phase(name);
            for node in 0..thread.nodes() {
                thread.send(NodeId(node), Self::ask(region, thread.index()));
            }
            // The first thread leaves its answers to the next region, and at last to the end of the run.
            if thread.index() > 0 {
                let answers = u64::from((region + 1) * thread.nodes());
                thread.wait(&self.answers[thread.index() as usize], answers);
            }
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let threads = u64::from(self.shape.threads);
        let asked = u64::from(self.shape.nodes) * NAMES.len() as u64;
        let right = |region| self.came.get(end, region) == threads;
        let answered = self.answers.iter().all(|answers| answers.count(end) == asked);
        Report::checked((0..NAMES.len()).all(right) && answered, || {
            format!("not all threads came to all regions and got all {asked} answers")
        })
    }
}
