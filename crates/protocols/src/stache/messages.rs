//! The messages between nodes and the handler of each: at a block's home, at a node that caches the block, or for a page.
//!
//! No received message is trusted: a block that does not exist, a word outside the vocabulary, or a message for the home at a node
//! that is not the home ends the run with an error. A real message has its block and kind in the header, so its fields add no
//! bytes to a modelled one.

use tempest::memory::Fault;
use tempest::{Block, Handler, Key, NodeId, Primitive, Right, handlers};

use super::{
    HomeEvent, LineEvent, Migration, Residence, ResidenceEvent, Stache, ToCache, ToHome, Want, Whereabouts,
    moves, pages,
};

#[handlers]
impl Stache {
    /// Reports to this node that a thread of it tried an access to `block` that the block's tag forbids. The access is a store if
    /// `writes` is 1. The block's page is accessible if `mapped` is 1.
    #[message(key = Self::key_of_fault(block, mapped), class = System, volume = Request, bytes = 0)]
    pub(super) fn faulted(&self, block: u32, writes: u16, mapped: u16, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        let right = if writes == 1 { Right::Write } else { Right::Read };
        self.serve_fault(self.known(block, cx), right, cx);
    }

    /// Requests a right to `block` from its home. `word` is the number of the request in the vocabulary.
    #[message(key = Block(block), class = System, volume = Request, bytes = 0)]
    pub(super) fn ask(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.told_home(block, word, cx);
    }

    /// Replies to the home of `block`, without the block's words. `word` is the number of the reply in the vocabulary.
    #[message(key = Block(block), class = System, volume = Invalidation, bytes = 0)]
    pub(super) fn answer(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.told_home(block, word, cx);
    }

    /// Returns the words of `block` to its home. `word` is the number of the message in the vocabulary.
    #[message(name = Return, key = Block(block), class = System, bytes = 0)]
    pub(super) fn bring_home(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.told_home(block, word, cx);
    }

    /// Delivers the words of `block` from its home, as the message number `word` of the vocabulary. The block's page has moved
    /// `moves` times.
    #[message(key = Block(block), class = Reply, bytes = 0)]
    pub(super) fn supply(&self, block: u32, word: u16, moves: u16, cx: &mut Handler<'_>) {
        self.told_line(block, word, moves, cx);
    }

    /// Delivers the message number `word` of the vocabulary from the home of `block`, without the block's words. The block's page has
    /// moved `moves` times. The grant of an upgrade counts as the end of the invalidations that the upgrade caused.
    #[message(key = Block(block), class = Reply, volume = Invalidation, bytes = 0)]
    pub(super) fn call(&self, block: u32, word: u16, moves: u16, cx: &mut Handler<'_>) {
        self.told_line(block, word, moves, cx);
    }

    /// Reports to the home's own node that its right to `block` has been lowered for a request of node `from`. `word` is the
    /// number of the request in the vocabulary.
    #[message(key = Block(block), class = System)]
    pub(super) fn home_lowered(&self, block: u32, from: u32, word: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        let event = HomeEvent::message(NodeId(from), known(&ToHome::ALL, word, cx));
        self.serve_home_lowered(self.known(block, cx), event, cx);
    }

    /// Reports to this node that its right to the cached `block` has been lowered for a message of the home. `word` is the number
    /// of that message in the vocabulary.
    #[message(key = Block(block), class = System)]
    pub(super) fn line_lowered(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        let event = LineEvent::Message(known(&ToCache::ALL, word, cx));
        self.serve_line_lowered(self.known(block, cx), event, cx);
    }

    /// Reports to this node that it has no right left to `page`. The page's frame now goes to the page that waits for a frame.
    #[message(key = Sequential, class = System)]
    pub(super) fn evicted(&self, page: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        pages::reuse_frame(self, page, cx);
    }

    /// Tells this node to serve a waiting fault again: a page may have become replaceable.
    #[message(key = Sequential, class = System)]
    pub(super) fn retry(&self, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        pages::serve_waiting(self, cx);
    }

    /// Frees `pages` pages of an array on this node, from page `first` on. `region` is the number of the array.
    #[message(name = Free, key = Sequential, class = System)]
    pub(super) fn give_back(&self, region: u32, first: u32, pages: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        pages::free_pages(self, region, first, pages, cx);
    }

    /// Reports to this node that it has no right left to the `pages` pages from `first` on, of the freed array number `region`.
    #[message(key = Sequential, class = System)]
    pub(super) fn freed(&self, region: u32, first: u32, pages: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        pages::freed_pages(self, region, first, pages, cx);
    }

    /// Reports to this node that it has no right left to `page`. The page is now laid to rest.
    #[message(key = Sequential, class = System)]
    pub(super) fn laid_to_rest(&self, page: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        pages::rest(self, page, cx);
    }

    /// Asks the manager of `page` for the page's home, which is the sender if no node has asked before.
    #[message(key = Sequential, class = System, volume = Request, bytes = 0)]
    pub(super) fn touch(&self, page: u32, cx: &mut Handler<'_>) {
        let layout = self.memory.layout();
        let is_manager =
            page < layout.pages() && layout.is_touched_home(page) && layout.home_of_page(page) == self.node;
        assert!(is_manager, "{} was asked for the home of page {page} by {}", self.node, cx.source());
        pages::register(self, page, cx);
    }

    /// Tells the receiver that node `home` is the home of `page`.
    #[message(key = Sequential, class = Reply, volume = Request, bytes = 0)]
    pub(super) fn touched(&self, page: u32, home: u32, cx: &mut Handler<'_>) {
        let layout = self.memory.layout();
        let is_answer =
            page < layout.pages() && layout.home_of_page(page) == cx.source() && home < cx.nodes();
        assert!(is_answer, "node {home} as the home of page {page} in a message from {}", cx.source());
        pages::home_is(self, page, NodeId(home), cx);
    }

    /// Reports to this node that node `from` has requested a right to `block` before this node was told that it is the block's
    /// home. `word` is the number of the request in the vocabulary.
    #[message(key = Sequential, class = System)]
    pub(super) fn asked_early(&self, block: u32, from: u32, word: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        pages::infer_home(self, self.known(block, cx), from, word, cx);
    }

    /// Passes on to this node the request of node `from` for `block`, made before this node knew that it is the block's home.
    #[message(key = Block(block), class = System)]
    pub(super) fn passed_on(&self, block: u32, from: u32, word: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        let (message, block) = (known(&ToHome::ALL, word, cx), self.known(block, cx));
        self.asked_by(NodeId(from), message, block, cx);
    }

    /// Reports to this node, the home of `page`, that node `by` has made enough requests for the page's blocks to become the
    /// home.
    #[message(key = Sequential, class = System)]
    pub(super) fn earned(&self, page: u32, by: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        moves::serve_residence(self, page, ResidenceEvent::Earned(NodeId(by)), cx);
    }

    /// Offers the receiver to become the home of `page`, which has moved `moves` times.
    #[message(key = Sequential, class = System, volume = Request, bytes = 0)]
    pub(super) fn offered(&self, page: u32, moves: u32, cx: &mut Handler<'_>) {
        self.expect_moving(page, moves, cx);
        let now = Whereabouts { moves, home: cx.source() };
        moves::serve_residence(self, page, ResidenceEvent::Offered(now), cx);
    }

    /// Tells this node to look for pages without outstanding requests among the pages whose home moves here.
    #[message(key = Sequential, class = System)]
    pub(super) fn vacate(&self, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        moves::vacate_idle(self, cx);
    }

    /// Reports to this node that it has no right left to `page`, whose home moves here.
    #[message(key = Sequential, class = System)]
    pub(super) fn vacated(&self, page: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        moves::leave_to_home(self, page, cx);
    }

    /// Accepts the offer of `page`: the sender has no copy of any block of the page.
    #[message(key = Sequential, class = Reply, volume = Request, bytes = 0)]
    pub(super) fn accepted(&self, page: u32, cx: &mut Handler<'_>) {
        self.expect_moving(page, 0, cx);
        let offered = moves::residence(self, page, cx);
        assert!(
            offered == Residence::Offering(cx.source()),
            "{} accepts page {page}, which {} has not offered: {offered:?}",
            cx.source(),
            self.node
        );
        moves::serve_residence(self, page, ResidenceEvent::Accepted, cx);
    }

    /// Calls in `block` of a page whose home moves. This node's own right to the block is lowered already if `lowered` is 1.
    #[message(key = Block(block), class = System)]
    pub(super) fn call_in(&self, block: u32, lowered: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        moves::call_in_block(self, self.known(block, cx), lowered == 1, cx);
    }

    /// Reports to this node that no other node has a copy of any block of `page`, whose home moves.
    #[message(key = Sequential, class = System)]
    pub(super) fn called_in(&self, page: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        moves::serve_residence(self, page, ResidenceEvent::CalledIn, cx);
    }

    /// Delivers the words of `block` to the next home of the block's page.
    #[message(key = Block(block), class = Reply, bytes = 0)]
    pub(super) fn arrive(&self, block: u32, cx: &mut Handler<'_>) {
        let block = self.known(block, cx);
        self.expect_moving(self.memory.layout().page_of(block), 0, cx);
        assert!(self.home_of(block) == Some(cx.source()), "{} brings {block} without an offer", cx.source());
        cx.charge_block(Primitive::PlaceBlock, block);
        moves::count_block(self, block, |page| cx.send(self.node, Self::arrived(page)));
    }

    /// Reports to this node that all words of `page`, whose home moves here, have arrived.
    #[message(key = Sequential, class = System)]
    pub(super) fn arrived(&self, page: u32, cx: &mut Handler<'_>) {
        self.expect_own(cx);
        moves::serve_residence(self, page, ResidenceEvent::Arrived, cx);
    }

    /// Tells the former home that the sender is now the home of `page`, which has moved `moves` times.
    #[message(key = Sequential, class = Reply, volume = Request, bytes = 0)]
    pub(super) fn taken(&self, page: u32, moves: u32, cx: &mut Handler<'_>) {
        self.expect_moving(page, moves, cx);
        let now = Whereabouts { moves, home: cx.source() };
        moves::serve_residence(self, page, ResidenceEvent::Taken(now), cx);
    }

    /// Tells the receiver that the sender is not the home of the page of `block` any more: node `home` is. The page has moved `moves`
    /// times.
    #[message(key = Block(block), class = Reply, volume = Request, bytes = 0)]
    pub(super) fn moved(&self, block: u32, home: u32, moves: u32, cx: &mut Handler<'_>) {
        let block = self.known(block, cx);
        let page = self.memory.layout().page_of(block);
        self.expect_moving(page, moves, cx);
        assert!(home < cx.nodes(), "node {home} as the home of {block} in a message from {}", cx.source());
        self.homes.note(page, Whereabouts { moves, home: NodeId(home) });
        self.serve_line_or_absent(block, LineEvent::Message(ToCache::Moved), cx);
    }

    /// Returns the key of a fault: sequential if the page has no frame or rests, because the table of pages changes then.
    fn key_of_fault(block: u32, mapped: u16) -> Key {
        if mapped == 1 { Block(block).key() } else { Key::Sequential }
    }

    /// Makes the message that serves the request of node `from` at the home after the right of the home's own node has been
    /// lowered.
    pub(super) fn after_lowering_home(block: Block, from: NodeId, want: Want) -> HomeLowered {
        let word = match want {
            Want::Read => ToHome::GetRead,
            Want::Write => ToHome::GetWrite,
            Want::Upgrade => ToHome::Upgrade,
            Want::Leave => unreachable!("{from} is not the home"),
        };
        Self::home_lowered(block.0, from.0, word as u32)
    }

    /// Makes the message that serves an event of a cached block after the node's right to it has been lowered. Not for a
    /// replacement, which lowers whole pages.
    pub(super) fn after_lowering_line(block: Block, event: LineEvent) -> LineLowered {
        let LineEvent::Message(message) = event else {
            unreachable!("{event:?} takes no right from one block")
        };
        Self::line_lowered(block.0, message as u32)
    }

    fn told_home(&self, block: u32, word: u32, cx: &mut Handler<'_>) {
        let (message, block) = (known(&ToHome::ALL, word, cx), self.known(block, cx));
        let from = cx.source();
        match self.home_of(block) {
            None if message.wants().is_some() => {
                cx.send(self.node, Self::asked_early(block.0, from.0, word));
            }
            None => self.refuse_as_home(block),
            Some(_) => self.asked_by(from, message, block, cx),
        }
    }

    /// Serves `message` of node `from` to the home of `block`, at a node that knows the home.
    fn asked_by(&self, from: NodeId, message: ToHome, block: Block, cx: &mut Handler<'_>) {
        let known = self.homes.find(self.memory.layout().page_of(block)).expect("the home is known");
        if known.home == self.node {
            if message.wants().is_some() {
                moves::count_request(self, block, from, known, cx);
            }
            self.serve_home(block, HomeEvent::message(from, message), cx);
        } else if message.wants().is_some() && known.moves > 0 {
            cx.charge(Primitive::DirectoryLookup);
            cx.send(from, Self::moved(block.0, known.home.0, known.moves));
        } else {
            self.refuse_as_home(block);
        }
    }

    fn told_line(&self, block: u32, word: u16, moves: u16, cx: &mut Handler<'_>) {
        let (message, block) = (known(&ToCache::ALL, word.into(), cx), self.known(block, cx));
        let now = Whereabouts { moves: moves.into(), home: cx.source() };
        let page = self.memory.layout().page_of(block);
        match self.homes.find(page) {
            // A late supply or reply of a former home is the one that the node waits for.
            Some(known) if now.moves < known.moves => {
                if known.outdates(message, now.moves) {
                    return cx.charge(Primitive::Defer);
                }
            }
            Some(known) if known == now => {}
            Some(known) if self.moves.is_some() && now.moves > known.moves => {
                self.expect_moving(page, now.moves, cx);
                self.homes.note(page, now);
            }
            known => {
                let home = known.map_or_else(|| "not known".to_owned(), |known| known.home.to_string());
                panic!("{message:?} about {block} from {}, whose home is {home}", cx.source());
            }
        }
        self.serve_line_or_absent(block, LineEvent::Message(message), cx);
    }

    /// Serves an event of the cached `block`, whose page may have no frame on this node.
    fn serve_line_or_absent(&self, block: Block, event: LineEvent, cx: &mut Handler<'_>) {
        match self.has_gaps && !cx.has_entry(&self.entries) {
            true => self.serve_absent(block, event, cx),
            false => self.serve_line(block, event, cx),
        }
    }

    /// Checks a message about a move. Panics unless homes move in this run, `page` exists, and `moves` is at most
    /// [`Migration::MOST_MOVES`].
    fn expect_moving(&self, page: u32, moves: u32, cx: &Handler<'_>) {
        let may_move =
            self.moves.is_some() && page < self.memory.layout().pages() && moves <= Migration::MOST_MOVES;
        assert!(may_move, "page {page} has moved {moves} times in a message from {}", cx.source());
    }

    /// Panics unless this node itself sent the message. Only a node's own threads and downgrades send faults and the ends of
    /// downgrades.
    fn expect_own(&self, cx: &Handler<'_>) {
        assert!(
            cx.source() == self.node,
            "an event of {} itself in a message from {}",
            self.node,
            cx.source()
        );
    }

    /// Checks the number of a block in a message, and returns the block. Panics if there is no such block.
    fn known(&self, block: u32, cx: &Handler<'_>) -> Block {
        let blocks = self.memory.layout().blocks();
        assert!(block < blocks, "block {block} in a message from {}: there are {blocks}", cx.source());
        Block(block)
    }
}

/// Decodes a message's number `word` as the element of `all` with this index. Panics if `all` has no such element.
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
    use std::num::NonZeroU32;
    use std::sync::Arc;

    use native::Local;
    use tempest::outcome::Failure;
    use tempest::world::{Launch, World};
    use tempest::{FinalState, Homes, Job, Layout, Message, Protocol, Report, Thread};

    use super::super::Config;
    use super::*;

    /// Node 1 sends a forbidden message to node 0, the home of blocks 0 to 63 of 128.
    struct Liar(Lie, Arc<Stache>);

    type Lie = fn(&Thread<'_>);

    /// The message, and whether homes move in the run.
    #[derive(Clone, Copy)]
    struct Told(Lie, bool);

    impl Protocol for Liar {
        type Config = Told;

        fn install(&Told(lie, homes_move): &Told, setup: &mut tempest::Setup<'_>) -> Self {
            let mut layout = Layout::new(2, 64).expect("blocks of 64 bytes are permitted");
            layout.array::<u64>("words", 1024, Homes::RoundRobin).expect("it is small");
            let config = Config::new(layout);
            let policy = Migration { after: NonZeroU32::MAX };
            let config = if homes_move { config.migration(policy) } else { config };
            Self(lie, setup.install(&config))
        }
    }

    #[handlers]
    impl Liar {
        fn main(&self, thread: &Thread<'_>) {
            if thread.node() == NodeId(1) {
                (self.0)(thread);
            }
        }

        fn report(&self, _: &mut FinalState<'_>) -> Report {
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
            (|thread| tell(thread, Stache::call(0, 3, 0)), "whose home is node 0"),
            (|thread| tell(thread, Stache::call(64, 2, 0)), "no rule for Message(Upgraded)"),
            (|thread| tell(thread, Stache::answer(0, 4)), "in state Writable of block 0"),
        ];
        expect_refused(&lies, false);
    }

    #[test]
    fn what_the_wire_says_about_homes_that_move_is_checked() {
        const OWN: &str = "an event of node 0 itself in a message from node 1";
        let stays: [(Lie, &str); 5] = [
            (
                |thread| tell(thread, Stache::offered(0, 0)),
                "page 0 has moved 0 times in a message from node 1",
            ),
            (|thread| tell(thread, Stache::accepted(0)), "page 0 has moved 0 times"),
            (|thread| tell(thread, Stache::arrive(0)), "page 0 has moved 0 times"),
            (|thread| tell(thread, Stache::taken(0, 1)), "page 0 has moved 1 times"),
            (|thread| tell(thread, Stache::moved(0, 1, 1)), "page 0 has moved 1 times"),
        ];
        expect_refused(&stays, false);
        let moves: [(Lie, &str); 15] = [
            (|thread| tell(thread, Stache::earned(0, 1)), OWN),
            (|thread| tell(thread, Stache::vacate()), OWN),
            (|thread| tell(thread, Stache::vacated(0)), OWN),
            (|thread| tell(thread, Stache::call_in(0, 0)), OWN),
            (|thread| tell(thread, Stache::called_in(0)), OWN),
            (|thread| tell(thread, Stache::arrived(0)), OWN),
            (|thread| tell(thread, Stache::offered(2, 0)), "page 2 has moved 0 times"),
            (|thread| tell(thread, Stache::offered(1, 33)), "page 1 has moved 33 times"),
            (|thread| tell(thread, Stache::offered(0, 0)), "no rule for Offered("),
            (|thread| tell(thread, Stache::accepted(0)), "which node 0 has not offered: Here"),
            (|thread| tell(thread, Stache::arrive(0)), "node 1 brings block 0 without an offer"),
            (|thread| tell(thread, Stache::taken(0, 1)), "no rule for Taken("),
            (|thread| tell(thread, Stache::moved(0, 2, 1)), "node 2 as the home of block 0"),
            (|thread| tell(thread, Stache::call(64, 3, 33)), "page 1 has moved 33 times"),
            (|thread| tell(thread, Stache::ask(64, 0)), "as the home of block 64"),
        ];
        expect_refused(&moves, true);
    }

    fn expect_refused(lies: &[(Lie, &str)], homes_move: bool) {
        for &(lie, says) in lies {
            let job = Job::new::<Liar>(Told(lie, homes_move));
            let launch = Launch { nodes: 2, ..Launch::new(job, "single".parse().unwrap()) };
            match Local::new().run(&launch) {
                Err(Failure::Program(what)) if what.contains(says) => {}
                other => panic!("expected `{says}`, got {other:?}"),
            }
        }
    }
}
