//! The partners of a pass. This module must never know the work of partners.

use crate::kit::sorts::Half;

/// A pass: the distance of partners, and the number of the first thread that has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pass {
    distance: u32,
    first: u32,
}

impl Pass {
    /// The passes at decreasing distances among `threads` threads.
    pub(super) fn decreasing(threads: u32) -> impl Iterator<Item = Self> {
        let rounds = threads.next_power_of_two().trailing_zeros();
        (0..rounds).rev().map(|round| Self { distance: 1 << round, first: 0 })
    }

    /// The two passes of a round of the clean-up. The first one follows a pass between neighbours that begins with the first thread, and
    /// therefore begins with the second.
    pub(super) const CLEAN_UP: [Self; 2] = [Self { distance: 1, first: 1 }, Self { distance: 1, first: 0 }];

    /// The partner of a thread among `threads` threads, and the half that the thread keeps; none where the thread has
    /// no partner.
    pub(super) fn partner(self, thread: u32, threads: u32) -> Option<(u32, Half)> {
        let place = thread.checked_sub(self.first)?;
        if (place / self.distance).is_multiple_of(2) {
            let partner = thread + self.distance;
            return (partner < threads).then_some((partner, Half::Lower));
        }
        Some((thread - self.distance, Half::Upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_halve_down_to_neighbours() {
        let distances = |threads| Pass::decreasing(threads).map(|pass| pass.distance).collect::<Vec<_>>();
        assert_eq!([1, 2, 3, 16].map(distances), [vec![], vec![1], vec![2, 1], vec![8, 4, 2, 1]]);
    }

    #[test]
    fn partners_are_each_others_and_the_lower_keeps_the_lower_half() {
        for threads in 1..18 {
            for pass in Pass::decreasing(threads).chain(Pass::CLEAN_UP) {
                for thread in 0..threads {
                    let Some((partner, half)) = pass.partner(thread, threads) else { continue };
                    assert_eq!(pass.partner(partner, threads), Some((thread, half.other())));
                    assert_eq!(
                        (partner > thread, thread.abs_diff(partner)),
                        (half == Half::Lower, pass.distance)
                    );
                }
            }
            for pass in Pass::CLEAN_UP {
                let without = (0..threads).filter(|thread| pass.partner(*thread, threads).is_none()).count();
                assert!(without <= 2, "{threads} threads, {pass:?}");
            }
        }
    }
}
