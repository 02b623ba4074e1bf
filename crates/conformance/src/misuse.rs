//! A program that mixes up its nodes, or names a missing object, is told so in words.
//!
//! Numbers that any program can make up (a waiter's thread, a block, a node) are checked where they are used; values
//! that must be equal on all nodes are compared before anything runs.

use std::sync::Arc;

use tempest::data::{ElementField, ElementLayout};
use tempest::memory::Fault;
use tempest::outcome::{Failure, Refusal, Size};
use tempest::world::Launch;
use tempest::{
    Block, Element, Event, FinalState, Handler, Homes, Job, Key, Layout, Memory, Message, NodeId, Protocol,
    Report, Setup, Tag, Thread, Waiter, handlers,
};

use crate::Setting;

/// A handler that resumes a thread that its node does not have fails, and says how many there are.
pub fn waiters_need_a_thread(setting: &Setting<'_>) {
    let (last, threads) = (setting.nodes - 1, setting.threads_per_node(2));
    let says = format!("a waiter of thread 1000000 on node {last}, which has {threads} threads");
    fails(setting, "waiters_need_a_thread", Misuse::Waiter, &says);
}

/// A handler that changes the right to a block that is not there fails, and says how many there are.
pub fn rights_need_a_block(setting: &Setting<'_>) {
    for (misuse, blocks) in [(Misuse::BlockBeyond, "64..=block 64"), (Misuse::BlocksInReverse, "5..=block 3")]
    {
        let says = format!(
            "rights to block {blocks} of a space of 64 blocks: expected one or more of them, in order"
        );
        fails(setting, "rights_need_a_block", misuse, &says);
    }
}

/// An event that two nodes use fails the second of them, and names both.
pub fn events_have_one_node(setting: &Setting<'_>) {
    if setting.nodes == 1 {
        return;
    }
    // Which two nodes use it first depends on the world.
    let failure = setting.run::<Careless>(config(Misuse::Event), 2);
    let [begins, ends] = ["event `conformance.shared` of node ", ": an event is for one node"];
    let is_told = |what: &str| what.starts_with(begins) && crate::setting::words(what).ends_with(ends);
    let told = matches!(&failure, Err(Failure::Program(what)) if is_told(what));
    setting.demand("events_have_one_node", told, || format!("{failure:?}"));
}

/// An event does not begin to count again.
pub fn events_count_to_the_end(setting: &Setting<'_>) {
    let says =
        format!("event `conformance.never` is at {} and cannot count 1 more: a count has 64 bits", u64::MAX);
    fails(setting, "events_count_to_the_end", Misuse::Count, &says);
}

/// An access beyond a private array fails and says how many elements there are. An array of elements that no machine could lay out
/// fails with every mistake of the layout.
pub fn private_arrays_are_as_declared(setting: &Setting<'_>) {
    for (misuse, says) in [
        (Misuse::Index, "index 4 of private array `conformance.own`, which has 4"),
        (Misuse::View, "elements 2..5 of private array `conformance.own`, which has 4"),
        (
            Misuse::Layout,
            "layout of `torn`: field `second` of 4 bytes at byte 2 straddles lines and blocks: expected a multiple of 4; fields \
             `first` and `second` overlap at byte 2",
        ),
    ] {
        fails(setting, "private_arrays_are_as_declared", misuse, says);
    }
}

/// A program that registers other messages on another node, or the same in another order, or makes other segments there, is
/// refused before anything runs. The refusal names both nodes.
pub fn nodes_install_alike(setting: &Setting<'_>) {
    if setting.nodes == 1 {
        return;
    }
    let last = NodeId(setting.nodes - 1);
    let expected = [
        (Misuse::Order, "message", 1, [Some("One"), Some("Two")]),
        (Misuse::Missing, "message", 2, [Some("Two"), None]),
        (Misuse::Segments, "segment", 1, [None, Some("conformance.more")]),
    ];
    for (misuse, thing, place, names) in expected {
        let failure = setting.run::<Careless>(config(misuse), 1).expect_err("the nodes differ");
        let Failure::Refused(Refusal::Nodes { what, number, first, node }) = &failure else {
            panic!("`nodes_install_alike` is broken ({setting}): refused otherwise: {failure}");
        };
        assert_eq!((*what, *number, first.0, node.0), (thing, place, NodeId(0), last), "{failure}");
        let named =
            [&first.1, &node.1].map(|name| name.as_ref().map(|name| name.rsplit("::").next().unwrap_or("")));
        assert_eq!(named, names, "{failure}");
    }
}

/// A world that is far too large is refused as such: products of its sizes do not wrap around.
pub fn sizes_are_not_wrapped(setting: &Setting<'_>) {
    let most = u32::MAX;
    for (nodes, processors, threads) in
        [(most, most, most), (most, most - 1, 1), (1 << 31, 8, 2), (most, 1 << 16, 1 << 16)]
    {
        let job = Job::new::<Careless>(config(Misuse::Event));
        let launch = Launch { nodes, processors, threads, ..Launch::new(job, setting.policy.clone()) };
        let answer = setting.world.run(&launch);
        let refused = matches!(answer, Err(Failure::Refused(Refusal::Size(Size::TooMany { .. }))));
        setting.demand("sizes_are_not_wrapped", refused, || {
            format!("{nodes} x {processors} x {threads}: {answer:?}")
        });
    }
}

fn config(misuse: Misuse) -> (Misuse, Arc<Event>) {
    (misuse, Arc::new(Event::new("conformance.shared")))
}

fn fails(setting: &Setting<'_>, promise: &str, misuse: Misuse, says: &str) {
    setting.fails::<Careless>(promise, config(misuse), 2, says);
}

/// Kind of misuse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Misuse {
    Waiter,
    BlockBeyond,
    BlocksInReverse,
    Event,
    Count,
    Order,
    Missing,
    Segments,
    Index,
    View,
    Layout,
}

/// Eight bytes, of which both fields claim two.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Torn([u8; 8]);

impl Element for Torn {
    const LAYOUT: ElementLayout = ElementLayout {
        name: "torn",
        bytes: 8,
        fields: &[ElementField::new("first", 0, 4), ElementField::new("second", 2, 4)],
    };
}

struct Careless {
    misuse: Misuse,
    /// An event of all nodes: of one too many.
    shared: Arc<Event>,
    never: Event,
    /// A page of 64 blocks, where the misuse is one of shared memory.
    memory: Option<Arc<Memory>>,
}

/// A message that is registered in `install`, and never sent.
macro_rules! unsent {
    ($($name:ident)*) => {$(
        #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        struct $name {
            number: u64,
        }

        impl Message for $name {
            type Protocol = Careless;

            fn key(&self) -> Key {
                Key::NoSync
            }

            fn handle(self, _: &Careless, _payload: &[u64], _cx: &mut Handler<'_>) {}
        }
    )*};
}

unsent!(One Two);

impl From<Fault> for One {
    fn from(_: Fault) -> Self {
        Self { number: 0 }
    }
}

impl Protocol for Careless {
    type Config = (Misuse, Arc<Event>);

    fn install((misuse, shared): &Self::Config, setup: &mut Setup<'_>) -> Self {
        let is_last = setup.node().0 + 1 == setup.shape().nodes;
        match misuse {
            Misuse::Order if is_last => {
                setup.message::<Two>();
                setup.message::<One>();
            }
            Misuse::Missing if is_last => setup.message::<One>(),
            _ => {
                setup.message::<One>();
                setup.message::<Two>();
            }
        }
        setup.segment("conformance.words", 1, 0_u64);
        if *misuse == Misuse::Segments && is_last {
            setup.segment("conformance.more", 1, 0_u64);
        }
        let memory = matches!(misuse, Misuse::BlockBeyond | Misuse::BlocksInReverse).then(|| {
            let mut layout = Layout::new(setup.shape().nodes, 64).expect("blocks of 64 bytes are permitted");
            layout.array::<u64>("conformance.page", 1, Homes::At(NodeId(0))).expect("it is small");
            setup.memory::<One>(&layout, true)
        });
        Self { misuse: *misuse, shared: Arc::clone(shared), never: Event::new("conformance.never"), memory }
    }
}

impl Careless {
    fn misuse(&self, thread: &Thread<'_>) {
        let beyond = Block(64);
        match self.misuse {
            Misuse::Waiter => thread.send(thread.node(), Self::resume()),
            Misuse::BlockBeyond => {
                thread.hold(beyond.key(), |cx| cx.raise(self.memory(), beyond, Tag::ReadOnly));
            }
            Misuse::BlocksInReverse => thread.hold(Key::Sequential, |cx| {
                cx.lower_all(self.memory(), Block(5)..=Block(3), Tag::Invalid, Self::resume());
            }),
            Misuse::Count => {
                thread.signal(&self.never, u64::MAX);
                thread.signal(&self.never, 1);
            }
            Misuse::Index => thread.private::<u32>("conformance.own", 4).set(thread, 4, 1),
            Misuse::View => {
                assert!(thread.private::<u32>("conformance.own", 4).view(thread, 2..5).is_empty())
            }
            Misuse::Layout => drop(thread.private::<Torn>("conformance.own", 4)),
            Misuse::Event | Misuse::Order | Misuse::Missing | Misuse::Segments => {}
        }
    }

    fn memory(&self) -> &Memory {
        self.memory.as_ref().expect("there is a page")
    }
}

#[handlers]
impl Careless {
    /// Resumes a thread that no node has.
    #[message]
    fn resume(&self, cx: &mut Handler<'_>) {
        cx.resume(Waiter { thread: 1_000_000, generation: 0 });
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.node().0 + 1 == thread.nodes() && thread.index() == 0 {
            self.misuse(thread);
        }
        match self.misuse {
            Misuse::Event => thread.wait(&self.shared, 1),
            Misuse::Count => {}
            _ => thread.wait(&self.never, 1),
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(false, || "a program that mixed up its nodes ended well".to_owned())
    }
}
