//! The problem of wator: the inputs, the fish that are drawn for them, and their final places by a sequential program.
//!
//! This module must never know which thread has which fish.

use rand::RngExt;
use tempest::entry::Inputs;

use super::fish::{Fish, Greatest, Seen};
use crate::kit::stream;

/// The inputs of wator.
#[derive(Clone, Copy, Debug, Inputs)]
pub(super) struct Options {
    /// fish; the study of five machines has 400
    #[input(default = 64, range = 1..=1 << 16)]
    pub(super) fish: u32,
    /// steps, in each of which all fish move; the study of five machines leaves their number open
    #[input(default = 10, range = 1..=1_000_000, free = "300..2000")]
    pub(super) steps: u32,
    /// integer operations for each fish in the picture that its thread draws of it in each step, without a poll
    #[input(default = 0, range = 0..=100_000_000)]
    pub(super) draw: u32,
}

/// Fish, and the same fish after all steps.
pub(super) struct Problem {
    pub(super) asked: Options,
    pub(super) fish: Vec<Fish>,
    pub(super) expected: Vec<Fish>,
}

impl Problem {
    /// Draws fish, and lets them swim one after the other.
    pub(super) fn draw(asked: Options, seed: u64) -> Self {
        let fish = fish(asked.fish, seed);
        let mut expected = fish.clone();
        (0..asked.steps).for_each(|_| step(&mut expected));
        Self { asked, fish, expected }
    }
}

/// Draws fish in a square of side 2. Their masses are even shares of 1, times a number from 0.5 to 1.5.
fn fish(count: u32, seed: u64) -> Vec<Fish> {
    let mut random = stream(seed, 0);
    let mut one = || {
        let mut pair = || [(); 2].map(|()| random.random_range(-1.0..1.0));
        let (place, speed) = (pair(), pair());
        let mass = random.random_range(0.5..1.5) / f64::from(count);
        Fish { seen: Seen { place, mass }, speed, acceleration: [0.0; 2] }
    };
    (0..count).map(|_| one()).collect()
}

/// Moves all fish through one step.
fn step(fish: &mut [Fish]) {
    let seen: Vec<_> = fish.iter().map(|fish| fish.seen).collect();
    for fish in &mut *fish {
        seen.iter().for_each(|&other| fish.pulled_by(other));
    }
    let time = Greatest::of(fish).step();
    fish.iter_mut().for_each(|fish| fish.swim(time));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pulls come in pairs, so the sum of all masses times speeds stays as it is, but for rounding.
    #[test]
    fn the_momentum_of_all_fish_is_kept() {
        let problem = Problem::draw(Options { fish: 50, steps: 20, draw: 0 }, 7);
        let momentum = |fish: &[Fish]| {
            [0, 1].map(|axis| fish.iter().map(|fish| fish.seen.mass * fish.speed[axis]).sum::<f64>())
        };
        let (before, after) = (momentum(&problem.fish), momentum(&problem.expected));
        for axis in 0..2 {
            assert!((before[axis] - after[axis]).abs() < 1e-12, "{before:?} {after:?}");
        }
        assert!(problem.fish.iter().zip(&problem.expected).all(|(a, b)| a.seen.place != b.seen.place));
    }
}
