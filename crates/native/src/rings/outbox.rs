//! Outboxes: messages of handlers that wait for room in the rings, and the bound of their memory.
//!
//! An outbox is a queue of pages. A message takes one word and its own words there, so a short one takes a quarter of the room of the
//! longest. Pages come out of the [`Quota`] of the world, which all outboxes share; an emptied outbox keeps one page.
//!
//! This module must never know rings, nodes or processors; it uses only the atomics of `sync`, so that the models run it as
//! it is.

use std::collections::VecDeque;

use tempest::world::{MessageId, Packet};
use tempest::{MAX_WORDS, NodeId};

use crate::rings::message::{Origin, origin_of};
use crate::rings::tuning::THREADS_SHARE;
use crate::sync::{AtomicUsize, Ordering};

/// Words of a page: 4 KiB.
const PAGE: usize = 512;

/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = PAGE * size_of::<u64>();

/// The pages that all outboxes of a world may take together.
pub(crate) struct Quota {
    taken: AtomicUsize,
    pages: usize,
}

impl Quota {
    /// A quota of `pages` pages, none of them taken.
    pub(crate) fn new(pages: usize) -> Self {
        Self { taken: AtomicUsize::new(0), pages }
    }

    /// Memory that outboxes may take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.saturating_mul(PAGE_BYTES)
    }

    /// Takes a page. Returns false if none is left. No ordering is needed: pages are memory of the outbox that takes them.
    fn take(&self) -> bool {
        let is_left = self.taken.fetch_add(1, Ordering::Relaxed) < self.pages;
        if !is_left {
            self.give_back();
        }
        is_left
    }

    fn give_back(&self) {
        self.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The messages of one lane that wait for room, in order.
#[derive(Default)]
pub(crate) struct Outbox {
    pages: VecDeque<Vec<u64>>,
    /// Words of the first page that have left.
    passed: usize,
    messages: usize,
    /// Number of threads' messages among them.
    by_threads: usize,
}

impl Outbox {
    /// Appends a message. Returns its number of words here, or `None` if the quota has no page for it.
    pub(crate) fn push(&mut self, packet: &Packet, origin: Origin, quota: &Quota) -> Option<usize> {
        let words = packet.words();
        let fits = self.pages.back().is_some_and(|page| page.len() + 1 + words.len() <= PAGE);
        if !fits {
            quota.take().then(|| self.pages.push_back(Vec::with_capacity(PAGE)))?;
        }
        let page = self.pages.back_mut().expect("a page has been added");
        page.push(head(packet, origin));
        page.extend_from_slice(words);
        self.messages += 1;
        self.by_threads += usize::from(origin == Origin::Thread);
        Some(1 + words.len())
    }

    /// Whether a thread's message may wait here too: there are handlers' messages, and few threads' messages among them.
    pub(crate) fn has_room_for_a_thread(&self) -> bool {
        self.by_threads * THREADS_SHARE < self.messages
    }

    /// Takes messages out in order while `leaves` accepts the first. Returns their number of words here.
    pub(crate) fn pass_on(
        &mut self,
        quota: &Quota,
        mut leaves: impl FnMut(&Packet, Origin) -> bool,
    ) -> usize {
        let mut passed = 0;
        while let Some((packet, origin)) = self.first()
            && leaves(&packet, origin)
        {
            let words = 1 + packet.words().len();
            passed += words;
            self.messages -= 1;
            self.by_threads -= usize::from(origin == Origin::Thread);
            self.pass(words, quota);
        }
        passed
    }

    fn first(&self) -> Option<(Packet, Origin)> {
        let (head, words) = self.pages.front()?.get(self.passed..)?.split_first()?;
        let (id, length) = (MessageId(*head as u16), (head >> 16) as usize & 0xf);
        let packet = Packet::from_parts(id, NodeId((head >> 20) as u32), &words[..length]);
        Some((packet.expect("it was one when it came"), origin_of(*head)))
    }

    /// Removes the first `words` words.
    fn pass(&mut self, words: usize, quota: &Quota) {
        self.passed += words;
        let page = self.pages.front_mut().expect("the words are in a page");
        if self.passed < page.len() {
            return;
        }
        self.passed = 0;
        if self.pages.len() == 1 {
            self.pages[0].clear();
        } else {
            self.pages.pop_front();
            quota.give_back();
        }
    }
}

/// The word before the words of a message: its kind, length and source, and its origin in the same bits as in a ring.
fn head(packet: &Packet, origin: Origin) -> u64 {
    u64::from(packet.id().0)
        | (packet.words().len() as u64) << 16
        | u64::from(packet.source().0) << 20
        | (origin as u64) << 52
}

const _: () = assert!(MAX_WORDS < PAGE && MAX_WORDS <= 0xf);
