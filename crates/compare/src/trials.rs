//! Trials of the verdicts: made-up times whose truth is known, again and again, and how often the verdict is right. All
//! times come from seeds, so a trial has the same result every time.

use crate::finding;
use crate::interval::{Interval, level};
use crate::samples::{Noise, measured};
use units::Time;

/// Disturbance of a run, as a share of its time.
type Disturbance = fn(&mut Noise) -> f64;

const DISTURBANCES: [(&str, Disturbance); 2] = [("skewed", Noise::skewed), ("shared", Noise::shared)];

/// Times of rows that take `work` each, in `rounds` rounds, on a host that becomes slower by the share `drift` from the
/// first run to the last.
fn rounds(
    work: &[f64],
    rounds: usize,
    drift: f64,
    noise: &mut Noise,
    disturbed: Disturbance,
) -> Vec<Vec<f64>> {
    let runs = (rounds * work.len()) as f64;
    let mut samples = vec![Vec::new(); work.len()];
    for round in 0..rounds {
        for place in 0..work.len() {
            // Each row has each place.
            let row = (place + round) % work.len();
            let now = (round * work.len() + place) as f64 / runs;
            samples[row].push(work[row] * 1e-3 * (1.0 + disturbed(noise)) * (1.0 + drift * now));
        }
    }
    samples
}

/// The number of findings, one for each seed, that tell rows apart.
fn told(seeds: u64, samples: impl Fn(&mut Noise) -> Vec<Vec<f64>>) -> usize {
    let is_told = |seed: &u64| {
        let found = finding::of(&measured(&samples(&mut Noise::new(*seed))));
        assert_eq!(found.too_few, None);
        found.contrast.is_some()
    };
    (0..seeds).filter(is_told).count()
}

#[test]
fn an_interval_encloses_the_median_as_often_as_it_says() {
    const TRIALS: usize = 4000;
    let truth = Time::from_femtoseconds(((1.0 + 0.2 * 2_f64.ln()) * 1e12) as u64);
    let mut noise = Noise::new(1);
    for runs in [6, 9, 20, 100] {
        for wanted in [0.95, level(10)] {
            let mut enclosed = 0;
            let mut level = 0.0;
            for _ in 0..TRIALS {
                let time = |_| Time::from_femtoseconds(((1.0 + noise.skewed()) * 1e12) as u64);
                let times: Vec<_> = (0..runs).map(time).collect();
                let interval = Interval::of_median(&times, wanted).expect("there are times");
                enclosed += usize::from((interval.low..=interval.high).contains(&truth));
                level = interval.level;
            }
            let share = enclosed as f64 / TRIALS as f64;
            // Four standard deviations of a share in `TRIALS` trials.
            let apart = 4.0 * (level * (1.0 - level) / TRIALS as f64).sqrt();
            assert!((share - level).abs() < apart, "{runs} runs: {share}, but the level is {level}");
        }
    }
}

#[test]
fn a_table_of_equal_rows_has_no_winner() {
    for (name, disturbed) in DISTURBANCES {
        for rows in [2, 5, 20] {
            let work = vec![1.0; rows];
            let winners = told(200, |noise| rounds(&work, 30, 0.0, noise, disturbed));
            // At most 5 % of the tables, by the level; fewer, as both intervals must be off.
            assert!(winners <= 4, "{winners} of 200 tables of {rows} rows, {name}");
        }
    }
}

#[test]
fn a_host_that_drifts_makes_no_winner() {
    for (name, disturbed) in DISTURBANCES {
        let winners = told(200, |noise| rounds(&[1.0; 4], 30, 1.0, noise, disturbed));
        assert!(winners <= 4, "{winners} of 200, {name}");
    }
    // One row after the other, as no comparison measures, the drift would make winners nearly always.
    let blocks = |noise: &mut Noise| -> Vec<Vec<f64>> {
        let all = rounds(&[1.0], 60, 1.0, noise, Noise::skewed).remove(0);
        all.chunks(30).map(<[f64]>::to_vec).collect()
    };
    assert!(told(200, blocks) > 190);
}

#[test]
fn a_tenth_is_found() {
    // A host that others use needs more runs than a quiet one.
    for ((name, disturbed), runs) in DISTURBANCES.into_iter().zip([200, 400]) {
        for work in [[1.0, 1.1], [1.1, 1.0]] {
            let found = told(200, |noise| rounds(&work, runs, 0.0, noise, disturbed));
            assert!(found >= 190, "{found} of 200, {name}");
        }
    }
}
