//! Frames for remote pages: allocated at the first fault of a page, taken from another page if none is free, and freed with an
//! array.
//!
//! # Replacement
//!
//! Accesses that a tag allows are not counted, so use has to be provoked. The pages with frames stand in two queues, after
//! R. Turner and H. Levy, *Segmented FIFO Page Replacement*, SIGMETRICS 1981. The first queue holds *active* pages, the oldest
//! first. When it is too long, the oldest is laid to *rest*: its tags become `Invalid`, its words and entries stay. A fault in a
//! resting page needs no message: it restores the tags and makes the page the youngest active one. A page that is still at rest
//! when a frame is needed has not been used since; the page that has rested longest is replaced. A quarter of the frames rest; with
//! fewer than four frames none do, and replacement is first in, first out.
//!
//! # Order
//!
//! All of this is under the sequential key, so no handler of a block sees a page half torn down. A fault in a page without a frame
//! is served up to the sending of its request before any other handler runs, so the page cannot lose its frame before the access is
//! done. If every frame holds a block with a transaction outstanding, the fault waits here; the handler that ends the next
//! transaction triggers another try.
//!
//! A page without a frame has no words and no entries: their memory is freed with the frame. So a node needs memory for its own
//! pages and its frames, not for the whole space. This module must never know the meaning of a block's states.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use tempest::{Actions, Block, Handler, NodeId, Primitive, Right, Tag};

use super::charges::charge_replacement;
use super::frames::Pages;
use super::{HomeEvent, Line, LineEvent, Residence, Stache, TouchAction, TouchEvent, Whereabouts};

/// Serves a fault of this node in a block whose page may have no frame.
pub(super) fn page_wanted(stache: &Stache, block: Block, right: Right, cx: &mut Handler<'_>) {
    if stache.memory.is_mapped(stache.memory.layout().page_of(block)) {
        return serve_mapped(stache, block, right, cx);
    }
    stache.at_pages(cx, |pages| pages.wait(block, right));
    serve_waiting(stache, cx);
}

/// Serves the oldest waiting fault if its page can be mapped; otherwise arranges for a frame or for the page's home.
pub(super) fn serve_waiting(stache: &Stache, cx: &mut Handler<'_>) {
    let Some((block, right)) = stache.at_pages(cx, |pages| pages.waiting.front().copied()) else { return };
    let page = stache.memory.layout().page_of(block);
    if !stache.memory.is_mapped(page) && !map(stache, page, cx) {
        return;
    }
    let more = stache.at_pages(cx, |pages| {
        pages.waiting.pop_front();
        !pages.waiting.is_empty()
    });
    if more {
        cx.send(stache.node, Stache::retry());
    }
    serve_mapped(stache, block, right, cx);
    rest_oldest(stache, cx);
}

/// Serves a fault of this node in a mapped page.
fn serve_mapped(stache: &Stache, block: Block, right: Right, cx: &mut Handler<'_>) {
    if stache.home_of(block) == Some(stache.node) {
        stache.serve_home(block, HomeEvent::fault(right), cx);
    } else {
        stache.serve_line(block, LineEvent::Fault(right), cx);
    }
}

/// Gives `page` a frame, or makes it active again if it rests. Returns false if no frame is free yet, if the page's home is not known,
/// or if the home is moving here. Another try follows when that may have changed.
fn map(stache: &Stache, page: u32, cx: &mut Handler<'_>) -> bool {
    if stache.homes.of(page).is_none() {
        step_touch(stache, page, TouchEvent::Wanted, cx);
        return false;
    }
    if stache.at_pages(cx, |pages| pages.residence(page).is_some_and(Residence::holds_faults)) {
        return false;
    }
    if stache.at_pages(cx, |pages| pages.wake(page)) {
        wake(stache, page, cx);
        return true;
    }
    if stache.at_pages(cx, |pages| pages.is_full()) {
        let Some(victim) = idle_page(stache, cx, |pages| &pages.resting) else {
            evict(stache, cx);
            return false;
        };
        unmap(stache, victim, cx);
    }
    stache.at_pages(cx, |pages| pages.give(page));
    cx.charge(Primitive::MapPage);
    cx.open_page(&stache.entries, &stache.memory, page);
    stache.memory.set_mapped(page, true);
    true
}

/// Restores the rights that `page` had when it was laid to rest, except rights that homes have taken since.
fn wake(stache: &Stache, page: u32, cx: &mut Handler<'_>) {
    stache.memory.set_mapped(page, true);
    for block in stache.memory.layout().blocks_of(page).map(Block) {
        let tag = stache.at_line(block, cx, |line, _| line.tag());
        if tag > Tag::Invalid {
            cx.charge(Primitive::SetTag);
            stache.raise(block, tag, cx);
        }
    }
}

/// Lays the oldest active page to rest, as the last act of a handler, if too many pages are active.
fn rest_oldest(stache: &Stache, cx: &mut Handler<'_>) {
    if stache.at_pages(cx, |pages| pages.has_too_many_active())
        && let Some(page) = idle_page(stache, cx, |pages| &pages.active)
    {
        lower_page(stache, page, Stache::laid_to_rest(page), cx);
    }
}

/// Puts `page` to rest after its rights are gone: the next access faults.
pub(super) fn rest(stache: &Stache, page: u32, cx: &mut Handler<'_>) {
    for block in stache.memory.layout().blocks_of(page).map(Block) {
        if stache.at_line(block, cx, |line, _| line.tag() > Tag::Invalid) {
            cx.charge_block(Primitive::Purge, block);
            cx.charge(Primitive::SetTag);
        }
    }
    stache.memory.set_mapped(page, false);
    stache.at_pages(cx, |pages| pages.lay_to_rest(page));
}

/// Takes all rights to the oldest active page without outstanding requests. If there is no such page, asks for another try later.
fn evict(stache: &Stache, cx: &mut Handler<'_>) {
    match idle_page(stache, cx, |pages| &pages.active) {
        None => stache.starving.store(true, Ordering::Release),
        Some(page) => lower_page(stache, page, Stache::evicted(page), cx),
    }
}

/// Returns the first page of a queue for which this node has no outstanding request.
fn idle_page(stache: &Stache, cx: &mut Handler<'_>, queue: impl Fn(&Pages) -> &VecDeque<u32>) -> Option<u32> {
    let mut at = 0;
    loop {
        let page = stache.at_pages(cx, |pages| queue(pages).get(at).copied())?;
        let mut blocks = stache.memory.layout().blocks_of(page).map(Block);
        if !blocks.any(|block| stache.at_line(block, cx, |line, _| line.is_busy())) {
            return Some(page);
        }
        at += 1;
    }
}

pub(super) fn lower_page(stache: &Stache, page: u32, then: impl tempest::Message, cx: &mut Handler<'_>) {
    let blocks = stache.memory.layout().blocks_of(page);
    cx.lower_all(&stache.memory, Block(blocks.start)..=Block(blocks.end - 1), Tag::Invalid, then);
}

/// Frees the frame of `page`, whose rights are gone, and gives it to the oldest waiting fault.
pub(super) fn reuse_frame(stache: &Stache, page: u32, cx: &mut Handler<'_>) {
    unmap(stache, page, cx);
    serve_waiting(stache, cx);
}

/// Triggers another try to replace or vacate a page, because a request has ended.
pub(super) fn may_go(stache: &Stache, cx: &mut Actions<'_>) {
    // Set under the sequential key, which orders it before every handler that comes later.
    if stache.starving.load(Ordering::Acquire) && stache.starving.swap(false, Ordering::AcqRel) {
        cx.send(stache.node, Stache::retry());
    }
    if stache.inviting.load(Ordering::Acquire) && stache.inviting.swap(false, Ordering::AcqRel) {
        cx.send(stache.node, Stache::vacate());
    }
}

/// Takes the frame away from `page`. Words that only this node has go home, and the memory for the page is freed.
fn unmap(stache: &Stache, page: u32, cx: &mut Handler<'_>) {
    let rested = stache.at_pages(cx, |pages| pages.remove(page));
    for block in stache.memory.layout().blocks_of(page).map(Block) {
        stache.at_line(block, cx, |line, cx| {
            assert!(
                !line.is_busy(),
                "{block} loses its frame at {} while a thread waits for it",
                stache.node
            );
            charge_replacement(block, *line, rested, cx);
            stache.apply_line(block, line, LineEvent::Replace, cx);
        });
    }
    stache.memory.set_mapped(page, false);
    stache.memory.forget(page);
    if stache.has_gaps {
        stache.at_pages(cx, |pages| pages.departing.push(page));
        close_departed(stache, cx);
    }
}

/// Drops the entries of pages without frames for which no request is outstanding any more.
fn close_departed(stache: &Stache, cx: &mut Handler<'_>) {
    let departing = stache.at_pages(cx, |pages| std::mem::take(&mut pages.departing));
    for page in departing {
        let mut blocks = stache.memory.layout().blocks_of(page).map(Block);
        if blocks.all(|block| stache.at_line(block, cx, |line, _| *line == Line::default())) {
            cx.close_page(&stache.entries, &stache.memory, page);
        } else {
            stache.at_pages(cx, |pages| pages.departing.push(page));
        }
    }
}

/// Answers a node that asks for the home of `page`. This node is the page's manager. The first node that asks becomes the home.
pub(super) fn register(stache: &Stache, page: u32, cx: &mut Handler<'_>) {
    let asker = cx.source();
    let home = stache.at_pages(cx, |pages| pages.registered.entry(page).or_default().home_for(asker));
    cx.send(asker, Stache::touched(page, home.0));
}

/// Records `home` as the home of `page`, as the page's manager has told this node. Then serves the waiting faults in turn.
pub(super) fn home_is(stache: &Stache, page: u32, home: NodeId, cx: &mut Handler<'_>) {
    step_touch(stache, page, TouchEvent::Told(home), cx);
    stache.homes.note(page, Whereabouts::first(home));
    serve_waiting(stache, cx);
}

/// Records this node as the home of the page of `block`, because node `from` has sent it the request number `word` as to the home.
/// Passes the request on to itself under the block's key, then serves the waiting faults in turn.
pub(super) fn infer_home(stache: &Stache, block: Block, from: u32, word: u32, cx: &mut Handler<'_>) {
    let page = stache.memory.layout().page_of(block);
    step_touch(stache, page, TouchEvent::Requested, cx);
    cx.send(stache.node, Stache::passed_on(block.0, from, word));
    serve_waiting(stache, cx);
}

fn step_touch(stache: &Stache, page: u32, event: TouchEvent, cx: &mut Handler<'_>) {
    let step = |pages: &mut Pages| pages.touches.entry(page).or_default().step(stache.node, event);
    let action = stache.at_pages(cx, step);
    match action.unwrap_or_else(|unspecified| panic!("{unspecified} of page {page} at {}", stache.node)) {
        Some(TouchAction::Ask) => {
            cx.send(stache.memory.layout().home_of_page(page), Stache::touch(page));
        }
        Some(TouchAction::Adopt) => adopt(stache, page, Whereabouts::first(stache.node), cx),
        None => {}
    }
}

/// Makes this node the home of `page`, with the whereabouts `now` and the right to write each block. This node has all words of the
/// page.
pub(super) fn adopt(stache: &Stache, page: u32, now: Whereabouts, cx: &mut Handler<'_>) {
    stache.homes.note(page, now);
    cx.charge(Primitive::MapPage);
    cx.open_page(&stache.entries, &stache.memory, page);
    stache.memory.set_mapped(page, true);
    for block in stache.memory.layout().blocks_of(page).map(Block) {
        stache.raise(block, Tag::Writable, cx);
    }
    if stache.is_freed(page) {
        stache.memory.forget(page);
    }
}

/// Takes all rights to the pages of a freed array from this node's threads.
pub(super) fn free_pages(stache: &Stache, region: u32, first: u32, pages: u32, cx: &mut Handler<'_>) {
    let layout = stache.memory.layout();
    let blocks = Block(layout.blocks_of(first).start)..=Block(layout.blocks_of(first + pages - 1).end - 1);
    cx.lower_all(&stache.memory, blocks, Tag::Invalid, Stache::freed(region, first, pages));
}

/// Frees the memory and frames of the pages of a freed array, after their rights are gone.
pub(super) fn freed_pages(stache: &Stache, region: u32, first: u32, pages: u32, cx: &mut Handler<'_>) {
    for page in first..first + pages {
        let is_home = stache.homes.of(page) == Some(stache.node);
        if is_home {
            stache.memory.forget(page);
        } else if cx.has_page(&stache.entries, &stache.memory, page) {
            unmap(stache, page, cx);
        }
        stache.freed[page as usize].store(true, Ordering::Release);
    }
    stache.memory.set_freed(region);
    cx.signal(&stache.frees, 1);
}
