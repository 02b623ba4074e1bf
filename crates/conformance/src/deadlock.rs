//! Threads that wait in vain are reported exactly: the thread, and the reason of its wait.

use tempest::outcome::{Blocked, Failure};
use tempest::{Event, FinalState, Handler, NodeId, Protocol, Report, Segment, Setup, Thread, handlers};

use crate::Setting;

/// Name of the event that never comes, and of the segment whose deposits never come: it is made at run time.
fn name(nodes: u32) -> String {
    format!("conformance.never of {nodes}")
}

/// Count that the event reaches before everything stops.
const REACHED: u64 = 1;

/// Count that the threads wait for.
const WANTED: u64 = 37;

const THREADS: u32 = 2;

/// A thread waits in vain while all others have returned.
pub fn deadlock_names_who_waits(setting: &Setting<'_>) {
    let promise = "deadlock_names_who_waits";
    let blocked = deadlock(setting, promise, Stuck::LastNode);
    let last = NodeId(setting.nodes - 1);
    let who: Vec<_> = blocked.iter().map(|one| (one.thread.node, one.thread.index)).collect();
    setting.demand(promise, who == [(last, 0)], || format!("{who:?} wait: expected only thread 0 of {last}"));
}

/// All threads of all nodes wait in vain.
pub fn deadlock_of_all(setting: &Setting<'_>) {
    let promise = "deadlock_of_all";
    let mut who: Vec<_> = deadlock(setting, promise, Stuck::Everyone).iter().map(|one| one.thread).collect();
    who.sort();
    let threads = setting.threads_per_node(THREADS);
    let all = (0..setting.nodes).flat_map(|node| (0..threads).map(move |index| (NodeId(node), index)));
    let right = who.iter().map(|thread| (thread.node, thread.index)).eq(all);
    setting.demand(promise, right, || {
        format!("{} threads wait: expected all {threads} of each node, once each", who.len())
    });
}

/// A thread waits for deposits that no thread makes.
pub fn deadlock_of_deposits(setting: &Setting<'_>) {
    let promise = "deadlock_of_deposits";
    let blocked = deadlock(setting, promise, Stuck::Deposits);
    setting.demand(promise, blocked.len() == 1, || format!("{} threads wait: expected one", blocked.len()));
}

/// Runs into a deadlock, checks the reasons of the waits, and returns the blocked threads.
fn deadlock(setting: &Setting<'_>, promise: &str, stuck: Stuck) -> Vec<Blocked> {
    let (at, blocked) = match setting.run::<Vain>(stuck, THREADS) {
        Err(Failure::Deadlock { at, blocked }) => (at, blocked),
        other => panic!("`{promise}` is broken ({setting}): expected a deadlock, got {other:?}"),
    };
    for one in &blocked {
        let says = [format!("`{}`", name(setting.nodes)), REACHED.to_string(), WANTED.to_string()];
        let all_said = says.iter().all(|what| one.waits_for.contains(what));
        setting.demand(promise, all_said, || format!("`{one}`: expected to be told {}", says.join(", ")));
        setting.demand(promise, one.since <= at, || format!("`{one}`: expected a time before {at}"));
    }
    blocked
}

/// The threads that wait in vain.
#[derive(Clone, Copy)]
enum Stuck {
    LastNode,
    Everyone,
    /// The thread of `LastNode` waits for deposits in place of an event.
    Deposits,
}

struct Vain {
    stuck: Stuck,
    never: Event,
    reached: Event,
    memory: Segment<u64>,
}

impl Protocol for Vain {
    type Config = Stuck;

    fn install(&stuck: &Stuck, setup: &mut Setup<'_>) -> Self {
        Self {
            stuck,
            never: Event::new(name(setup.shape().nodes)),
            reached: Event::new("conformance.reached"),
            memory: setup.segment(name(setup.shape().nodes), REACHED as usize, 0),
        }
    }
}

#[handlers]
impl Vain {
    /// Signals the event up to the count that it reaches.
    #[message]
    fn tease(&self, amount: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.never, amount);
        cx.signal(&self.reached, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() == 0 {
            let right = NodeId((thread.node().0 + 1) % thread.nodes());
            thread.deposit(right, self.memory.place(0), &[0; REACHED as usize]);
            thread.send(right, Self::tease(REACHED));
        }
        // Waits so that the count has its final value before it is waited for.
        thread.wait(&self.reached, 1);
        let last = thread.node().0 + 1 == thread.nodes() && thread.index() == 0;
        match self.stuck {
            Stuck::Deposits if last => thread.wait(self.memory.deposited(), WANTED),
            Stuck::LastNode if last => thread.wait(&self.never, WANTED),
            Stuck::Everyone => thread.wait(&self.never, WANTED),
            Stuck::LastNode | Stuck::Deposits => {}
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(false, || "threads waited in vain and yet all returned".to_owned())
    }
}
