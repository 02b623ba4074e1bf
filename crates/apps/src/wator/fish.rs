//! The physics of fish: how one pulls another, how long a step is, and where a step leads.
//!
//! Every operation is an IEEE 754 operation that is rounded the same way on every host. This module must never know
//! which thread computes.

/// The square of the distance below which a pull grows no more: fish pass each other instead of colliding.
const NEAREST_SQUARED: f64 = 1e-4;

/// The share of the greatest speed by which no speed changes in a step.
const SHARE: f64 = 0.1;

/// The longest step.
const LONGEST: f64 = 0.1;

/// A fish as others see it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Seen {
    pub(super) place: [f64; 2],
    pub(super) mass: f64,
}

/// A fish as its owner knows it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Fish {
    pub(super) seen: Seen,
    pub(super) speed: [f64; 2],
    /// The sum of the pulls of the present step, divided by the fish's mass.
    pub(super) acceleration: [f64; 2],
}

/// The greatest squares of speed and acceleration among some fish. They decide how long a step is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Greatest {
    pub(super) speed: f64,
    pub(super) acceleration: f64,
}

fn square([x, y]: [f64; 2]) -> f64 {
    x * x + y * y
}

impl Fish {
    /// Adds the pull of another fish. A fish does not pull itself: its distance to itself is 0.
    #[inline]
    pub(super) fn pulled_by(&mut self, other: Seen) {
        let [dx, dy] = [0, 1].map(|axis| other.place[axis] - self.seen.place[axis]);
        let squared = square([dx, dy]).max(NEAREST_SQUARED);
        let pull = other.mass / (squared * squared.sqrt());
        self.acceleration[0] += pull * dx;
        self.acceleration[1] += pull * dy;
    }

    /// Moves the fish through a step, and forgets the pulls.
    pub(super) fn swim(&mut self, time: f64) {
        for axis in 0..2 {
            self.seen.place[axis] += self.speed[axis] * time;
            self.speed[axis] += self.acceleration[axis] * time;
        }
        self.acceleration = [0.0; 2];
    }
}

impl Greatest {
    /// The greatest among some fish, which may be none.
    pub(super) fn of(fish: &[Fish]) -> Self {
        let greatest = |of: fn(&Fish) -> f64| fish.iter().map(of).fold(0.0, f64::max);
        Self {
            speed: greatest(|fish| square(fish.speed)),
            acceleration: greatest(|fish| square(fish.acceleration)),
        }
    }

    /// The length of the step: in it the greatest acceleration changes a speed by a tenth of the greatest one.
    pub(super) fn step(self) -> f64 {
        let time = SHARE * (self.speed / self.acceleration).sqrt();
        // Fish that do not move, or do not pull each other, have no such time.
        if time.is_finite() && time > 0.0 { time.min(LONGEST) } else { LONGEST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fish(place: [f64; 2], speed: [f64; 2]) -> Fish {
        Fish { seen: Seen { place, mass: 2.0 }, speed, acceleration: [0.0; 2] }
    }

    #[test]
    fn two_fish_pull_each_other_by_the_square_of_their_distance() {
        let (mut left, mut right) = (fish([0.0, 0.0], [0.0; 2]), fish([0.0, 4.0], [0.0; 2]));
        left.pulled_by(right.seen);
        right.pulled_by(left.seen);
        assert_eq!((left.acceleration, right.acceleration), ([0.0, 0.125], [0.0, -0.125]));
        left.pulled_by(left.seen);
        assert_eq!(left.acceleration, [0.0, 0.125]);
    }

    #[test]
    fn a_step_changes_no_speed_by_more_than_a_tenth_of_the_greatest() {
        let mut all = [fish([0.0, 0.0], [1.0, 0.0]), fish([0.3, 0.1], [0.0, 0.5])];
        let seen = all.map(|fish| fish.seen);
        all.iter_mut().for_each(|fish| seen.iter().for_each(|&other| fish.pulled_by(other)));
        let (before, time) = (all, Greatest::of(&all).step());
        all.iter_mut().for_each(|fish| fish.swim(time));
        for (fish, before) in all.iter().zip(before) {
            let change = square([0, 1].map(|axis| fish.speed[axis] - before.speed[axis])).sqrt();
            assert!(change <= 0.1 + 1e-12, "{change}");
            assert_eq!(fish.seen.place[0], before.seen.place[0] + before.speed[0] * time);
        }
    }

    #[test]
    fn fish_that_rest_or_swim_alone_take_the_longest_step() {
        let alone = Greatest::of(&[fish([0.0; 2], [1.0, 1.0])]);
        assert_eq!((alone.step(), Greatest::of(&[]).step()), (LONGEST, LONGEST));
        assert_eq!(Greatest { speed: 0.0, acceleration: 1.0 }.step(), LONGEST);
    }
}
