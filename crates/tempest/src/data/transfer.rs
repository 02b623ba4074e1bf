//! Transfers: the words that a transfer moves, and the places that they come from and go to.
//!
//! A transfer moves a list of pieces of memory to a list of pieces elsewhere. The two lists hold equally many words; the pieces of one
//! need not be those of the other. This module must never know how a world moves words.

use std::borrow::Cow;

use super::segment::{Piece, Place};

/// The words that a transfer moves.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Words in memory of the sender's own, [packed](crate::data::Word::packed) in 8 bytes each.
    Words(&'a [u64]),
    /// Pieces of segments of the sending node, gathered in this order.
    Pieces(&'a [Piece]),
}

/// The places on the receiving node to which a transfer moves words.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// All words go from this place on.
    Place(Place),
    /// The words are scattered into these pieces, in this order.
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

/// A transfer as a world moves it. The two lists of pieces hold as many words as there are.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// All words, gathered.
    pub words: &'a [u64],
    /// The pieces of the sending node's segments from which the words were gathered; empty if they are in no segment.
    pub from: &'a [Piece],
    /// The pieces of the receiving node's segments into which the words go.
    pub into: &'a [Piece],
}

impl<'a> Transfer<'a> {
    /// The words of each piece, and the place where they go.
    pub fn placed(&self) -> impl Iterator<Item = (Place, &'a [u64])> + use<'a> {
        let mut rest = self.words;
        self.into.iter().map(move |piece| {
            let (words, behind) = rest.split_at(piece.words as usize);
            rest = behind;
            (piece.place, words)
        })
    }
}
