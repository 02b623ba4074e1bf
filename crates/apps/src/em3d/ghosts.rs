//! The values of a kind on one machine node, in a segment: the node's own values first, then its ghosts. A thread computes from
//! there, whichever mechanism filled the ghosts.
//!
//! Must never know how ghosts are filled.

use tempest::{Event, Segment, Setup, Thread, Word};

use super::graph::Kind;
use super::layout::{Export, Layout, Share};
use super::parameters::MAX_VALUES;
use super::work::READ;

/// The values of one kind on one machine node: its own, then its ghosts.
pub(super) struct Field {
    pub(super) share: Share,
    pub(super) values: Segment<f64>,
    /// The number of ghosts that messages or transfers have filled.
    pub(super) filled: Event,
}

impl Field {
    /// The values before the first iteration. No ghosts are filled yet.
    pub(super) fn new(layout: &Layout, kind: Kind, setup: &mut Setup<'_>) -> Self {
        let share = layout.share(setup.node(), kind);
        let name = match kind {
            Kind::E => "ghosts of E",
            Kind::H => "ghosts of H",
        };
        let values = setup.segment(name, share.own.len() + share.ghosts, 0.0);
        let initial = &layout.graph.side(kind).initial;
        for (place, graph_node) in share.own.clone().enumerate() {
            values.cells().set(place, initial[graph_node as usize]);
        }
        Self { share, values, filled: Event::new(name) }
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
        for (at, places) in (export.at..).step_by(size).zip(export.places.chunks(size)) {
            let mut words = [0; MAX_VALUES];
            words.iter_mut().zip(self.bits(places)).for_each(|(word, bits)| *word = bits);
            let words = &words[..places.len()];
            thread.charge(READ.times(words.len() as u32));
            send(at, words);
            thread.poll();
        }
    }

    /// Reads the values at the given places, as bits.
    pub(super) fn bits<'a>(&'a self, places: &'a [u32]) -> impl Iterator<Item = u64> + 'a {
        places.iter().map(|&place| Word::to_bits(self.values.cells().get(place as usize)))
    }
}
