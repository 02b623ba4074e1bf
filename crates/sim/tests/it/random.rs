//! Random programs end in modelled worlds as a sequential oracle says.

use conformance::random::{self, Case};
use tradewind_sim::Model;

use crate::promises::POLICIES;
use crate::setup::machine;

/// Programs of the usual tests, and of the full dose.
const FEW: u64 = 200;
const MANY: u64 = 10_000;

fn run_programs(count: u64) {
    let models = ["hurricane-1", "ideal"].map(|name| Model::new(machine(name, &[])));
    for seed in random::seeds(count) {
        let (model, policies) = if seed % 4 == 0 { (&models[1], ANYWHERE) } else { (&models[0], POLICIES) };
        let case = Case::draw(seed, policies);
        if let Err(why) = case.run(model) {
            let smaller = case.shrunk(|case| case.run(model).is_err());
            panic!("{case}{why}\nas does {smaller}{:?}", smaller.run(model));
        }
    }
}

/// What a machine can do on which everything is free.
const ANYWHERE: &[&str] = &["single", "floating", "floating+keyed", "fixed:1", "adaptive", "adaptive+serial"];

#[test]
fn random_programs_end_as_the_oracle_says() {
    run_programs(FEW);
}

/// Nobody else of a node of one processor could see to it that a message is handled.
#[test]
fn a_thread_that_spins_behind_a_hold_sees_what_the_hold_has_sent() {
    let world = Model::new(machine("hurricane-1", &[]));
    for text in ["single", "single+interrupt", "floating+interrupt", "hurricane-1-mult", "adaptive+interrupt"]
    {
        let policy = text.parse().expect("a policy");
        let setting = conformance::Setting { world: &world, policy: &policy, nodes: 2, processors: 1 };
        conformance::spins_see_what_a_hold_has_sent(&setting);
    }
}

/// `cargo test --release -p tradewind-sim --test it random -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn random_programs_end_as_the_oracle_says_full_dose() {
    run_programs(MANY);
}
