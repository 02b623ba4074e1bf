//! Transfers: the words that a transfer moves, their source and their destination.
//!
//! A transfer moves a list of pieces of memory to a list of pieces elsewhere. The two lists have the same number of
//! words, but their pieces may differ in length. This module must never know how a world moves words.

use std::borrow::Cow;

use super::segment::{Piece, Place};

/// The words that a transfer moves: in private memory of the sender, or in its segments.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Words in private memory of the sender, [packed](crate::data::Word::packed) into units of 8 bytes.
    Words(&'a [u64]),
    /// Words of the sending node's segments, gathered from the pieces of this list in order.
    Pieces(&'a [Piece]),
}

/// The destination of a transfer on the receiving node.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// Consecutive words of one segment of the receiving node, from this address on.
    Place(Place),
    /// Words of the receiving node's segments, scattered into the pieces of this list in order.
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

/// A bulk transfer, as a world receives it from the sending node. `words` and the pieces of `into` have equally many
/// units of 8 bytes. So have the pieces of `from`, unless `from` is empty.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// The words to move, in units of 8 bytes.
    pub words: &'a [u64],
    /// The pieces of the sending node's segments that the words come from; empty if they come from private memory.
    pub from: &'a [Piece],
    /// The pieces of the receiving node's segments into which the words go.
    pub into: &'a [Piece],
}

impl<'a> Transfer<'a> {
    /// Returns, for each piece of `into`, its address and the words to write there.
    pub fn placed(&self) -> impl Iterator<Item = (Place, &'a [u64])> + use<'a> {
        let mut rest = self.words;
        self.into.iter().map(move |piece| {
            let (words, behind) = rest.split_at(piece.words as usize);
            rest = behind;
            (piece.place, words)
        })
    }
}
