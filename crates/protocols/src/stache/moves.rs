//! Home migration: the handlers that perform the decisions of `migration`.
//!
//! All state of the page is under the sequential key; each block is reclaimed, and arrives, under its own key. During a move the next
//! home has no copy and no frame of the page, and the former home has every word. This module must never know the meaning of a block's
//! states, nor the condition for a move.

use std::sync::atomic::Ordering;

use tempest::{Block, Handler, NodeId, Primitive, Right};

use super::charges::charge_replacement;
use super::pages;
use super::{
    Asker, HomeEvent, Line, LineEvent, Request, Residence, ResidenceAction, ResidenceEvent, Stache, Want,
    Whereabouts,
};

/// Counts a request of node `from` for `block`, whose home this node is. If `from` has made enough requests, sends this node the
/// message that begins the move of the page to `from`. Does nothing if homes do not move.
pub(super) fn count_request(
    stache: &Stache,
    block: Block,
    from: NodeId,
    known: Whereabouts,
    cx: &mut Handler<'_>,
) {
    let Some(moves) = &stache.moves else { return };
    let page = stache.memory.layout().page_of(block);
    if moves.asks(page, from, known.moves) && !stache.is_freed(page) {
        cx.send(stache.node, Stache::earned(page, from.0));
    }
}

/// Serves an event in the move of a page's home, and performs the actions.
pub(super) fn serve_residence(stache: &Stache, page: u32, event: ResidenceEvent, cx: &mut Handler<'_>) {
    let known = stache.homes.find(page).expect("a page that moves has a home that is known");
    let mut actions = Vec::new();
    let mut residence = residence(stache, page, cx);
    let served = residence.step(known, event, |action| actions.push(action));
    served.unwrap_or_else(|unspecified| panic!("{unspecified} of page {page} at {}", stache.node));
    stache.at_pages(cx, |pages| pages.set_residence(page, residence));
    if let ResidenceEvent::Offered(now) = event {
        stache.homes.note(page, now);
    }
    actions.into_iter().for_each(|action| resides(stache, page, known, action, cx));
}

/// Returns this node's relation to the home of a page.
pub(super) fn residence(stache: &Stache, page: u32, cx: &mut Handler<'_>) -> Residence {
    let moving = stache.at_pages(cx, |pages| pages.residence(page));
    moving.unwrap_or(match stache.homes.of(page) == Some(stache.node) {
        true => Residence::Here,
        false => Residence::Elsewhere,
    })
}

fn resides(stache: &Stache, page: u32, known: Whereabouts, action: ResidenceAction, cx: &mut Handler<'_>) {
    let blocks = || stache.memory.layout().blocks_of(page).map(Block);
    match action {
        ResidenceAction::Offer(to) => cx.send(to, Stache::offered(page, known.moves)),
        ResidenceAction::Vacate => invite(stache, page, cx),
        ResidenceAction::Accept => cx.send(known.home, Stache::accepted(page)),
        ResidenceAction::CallIn => {
            blocks().for_each(|block| cx.send(stache.node, Stache::call_in(block.0, 0)));
        }
        ResidenceAction::SendWords(to) => blocks().for_each(|block| {
            cx.charge_block(Primitive::FetchBlock, block);
            cx.send_block(to, &stache.memory, block, Stache::arrive(block.0));
        }),
        ResidenceAction::Adopt => {
            let now = known.moved_to(stache.node);
            pages::adopt(stache, page, now, cx);
            cx.send(known.home, Stache::taken(page, now.moves));
            pages::serve_waiting(stache, cx);
        }
        ResidenceAction::Release(now) => release(stache, page, now, cx),
    }
}

/// Prepares this node to become the home of `page`: no new request for the page starts until then.
fn invite(stache: &Stache, page: u32, cx: &mut Handler<'_>) {
    stache.memory.set_mapped(page, false);
    stache.at_pages(cx, |pages| pages.remove(page));
    cx.send(stache.node, Stache::vacate());
}

/// Gives up the rights to an idle page whose home moves here, as the last act of a handler. If every such page has outstanding
/// requests, asks for another try when one ends.
pub(super) fn vacate_idle(stache: &Stache, cx: &mut Handler<'_>) {
    let invited = stache.at_pages(cx, |pages| pages.invited());
    let idle = |page: &u32, cx: &mut Handler<'_>| {
        !cx.has_page(&stache.entries, &stache.memory, *page)
            || !any_line(stache, *page, cx, |line| line.is_busy())
    };
    match invited.iter().find(|page| idle(page, cx)) {
        Some(&page) => pages::lower_page(stache, page, Stache::vacated(page), cx),
        None => stache.inviting.store(!invited.is_empty(), Ordering::Release),
    }
}

/// Returns the words of `page` that only this node has to the home. This node has no right to the page any more. Accepts the move if
/// no words are in flight. Otherwise asks for another try when the home has acknowledged them.
pub(super) fn leave_to_home(stache: &Stache, page: u32, cx: &mut Handler<'_>) {
    if cx.has_page(&stache.entries, &stache.memory, page) {
        for block in stache.memory.layout().blocks_of(page).map(Block) {
            stache.at_line(block, cx, |line, cx| {
                charge_replacement(block, *line, false, cx);
                stache.apply_line(block, line, LineEvent::Replace, cx);
            });
        }
        if any_line(stache, page, cx, |line| line != Line::default()) {
            // Words are in flight to the home; their acknowledgement triggers another try.
            return stache.inviting.store(true, Ordering::Release);
        }
        cx.close_page(&stache.entries, &stache.memory, page);
    }
    stache.at_pages(cx, |pages| pages.remove(page));
    serve_residence(stache, page, ResidenceEvent::Vacated, cx);
    cx.send(stache.node, Stache::vacate());
}

fn any_line(stache: &Stache, page: u32, cx: &mut Handler<'_>, is: impl Fn(Line) -> bool) -> bool {
    let mut blocks = stache.memory.layout().blocks_of(page).map(Block);
    blocks.any(|block| stache.at_line(block, cx, |line, _| is(*line)))
}

/// Counts another block of a moving page as reclaimed or arrived. Calls `then` with the page after its last block.
pub(super) fn count_block(stache: &Stache, block: Block, then: impl FnOnce(u32)) {
    let layout = stache.memory.layout();
    let page = layout.page_of(block);
    let moves = stache.moves.as_ref().expect("a page moves only where homes do");
    if moves.is_last(page, layout.page_blocks()) {
        then(page);
    }
}

/// Ends this node's time as the home of `page`. Redirects the nodes whose requests wait; faults of its own threads wait for the
/// page again.
fn release(stache: &Stache, page: u32, now: Whereabouts, cx: &mut Handler<'_>) {
    for block in stache.memory.layout().blocks_of(page).map(Block) {
        let waiting = stache.at_home(block, cx, |home, _| std::mem::take(home).given_up());
        for Request { from, want } in waiting {
            match from {
                Asker::Node(node) => cx.send(node, Stache::moved(block.0, now.home.0, now.moves)),
                Asker::Here => {
                    let right = if want == Want::Read { Right::Read } else { Right::Write };
                    stache.at_pages(cx, |pages| pages.wait(block, right));
                }
            }
        }
    }
    stache.homes.note(page, now);
    stache.memory.set_mapped(page, false);
    stache.memory.forget(page);
    cx.close_page(&stache.entries, &stache.memory, page);
    cx.send(stache.node, Stache::retry());
}

/// Calls in a block of a page whose home moves. If `lowered`, the right of this node's threads has been taken already.
pub(super) fn call_in_block(stache: &Stache, block: Block, lowered: bool, cx: &mut Handler<'_>) {
    match lowered {
        false => stache.serve_home(block, HomeEvent::leave(), cx),
        true => stache.serve_home_lowered(block, HomeEvent::leave(), cx),
    }
}
