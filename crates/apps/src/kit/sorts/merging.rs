//! The lower or the upper half of two sorted blocks, of which the second comes in pieces.
//!
//! Two threads that each keep another half divide the keys of both between them, a *compare-split* (V. Kumar, A. Grama, A. Gupta and
//! G. Karypis, *Introduction to Parallel Computing*, 1994). Each keeps as many keys as it had. This module must never know where the
//! pieces come from.

/// The half that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Half {
    Lower,
    Upper,
}

impl Half {
    /// The half of the partner.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }
}

/// A merge that is under way. It goes up from the least keys for the lower half, and down from the greatest for the upper.
pub(crate) struct Merge<'a> {
    half: Half,
    mine: &'a [u32],
    /// The number of own keys that have been kept.
    taken: usize,
    /// The keys that have been kept, in the order of the merge.
    kept: Vec<u32>,
}

impl<'a> Merge<'a> {
    /// Begins to merge sorted keys with others, to keep as many of them.
    pub(crate) fn new(half: Half, mine: &'a [u32]) -> Self {
        Self { half, mine, taken: 0, kept: Vec::with_capacity(mine.len()) }
    }

    /// The number of keys that are still to be kept.
    pub(crate) fn left(&self) -> usize {
        self.mine.len() - self.kept.len()
    }

    /// Merges until a piece is used up or the merge is done, and returns the number of keys that were kept meanwhile. The piece is
    /// sorted. It is the next of the partner's keys: upwards for the lower half, downwards for the upper.
    pub(crate) fn take(&mut self, piece: &[u32]) -> usize {
        let before = self.kept.len();
        match self.half {
            Half::Lower => self.merge(piece.iter().copied(), |own, other| own <= other),
            Half::Upper => self.merge(piece.iter().rev().copied(), |own, other| own >= other),
        }
        self.kept.len() - before
    }

    /// The number of own keys among all that are kept at the end.
    pub(crate) fn kept_of_own(&self) -> usize {
        self.taken + self.left()
    }

    /// The keys that are kept, in ascending order. Where the partner has had too few, the rest are own ones.
    pub(crate) fn finish(mut self) -> Vec<u32> {
        while self.left() > 0 {
            self.keep_own();
        }
        if self.half == Half::Upper {
            self.kept.reverse();
        }
        self.kept
    }

    fn merge(&mut self, piece: impl Iterator<Item = u32>, own_first: impl Fn(u32, u32) -> bool) {
        for other in piece {
            while self.left() > 0 && own_first(self.next_own(), other) {
                self.keep_own();
            }
            if self.left() == 0 {
                return;
            }
            self.kept.push(other);
        }
    }

    /// The next own key. There is one as long as the merge is not done.
    fn next_own(&self) -> u32 {
        match self.half {
            Half::Lower => self.mine[self.taken],
            Half::Upper => self.mine[self.mine.len() - 1 - self.taken],
        }
    }

    fn keep_own(&mut self) {
        self.kept.push(self.next_own());
        self.taken += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(half: Half, mine: &[u32], theirs: &[u32], piece: usize) -> Vec<u32> {
        let mut merge = Merge::new(half, mine);
        match half {
            Half::Lower => theirs.chunks(piece).for_each(|piece| _ = merge.take(piece)),
            Half::Upper => theirs.rchunks(piece).for_each(|piece| _ = merge.take(piece)),
        }
        merge.finish()
    }

    #[test]
    fn two_halves_are_the_keys_of_both_in_order() {
        let blocks: [(&[u32], &[u32]); 5] = [
            (&[1, 3, 5, 7], &[2, 4, 6, 8]),
            (&[5, 6, 7, 8], &[1, 2, 3, 4]),
            (&[1, 1, 1, 2], &[1, 1, 2, 2]),
            (&[4, 9, 9], &[1, 2, 4, 4, 9]),
            (&[3, 3, 3, 3, 3], &[7]),
        ];
        for ((low, high), piece) in
            blocks.into_iter().flat_map(|blocks| (1..6).map(move |piece| (blocks, piece)))
        {
            let mut all = [low, high].concat();
            all.sort_unstable();
            let halves = [half(Half::Lower, low, high, piece), half(Half::Upper, high, low, piece)];
            assert_eq!(halves.concat(), all, "{low:?} and {high:?} in pieces of {piece}");
            assert_eq!(halves[0].len(), low.len());
        }
    }

    #[test]
    fn no_more_is_merged_than_is_kept() {
        let mut merge = Merge::new(Half::Lower, &[1, 2]);
        assert_eq!((merge.take(&[3, 4]), merge.left()), (2, 0));
        assert_eq!(merge.take(&[5]), 0);
    }
}
