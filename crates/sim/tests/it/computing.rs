//! Nodes of several computing processors beside network processors: all of them compute, and the network processors set the pace
//! where they are the bottleneck.

use std::collections::BTreeSet;

use machine::{ByClass, Class, Cost, Machine};
use tempest::outcome::{Outcome, Resource, Utilization};
use tempest::world::{Launch, World};
use tempest::{Mechanism, Shape};
use tradewind_sim::Model;
use units::Time;

use crate::setup::{job, machine};

/// The nodes of every run.
const NODES: u32 = 4;
/// The numbers of computing processors of a node.
const PROCESSORS: [u32; 4] = [1, 2, 4, 8];

/// A run of a program by messages, on nodes of `processors` processors with a thread each.
fn run(machine: &Machine, program: &str, inputs: &[(&str, &str)], policy: &str, processors: u32) -> Outcome {
    let shape = Shape { nodes: NODES, threads: processors };
    let job = job(program, Mechanism::Messages, shape, inputs);
    let launch = Launch { nodes: NODES, processors, ..Launch::new(job, policy.parse().expect("a policy")) };
    let outcome = Model::new(machine.clone()).run(&launch).expect("it runs");
    assert!(outcome.report.verified(), "{policy}, {processors} processors: {:?}", outcome.report);
    outcome
}

fn fetch_add(machine: &Machine, processors: u32) -> Outcome {
    run(machine, "fetch-add", &[("operations", "2000")], "np", processors)
}

fn em3d(policy: &str, processors: u32) -> Outcome {
    let inputs = [("nodes", "960"), ("degree", "5"), ("iterations", "2")];
    run(&machine("paragon", &[]), "em3d", &inputs, policy, processors)
}

/// The times of the runs on nodes of each size, all of which differ.
fn times(run: impl Fn(u32) -> Outcome) -> [Time; 4] {
    let times = PROCESSORS.map(|processors| run(processors).time);
    assert_eq!(BTreeSet::from(times).len(), times.len(), "{times:?}");
    times
}

#[test]
fn em3d_computes_on_every_processor_under_policies_of_network_processors() {
    for policy in ["np", "proc", "inject"] {
        let times = times(|processors| em3d(policy, processors));
        // On eight processors each has few nodes of the graph, and barriers take longer.
        let faster = times[..3].is_sorted_by(|fewer, more| fewer > more) && times[3] < times[0];
        assert!(faster, "{policy}: {times:?}");
    }
}

/// The time for which an operation of a class occupies a network processor.
fn occupancy(price: &Option<ByClass<Cost>>, class: Class) -> Time {
    let price = price.as_ref().expect("the machine has the price").of(class);
    price.path + price.occupancy
}

/// Each operation of fetch-add is a request and a reply. The network processor of the one node takes the request from the queue
/// and injects it, that of the other node reads it and hands it over to a computing processor. The reply comes back alike, and the
/// network processor that reads it runs its handler.
#[test]
fn fetch_add_saturates_where_the_occupancy_of_the_network_processor_says() {
    let paragon = machine("paragon", &[]);
    let network = paragon.network_processor.as_ref().expect("it has one");
    let prices = &network.primitives;
    let there = [&prices.take, &prices.send_header, &prices.extract];
    let each = |class| {
        there.map(|price| occupancy(price, class)).into_iter().fold(Time::ZERO, |sum, time| sum + time)
    };
    let pair = each(Class::User) + occupancy(&prices.hand_over, Class::User) + each(Class::Reply);
    times(|processors| {
        let outcome = fetch_add(&paragon, processors);
        let busy = Utilization::find(&outcome.utilization, Resource::NetworkProcessor);
        assert!(busy.is_some_and(|busy| busy.most > 0.97), "{busy:?}");
        let pairs = outcome.counters.messages / 2 / u64::from(NODES);
        // A pass of the loop costs a turn, and a pair takes at most four passes. The beginning and the end of the run, and the handler
        // of the reply, are less than a twentieth.
        let (least, most) = (pair * pairs, (pair + network.turn * 4) * (pairs + pairs / 20));
        let time = outcome.time;
        assert!((least..most).contains(&time), "{processors} processors: {time} for {least} to {most}");
        outcome
    });
}

#[test]
fn network_processors_that_are_the_bottleneck_divide_the_time_by_their_number() {
    let with =
        |count| fetch_add(&machine("paragon", &[("network_processor.count", count)]), 8).time.as_seconds();
    let one = with("1");
    for (count, times) in [("2", 2.0), ("4", 4.0)] {
        let faster = one / with(count);
        assert!((0.95 * times..1.05 * times).contains(&faster), "{count} are {faster} times as fast as one");
    }
}
