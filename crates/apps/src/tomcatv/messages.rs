//! tomcatv's rows on their way into ghost rows: by messages, by bulk transfers and by deposits.
//!
//! This module must never know the values computed from the rows.

use tempest::data::Piece;
use tempest::{Access, MAX_WORDS, Mechanism, Message, NodeId, Place, Thread};

use super::mesh::Mesh;
use super::sweep::Coordinates;
use super::work::COPY;

/// The numbers of a message; one word more says where they go.
const MESSAGE: usize = MAX_WORDS - 1;

/// A row of the node's own, and the ghost row that it goes into.
pub(super) struct Export {
    pub(super) to: NodeId,
    pub(super) row: usize,
    /// The first word of the ghost row there.
    pub(super) ghost: u32,
    /// The numbers of the row.
    pub(super) size: usize,
}

impl Export {
    /// Sends one coordinate of the row by a mechanism. `brings` makes the message that brings numbers from a place on, `filled` the one
    /// that tells how many a transfer has brought.
    pub(super) fn send<M: Message, F: Message>(
        &self,
        thread: &Thread<'_>,
        mesh: &Mesh,
        axis: usize,
        mechanism: Mechanism,
        (brings, filled): (impl Fn(u32) -> M, impl FnOnce(u32) -> F),
    ) {
        match mechanism {
            Mechanism::Bulk => self.transfer(thread, mesh, axis, filled(self.size as u32)),
            Mechanism::Deposit => self.in_pieces(thread, mesh, axis, MAX_WORDS, |place, words| {
                thread.deposit(self.to, place, words);
            }),
            _ => self.in_pieces(thread, mesh, axis, MESSAGE, |place, words| {
                thread.send_with(self.to, brings(place.offset), words);
            }),
        }
    }

    fn transfer<F: Message>(&self, thread: &Thread<'_>, mesh: &Mesh, axis: usize, filled: F) {
        let segment = mesh.axis(axis);
        let own = segment.place(mesh.own(self.row));
        if !thread.is_coherent() {
            // The interface reads memory, not the cache.
            thread.touch(own, self.size, Access::Flush);
            thread.drain();
        }
        let piece = [Piece { place: own, words: self.size as u32 }];
        thread.transfer(self.to, segment.place(self.ghost), &piece, filled);
        thread.poll();
    }

    /// Reads the row where it is, at most `most` numbers at a time, and sends each piece.
    fn in_pieces(
        &self,
        thread: &Thread<'_>,
        mesh: &Mesh,
        axis: usize,
        most: usize,
        send: impl Fn(Place, &[u64]),
    ) {
        for from in (0..self.size).step_by(most) {
            let mut values = [0.0; MAX_WORDS];
            let values = &mut values[..most.min(self.size - from)];
            mesh.read(thread, axis, self.row, from, values);
            let mut words = [0; MAX_WORDS];
            words.iter_mut().zip(&*values).for_each(|(word, value)| *word = value.to_bits());
            thread.charge(COPY.times(values.len() as u32));
            send(mesh.axis(axis).place(self.ghost + from as u32), &words[..values.len()]);
            thread.poll();
        }
    }
}
