//! The program `traffic` on machines for which theory predicts the result.
//!
//! The machine is `ideal`, on which communication costs nothing, with one part that does: a handler, a port, a mesh.

use std::collections::BTreeMap;

use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Mechanism, Shape};
use tradewind_sim::Model;

use crate::setup::{figures, job, machine};

type Settings = &'static [(&'static str, &'static str)];

/// A mesh of 8 x 8 whose links and ports carry a byte in a nanosecond.
const MESH: Settings = &[
    ("nodes", "64"),
    ("network.topology", "mesh"),
    ("network.link", "1 GB/s"),
    ("network.hop", "10 ns"),
    ("network.buffer", "96 B"),
    ("interface.bandwidth", "1 GB/s"),
];

/// A torus of 8 x 8, and a ring of 8.
const TORUS: Settings = &[
    ("nodes", "64"),
    ("network.topology", "torus"),
    ("network.dimensions", "8,8"),
    ("network.link", "1 GB/s"),
    ("network.hop", "10 ns"),
    ("network.buffer", "96 B"),
    ("interface.bandwidth", "1 GB/s"),
];
const RING: Settings = &[
    ("nodes", "8"),
    ("network.topology", "ring"),
    ("network.link", "1 GB/s"),
    ("network.hop", "10 ns"),
    ("network.buffer", "96 B"),
    ("interface.bandwidth", "1 GB/s"),
];

/// Bytes per nanosecond that each of 64 nodes can send at most if all destinations are equally likely: 32 of the 63 others lie
/// on the other side of the middle, and 32 nodes share the 8 links that lead there.
const ACROSS: f64 = 8.0 / (32.0 * 32.0 / 63.0);

/// Bytes per nanosecond of each of 64 nodes that exchange row and column, row first: the links at the corners of the diagonal are
/// on the way of 7 nodes each.
const CORNER: f64 = 1.0 / 7.0;

fn run(set: Settings, nodes: u32, mechanism: Mechanism, inputs: &[(&str, &str)]) -> Outcome {
    let job = job("traffic", mechanism, Shape { nodes, threads: 1 }, inputs);
    let launch = Launch { mechanism, nodes, ..Launch::new(job, "single".parse().expect("a policy")) };
    let outcome = Model::new(machine("ideal", set)).run(&launch).expect("it runs");
    assert!(outcome.report.verified(), "{:?}", outcome.report.failures);
    outcome
}

/// The figures by name, and the loads of the table.
struct Found {
    all: BTreeMap<&'static str, f64>,
    loads: Vec<String>,
}

impl Found {
    fn of(set: Settings, nodes: u32, mechanism: Mechanism, inputs: &[(&str, &str)]) -> Self {
        let outcome = run(set, nodes, mechanism, inputs);
        let names = outcome.report.figures.iter().map(|figure| figure.name);
        let loads = names.filter_map(|name| name.strip_suffix("].offered")?.strip_prefix("load["));
        Self { all: figures(&outcome), loads: loads.map(str::to_owned).collect() }
    }

    fn figure(&self, name: &str) -> f64 {
        *self.all.get(name).unwrap_or_else(|| panic!("{name} of {:?}", self.all.keys()))
    }

    fn at(&self, load: &str, column: &str) -> f64 {
        self.figure(&format!("load[{load}].{column}"))
    }
}

#[test]
fn a_lone_message_takes_as_long_as_its_way() {
    let found = Found::of(
        MESH,
        64,
        Mechanism::Messages,
        &[("pattern", "transpose"), ("loads", "0.02"), ("messages", "20")],
    );
    // 1 ns besides, 6 links of 10 ns on average, 24 bytes through the port. A stamp is exact to 256 fs.
    assert!((found.figure("lone") - 85.0).abs() < 1e-3, "{}", found.figure("lone"));
    // A source goes on between two operations of 1 ns, and its node looks for messages about as often.
    let latency = found.at("0.02", "latency");
    assert!((85.0..92.0).contains(&latency), "{latency}");
}

#[test]
fn messages_for_one_server_wait_as_long_as_theory_says() {
    for load in ["0.5", "0.8", "0.95"] {
        let inputs = [
            ("pattern", "incast"),
            ("handler", "1000"),
            ("loads", load),
            ("messages", "6000"),
            ("steps", "0"),
        ];
        let found = Found::of(&[], 17, Mechanism::Messages, &inputs);
        // 24 bytes in a microsecond.
        assert!((found.figure("flood") * 16.0 - 24.0).abs() < 0.01, "{}", found.figure("flood"));
        let [latency, sure, theory] = ["latency", "+-", "theory"].map(|column| found.at(load, column));
        assert!(
            (latency - theory).abs() < 1.5 * sure && sure < 0.2 * theory,
            "{load}: {latency} {sure} {theory}"
        );
    }
}

/// A curve over the mesh: loads as shares of the capacity of its middle for uniform traffic.
fn curve(pattern: &str) -> Found {
    let capacity = format!("{}MB/s", ACROSS * 1e3);
    let inputs = [
        ("pattern", pattern),
        ("capacity", &*capacity),
        ("loads", "0.1,0.2,0.4,0.8"),
        ("messages", "80"),
        ("steps", "3"),
    ];
    let found = Found::of(MESH, 64, Mechanism::Messages, &inputs);
    for load in &found.loads {
        let accepted = found.at(load, "accepted");
        assert!(accepted < ACROSS * 1e3, "{pattern} at {load}: {accepted} MB/s cross the middle");
    }
    assert!(found.figure("flood") < ACROSS * 1e3);
    let [kept, below] = ["saturation", "saturation.below"].map(|name| found.figure(name));
    assert!(kept < below && below - kept < 0.06, "{kept} {below}");
    found
}

#[test]
fn no_more_crosses_the_middle_of_a_mesh_than_its_links_carry() {
    let uniform = curve("uniform").figure("saturation");
    assert!((0.6..0.85).contains(&uniform), "{uniform}");
    let transpose = curve("transpose");
    let of_corner = transpose.figure("saturation.rate") / (CORNER * 1e3);
    assert!((0.85..1.1).contains(&of_corner), "{of_corner}");
    // Latency grows with the load, and faster than it.
    let latencies = ["0.1", "0.2", "0.4"].map(|load| transpose.at(load, "latency"));
    assert!(latencies[2] - latencies[1] > latencies[1] - latencies[0], "{latencies:?}");
}

/// Dally and Towles: by dimension, tornado loads each link in one direction of a ring of 8 with the messages of 3
/// nodes, and neighbour with the messages of one node, in any number of dimensions. Nodes that share a link block each
/// other, so not all of it is used.
#[test]
fn patterns_by_dimension_load_the_links_of_a_torus_as_the_books_say() {
    for (pattern, share) in [("tornado", 3.0), ("neighbour", 1.0)] {
        for (torus, nodes, sides) in [(RING, 8, "8"), (TORUS, 64, "8x8")] {
            let inputs = [("pattern", pattern), ("dimensions", sides)];
            let inputs = [inputs, [("loads", "0.1"), ("messages", "200")]].concat();
            let flood = Found::of(torus, nodes, Mechanism::Messages, &inputs).figure("flood");
            let of_link = flood * share / 1e3;
            assert!((0.2..=1.01).contains(&of_link), "{pattern} in {sides}: {flood} MB/s");
        }
    }
}

#[test]
fn blocks_for_one_node_come_as_fast_as_its_port() {
    let inputs =
        [("pattern", "8-to-1"), ("size", "64KiB"), ("loads", "0.5"), ("messages", "20"), ("steps", "0")];
    let found = Found::of(&[("interface.bandwidth", "1 GB/s")], 9, Mechanism::Bulk, &inputs);
    let port = found.figure("flood") * 8.0;
    assert!((port - 1000.0).abs() < 1.0, "{port} MB/s through a port of 1 GB/s");
    // 65 536 bytes at one each nanosecond, and 1 ns on the way.
    assert!((found.figure("lone") - 65_537.0).abs() < 10.0, "{} ns", found.figure("lone"));
}

/// Small messages, blocks and messages without a payload, on a machine where a lone block takes from nanoseconds to milliseconds.
#[test]
fn the_name_of_a_figure_fixes_its_unit() {
    let port: Settings = &[("interface.bandwidth", "10 MB/s")];
    let mut units = BTreeMap::new();
    for (mechanism, size) in [
        (Mechanism::Messages, "0B"),
        (Mechanism::Messages, "112B"),
        (Mechanism::Bulk, "264B"),
        (Mechanism::Bulk, "256KiB"),
    ] {
        let inputs =
            [("pattern", "2-to-1"), ("size", size), ("loads", "0.5"), ("messages", "20"), ("steps", "1")];
        for figure in run(port, 3, mechanism, &inputs).report.figures {
            let known = *units.entry(figure.name).or_insert(figure.unit);
            assert_eq!(known, figure.unit, "{} of {size}", figure.name);
        }
    }
    assert_eq!([units["lone"], units["flood"], units["flood.messages"]], ["ns", "MB/s", "M/s"]);
}

#[test]
fn every_pattern_and_process_delivers_what_was_made_and_repeats_itself() {
    let patterns =
        ["uniform", "transpose", "complement", "tornado", "neighbour", "hotspot:40", "3-to-1", "incast"];
    let arrivals = ["poisson", "periodic", "bursts:3", "closed"];
    for (pattern, arrivals) in patterns.into_iter().zip(arrivals.into_iter().cycle()) {
        for (mechanism, size) in
            [(Mechanism::Messages, "0B"), (Mechanism::Messages, "112B"), (Mechanism::Bulk, "264B")]
        {
            let mut inputs = vec![
                ("pattern", pattern),
                ("arrivals", arrivals),
                ("size", size),
                ("messages", "12"),
                ("steps", "1"),
            ];
            if ["tornado", "neighbour"].contains(&pattern) {
                inputs.push(("dimensions", "4x4"));
            }
            let outcome = run(MESH, 16, mechanism, &inputs);
            assert_eq!(outcome, run(MESH, 16, mechanism, &inputs), "{pattern} {arrivals} {size}");
        }
    }
}

#[test]
fn a_closed_loop_has_as_many_messages_under_way_as_its_window() {
    let inputs = [
        ("pattern", "neighbour"),
        ("dimensions", "8"),
        ("arrivals", "closed"),
        ("windows", "1,4"),
        ("messages", "200"),
        ("size", "8B"),
    ];
    let found = Found::of(&[("network.latency", "1 us")], 8, Mechanism::Messages, &inputs);
    for (window, each) in [("1", 1.0), ("4", 4.0)] {
        let figure = |column: &str| found.figure(&format!("window[{window}].{column}"));
        // There and back in 2 us, and a little for the work and looks of both.
        let under_way = figure("accepted") / 8.0 * 2.0;
        assert!((0.93 * each..=each).contains(&under_way), "{under_way}");
        assert!((1000.0..1030.0).contains(&figure("latency")), "{}", figure("latency"));
    }
}

#[test]
fn a_curve_without_a_point_below_saturation_says_so() {
    let inputs = [
        ("pattern", "transpose"),
        ("capacity", "400MB/s"),
        ("loads", "0.8,1"),
        ("messages", "40"),
        ("steps", "2"),
    ];
    let found = Found::of(MESH, 64, Mechanism::Messages, &inputs);
    let try_this = found.figure("no load below saturation: try --input loads=");
    assert!(try_this > 0.0 && try_this < 0.4, "{try_this}");
    let lower = [
        ("capacity", "400MB/s"),
        ("pattern", "transpose"),
        ("loads", "0.1,1"),
        ("messages", "40"),
        ("steps", "1"),
    ];
    assert!(
        !Found::of(MESH, 64, Mechanism::Messages, &lower)
            .all
            .contains_key("no load below saturation: try --input loads=")
    );
}
