//! Frames for pages that live elsewhere: found at the first fault of a page, taken from the page that was
//! mapped first when there is none, and given back with an array.
//!
//! All of it under the sequential key: no handler of a block can see a page half torn down. A fault in a page
//! without a frame is served to the point where its request is on its way before anything else runs, so the
//! page it was given cannot be taken from it before the access is done. Where every frame holds a block that
//! is under way the fault waits here, and whoever ends a transaction next has it tried again. Must never know
//! what a block's states mean.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use tempest::{Actions, Array, Block, Handler, Primitive, Right, Tag, Thread, Word};

use super::{Frames, LineEvent, Stache};

/// Which remote pages have frames, and who waits for one.
pub(super) struct Pages {
    frames: Frames,
    /// Pages that were given a frame on demand, the oldest first.
    resident: VecDeque<u32>,
    /// Faults in pages for which there was no frame.
    waiting: VecDeque<(Block, Right)>,
}

impl Pages {
    pub(super) fn new(frames: Frames) -> Self {
        Self { frames, resident: VecDeque::new(), waiting: VecDeque::new() }
    }

    fn is_full(&self) -> bool {
        matches!(self.frames, Frames::AtMost(most) if self.resident.len() >= most as usize)
    }
}

/// The one entry of the table of pages.
const ALL: u64 = 0;

impl Stache {
    /// A thread wants a right to a block whose page may have no frame.
    pub(super) fn page_wanted(&self, block: Block, right: Right, cx: &mut Handler<'_>) {
        if self.memory.is_mapped(self.memory.layout().page_of(block)) {
            return self.serve_line(block, LineEvent::Fault(right), cx);
        }
        self.at_pages(cx, |pages| pages.waiting.push_back((block, right)));
        self.serve_waiting(cx);
    }

    /// Serves the oldest fault that waits for a frame, if there is one for it; sees to it that there will be,
    /// if not.
    pub(super) fn serve_waiting(&self, cx: &mut Handler<'_>) {
        let Some((block, right)) = self.at_pages(cx, |pages| pages.waiting.front().copied()) else { return };
        let page = self.memory.layout().page_of(block);
        if !self.memory.is_mapped(page) {
            if self.at_pages(cx, |pages| pages.is_full()) {
                return self.evict(cx);
            }
            self.at_pages(cx, |pages| pages.resident.push_back(page));
            cx.charge(Primitive::MapPage);
            self.memory.set_mapped(page, true);
        }
        let more = self.at_pages(cx, |pages| {
            pages.waiting.pop_front();
            !pages.waiting.is_empty()
        });
        if more {
            cx.send(self.node, Self::retry());
        }
        self.serve_line(block, LineEvent::Fault(right), cx);
    }

    /// Lowers all rights to the oldest page that no block is on its way to; if there is none, has it tried
    /// later.
    fn evict(&self, cx: &mut Handler<'_>) {
        let resident = self.at_pages(cx, |pages| pages.resident.clone());
        let victim = resident.into_iter().find(|&page| {
            let mut blocks = self.memory.layout().blocks_of(page).map(Block);
            !blocks.any(|block| self.at_line(block, cx, |line, _| line.is_busy()))
        });
        match victim {
            None => self.starving.store(true, Ordering::Release),
            Some(page) => {
                let blocks = self.memory.layout().blocks_of(page);
                let blocks = Block(blocks.start)..=Block(blocks.end - 1);
                cx.lower_all(&self.memory, blocks, Tag::Invalid, Self::evicted(page));
            }
        }
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
    }

    fn unmap(&self, page: u32, cx: &mut Handler<'_>) {
        for block in self.memory.layout().blocks_of(page).map(Block) {
            self.at_line(block, cx, |line, cx| {
                assert!(
                    !line.is_busy(),
                    "{block} loses its frame at {} while a thread waits for it",
                    self.node
                );
                self.step_line(block, line, LineEvent::Replace, cx);
            });
        }
        self.memory.set_mapped(page, false);
        self.at_pages(cx, |pages| pages.resident.retain(|&resident| resident != page));
    }

    fn at_pages<R>(&self, cx: &mut Handler<'_>, f: impl FnOnce(&mut Pages) -> R) -> R {
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
            if self.memory.layout().home_of_page(page) != self.node {
                self.unmap(page, cx);
            }
            self.freed[page as usize].store(true, Ordering::Release);
        }
        self.memory.set_freed(region);
        cx.signal(&self.frees, 1);
    }
}
