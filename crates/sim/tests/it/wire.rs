//! The time that bytes, latencies and gaps take in whole runs.

use machine::Machine;
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{
    Event, FinalState, Handler, Job, Mechanism, NodeId, Protocol, Report, Setup, Shape, Thread, handlers,
};
use tradewind_sim::Model;
use units::{Bytes, Time};

use crate::setup::{figures, job, machine, read};

/// A thread of node 0 sends a message of a given number of words to another node. A thread there waits for it and sends
/// one back.
struct Parcels {
    config: (u32, usize),
    arrived: Event,
}

impl Protocol for Parcels {
    type Config = (u32, usize);
    fn install(config: &Self::Config, _: &mut Setup<'_>) -> Self {
        Self { config: *config, arrived: Event::new("arrived") }
    }
}

#[handlers]
impl Parcels {
    #[message]
    fn back(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    #[message]
    fn parcel(&self, _payload: &[u64], cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let (to, words) = self.config;
        if thread.index() > 0 {
            return;
        }
        if thread.node().0 == 0 {
            thread.send_with(NodeId(to), Self::parcel(), &[7; 14][..words]);
            thread.wait(&self.arrived, 1);
        } else if thread.node().0 == to {
            thread.wait(&self.arrived, 1);
            thread.send(NodeId(0), Self::back());
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

/// The time of a message of `words` words from node 0 to node `to`, from leaving until its last byte is there.
fn travel(machine: &Machine, policy: &str, to: u32, words: usize) -> f64 {
    let launch = Launch {
        nodes: machine.nodes,
        ..Launch::new(Job::new::<Parcels>((to, words)), policy.parse().expect("a policy"))
    };
    let outcome = Model::new(machine.clone()).run(&launch).expect("it runs");
    let stage = outcome
        .anatomy
        .iter()
        .find(|stage| stage.kind.contains("::Parcel"))
        .unwrap_or_else(|| panic!("{}: {:?}", machine.name, outcome.anatomy));
    stage.travel.as_nanoseconds()
}

#[test]
fn a_packet_of_24_bytes_crosses_alewife_in_15_cycles() {
    // Without the chips at the ends of the network.
    let alewife = machine("alewife", &[("interface.visible", "0 cycles")]);
    // Two words behind the header of 8 bytes; to the neighbour, and 10 hops away.
    let (near, far) = (travel(&alewife, "single", 1, 2), travel(&alewife, "single", 31, 2));
    assert!(((far - near) / 9.0 - 40.0).abs() < 1e-3, "{near} and {far} ns");
    // All pairs of nodes are 3.875 hops apart in the mean. 50 ns, 155 ns of hops, 24 bytes at 45 MB/s: 738.3 ns, 14.8 cycles.
    let mean = (near + 2.875 * 40.0) / 50.0;
    assert!((mean - 14.77).abs() < 0.01, "{mean} cycles; the study has 15");
}

#[test]
fn bytes_take_their_time_once_whatever_the_distance_and_the_topology() {
    for (name, policy) in [
        ("alewife", "single"),
        ("cm-5", "proc"),
        ("t3d", "inject"),
        ("paragon", "np"),
        ("meiko-cs2", "proc"),
        ("now", "proc"),
        ("sparc20-myrinet", "single"),
        ("hurricane-1", "single"),
    ] {
        let machine = machine(name, &[]);
        let routers = machine.network.routers.as_ref();
        let port = machine.interface.bandwidth;
        let slowest = routers.map_or(port, |routers| port.min(routers.link));
        let [header, packet, fill] =
            [machine.interface.header, machine.interface.packet, machine.interface.fill].map(Bytes::get);
        // All packets but the last one are full.
        let bytes = |words: u64| {
            let before = (8 * words).div_ceil(packet).max(1) - 1;
            before * (packet + header) + (8 * words - before * packet).max(fill) + header
        };
        let took = |to, words: u64| travel(&machine, policy, to, words as usize);
        for to in [1, machine.nodes - 1] {
            let bare = took(to, 0);
            for words in [1, 2, 14] {
                let more = slowest.transfer_time(Bytes::new(bytes(words) - bytes(0))).as_nanoseconds();
                let found = took(to, words) - bare;
                assert!(
                    (found - more).abs() < 1e-3,
                    "{name} to {to}, {words} words: {found} ns, expected {more}"
                );
            }
        }
    }
}

/// The round trip of a null message on a CM-5 with such links, in microseconds.
fn round_trip(bandwidth: &'static str) -> f64 {
    let cm5 = machine("cm-5", &[("interface.bandwidth", bandwidth), ("network.link", bandwidth)]);
    let shape = Shape { nodes: 3, threads: 1 };
    let job = job("split-phase", Mechanism::Messages, shape, &[("measure", "rtt")]);
    let launch = Launch { nodes: 3, ..Launch::new(job, "proc".parse().expect("a policy")) };
    let outcome = Model::new(cm5).run(&launch).expect("it runs");
    figures(&outcome)["rtt.am"]
}

#[test]
fn a_null_round_trip_on_the_cm_5_depends_on_bandwidth() {
    let (fast, slow) = (round_trip("20 MB/s"), round_trip("5 MB/s"));
    // The 20 bytes of a packet: 1 us at 20 MB/s and 4 us at 5 MB/s, each way.
    assert!((slow - fast - 6.0).abs() < 0.01, "{fast} and {slow} us");
}

/// Fetch-and-adds between two nodes of a machine, with 65536 of them on their way.
fn additions(machine: Machine) -> Time {
    let job = job("fetch-add", Mechanism::Messages, Shape { nodes: 2, threads: 1 }, &[("window", "65536")]);
    let launch = Launch { nodes: 2, ..Launch::new(job, "single".parse().expect("a policy")) };
    let outcome: Outcome = Model::new(machine).run(&launch).expect("it runs");
    assert!(outcome.report.verified());
    outcome.phases.iter().map(|phase| phase.time).max().expect("it has a phase")
}

#[test]
fn messages_follow_each_other_through_a_crossbar_as_through_a_constant_network() {
    for latency in ["1 us", "10 us", "0 ns"] {
        let crossbar = format!(
            "extends = \"ideal\"\nname = \"ix\"\nsummary = \"x\"\n[network]\ntopology = \"crossbar\"\n\
             link = \"1000 GB/s\"\nlatency = \"{latency}\"\nbuffer = \"64 KiB\"\n"
        );
        let constant =
            machine("ideal", &[("network.latency", latency), ("interface.bandwidth", "1000 GB/s")]);
        let (crossbar, constant) = (additions(read("ix", &crossbar)), additions(constant));
        let ratio = crossbar.as_seconds() / constant.as_seconds();
        assert!((ratio - 1.0).abs() < 0.001, "{latency}: {crossbar} and {constant}");
    }
}

#[test]
fn a_gap_limits_the_rate_of_messages_and_a_network_without_latency_repeats_itself() {
    let with = |gap: &'static str| {
        additions(machine("ideal", &[("interface.gap", gap), ("network.latency", "0 ns")]))
    };
    let (free, spaced) = (with("0 ns"), with("200 ns"));
    // Half of the 32 000 requests and replies of a node stay on it.
    let rate = spaced.as_nanoseconds() / 200.0;
    assert!((15_500.0..16_500.0).contains(&rate) && free.as_nanoseconds() < 500_000.0, "{spaced}, {free}");
    assert_eq!((with("0 ns"), with("200 ns")), (free, spaced));
}
