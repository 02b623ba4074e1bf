//! The bitonic sorting network of any number of places: which two are compared in which step.
//!
//! The first part of the places is sorted downwards and the second upwards, which makes the whole bitonic. A merge
//! compares places whose distance is the greatest power of two below their number, and then merges both parts. (H. W.
//! Lang, *Bitonic sorting network for n not a power of 2*, after K. E. Batcher, AFIPS 1968.) This module must never
//! know the items that are compared.

use crate::kit::sorts::Half;

/// Two places, of which the first gets the half that is named and the second the other one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Comparison {
    places: [u32; 2],
    first: Half,
}

/// The comparisons of a network, by step. No place is in two comparisons of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Network {
    steps: Vec<Vec<Comparison>>,
}

impl Network {
    /// The network that sorts `places` places upwards.
    pub(super) fn of(places: u32) -> Self {
        Self { steps: sorting(0, places, Half::Lower) }
    }

    /// The number of steps.
    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// By step: the partner of a place and the half that the place gets, where it has a partner.
    pub(super) fn partners(&self, place: u32) -> impl Iterator<Item = Option<(u32, Half)>> {
        self.steps.iter().map(move |step| {
            step.iter().find_map(|Comparison { places: [low, high], first }| match place {
                _ if place == *low => Some((*high, *first)),
                _ if place == *high => Some((*low, first.other())),
                _ => None,
            })
        })
    }
}

/// The steps that sort `len` places from `low` on. The lower of two places gets the half `first`.
fn sorting(low: u32, len: u32, first: Half) -> Vec<Vec<Comparison>> {
    if len <= 1 {
        return Vec::new();
    }
    let below = len / 2;
    let mut steps = beside(sorting(low, below, first.other()), sorting(low + below, len - below, first));
    steps.extend(merging(low, len, first));
    steps
}

/// The steps that sort `len` places from `low` on, which are bitonic.
fn merging(low: u32, len: u32, first: Half) -> Vec<Vec<Comparison>> {
    if len <= 1 {
        return Vec::new();
    }
    let distance = len.next_power_of_two() / 2;
    let compare = |place| Comparison { places: [place, place + distance], first };
    let mut steps = vec![(low..low + len - distance).map(compare).collect()];
    steps.extend(beside(merging(low, distance, first), merging(low + distance, len - distance, first)));
    steps
}

/// Steps of two parts that have no place in common, at the same time.
fn beside(mut longer: Vec<Vec<Comparison>>, mut shorter: Vec<Vec<Comparison>>) -> Vec<Vec<Comparison>> {
    if longer.len() < shorter.len() {
        std::mem::swap(&mut longer, &mut shorter);
    }
    longer.iter_mut().zip(shorter).for_each(|(step, other)| step.extend(other));
    longer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network sorts all numbers if it sorts all zeros and ones (D. E. Knuth, *The Art of Computer Programming* 3).
    #[test]
    fn a_network_of_any_size_sorts() {
        for places in 1..13 {
            let network = Network::of(places);
            for bits in 0..1_u32 << places {
                let mut values: Vec<u32> = (0..places).map(|place| bits >> place & 1).collect();
                for Comparison { places: [low, high], first } in network.steps.concat() {
                    let (low, high) = (low as usize, high as usize);
                    if (values[low] > values[high]) == (first == Half::Lower) {
                        values.swap(low, high);
                    }
                }
                assert!(values.is_sorted(), "{places} places, {bits:b}: {values:?}");
            }
        }
    }

    #[test]
    fn places_meet_at_most_once_in_a_step() {
        for places in [1, 2, 3, 8, 13, 16] {
            let network = Network::of(places);
            let partners: Vec<Vec<_>> = (0..places).map(|place| network.partners(place).collect()).collect();
            for (place, step) in
                (0..places).flat_map(|place| (0..network.steps()).map(move |step| (place, step)))
            {
                if let Some((partner, half)) = partners[place as usize][step] {
                    assert_eq!(partners[partner as usize][step], Some((place, half.other())));
                }
            }
        }
    }

    #[test]
    fn a_power_of_two_has_all_places_in_all_of_its_few_steps() {
        for log in 0..6 {
            let network = Network::of(1 << log);
            assert_eq!(network.steps(), log * (log + 1) / 2);
            assert!(network.steps.iter().all(|step| step.len() == 1 << (log - 1)));
        }
    }
}
