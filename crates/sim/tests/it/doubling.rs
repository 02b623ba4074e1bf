//! On a machine whose every time is doubled, and every clock and bandwidth halved, everything takes twice as long: no time
//! of a machine hides in the code.

use machine::{Known, Machine};
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Mechanism, Policy, Shape};
use tradewind_sim::Model;

use crate::folder::{all, read, text_of};
use crate::setup::job;
use crate::slower::slowed;

/// Policies that at least one machine of this simulator can do.
const POLICIES: [&str; 10] = [
    "single",
    "proc",
    "np",
    "inject",
    "receive",
    "floating",
    "fixed:1",
    "hurricane:2",
    "hurricane-1:2",
    "hurricane-1-mult",
];

/// A program and its inputs.
type Trial = (&'static str, &'static [(&'static str, &'static str)]);

const FETCH_ADD: Trial = ("fetch-add", &[("operations", "400"), ("skew", "0.9")]);
const SPLIT_PHASE: Trial = ("split-phase", &[("operations", "64")]);

/// The policies that a machine can do with two processors in a node. Where only software keeps their caches coherent it can do none.
fn policies(machine: &Machine) -> Vec<Policy> {
    if machine.node_memory.as_ref().is_some_and(|memory| !memory.cache.coherent) {
        return Vec::new();
    }
    let model = Model::new(machine.clone());
    let policies = POLICIES.iter().map(|policy| policy.parse().expect("a policy"));
    policies.filter(|policy| model.check(Mechanism::Messages, policy).is_ok()).collect()
}

fn run(machine: Machine, policy: &Policy, program: &str, inputs: &[(&str, &str)]) -> Outcome {
    let (nodes, processors) = (4, 2);
    let computing = policy.split(processors).expect("somebody computes").computing;
    let job = job(program, Mechanism::Messages, Shape { nodes, threads: computing }, inputs);
    let launch = Launch { nodes, processors, ..Launch::new(job, policy.clone()) };
    Model::new(machine).run(&launch).unwrap_or_else(|failure| panic!("{program} under {policy}: {failure}"))
}

/// Whether all times of a file are whole femtoseconds: then nothing is rounded.
fn is_exact(machine: &Machine) -> bool {
    let clocks = [machine.processor.clock].into_iter();
    let network = machine.network_processor.as_ref().map(|network| network.clock);
    let bandwidth = machine.interface.bandwidth.as_bytes_per_second();
    let divides = |rate: u64| 1_000_000_000_000_000_u64.is_multiple_of(rate);
    clocks.chain(network).all(|clock| divides(clock.as_hertz())) && divides(bandwidth)
}

#[test]
fn what_runs_on_a_machine_that_is_twice_as_slow_takes_twice_as_long() {
    let mut compared = 0;
    for name in all() {
        let (machine, slow) = (read(&name, text_of), read(&name, |name| slowed(&text_of(name))));
        for policy in policies(&machine) {
            // Global accesses have a cost only on machines that state it.
            let split_phase = machine.primitives.issue.is_some().then_some(SPLIT_PHASE);
            for (program, inputs) in [FETCH_ADD].into_iter().chain(split_phase) {
                let time = run(machine.clone(), &policy, program, inputs).time.as_femtoseconds();
                let twice = run(slow.clone(), &policy, program, inputs).time.as_femtoseconds();
                // Rounding each time to a femtosecond may decide which processor comes first, and that a whole turn.
                let allowed = if is_exact(&machine) { 0 } else { time / 50 };
                assert!(
                    twice.abs_diff(2 * time) <= allowed,
                    "{program} on {name} under {policy}: {time} {twice}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared} runs were compared");
}

/// A shipped machine whose processors have twice the clock, and all else as it is.
fn faster(name: &str) -> Machine {
    let clock = read(name, text_of).processor.clock.as_hertz();
    let set = [("processor.clock", format!("{} Hz", 2 * clock))];
    let file = |name: &str| format!("machines/{name}.toml");
    let bases = |_: &str, name: &str| Ok((file(name), text_of(name)));
    let known = Known { bases: &bases, ..Known::default() };
    let machine = Machine::parse_with(&file(name), &text_of(name), &set, known);
    machine.unwrap_or_else(|errors| panic!("{name}: {errors}"))
}

#[test]
fn on_every_machine_processors_of_twice_the_clock_run_a_program_sooner_but_not_in_half_the_time() {
    let mut sooner = 0;
    for name in all() {
        let (machine, fast) = (read(&name, text_of), faster(&name));
        for policy in policies(&machine) {
            let (program, inputs) = FETCH_ADD;
            let [time, less] = [machine.clone(), fast.clone()]
                .map(|machine| run(machine, &policy, program, inputs).time.as_femtoseconds());
            // The first processor to come may change with the clock, and a turn or two with it.
            assert!(2 * less > time - time / 50, "{name} under {policy}: {time} and {less}");
            assert!(less < time + time / 20, "{name} under {policy}: {time} and {less}");
            sooner += usize::from(less < time - time / 50);
        }
    }
    assert!(sooner > 20, "{sooner} runs end sooner");
}
