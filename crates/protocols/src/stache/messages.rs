//! The messages on the wire, and where each goes in: to the home's table, to a cached block's, or to the
//! pages.
//!
//! Nothing received is trusted: a block that is not, a word of the vocabulary that is not, a message to a
//! home at a node that is none end the run and say so. A message's block and kind are what stands in the
//! header of a real one, so its fields have no modelled bytes.

use bytemuck::{Pod, Zeroable};
use tempest::{Block, Class, Fault, Handler, Key, Message, NodeId, Right, Volume};

use super::{Asker, HomeEvent, LineEvent, Request, Stache, ToCache, ToHome, Want};

pub(super) fn register(messages: &mut tempest::Messages<'_, Stache>) {
    messages.add::<Faulted>();
    messages.add::<Ask>();
    messages.add::<Answer>();
    messages.add::<Return>();
    messages.add::<Supply>();
    messages.add::<Call>();
    messages.add::<HomeLowered>();
    messages.add::<LineLowered>();
    messages.add::<Evicted>();
    messages.add::<Retry>();
    messages.add::<Free>();
    messages.add::<Freed>();
}

/// Declares a message about a block that a node sends another: its fields, its class and volume, its key, its
/// handler.
macro_rules! about_a_block {
    ($(#[$doc:meta])* $name:ident, $class:ident, $volume:ident, $served:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Pod, Zeroable)]
        #[repr(C)]
        pub(super) struct $name {
            pub(super) block: u32,
            /// Which word of the vocabulary.
            pub(super) word: u32,
        }

        impl Message for $name {
            type Protocol = Stache;
            const CLASS: Class = Class::$class;
            const VOLUME: Volume = Volume::$volume;
            const BYTES: usize = 0;

            fn key(&self) -> Key {
                Block(self.block).key()
            }

            fn handle(self, stache: &Stache, _payload: &[u64], cx: &mut Handler<'_>) {
                stache.$served(self.block, self.word, cx);
            }
        }
    };
}

about_a_block! {
    /// Asks the home for a right.
    Ask, System, Request, told_home
}
about_a_block! {
    /// Answers the home without words.
    Answer, System, Invalidation, told_home
}
about_a_block! {
    /// Brings words home.
    Return, System, Data, told_home
}
about_a_block! {
    /// Brings words from home.
    Supply, Reply, Data, told_line
}
about_a_block! {
    /// Whatever else a home says. The grant of an upgrade counts as the end of the invalidations that the upgrade asked for.
    Call, Reply, Invalidation, told_line
}

impl Stache {
    fn told_home(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        let message = known(&ToHome::ALL, word, cx);
        self.serve_home(self.known(block, cx), HomeEvent::message(cx.source(), message), cx);
    }

    fn told_line(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        let (message, block) = (known(&ToCache::ALL, word, cx), self.known(block, cx));
        let home = self.memory.layout().home(block);
        assert!(cx.source() == home, "{message:?} about {block} from {}, whose home is {home}", cx.source());
        self.serve_line(block, LineEvent::Message(message), cx);
    }

    /// What a node's own threads want, and what follows when it has lowered a right, comes from nobody else.
    fn expect_own(&self, cx: &Handler<'_>) {
        assert!(
            cx.source() == self.node,
            "an event of {} itself in a message from {}",
            self.node,
            cx.source()
        );
    }

    /// A block that a message names.
    fn known(&self, block: u32, cx: &Handler<'_>) -> Block {
        let blocks = self.memory.layout().blocks();
        assert!(block < blocks, "block {block} in a message from {}: there are {blocks}", cx.source());
        Block(block)
    }
}

/// A word of the vocabulary by its number.
fn known<T: Copy>(all: &[T], word: u32, cx: &Handler<'_>) -> T {
    let found = all.get(word as usize).copied();
    found.unwrap_or_else(|| panic!("word {word} in a message from {}: there are {}", cx.source(), all.len()))
}

/// An access of this node that a tag forbids.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Faulted {
    pub(super) block: u32,
    /// 1 if it stores.
    pub(super) writes: u16,
    /// 1 if the page has a frame.
    pub(super) mapped: u16,
}

impl From<Fault> for Faulted {
    fn from(fault: Fault) -> Self {
        let Fault { block, wants, mapped } = fault;
        Self { block: block.0, writes: u16::from(wants == Right::Write), mapped: u16::from(mapped) }
    }
}

impl Message for Faulted {
    type Protocol = Stache;
    const CLASS: Class = Class::System;
    const VOLUME: Volume = Volume::Request;
    const BYTES: usize = 0;

    fn key(&self) -> Key {
        if self.mapped == 1 { Block(self.block).key() } else { Key::Sequential }
    }

    fn handle(self, stache: &Stache, _payload: &[u64], cx: &mut Handler<'_>) {
        stache.expect_own(cx);
        let right = if self.writes == 1 { Right::Write } else { Right::Read };
        stache.faulted(stache.known(self.block, cx), right, cx);
    }
}

/// The home's own right is lowered as a request of another node needs it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct HomeLowered {
    pub(super) block: u32,
    pub(super) from: u32,
    /// Which word of the vocabulary the request was.
    pub(super) word: u32,
}

impl HomeLowered {
    /// What is to be served when the right has been lowered: only requests of other nodes take any from the
    /// home.
    pub(super) fn of(block: Block, event: HomeEvent) -> Self {
        let HomeEvent::Request(Request { from: Asker::Node(from), want }) = event else {
            unreachable!("{event:?} takes no right from the home")
        };
        let word = match want {
            Want::Read => ToHome::GetRead,
            Want::Write => ToHome::GetWrite,
            Want::Upgrade => ToHome::Upgrade,
        };
        Self { block: block.0, from: from.0, word: word as u32 }
    }
}

impl Message for HomeLowered {
    type Protocol = Stache;
    const CLASS: Class = Class::System;

    fn key(&self) -> Key {
        Block(self.block).key()
    }

    fn handle(self, stache: &Stache, _payload: &[u64], cx: &mut Handler<'_>) {
        stache.expect_own(cx);
        let message = known(&ToHome::ALL, self.word, cx);
        let event = HomeEvent::message(NodeId(self.from), message);
        stache.home_lowered(stache.known(self.block, cx), event, cx);
    }
}

/// The node's right to a cached block is lowered as a message of the home needs it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LineLowered {
    pub(super) block: u32,
    /// Which word of the vocabulary the message was.
    pub(super) word: u32,
}

impl LineLowered {
    /// What is to be served when the right has been lowered. Replacement lowers whole pages, elsewhere.
    pub(super) fn of(block: Block, event: LineEvent) -> Self {
        let LineEvent::Message(message) = event else {
            unreachable!("{event:?} takes no right from one block")
        };
        Self { block: block.0, word: message as u32 }
    }
}

impl Message for LineLowered {
    type Protocol = Stache;
    const CLASS: Class = Class::System;

    fn key(&self) -> Key {
        Block(self.block).key()
    }

    fn handle(self, stache: &Stache, _payload: &[u64], cx: &mut Handler<'_>) {
        stache.expect_own(cx);
        let message = known(&ToCache::ALL, self.word, cx);
        stache.line_lowered(stache.known(self.block, cx), LineEvent::Message(message), cx);
    }
}

/// Declares a message of a node to itself about pages: its fields and its handler.
macro_rules! about_pages {
    ($(#[$doc:meta])* $name:ident { $($field:ident),* }, $served:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Pod, Zeroable)]
        #[repr(C)]
        pub(super) struct $name {
            $(pub(super) $field: u32,)*
        }

        impl Message for $name {
            type Protocol = Stache;
            const CLASS: Class = Class::System;

            fn key(&self) -> Key {
                Key::Sequential
            }

            fn handle(self, stache: &Stache, _payload: &[u64], cx: &mut Handler<'_>) {
                stache.expect_own(cx);
                stache.$served($(self.$field,)* cx);
            }
        }
    };
}

about_pages! {
    /// No right to a page is left: its frame goes to the page that was wanted.
    Evicted { page }, evicted
}
about_pages! {
    /// A page may have become free to go.
    Retry {}, retry
}
about_pages! {
    /// Pages are given back.
    Free { region, first, pages }, free_pages
}
about_pages! {
    /// No right to them is left.
    Freed { region, first, pages }, freed_pages
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use native::Local;
    use tempest::{Failure, Homes, Job, Launch, Layout, Program, Protocol, Quiet, Report, Thread, World};

    use super::super::Config;
    use super::*;

    /// Node 1 says to node 0, the home of blocks 0 to 63 of 128, what it must not.
    struct Liar(Lie, Arc<Stache>);

    type Lie = fn(&Thread<'_>);

    impl tempest::Handlers for Liar {
        fn register(_: &mut tempest::Messages<'_, Self>) {}
    }

    impl Protocol for Liar {
        type Config = Lie;

        fn install(lie: &Lie, setup: &mut tempest::Setup<'_>) -> Self {
            let mut layout = Layout::new(2, 64).expect("blocks of 64 bytes are permitted");
            layout.array::<u64>("words", 1024, Homes::RoundRobin).expect("it is small");
            Self(*lie, setup.install(&Config::new(layout)))
        }
    }

    impl Program for Liar {
        fn main(&self, thread: &Thread<'_>) {
            if thread.node() == NodeId(1) {
                (self.0)(thread);
            }
        }

        fn report(&self, _: &mut Quiet<'_>) -> Report {
            Report::checked(self.1.memory().layout().blocks() == 128, || "another layout".to_owned())
        }
    }

    fn tell(thread: &Thread<'_>, lie: impl Message) {
        thread.send(NodeId(0), lie);
    }

    #[test]
    fn what_the_wire_brings_is_checked() {
        const OWN: &str = "an event of node 0 itself in a message from node 1";
        let lies: [(Lie, &str); 12] = [
            (|thread| tell(thread, Faulted { block: 0, writes: 1, mapped: 1 }), OWN),
            (|thread| tell(thread, HomeLowered { block: 0, from: 1, word: ToHome::GetWrite as u32 }), OWN),
            (|thread| tell(thread, LineLowered { block: 64, word: ToCache::Invalidate as u32 }), OWN),
            (|thread| tell(thread, Evicted { page: 1 }), OWN),
            (|thread| tell(thread, Free { region: 0, first: 0, pages: 1 }), OWN),
            (|thread| tell(thread, Freed { region: 0, first: 0, pages: 1 }), OWN),
            (|thread| tell(thread, Ask { block: 128, word: 0 }), "block 128 in a message from node 1"),
            (|thread| tell(thread, Ask { block: 0, word: 8 }), "word 8 in a message from node 1"),
            (|thread| tell(thread, Ask { block: 64, word: 0 }), "as the home of block 64"),
            (|thread| tell(thread, Call { block: 0, word: 3 }), "whose home is node 0"),
            (|thread| tell(thread, Call { block: 64, word: 2 }), "no rule for Message(Upgraded)"),
            (|thread| tell(thread, Answer { block: 0, word: 4 }), "in state Writable of block 0"),
        ];
        for (lie, says) in lies {
            let launch = Launch { nodes: 2, ..Launch::new(Job::new::<Liar>(lie), "single".parse().unwrap()) };
            match Local::new().run(&launch) {
                Err(Failure::Program(what)) if what.contains(says) => {}
                other => panic!("expected `{says}`, got {other:?}"),
            }
        }
    }
}
