//! A page moves to another home: the handlers' part of what `migration` decides.
//!
//! Everything about the page is under the sequential key; each block is called in, and comes, under its own. While a page moves its next
//! home has no copy and no frame of it, and its former home has every word. This module must never know what a block's states mean,
//! nor when a page should move.

use std::sync::atomic::Ordering;

use tempest::{Block, Handler, NodeId, Primitive, Right, Tag};

use super::charges::charge_replacement;
use super::{
    Asker, HomeEvent, Line, LineEvent, Request, Residence, ResidenceAction, ResidenceEvent, Stache, Want,
    Whereabouts,
};

impl Stache {
    /// Another node has asked for a block of this home.
    pub(super) fn count_request(&self, block: Block, from: NodeId, known: Whereabouts, cx: &mut Handler<'_>) {
        let Some(moves) = &self.moves else { return };
        let page = self.memory.layout().page_of(block);
        if moves.asks(page, from, known.moves) && !self.is_freed(page) {
            cx.send(self.node, Self::earned(page, from.0));
        }
    }

    /// Serves an event of a page's home.
    pub(super) fn serve_residence(&self, page: u32, event: ResidenceEvent, cx: &mut Handler<'_>) {
        let known = self.homes.find(page).expect("a page that moves has a home that is known");
        let mut actions = Vec::new();
        let mut residence = self.residence(page, cx);
        let served = residence.step(known, event, |action| actions.push(action));
        served.unwrap_or_else(|unspecified| panic!("{unspecified} of page {page} at {}", self.node));
        self.at_pages(cx, |pages| pages.set_residence(page, residence));
        if let ResidenceEvent::Offered(now) = event {
            self.homes.note(page, now);
        }
        actions.into_iter().for_each(|action| self.resides(page, known, action, cx));
    }

    /// What this node has to do with the home of a page.
    pub(super) fn residence(&self, page: u32, cx: &mut Handler<'_>) -> Residence {
        let moving = self.at_pages(cx, |pages| pages.residence(page));
        moving.unwrap_or(match self.homes.of(page) == Some(self.node) {
            true => Residence::Here,
            false => Residence::Elsewhere,
        })
    }

    fn resides(&self, page: u32, known: Whereabouts, action: ResidenceAction, cx: &mut Handler<'_>) {
        let blocks = || self.memory.layout().blocks_of(page).map(Block);
        match action {
            ResidenceAction::Offer(to) => cx.send(to, Self::offered(page, known.moves)),
            ResidenceAction::Vacate => self.invite(page, cx),
            ResidenceAction::Accept => cx.send(known.home, Self::accepted(page)),
            ResidenceAction::CallIn => {
                blocks().for_each(|block| cx.send(self.node, Self::call_in(block.0, 0)));
            }
            ResidenceAction::SendWords(to) => blocks().for_each(|block| {
                cx.charge_block(Primitive::FetchBlock, block);
                cx.send_block(to, &self.memory, block, Self::arrive(block.0));
            }),
            ResidenceAction::Adopt => {
                let now = known.moved_to(self.node);
                self.adopt(page, now, cx);
                cx.send(known.home, Self::taken(page, now.moves));
                self.serve_waiting(cx);
            }
            ResidenceAction::Release(now) => self.release(page, now, cx),
        }
    }

    /// The page will be at home here: no fault begins anything in it until then.
    fn invite(&self, page: u32, cx: &mut Handler<'_>) {
        self.memory.set_mapped(page, false);
        self.at_pages(cx, |pages| pages.remove(page));
        cx.send(self.node, Self::vacate());
    }

    /// Gives up, as the last act of a handler, the rights to a page that will be at home here, if nothing of it is under way any more; if
    /// something is, has it tried when that ends.
    pub(super) fn vacate_idle(&self, cx: &mut Handler<'_>) {
        let invited = self.at_pages(cx, |pages| pages.invited());
        let idle = |page: &u32, cx: &mut Handler<'_>| {
            !cx.has_page(&self.entries, &self.memory, *page)
                || !self.any_line(*page, cx, |line| line.is_busy())
        };
        match invited.iter().find(|page| idle(page, cx)) {
            Some(&page) => self.lower_page(page, Self::vacated(page), cx),
            None => self.inviting.store(!invited.is_empty(), Ordering::Release),
        }
    }

    /// Nobody uses the page any more: what only this node has goes home. When nothing of it is on its way, the home may send the words.
    pub(super) fn leave_to_home(&self, page: u32, cx: &mut Handler<'_>) {
        if cx.has_page(&self.entries, &self.memory, page) {
            for block in self.memory.layout().blocks_of(page).map(Block) {
                self.at_line(block, cx, |line, cx| {
                    charge_replacement(block, *line, false, cx);
                    self.apply_line(block, line, LineEvent::Replace, cx);
                });
            }
            if self.any_line(page, cx, |line| line != Line::default()) {
                // Words that are on their way home; the answer has this tried again.
                return self.inviting.store(true, Ordering::Release);
            }
            cx.close_page(&self.entries, &self.memory, page);
        }
        self.at_pages(cx, |pages| pages.remove(page));
        self.serve_residence(page, ResidenceEvent::Vacated, cx);
        cx.send(self.node, Self::vacate());
    }

    fn any_line(&self, page: u32, cx: &mut Handler<'_>, is: impl Fn(Line) -> bool) -> bool {
        let mut blocks = self.memory.layout().blocks_of(page).map(Block);
        blocks.any(|block| self.at_line(block, cx, |line, _| is(*line)))
    }

    /// Another block of a page has been called in, or has come.
    pub(super) fn count_block(&self, block: Block, then: impl FnOnce(u32)) {
        let layout = self.memory.layout();
        let page = layout.page_of(block);
        let moves = self.moves.as_ref().expect("a page moves only where homes do");
        if moves.is_last(page, layout.page_blocks()) {
            then(page);
        }
    }

    /// The page is at home elsewhere now. Those whose requests wait are told so; what threads of this node wait for they ask for there.
    fn release(&self, page: u32, now: Whereabouts, cx: &mut Handler<'_>) {
        for block in self.memory.layout().blocks_of(page).map(Block) {
            let waiting = self.at_home(block, cx, |home, _| std::mem::take(home).given_up());
            for Request { from, want } in waiting {
                match from {
                    Asker::Node(node) => cx.send(node, Self::moved(block.0, now.home.0, now.moves)),
                    Asker::Here => {
                        let right = if want == Want::Read { Right::Read } else { Right::Write };
                        self.at_pages(cx, |pages| pages.wait(block, right));
                    }
                }
            }
        }
        self.homes.note(page, now);
        self.memory.set_mapped(page, false);
        self.memory.forget(page);
        cx.close_page(&self.entries, &self.memory, page);
        cx.send(self.node, Self::retry());
    }

    /// This node is the home of a page, and has all its words.
    pub(super) fn adopt(&self, page: u32, now: Whereabouts, cx: &mut Handler<'_>) {
        self.homes.note(page, now);
        cx.charge(Primitive::MapPage);
        cx.open_page(&self.entries, &self.memory, page);
        self.memory.set_mapped(page, true);
        for block in self.memory.layout().blocks_of(page).map(Block) {
            self.raise(block, Tag::Writable, cx);
        }
        if self.is_freed(page) {
            self.memory.forget(page);
        }
    }

    /// Calls in a block of a page whose home moves; the rights have been taken from this node's threads if it is `lowered`.
    pub(super) fn call_in_block(&self, block: Block, lowered: bool, cx: &mut Handler<'_>) {
        match lowered {
            false => self.serve_home(block, HomeEvent::leave(), cx),
            true => self.serve_home_lowered(block, HomeEvent::leave(), cx),
        }
    }
}
