//! Random programs end as a sequential oracle says, under every policy, through rings of every depth.
//!
//! `TRADEWIND_PROGRAMS` sets the number of programs, `TRADEWIND_SEED` the first seed. A failing program is printed, and made smaller.

use std::time::{Duration, Instant};

use conformance::random::{self, Case};
use tradewind_native::Local;

use crate::POLICIES;
use crate::kit::watched;

/// Programs of the usual tests, and of the full dose.
const FEW: u64 = 200;
const MANY: u64 = 10_000;

/// Time limit for making a failing program smaller.
const SHRINKING: Duration = Duration::from_secs(60);

/// Runs of a smaller program, at least one with an intermittent failure.
const REPEATS: u32 = 10;

/// The world of a seed: most have small rings, a few change the roles of processors all the time.
fn world(seed: u64) -> Local {
    match seed % 7 {
        0 => Local::new(),
        1 => Local::with_depths(1, 1),
        2 | 3 => Local::with_depths(2, 3),
        4 => Local::with_depths(8, 64),
        5 => Local::with_depths(16, 1),
        _ => Local::with_depths(4, 7).restless(),
    }
}

fn judged(case: &Case) -> Result<(), String> {
    let case = case.clone();
    watched(move || case.run(&world(case.seed))).and_then(|result| result)
}

/// Makes a failing program smaller. Returns it and its failure.
fn smaller(case: &Case) -> (Case, String) {
    let (start, mut why) = (Instant::now(), String::new());
    let smaller = case.shrunk(|case| {
        let mut fails = || judged(case).map_err(|said| why = said).is_err();
        start.elapsed() < SHRINKING && (0..REPEATS).any(|_| fails())
    });
    (smaller, why)
}

fn run_programs(count: u64) {
    for seed in random::seeds(count) {
        let case = Case::draw(seed, POLICIES);
        if let Err(why) = judged(&case) {
            let (smaller, smaller_why) = smaller(&case);
            panic!("in {:?} {case}{why}\nas does, now and then, {smaller}{smaller_why}", world(seed));
        }
    }
}

#[test]
fn random_programs_end_as_the_oracle_says() {
    run_programs(FEW);
}

/// `cargo test --release -p tradewind-native --test hostile -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn random_programs_end_as_the_oracle_says_full_dose() {
    run_programs(MANY);
}
