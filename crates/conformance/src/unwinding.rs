//! Actions of a program while a panic unwinds it, and its caught panics, hide no failure and keep no run from ending.
//!
//! A handler may run on the stack of a thread, and the panic of a handler or a hold then passes through the frames of
//! the thread around its call. A run that is over unwinds the threads that wait, and their destructors use the world
//! once more. The promises state the results. This module must never know on which stack a handler runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tempest::memory::Fault;
use tempest::outcome::Failure;
use tempest::{
    Array, Event, FinalState, Handler, Homes, Key, Keyed, Layout, Memory, NodeId, Operations, Protocol,
    Report, Setup, Thread, handlers,
};

use crate::Setting;

/// Message of a deliberate panic.
const DELIBERATE: &str = "a panic on purpose";

/// More messages than any way between two nodes has room for.
const MANY: u64 = 5000;

/// More messages than a short way has room for.
const SOME: u64 = 100;

/// A handler's panic ends the run with its words, also when a thread catches the panics of each of its calls.
pub fn a_handlers_panic_ends_the_run_whoever_catches_it(setting: &Setting<'_>) {
    let promise = "a_handlers_panic_ends_the_run_whoever_catches_it";
    for act in [Act::Poll, Act::Spin, Act::Wait, Act::Hold, Act::Send] {
        setting.fails::<Unwound>(promise, Action::CatchAll(act), 2, DELIBERATE);
    }
}

/// A panic in the body of a hold ends the run with its words, also when the thread catches it and goes on.
pub fn a_panic_in_a_hold_ends_the_run_whoever_catches_it(setting: &Setting<'_>) {
    let promise = "a_panic_in_a_hold_ends_the_run_whoever_catches_it";
    setting.fails::<Unwound>(promise, Action::CatchHold, 2, DELIBERATE);
}

/// A destructor may use the world in every way while its thread is unwound, because a handler, a thread or a hold has panicked:
/// the run fails with the words of that panic.
pub fn destructors_may_act_when_a_run_fails(setting: &Setting<'_>) {
    let promise = "destructors_may_act_when_a_run_fails";
    for &act in ACTS {
        fails_with_guards(setting, promise, act);
    }
    for &act in ACTS.iter().filter(|&&act| act != Act::Hold) {
        setting.fails::<Unwound>(promise, Action::GuardInHold(act), 2, DELIBERATE);
    }
}

/// A destructor may use the world in every way while its thread is unwound, because the run has ended in a deadlock: the
/// threads that waited are reported.
pub fn destructors_may_act_at_a_deadlock(setting: &Setting<'_>) {
    let promise = "destructors_may_act_at_a_deadlock";
    ACTS.iter().for_each(|&act| is_a_deadlock(setting, promise, Action::Guard(act, End::Deadlock)));
}

/// A destructor may access shared memory while its thread is unwound, also words that its node has no right to.
pub fn rights_may_be_missing_when_a_run_is_unwound(setting: &Setting<'_>) {
    let promise = "rights_may_be_missing_when_a_run_is_unwound";
    fails_with_guards(setting, promise, Act::Access);
    is_a_deadlock(setting, promise, Action::Guard(Act::Access, End::Deadlock));
}

fn fails_with_guards(setting: &Setting<'_>, promise: &str, act: Act) {
    for end in [End::Handler, End::Thread, End::Hold] {
        setting.fails::<Unwound>(promise, Action::Guard(act, end), 2, DELIBERATE);
    }
}

/// Insists that all threads wait in the end.
fn is_a_deadlock(setting: &Setting<'_>, promise: &str, deed: Action) {
    let threads = (setting.nodes * setting.threads_per_node(2)) as usize;
    let ended = setting.run::<Unwound>(deed, 2);
    let is_exact = matches!(&ended, Err(Failure::Deadlock { blocked, .. }) if blocked.len() == threads);
    setting.demand(promise, is_exact, || {
        format!("{deed:?}: expected a deadlock of {threads} threads, got {ended:?}")
    });
}

/// A run that is over returns, also when its threads catch their own unwinding again and again.
pub fn runs_end_whatever_their_threads_catch(setting: &Setting<'_>) {
    let promise = "runs_end_whatever_their_threads_catch";
    setting.fails::<Unwound>(promise, Action::CatchEnd(End::Handler), 2, DELIBERATE);
    is_a_deadlock(setting, promise, Action::CatchEnd(End::Deadlock));
}

/// A thread may catch its own panic and go on. Sends and signals of its destructors during the panic have happened.
pub fn a_thread_may_catch_its_own_panic(setting: &Setting<'_>) {
    setting.verified::<Unwound>("a_thread_may_catch_its_own_panic", Action::Survive, 2);
}

/// A destructor that would give the processor away while its thread panics ends the run, also when the thread catches the panic.
pub fn unwinding_gives_nothing_away(setting: &Setting<'_>) {
    for (what, act) in
        [("spin", Act::Spin), ("wait", Act::Wait), ("block", Act::Block), ("phase", Act::Phase)]
    {
        let says = format!(
            "a {what} while a panic unwinds it: a destructor must not give the processor away then; `std::thread::panicking` \
             tells it"
        );
        setting.fails::<Unwound>("unwinding_gives_nothing_away", Action::CatchOwn(act), 2, &says);
    }
}

/// A request of a destructor or a loop to the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Poll,
    Spin,
    Wait,
    Block,
    Phase,
    Hold,
    Send,
    SendMany,
    /// Some sends, each tried until it goes.
    TryMany,
    Signal,
    Charge,
    /// Loads and stores a word of shared memory.
    Access,
}

/// All but [`Act::Access`], which a world need not have.
const ACTS: &[Act] = &[
    Act::Poll,
    Act::Spin,
    Act::Wait,
    Act::Block,
    Act::Phase,
    Act::Hold,
    Act::Send,
    Act::SendMany,
    Act::TryMany,
    Act::Signal,
    Act::Charge,
];

/// The event that ends the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// A handler of node 0 panics.
    Handler,
    /// A thread panics.
    Thread,
    /// A thread panics in a hold.
    Hold,
    /// All threads wait.
    Deadlock,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    /// Every thread acts for ever and catches everything. A handler panics.
    CatchAll(Act),
    /// A thread catches a panic of its hold.
    CatchHold,
    /// Every thread has a guard that acts when it is dropped.
    Guard(Act, End),
    /// A thread panics in a hold in which it has a guard.
    GuardInHold(Act),
    /// Every thread waits for ever, and catches everything.
    CatchEnd(End),
    /// Every thread panics with guards that act, catches the panic, and goes on.
    Survive,
    /// A thread panics with a guard, and catches the panic.
    CatchOwn(Act),
}

struct Unwound {
    deed: Action,
    /// The threads of the node.
    threads: u32,
    table: Keyed<u64>,
    /// A word of node 0 that no protocol brings, where words of shared memory are accessed.
    memory: Option<(Arc<Memory>, Array<u64>)>,
    never: Event,
    told: Event,
}

impl From<Fault> for Note {
    fn from(_: Fault) -> Self {
        Unwound::note()
    }
}

impl Protocol for Unwound {
    type Config = Action;

    fn install(&deed: &Action, setup: &mut Setup<'_>) -> Self {
        let memory = matches!(deed, Action::Guard(Act::Access, _)).then(|| {
            let mut layout = Layout::new(setup.shape().nodes, 64).expect("blocks of 64 bytes are permitted");
            let array = layout.array::<u64>("conformance.word", 1, Homes::At(NodeId(0)));
            (setup.memory::<Note>(&layout, true), array.expect("it is small"))
        });
        Self {
            deed,
            threads: setup.shape().threads,
            table: setup.keyed(1, |_| 0),
            memory,
            never: Event::new("conformance.never"),
            told: Event::new("conformance.told"),
        }
    }
}

/// Acts when it is dropped.
struct Guard<'a, 'b> {
    program: &'a Unwound,
    thread: &'a Thread<'b>,
    act: Act,
}

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        self.program.act(self.thread, self.act);
    }
}

/// The node behind the thread's own.
fn next(thread: &Thread<'_>) -> NodeId {
    NodeId((thread.node().0 + 1) % thread.nodes())
}

/// Whether the thread is the culprit: the first thread of the last node.
fn is_culprit(thread: &Thread<'_>) -> bool {
    thread.node().0 + 1 == thread.nodes() && thread.index() == 0
}

/// Calls something for ever and catches all that comes out of it.
fn catch_for_ever(mut call: impl FnMut()) -> ! {
    loop {
        let _ = catch_unwind(AssertUnwindSafe(&mut call));
    }
}

impl Unwound {
    fn guard<'a, 'b>(&'a self, thread: &'a Thread<'b>, act: Act) -> Guard<'a, 'b> {
        Guard { program: self, thread, act }
    }

    fn act(&self, thread: &Thread<'_>, act: Act) {
        let to = next(thread);
        match act {
            Act::Poll => thread.poll(),
            Act::Spin => thread.spin(),
            Act::Wait => thread.wait(&self.never, 1),
            Act::Block => {
                let _waiter = thread.waiter();
                thread.block("what never comes");
            }
            Act::Phase => thread.phase("never"),
            Act::Hold => thread.hold(Key::User(0), |cx| cx.with(&self.table, |entry, _| *entry += 1)),
            Act::Send => thread.send(to, Self::note()),
            Act::SendMany => (0..MANY).for_each(|_| thread.send(to, Self::note())),
            Act::TryMany => (0..SOME).for_each(|_| {
                while thread.try_send(to, Self::note()).is_err() {
                    thread.poll();
                }
            }),
            Act::Signal => thread.signal(&self.told, 1),
            Act::Charge => thread.charge(Operations::NONE.integers(1000)),
            Act::Access => {
                let (memory, array) = self.memory.as_ref().expect("there is a word");
                let word = memory.bind(*array);
                let value = thread.read(&word, 0);
                thread.write(&word, 0, value + 1);
            }
        }
    }

    /// Makes the run end in the given way.
    fn end(&self, thread: &Thread<'_>, end: End) {
        if is_culprit(thread) {
            match end {
                End::Handler => thread.send(NodeId(0), Self::boom()),
                End::Thread => panic!("{DELIBERATE}"),
                End::Hold => thread.hold(Key::User(0), |_| panic!("{DELIBERATE}")),
                End::Deadlock => {}
            }
        }
        thread.wait(&self.never, 1);
    }

    /// Panics with guards that act, catches it, and goes on.
    fn survive(&self, thread: &Thread<'_>) {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _guards = [Act::Send, Act::Signal, Act::Charge].map(|act| self.guard(thread, act));
            panic!("{DELIBERATE}");
        }));
        assert!(caught.is_err(), "a panic is caught");
        // A message and a signal of each thread.
        thread.wait(&self.told, 2 * u64::from(thread.threads()));
        thread.poll();
    }
}

#[handlers]
impl Unwound {
    /// Handler that panics.
    #[message(key = Key::User(0))]
    fn boom(&self, _: &mut Handler<'_>) {
        panic!("{DELIBERATE}");
    }

    /// Tells the node of a message.
    #[message]
    fn note(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.told, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        match self.deed {
            Action::CatchAll(act) => {
                if is_culprit(thread) {
                    thread.send(thread.node(), Self::boom());
                }
                catch_for_ever(|| {
                    thread.spin();
                    self.act(thread, act);
                });
            }
            Action::CatchHold => {
                if is_culprit(thread) {
                    let hold = || thread.hold(Key::User(0), |_| panic!("{DELIBERATE}"));
                    let _ = catch_unwind(AssertUnwindSafe(hold));
                    thread.send(thread.node(), Self::note());
                }
                thread.wait(&self.told, 1);
            }
            Action::Guard(act, end) => {
                let _guard = self.guard(thread, act);
                self.end(thread, end);
            }
            Action::GuardInHold(act) => {
                if is_culprit(thread) {
                    thread.hold(Key::User(0), |_| {
                        let _guard = self.guard(thread, act);
                        panic!("{DELIBERATE}");
                    });
                }
                thread.wait(&self.never, 1);
            }
            Action::CatchEnd(end) => catch_for_ever(|| self.end(thread, end)),
            Action::Survive => self.survive(thread),
            Action::CatchOwn(act) => {
                if is_culprit(thread) {
                    let _ = catch_unwind(AssertUnwindSafe(|| {
                        let _guard = self.guard(thread, act);
                        panic!("{DELIBERATE}");
                    }));
                }
                thread.wait(&self.never, 1);
            }
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        // Each thread of the node before has sent one.
        let (told, threads) = (self.told.count(end), u64::from(self.threads));
        Report::checked(told == 2 * threads, || {
            format!("told {told} times, by {threads} threads and as many messages")
        })
    }
}
