//! Frames for pages that live elsewhere: found at the first fault of a page, taken from another page when there is none, and
//! given back with an array.
//!
//! # Which page gives way
//!
//! Nobody counts accesses that a tag allows, so use has to be provoked. The pages with frames stand in two queues, after
//! R. Turner and H. Levy, *Segmented FIFO Page Replacement*, SIGMETRICS 1981. Those of the first are *active*, the oldest first.
//! When there are too many of them the oldest is laid to *rest*: its tags say `Invalid`, its words and entries stay as they are. A
//! fault in a resting page finds everything there but the tags and makes the page active again, as the youngest, without
//! a message. A page that is still at rest when a frame is wanted has not been used since, and the one that has rested longest
//! gives way. A quarter of the frames rest, none of fewer than four: then the page that came first goes first.
//!
//! # Order
//!
//! All of it is under the sequential key: no handler of a block can see a page half torn down. A fault in a page without a frame
//! is served to the point where its request is on its way before anything else runs, so the page it was given cannot be taken
//! from it before the access is done. Where every frame holds a block that is under way the fault waits here, and whoever ends a
//! transaction next has it tried again.
//!
//! A page without a frame has no words and no entries: their memory goes back when the frame does. So a node needs memory for its own
//! pages and its frames, and not for the space. This module must never know what a block's states mean.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;

use tempest::{Actions, Array, Block, Handler, NodeId, Primitive, Right, Tag, Thread, Word};

use super::charges::charge_replacement;
use super::{
    Frames, HomeEvent, Line, LineEvent, Registered, Residence, Stache, Touch, TouchAction, TouchEvent,
    Whereabouts,
};

/// Which remote pages have frames, and who waits for one.
pub(super) struct Pages {
    frames: Frames,
    /// Pages that were given a frame on demand and may be accessed, the oldest first.
    active: VecDeque<u32>,
    /// Pages that have a frame and may not be accessed until a thread faults there, the one that has rested longest first.
    resting: VecDeque<u32>,
    /// Pages whose frames are gone, and whose entries wait for words that were sent home to arrive there. Robust variant only.
    departing: Vec<u32>,
    /// Faults in pages for which there was no frame, or whose home is not known.
    waiting: VecDeque<(Block, Right)>,
    /// Of pages whose home is the node that touches them first: what this node knows.
    touches: BTreeMap<u32, Touch>,
    /// Of those whose manager this node is: their homes.
    registered: BTreeMap<u32, Registered>,
    /// Of pages whose home moves to this node or from it.
    moving: BTreeMap<u32, Residence>,
}

impl Pages {
    pub(super) fn new(frames: Frames) -> Self {
        let (active, resting, departing, waiting) = Default::default();
        let (touches, registered, moving) = Default::default();
        Self { frames, active, resting, departing, waiting, touches, registered, moving }
    }

    /// What the node has to do with a page that moves; `None` if it does not.
    pub(super) fn residence(&self, page: u32) -> Option<Residence> {
        self.moving.get(&page).copied()
    }

    pub(super) fn set_residence(&mut self, page: u32, residence: Residence) {
        if residence.is_moving() {
            self.moving.insert(page, residence);
        } else {
            self.moving.remove(&page);
        }
    }

    /// Pages that will be at home here and may have blocks under way.
    pub(super) fn invited(&self) -> Vec<u32> {
        let invited = self.moving.iter().filter(|(_, residence)| **residence == Residence::Invited);
        invited.map(|(&page, _)| page).collect()
    }

    /// A fault waits for its page.
    pub(super) fn wait(&mut self, block: Block, right: Right) {
        self.waiting.push_back((block, right));
    }

    fn is_full(&self) -> bool {
        let given = self.active.len() + self.resting.len();
        matches!(self.frames, Frames::AtMost(most) if given >= most as usize)
    }

    /// Whether more pages are active than should be.
    fn has_too_many_active(&self) -> bool {
        matches!(self.frames, Frames::AtMost(most) if self.active.len() > (most - most / 4) as usize)
    }

    /// Gives a page a frame.
    fn give(&mut self, page: u32) {
        self.departing.retain(|&departing| departing != page);
        self.active.push_back(page);
    }

    /// Lays a page to rest.
    fn lay_to_rest(&mut self, page: u32) {
        self.active.retain(|&active| active != page);
        self.resting.push_back(page);
    }

    /// Makes a page active again. False if it does not rest.
    fn wake(&mut self, page: u32) -> bool {
        let Some(at) = self.resting.iter().position(|&resting| resting == page) else { return false };
        self.resting.remove(at);
        self.active.push_back(page);
        true
    }

    /// Takes a page's frame from it, if it has one. Returns whether the page was at rest.
    pub(super) fn remove(&mut self, page: u32) -> bool {
        self.departing.retain(|&departing| departing != page);
        self.active.retain(|&active| active != page);
        let before = self.resting.len();
        self.resting.retain(|&resting| resting != page);
        self.resting.len() < before
    }
}

/// The one entry of the table of pages.
const ALL: u64 = 0;

impl Stache {
    /// A thread wants a right to a block whose page may have no frame.
    pub(super) fn page_wanted(&self, block: Block, right: Right, cx: &mut Handler<'_>) {
        if self.memory.is_mapped(self.memory.layout().page_of(block)) {
            return self.serve_mapped(block, right, cx);
        }
        self.at_pages(cx, |pages| pages.wait(block, right));
        self.serve_waiting(cx);
    }

    /// Serves the oldest fault that waits for a frame, if there is one for it; sees to it that there will be,
    /// if not.
    pub(super) fn serve_waiting(&self, cx: &mut Handler<'_>) {
        let Some((block, right)) = self.at_pages(cx, |pages| pages.waiting.front().copied()) else { return };
        let page = self.memory.layout().page_of(block);
        if !self.memory.is_mapped(page) && !self.map(page, cx) {
            return;
        }
        let more = self.at_pages(cx, |pages| {
            pages.waiting.pop_front();
            !pages.waiting.is_empty()
        });
        if more {
            cx.send(self.node, Self::retry());
        }
        self.serve_mapped(block, right, cx);
        self.rest_oldest(cx);
    }

    /// Serves a fault in a page that is mapped.
    fn serve_mapped(&self, block: Block, right: Right, cx: &mut Handler<'_>) {
        if self.home_of(block) == Some(self.node) {
            self.serve_home(block, HomeEvent::fault(right), cx);
        } else {
            self.serve_line(block, LineEvent::Fault(right), cx);
        }
    }

    /// Makes a page active. False if there is no frame for it yet or its home is not known: then it is tried again when that may have
    /// changed.
    fn map(&self, page: u32, cx: &mut Handler<'_>) -> bool {
        if self.homes.of(page).is_none() {
            self.step_touch(page, TouchEvent::Wanted, cx);
            return false;
        }
        if self.at_pages(cx, |pages| pages.residence(page).is_some_and(Residence::holds_faults)) {
            return false;
        }
        if self.at_pages(cx, |pages| pages.wake(page)) {
            self.wake(page, cx);
            return true;
        }
        if self.at_pages(cx, |pages| pages.is_full()) {
            let Some(victim) = self.idle_page(cx, |pages| &pages.resting) else {
                self.evict(cx);
                return false;
            };
            self.unmap(victim, cx);
        }
        self.at_pages(cx, |pages| pages.give(page));
        cx.charge(Primitive::MapPage);
        cx.open_page(&self.entries, &self.memory, page);
        self.memory.set_mapped(page, true);
        true
    }

    /// Gives the node the rights again that a page had when it was laid to rest, less what homes have taken since.
    fn wake(&self, page: u32, cx: &mut Handler<'_>) {
        self.memory.set_mapped(page, true);
        for block in self.memory.layout().blocks_of(page).map(Block) {
            let tag = self.at_line(block, cx, |line, _| line.tag());
            if tag > Tag::Invalid {
                cx.charge(Primitive::SetTag);
                self.raise(block, tag, cx);
            }
        }
    }

    /// Lays the oldest active page to rest, as the last act of a handler, if there are too many of them.
    fn rest_oldest(&self, cx: &mut Handler<'_>) {
        if self.at_pages(cx, |pages| pages.has_too_many_active())
            && let Some(page) = self.idle_page(cx, |pages| &pages.active)
        {
            self.lower_page(page, Self::laid_to_rest(page), cx);
        }
    }

    /// Nobody uses a page any more: a fault is needed to go on.
    pub(super) fn rest(&self, page: u32, cx: &mut Handler<'_>) {
        for block in self.memory.layout().blocks_of(page).map(Block) {
            if self.at_line(block, cx, |line, _| line.tag() > Tag::Invalid) {
                cx.charge_block(Primitive::Purge, block);
                cx.charge(Primitive::SetTag);
            }
        }
        self.memory.set_mapped(page, false);
        self.at_pages(cx, |pages| pages.lay_to_rest(page));
    }

    /// Lowers all rights to the oldest active page that no block is on its way to; if there is none, has it tried
    /// later.
    fn evict(&self, cx: &mut Handler<'_>) {
        match self.idle_page(cx, |pages| &pages.active) {
            None => self.starving.store(true, Ordering::Release),
            Some(page) => self.lower_page(page, Self::evicted(page), cx),
        }
    }

    /// The first page of a queue that no block is on its way to.
    fn idle_page(&self, cx: &mut Handler<'_>, queue: impl Fn(&Pages) -> &VecDeque<u32>) -> Option<u32> {
        let mut at = 0;
        loop {
            let page = self.at_pages(cx, |pages| queue(pages).get(at).copied())?;
            let mut blocks = self.memory.layout().blocks_of(page).map(Block);
            if !blocks.any(|block| self.at_line(block, cx, |line, _| line.is_busy())) {
                return Some(page);
            }
            at += 1;
        }
    }

    pub(super) fn lower_page(&self, page: u32, then: impl tempest::Message, cx: &mut Handler<'_>) {
        let blocks = self.memory.layout().blocks_of(page);
        cx.lower_all(&self.memory, Block(blocks.start)..=Block(blocks.end - 1), Tag::Invalid, then);
    }

    /// Nobody uses a page any more: what only this node has goes home, and the fault that wanted the frame
    /// gets it.
    pub(super) fn reuse_frame(&self, page: u32, cx: &mut Handler<'_>) {
        self.unmap(page, cx);
        self.serve_waiting(cx);
    }

    /// A transaction has ended: a page may have become free to go.
    pub(super) fn may_go(&self, cx: &mut Actions<'_>) {
        // Set under the sequential key, which orders it before every handler that comes later.
        if self.starving.load(Ordering::Acquire) && self.starving.swap(false, Ordering::AcqRel) {
            cx.send(self.node, Self::retry());
        }
        if self.inviting.load(Ordering::Acquire) && self.inviting.swap(false, Ordering::AcqRel) {
            cx.send(self.node, Self::vacate());
        }
    }

    /// Takes a page's frame from it: what only this node has goes home, and its words take no memory here any more.
    fn unmap(&self, page: u32, cx: &mut Handler<'_>) {
        let rested = self.at_pages(cx, |pages| pages.remove(page));
        for block in self.memory.layout().blocks_of(page).map(Block) {
            self.at_line(block, cx, |line, cx| {
                assert!(
                    !line.is_busy(),
                    "{block} loses its frame at {} while a thread waits for it",
                    self.node
                );
                charge_replacement(block, *line, rested, cx);
                self.apply_line(block, line, LineEvent::Replace, cx);
            });
        }
        self.memory.set_mapped(page, false);
        self.memory.forget(page);
        if self.has_gaps {
            self.at_pages(cx, |pages| pages.departing.push(page));
            self.close_departed(cx);
        }
    }

    /// Drops the entries of pages without frames in which nothing is under way any more.
    fn close_departed(&self, cx: &mut Handler<'_>) {
        let departing = self.at_pages(cx, |pages| std::mem::take(&mut pages.departing));
        for page in departing {
            let mut blocks = self.memory.layout().blocks_of(page).map(Block);
            if blocks.all(|block| self.at_line(block, cx, |line, _| *line == Line::default())) {
                cx.close_page(&self.entries, &self.memory, page);
            } else {
                self.at_pages(cx, |pages| pages.departing.push(page));
            }
        }
    }

    /// Answers a node that asks for the home of a page.
    pub(super) fn register(&self, page: u32, cx: &mut Handler<'_>) {
        let asker = cx.source();
        let home = self.at_pages(cx, |pages| pages.registered.entry(page).or_default().home_for(asker));
        cx.send(asker, Self::touched(page, home.0));
    }

    /// The manager of a page has said which node is its home.
    pub(super) fn home_is(&self, page: u32, home: NodeId, cx: &mut Handler<'_>) {
        self.step_touch(page, TouchEvent::Told(home), cx);
        self.homes.note(page, Whereabouts::first(home));
        self.serve_waiting(cx);
    }

    /// Another node knows that this one is the home of a block.
    pub(super) fn infer_home(&self, block: Block, from: u32, word: u32, cx: &mut Handler<'_>) {
        let page = self.memory.layout().page_of(block);
        self.step_touch(page, TouchEvent::Requested, cx);
        cx.send(self.node, Self::passed_on(block.0, from, word));
        self.serve_waiting(cx);
    }

    fn step_touch(&self, page: u32, event: TouchEvent, cx: &mut Handler<'_>) {
        let step = |pages: &mut Pages| pages.touches.entry(page).or_default().step(self.node, event);
        let action = self.at_pages(cx, step);
        match action.unwrap_or_else(|unspecified| panic!("{unspecified} of page {page} at {}", self.node)) {
            Some(TouchAction::Ask) => {
                cx.send(self.memory.layout().home_of_page(page), Self::touch(page));
            }
            Some(TouchAction::Adopt) => self.adopt(page, Whereabouts::first(self.node), cx),
            None => {}
        }
    }

    pub(super) fn at_pages<R>(&self, cx: &mut Handler<'_>, f: impl FnOnce(&mut Pages) -> R) -> R {
        cx.with_any(&self.pages, ALL, |pages, _| f(pages))
    }

    /// Gives an array back, on this node: one thread of each node calls it, when no thread of any node is
    /// going to use the array any more. Whoever does all the same is told so.
    ///
    /// # Panics
    /// If the array is of another space, or has been given back before.
    pub fn free<T: Word>(&self, thread: &Thread<'_>, array: Array<T>) {
        assert!(!self.memory.is_freed(array), "a shared array is freed twice");
        let layout = self.memory.layout();
        let pages = layout.pages_of(array);
        let frees = self.frees.count();
        let free = Self::give_back(layout.region_of(array), pages.start, pages.len() as u32);
        thread.send(self.node, free);
        thread.wait(&self.frees, frees + 1);
    }

    /// Takes all rights to the pages from this node.
    pub(super) fn free_pages(&self, region: u32, first: u32, pages: u32, cx: &mut Handler<'_>) {
        let layout = self.memory.layout();
        let blocks =
            Block(layout.blocks_of(first).start)..=Block(layout.blocks_of(first + pages - 1).end - 1);
        cx.lower_all(&self.memory, blocks, Tag::Invalid, Self::freed(region, first, pages));
    }

    /// Nobody uses the pages any more.
    pub(super) fn freed_pages(&self, region: u32, first: u32, pages: u32, cx: &mut Handler<'_>) {
        for page in first..first + pages {
            let is_home = self.homes.of(page) == Some(self.node);
            if is_home {
                self.memory.forget(page);
            } else if cx.has_page(&self.entries, &self.memory, page) {
                self.unmap(page, cx);
            }
            self.freed[page as usize].store(true, Ordering::Release);
        }
        self.memory.set_freed(region);
        cx.signal(&self.frees, 1);
    }
}
