//! A program that breaks the rules fails with its own words, and takes nothing with it but its run.
//!
//! While one thread or handler of the last node breaks a rule, every other thread waits for an event that never comes:
//! a world must not take that for the failure.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use tempest::memory::Fault;
use tempest::{
    Block, Event, FinalState, Handler, Homes, Key, Keyed, Layout, MAX_WORDS, Memory, Message, NodeId,
    Protocol, Report, Rights, Segment, Setup, Tag, Thread, handlers,
};

use crate::Setting;

/// Message of a deliberate panic.
const DELIBERATE: &str = "a deliberate panic";

/// A panic in a thread is the program's failure.
pub fn panic_of_a_thread_is_the_programs(setting: &Setting<'_>) {
    fails(setting, "panic_of_a_thread_is_the_programs", Breach::Panic, DELIBERATE);
}

/// A panic in a handler is the program's failure.
pub fn panic_of_a_handler_is_the_programs(setting: &Setting<'_>) {
    fails(setting, "panic_of_a_handler_is_the_programs", Breach::PanicInHandler, DELIBERATE);
}

/// A panic in the body of a hold is the program's failure.
pub fn panic_in_a_hold_is_the_programs(setting: &Setting<'_>) {
    fails(setting, "panic_in_a_hold_is_the_programs", Breach::PanicInHold, DELIBERATE);
}

/// A panic in the installation on a node, or in a report, is the program's failure, and says where it was.
pub fn panic_outside_of_a_run_is_the_programs(setting: &Setting<'_>) {
    let promise = "panic_outside_of_a_run_is_the_programs";
    let says = |doing| format!("panicked while {doing}: {DELIBERATE}");
    fails(setting, promise, Breach::PanicInInstall, &says("settling on its nodes"));
    fails(setting, promise, Breach::PanicInReport, &says("reporting"));
}

/// A message that is too long is refused, and says how long one may be.
pub fn messages_have_a_greatest_length(setting: &Setting<'_>) {
    let order = std::any::type_name::<Order>();
    let says = format!(
        "{order} with a payload of {MAX_WORDS} words is {} words long: at most {MAX_WORDS} travel in a message",
        MAX_WORDS + 1
    );
    fails(setting, "messages_have_a_greatest_length", Breach::TooLong, &says);
    fails(setting, "messages_have_a_greatest_length", Breach::TooLongFromHandler, &says);
}

/// A message that was not registered is refused.
pub fn messages_must_be_registered(setting: &Setting<'_>) {
    let forgotten = std::any::type_name::<Forgotten>();
    let says = format!("{forgotten} was never registered: add it in its protocol's `Handlers::register`");
    fails(setting, "messages_must_be_registered", Breach::Unregistered, &says);
}

/// A message to a node that does not exist is refused, and says how many there are.
pub fn messages_need_a_destination(setting: &Setting<'_>) {
    let says = format!("a message to node {0}: there are {0} nodes", setting.nodes);
    fails(setting, "messages_need_a_destination", Breach::NoSuchNode, &says);
}

/// Deposited words for a place that does not exist are refused, and nothing is written.
pub fn deposits_need_a_place(setting: &Setting<'_>) {
    let promise = "deposits_need_a_place";
    let (last, long) = (setting.nodes - 1, MAX_WORDS + 1);
    let beyond =
        format!("1 words from node {last} at offset {PLACES} of segment 0 of node 0, which has {PLACES}");
    fails(setting, promise, Breach::DepositBeyond, &beyond);
    let long = format!(
        "a deposit of {long} words to node {last}: at most {MAX_WORDS}, to one of {} nodes",
        setting.nodes
    );
    fails(setting, promise, Breach::LongDeposit, &long);
}

/// Words of a transfer for a place that does not exist are refused, and nothing is written.
pub fn transfers_need_a_place(setting: &Setting<'_>) {
    let promise = "transfers_need_a_place";
    let last = setting.nodes - 1;
    let beyond = format!("2 words from node {last} at offset 7 of segment 0 of node 0, which has {PLACES}");
    fails(setting, promise, Breach::TransferBeyond, &beyond);
    let elsewhere = "a transfer of 2 words into 2 pieces of 3 words in all: expected as many words there";
    fails(setting, promise, Breach::TransferElsewhere, elsewhere);
    let nothing = format!("1 words at offset {PLACES} of segment 0 of node {last}, which has {PLACES}");
    fails(setting, promise, Breach::TransferNothing, &nothing);
}

/// Words that are deposited in a segment which others may not write are refused, and nothing is written.
pub fn deposits_need_the_right(setting: &Setting<'_>) {
    closed_to(setting, "deposits_need_the_right", Breach::DepositClosed, 1);
}

/// A transfer into a segment which others may not write is refused, and nothing is written.
pub fn transfers_need_the_right(setting: &Setting<'_>) {
    closed_to(setting, "transfers_need_the_right", Breach::TransferClosed, 2);
}

fn closed_to(setting: &Setting<'_>, promise: &str, breach: Breach, words: usize) {
    if setting.nodes > 1 {
        let (last, place) =
            (setting.nodes - 1, "offset 0 of segment 1 of node 0, which no other node may write");
        fails(setting, promise, breach, &format!("{words} words from node {last} at {place}"));
    }
}

/// Number of words of a segment here.
const PLACES: usize = 8;

/// A handler without a key reaches no keyed state.
pub fn keyed_state_needs_its_key(setting: &Setting<'_>) {
    let says = "a message without a key reaches no entry of a `Keyed` table: expected `#[message(key = …)]`";
    fails(setting, "keyed_state_needs_its_key", Breach::NoKey, says);
}

/// A hold that gives the processor away is refused: it could wait for an event that needs its own key.
pub fn holds_give_nothing_away(setting: &Setting<'_>) {
    for (what, breach) in [("hold", Breach::HoldInHold), ("phase", Breach::WaitInHold)] {
        let says = format!(
            "a {what} inside a hold on node {} thread 0: neither a hold nor a run of shared memory may give the processor away",
            setting.nodes - 1
        );
        fails(setting, "holds_give_nothing_away", breach, &says);
    }
}

/// A hold that takes a right to shared memory away is refused: its key would have to stay held when it has ended.
pub fn rights_are_taken_away_by_handlers(setting: &Setting<'_>) {
    let says = "a right is taken away inside a hold: handlers alone may";
    fails(setting, "rights_are_taken_away_by_handlers", Breach::LowerInHold, says);
}

fn fails(setting: &Setting<'_>, promise: &str, breach: Breach, says: &str) {
    setting.fails::<Lawless>(promise, breach, 2, says);
}

/// The rule violations.
#[derive(Clone, Copy, Debug)]
enum Breach {
    Panic,
    PanicInHandler,
    HoldInHold,
    WaitInHold,
    LowerInHold,
    PanicInHold,
    PanicInInstall,
    PanicInReport,
    TooLong,
    TooLongFromHandler,
    Unregistered,
    NoSuchNode,
    NoKey,
    DepositBeyond,
    TransferBeyond,
    TransferElsewhere,
    TransferNothing,
    LongDeposit,
    DepositClosed,
    TransferClosed,
}

struct Lawless {
    breach: Breach,
    table: Keyed<u64>,
    segment: Segment<u64>,
    /// A segment that other nodes may only read.
    closed: Segment<u64>,
    /// A page, where the breach is one of shared memory.
    memory: Option<Arc<Memory>>,
    never: Event,
}

/// A message that `install` forgets.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Forgotten {
    number: u64,
}

impl From<Fault> for Order {
    fn from(_: Fault) -> Self {
        Self { number: 0 }
    }
}

impl Message for Forgotten {
    type Protocol = Lawless;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, _: &Lawless, _payload: &[u64], _cx: &mut Handler<'_>) {}
}

impl Protocol for Lawless {
    type Config = Breach;

    fn install(&breach: &Breach, setup: &mut Setup<'_>) -> Self {
        assert!(!matches!(breach, Breach::PanicInInstall), "{DELIBERATE}");
        let memory = matches!(breach, Breach::LowerInHold).then(|| {
            let mut layout = Layout::new(setup.shape().nodes, 64).expect("blocks of 64 bytes are permitted");
            layout.array::<u64>("conformance.page", 1, Homes::At(NodeId(0))).expect("it is small");
            setup.memory::<Order>(&layout, true)
        });
        Self {
            breach,
            table: setup.keyed(1, |_| 0),
            segment: setup.segment("conformance.places", PLACES, 0),
            closed: setup.segment_for(Rights::READ, "conformance.closed", PLACES, 0),
            memory,
            never: Event::new("conformance.never"),
        }
    }
}

impl Lawless {
    fn break_the_rules(&self, thread: &Thread<'_>) {
        let here = thread.node();
        let (last, beyond) = (self.segment.place(PLACES as u32 - 1), self.segment.place(PLACES as u32));
        match self.breach {
            Breach::Panic => panic!("{DELIBERATE}"),
            Breach::HoldInHold => thread.hold(Key::User(0), |_| thread.hold(Key::User(1), |_| ())),
            Breach::WaitInHold => thread.hold(Key::User(0), |_| thread.phase("never")),
            Breach::LowerInHold => {
                let memory = self.memory.as_ref().expect("there is a page");
                let then = Self::order(0);
                thread.hold(Block(0).key(), |cx| cx.lower(memory, Block(0), Tag::Invalid, then));
            }
            Breach::PanicInHold => thread.hold(Key::User(0), |_| panic!("{DELIBERATE}")),
            Breach::TooLong => thread.send_with(here, Self::order(0), &[0; MAX_WORDS]),
            Breach::Unregistered => thread.send(here, Forgotten { number: 0 }),
            Breach::NoSuchNode => thread.send(NodeId(thread.nodes()), Self::order(0)),
            Breach::DepositBeyond => thread.deposit(NodeId(0), beyond, &[1]),
            Breach::TransferBeyond => thread.transfer(NodeId(0), last, &[1, 2], Self::order(0)),
            Breach::TransferElsewhere => {
                let into = [self.segment.piece(0, 1), self.segment.piece(1, 2)];
                thread.transfer(NodeId(0), &into, &[1, 2], Self::order(0));
            }
            Breach::TransferNothing => {
                let from = [self.segment.piece(0, 1), self.segment.piece(PLACES as u32, 1)];
                thread.transfer(NodeId(0), self.segment.place(0), &from, Self::order(0));
            }
            Breach::DepositClosed => thread.deposit(NodeId(0), self.closed.place(0), &[1]),
            Breach::TransferClosed => {
                thread.transfer(NodeId(0), self.closed.place(0), &[1, 2], Self::order(0));
            }
            Breach::LongDeposit => thread.deposit(here, last, &[0; MAX_WORDS + 1]),
            Breach::PanicInInstall | Breach::PanicInReport => {}
            Breach::PanicInHandler | Breach::TooLongFromHandler | Breach::NoKey => {
                thread.send(here, Self::order(0));
            }
        }
    }
}

#[handlers]
impl Lawless {
    /// Has a handler of the receiving node commit the breach.
    #[message]
    fn order(&self, number: u64, cx: &mut Handler<'_>) {
        match self.breach {
            Breach::TooLongFromHandler => {
                let source = cx.source();
                cx.send_with(source, Self::order(number), &[0; MAX_WORDS]);
            }
            Breach::NoKey => cx.with(&self.table, |entry, _| *entry += 1),
            _ => panic!("{DELIBERATE}"),
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.node().0 + 1 == thread.nodes() && thread.index() == 0 {
            self.break_the_rules(thread);
        }
        if !matches!(self.breach, Breach::PanicInReport) {
            thread.wait(&self.never, 1);
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        assert!(!matches!(self.breach, Breach::PanicInReport), "{DELIBERATE}");
        Report::checked(false, || "a program that broke the rules ended well".to_owned())
    }
}
