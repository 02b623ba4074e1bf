//! The messages on the wire, and where each goes in: to the home's table, to a cached block's, or to the
//! pages.
//!
//! Nothing received is trusted: a block that does not exist, a word that the vocabulary does not have, or a message to a
//! home at a node that is not the home ends the run with an error. A message's block and kind stand in the header of a real
//! one, so its fields have no modelled bytes.

use tempest::{Block, Fault, Handler, Key, NodeId, Right, handlers};

use super::{Asker, HomeEvent, LineEvent, Request, Stache, ToCache, ToHome, Want};

#[handlers]
impl Stache {
    /// Says that a tag forbids an access of this node, which stores if `writes` is 1, in a page that may be accessed if `mapped`
    /// is 1.
    #[message(key = Self::key_of_fault(block, mapped), class = System, volume = Request, bytes = 0)]
    pub(super) fn faulted(&self, block: u32, writes: u16, mapped: u16, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        let right = if writes == 1 { Right::Write } else { Right::Read };
        self.serve_fault(self.known(block, cx), right, cx);
    }

    /// Asks the home for a right.
    #[message(key = Block(block), class = System, volume = Request, bytes = 0)]
    pub(super) fn ask(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.told_home(block, word, cx);
    }

    /// Answers the home without words.
    #[message(key = Block(block), class = System, volume = Invalidation, bytes = 0)]
    pub(super) fn answer(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.told_home(block, word, cx);
    }

    /// Brings words home.
    #[message(name = Return, key = Block(block), class = System, bytes = 0)]
    pub(super) fn bring_home(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.told_home(block, word, cx);
    }

    /// Brings words from home.
    #[message(key = Block(block), class = Reply, bytes = 0)]
    pub(super) fn supply(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.told_line(block, word, cx);
    }

    /// Brings whatever else a home says. The grant of an upgrade counts as the end of the invalidations that the upgrade
    /// asked for.
    #[message(key = Block(block), class = Reply, volume = Invalidation, bytes = 0)]
    pub(super) fn call(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.told_line(block, word, cx);
    }

    /// Says that the home's own right is lowered, as a request of another node, `from`, needs it. `word` is the request's word
    /// of the vocabulary.
    #[message(key = Block(block), class = System)]
    pub(super) fn home_lowered(&self, block: u32, from: u32, word: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        let event = HomeEvent::message(NodeId(from), known(&ToHome::ALL, word, cx));
        self.serve_home_lowered(self.known(block, cx), event, cx);
    }

    /// Says that the node's right to a cached block is lowered, as a message of the home needs it. `word` is the message's word
    /// of the vocabulary.
    #[message(key = Block(block), class = System)]
    pub(super) fn line_lowered(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        let event = LineEvent::Message(known(&ToCache::ALL, word, cx));
        self.serve_line_lowered(self.known(block, cx), event, cx);
    }

    /// Says that no right to a page is left: its frame goes to the page that was wanted.
    #[message(key = Sequential, class = System)]
    pub(super) fn evicted(&self, page: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        self.reuse_frame(page, cx);
    }

    /// Says that a page may have become free to go.
    #[message(key = Sequential, class = System)]
    pub(super) fn retry(&self, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        self.serve_waiting(cx);
    }

    /// Gives the pages of an array back.
    #[message(name = Free, key = Sequential, class = System)]
    pub(super) fn give_back(&self, region: u32, first: u32, pages: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        self.free_pages(region, first, pages, cx);
    }

    /// Says that no right is left to the pages of an array that is given back.
    #[message(key = Sequential, class = System)]
    pub(super) fn freed(&self, region: u32, first: u32, pages: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        self.freed_pages(region, first, pages, cx);
    }

    /// Says that no right to a page is left: it rests.
    #[message(key = Sequential, class = System)]
    pub(super) fn laid_to_rest(&self, page: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        self.rest(page, cx);
    }

    /// Asks the manager of a page for its home, which is the sender if nobody has asked before.
    #[message(key = Sequential, class = System, volume = Request, bytes = 0)]
    pub(super) fn touch(&self, page: u32, cx: &mut Handler<'_>) {
        let layout = self.memory.layout();
        let is_manager =
            page < layout.pages() && layout.is_touched_home(page) && layout.home_of_page(page) == self.node;
        assert!(is_manager, "{} was asked for the home of page {page} by {}", self.node, cx.source());
        self.register(page, cx);
    }

    /// Says which node is the home of a page.
    #[message(key = Sequential, class = Reply, volume = Request, bytes = 0)]
    pub(super) fn touched(&self, page: u32, home: u32, cx: &mut Handler<'_>) {
        let layout = self.memory.layout();
        let is_answer =
            page < layout.pages() && layout.home_of_page(page) == cx.source() && home < cx.nodes();
        assert!(is_answer, "node {home} as the home of page {page} in a message from {}", cx.source());
        self.home_is(page, NodeId(home), cx);
    }

    /// Says that another node, `from`, has asked this one for a right before this one was told that it is the home. `word` is the
    /// request's word of the vocabulary.
    #[message(key = Sequential, class = System)]
    pub(super) fn asked_early(&self, block: u32, from: u32, word: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        self.infer_home(self.known(block, cx), from, word, cx);
    }

    /// Passes on what another node, `from`, has asked before this one knew that it is the home.
    #[message(key = Block(block), class = System)]
    pub(super) fn passed_on(&self, block: u32, from: u32, word: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        let event = HomeEvent::message(NodeId(from), known(&ToHome::ALL, word, cx));
        self.serve_home(self.known(block, cx), event, cx);
    }

    /// A fault in a page without a frame, or at rest, changes the pages.
    fn key_of_fault(block: u32, mapped: u16) -> Key {
        if mapped == 1 { Block(block).key() } else { Key::Sequential }
    }

    /// The message that serves a home's event when the right has been lowered: only requests of other nodes take any from
    /// the home.
    pub(super) fn after_lowering_home(block: Block, event: HomeEvent) -> HomeLowered {
        let HomeEvent::Request(Request { from: Asker::Node(from), want }) = event else {
            unreachable!("{event:?} takes no right from the home")
        };
        let word = match want {
            Want::Read => ToHome::GetRead,
            Want::Write => ToHome::GetWrite,
            Want::Upgrade => ToHome::Upgrade,
        };
        Self::home_lowered(block.0, from.0, word as u32)
    }

    /// The message that serves a cached block's event when the right has been lowered. Replacement lowers whole pages,
    /// elsewhere.
    pub(super) fn after_lowering_line(block: Block, event: LineEvent) -> LineLowered {
        let LineEvent::Message(message) = event else {
            unreachable!("{event:?} takes no right from one block")
        };
        Self::line_lowered(block.0, message as u32)
    }

    fn told_home(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        let (message, block) = (known(&ToHome::ALL, word, cx), self.known(block, cx));
        match self.home_of(block) {
            None if message.wants().is_some() => {
                let from = cx.source().0;
                cx.send(self.node, Self::asked_early(block.0, from, word));
            }
            None => self.refuse_as_home(block),
            Some(_) => self.serve_home(block, HomeEvent::message(cx.source(), message), cx),
        }
    }

    fn told_line(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        let (message, block) = (known(&ToCache::ALL, word, cx), self.known(block, cx));
        let home = self.home_of(block);
        if home != Some(cx.source()) {
            let home = home.map_or_else(|| "not known".to_owned(), |home| home.to_string());
            panic!("{message:?} about {block} from {}, whose home is {home}", cx.source());
        }
        let event = LineEvent::Message(message);
        if self.has_gaps && !cx.has_entry(&self.entries) {
            return self.serve_absent(block, event, cx);
        }
        self.serve_line(block, event, cx);
    }

    /// Requests of a node's own threads, and what follows when the node has lowered a right, come from no other node.
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

impl From<Fault> for Faulted {
    fn from(fault: Fault) -> Self {
        let Fault { block, wants, mapped } = fault;
        Stache::faulted(block.0, u16::from(wants == Right::Write), u16::from(mapped))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use native::Local;
    use tempest::{Failure, Homes, Job, Launch, Layout, Message, Protocol, Quiet, Report, Thread, World};

    use super::super::Config;
    use super::*;

    /// Node 1 says to node 0, the home of blocks 0 to 63 of 128, what it must not.
    struct Liar(Lie, Arc<Stache>);

    type Lie = fn(&Thread<'_>);

    impl Protocol for Liar {
        type Config = Lie;

        fn install(lie: &Lie, setup: &mut tempest::Setup<'_>) -> Self {
            let mut layout = Layout::new(2, 64).expect("blocks of 64 bytes are permitted");
            layout.array::<u64>("words", 1024, Homes::RoundRobin).expect("it is small");
            Self(*lie, setup.install(&Config::new(layout)))
        }
    }

    #[handlers]
    impl Liar {
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
        let lies: [(Lie, &str); 18] = [
            (|thread| tell(thread, Stache::faulted(0, 1, 1)), OWN),
            (|thread| tell(thread, Stache::home_lowered(0, 1, ToHome::GetWrite as u32)), OWN),
            (|thread| tell(thread, Stache::line_lowered(64, ToCache::Invalidate as u32)), OWN),
            (|thread| tell(thread, Stache::evicted(1)), OWN),
            (|thread| tell(thread, Stache::laid_to_rest(1)), OWN),
            (|thread| tell(thread, Stache::asked_early(0, 1, 0)), OWN),
            (|thread| tell(thread, Stache::passed_on(0, 1, 0)), OWN),
            (|thread| tell(thread, Stache::touch(0)), "asked for the home of page 0 by node 1"),
            (|thread| tell(thread, Stache::touched(0, 1)), "as the home of page 0 in a message from node 1"),
            (
                |thread| tell(thread, Stache::touched(1, 0)),
                "no rule for Told(NodeId(0)) in state Never of page 1",
            ),
            (|thread| tell(thread, Stache::give_back(0, 0, 1)), OWN),
            (|thread| tell(thread, Stache::freed(0, 0, 1)), OWN),
            (|thread| tell(thread, Stache::ask(128, 0)), "block 128 in a message from node 1"),
            (|thread| tell(thread, Stache::ask(0, 8)), "word 8 in a message from node 1"),
            (|thread| tell(thread, Stache::ask(64, 0)), "as the home of block 64"),
            (|thread| tell(thread, Stache::call(0, 3)), "whose home is node 0"),
            (|thread| tell(thread, Stache::call(64, 2)), "no rule for Message(Upgraded)"),
            (|thread| tell(thread, Stache::answer(0, 4)), "in state Writable of block 0"),
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
