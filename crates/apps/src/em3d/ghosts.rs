//! The values of a kind on one machine node, in a segment: the node's own values first, then its ghosts. A thread
//! computes from there, for each mechanism that fills the ghosts.
//!
//! This module must never know how ghosts are filled.

use std::ops::Range;

use tempest::data::Word;
use tempest::{Access, Event, Mechanism, Segment, Setup, Thread};

use super::graph::Kind;
use super::layout::{Export, Layout, Share, first_ghost};
use super::parameters::MAX_VALUES;
use super::work::READ;

/// The values of one kind on one machine node: its own, then its ghosts.
pub(super) struct Field {
    pub(super) share: Share,
    pub(super) values: Segment<f64>,
    /// The blocks into which values are gathered for transfers; empty for the other mechanisms.
    pub(super) gathered: Segment<f64>,
    /// The number of ghosts that messages or transfers have filled.
    pub(super) filled: Event,
}

impl Field {
    /// The values before the first iteration. No ghosts are filled yet.
    pub(super) fn new(layout: &Layout, kind: Kind, mechanism: Mechanism, setup: &mut Setup<'_>) -> Self {
        let share = layout.share(setup.node(), kind);
        let (name, blocks) = match kind {
            Kind::E => ("ghosts of E", "blocks of E"),
            Kind::H => ("ghosts of H", "blocks of H"),
        };
        let values = setup.segment(name, first_ghost(share.own.len()) + share.ghosts, 0.0);
        let gathers = mechanism == Mechanism::Bulk;
        let gathered = setup.segment(blocks, if gathers { share.gathered } else { 0 }, 0.0);
        let initial = &layout.graph.side(kind).initial;
        for (place, graph_node) in share.own.clone().enumerate() {
            values.cells().set(setup, place, initial[graph_node as usize]);
        }
        Self { share, values, gathered, filled: Event::new(name) }
    }

    /// Takes ghosts out of the cache of the thread's processor if they are filled by an interface that does not do that: the
    /// thread has read them, and they are filled again later.
    pub(super) fn forget(&self, thread: &Thread<'_>, ghosts: &[Range<u32>]) {
        if thread.is_coherent() {
            return;
        }
        for run in ghosts {
            thread.touch(self.values.place(run.start), run.len(), Access::Purge);
        }
        thread.drain();
    }

    /// Reads the values of an export straight from where they are, at most `size` at a time, and sends each piece: `send` is
    /// given the place of the first ghost and the bits of the values.
    pub(super) fn in_pieces(
        &self,
        thread: &Thread<'_>,
        export: &Export,
        size: usize,
        send: impl Fn(u32, &[u64]),
    ) {
        let values = thread.words(&self.values);
        for (at, places) in (export.at..).step_by(size).zip(export.places.chunks(size)) {
            let mut words = [0; MAX_VALUES];
            for (word, &place) in words.iter_mut().zip(places) {
                *word = Word::to_bits(values.get(place as usize));
            }
            let words = &words[..places.len()];
            thread.charge(READ.times(words.len() as u32));
            send(at, words);
            thread.poll();
        }
    }
}
