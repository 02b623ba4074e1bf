//! Random programs end in modelled worlds as a sequential oracle says.

use conformance::random::{self, Case};
use tradewind_sim::Model;

use crate::promises::POLICIES;
use crate::setup::machine;

/// Programs of the usual tests, and of the full dose.
const FEW: u64 = 200;
const MANY: u64 = 10_000;

fn run_programs(count: u64) {
    random::seeds(count).for_each(run_program);
}

fn run_program(seed: u64) {
    let (name, policies) =
        if seed.is_multiple_of(4) { ("ideal", ANYWHERE) } else { ("hurricane-1", POLICIES) };
    let (model, case) = (Model::new(machine(name, &[])), Case::draw(seed, policies));
    if let Err(why) = case.run(&model) {
        let smaller = case.shrunk(|case| case.run(&model).is_err());
        panic!("{case}{why}\nas does {smaller}{:?}", smaller.run(&model));
    }
}

/// Policies of a machine on which everything is free.
const ANYWHERE: &[&str] = &["single", "floating", "floating+keyed", "fixed:1", "adaptive", "adaptive+serial"];

#[test]
fn random_programs_end_as_the_oracle_says() {
    run_programs(FEW);
}

fn share_memory(count: u64) {
    let policies = &["single", "single+interrupt", "floating", "floating+keyed", "fixed:1"];
    conformance::drawn_memory_is_memory(&Model::new(machine("ideal", &[])), policies, random::seeds(count));
    let policies = &["hurricane-1:1", "hurricane-1-mult", "single", "floating", "fixed:1", "adaptive"];
    let model = Model::new(machine("hurricane-1", &[]));
    conformance::drawn_memory_is_memory(&model, policies, random::seeds(count));
}

#[test]
fn memory_under_random_settings_is_memory() {
    share_memory(FEW / 4);
}

/// Seed of a run that ends while one of its nodes is past the end, and handlers and holds give their keys back.
const AHEAD: u64 = 7594;

#[test]
fn a_run_ends_before_the_instant_that_one_of_its_nodes_has_come_to() {
    run_program(AHEAD);
}

/// On a node of one processor, no other processor could see to it that a message is handled.
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

#[test]
#[ignore = "takes minutes"]
fn memory_under_random_settings_is_memory_full_dose() {
    share_memory(MANY / 10);
}
