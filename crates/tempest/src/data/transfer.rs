//! Transfers: the words that a transfer moves, their source and their destination.
//!
//! A transfer moves a list of pieces of memory to a list of pieces elsewhere. The two lists have the same number of
//! words, but their pieces may differ in length. This module must never know how a world moves words.

use std::borrow::Cow;

use super::segment::{Piece, Place};

/// The source of a transfer: the words that it moves.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Words in private memory of the sender, [packed](crate::data::Word::packed) into units of 8 bytes.
    Words(&'a [u64]),
    /// Words of these pieces of the sending node's segments, gathered in this order.
    Pieces(&'a [Piece]),
}

/// The destination of a transfer on the receiving node.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// Consecutive words of one segment, from this word on.
    Place(Place),
    /// These pieces, into which the words are scattered in this order.
    Pieces(&'a [Piece]),
}

macro_rules! from_lists {
    ($($to:ident::$variant:ident of $each:ty),*) => {$(
        impl<'a> From<&'a [$each]> for $to<'a> {
            fn from(list: &'a [$each]) -> Self {
                Self::$variant(list)
            }
        }

        impl<'a, const N: usize> From<&'a [$each; N]> for $to<'a> {
            fn from(list: &'a [$each; N]) -> Self {
                Self::$variant(list)
            }
        }

        impl<'a> From<&'a Vec<$each>> for $to<'a> {
            fn from(list: &'a Vec<$each>) -> Self {
                Self::$variant(list)
            }
        }
    )*};
}

from_lists!(Data::Words of u64, Data::Pieces of Piece, Target::Pieces of Piece);

impl<'a> From<&'a Cow<'_, [u64]>> for Data<'a> {
    fn from(words: &'a Cow<'_, [u64]>) -> Self {
        Self::Words(words)
    }
}

impl From<Place> for Target<'_> {
    fn from(place: Place) -> Self {
        Self::Place(place)
    }
}

/// A transfer, ready for a world to move. The pieces of `into` together have as many words as `words`. The pieces of
/// `from` have as many too, unless `from` is empty.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// All words to move, gathered, in units of 8 bytes.
    pub words: &'a [u64],
    /// The pieces of the sending node's segments from which the words were gathered; empty if they are in no segment.
    pub from: &'a [Piece],
    /// The pieces of the receiving node's segments into which the words go.
    pub into: &'a [Piece],
}

impl<'a> Transfer<'a> {
    /// Returns for each piece of `into` its place and the words that go there.
    pub fn placed(&self) -> impl Iterator<Item = (Place, &'a [u64])> + use<'a> {
        let mut rest = self.words;
        self.into.iter().map(move |piece| {
            let (words, behind) = rest.split_at(piece.words as usize);
            rest = behind;
            (piece.place, words)
        })
    }
}
