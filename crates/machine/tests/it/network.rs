//! The section `[network]`: every topology, and the mistakes in it.

use crate::toy::CORRECT;
use tradewind_machine::{Errors, Known, Machine, Routers, Topology};
use units::{Bandwidth, Bytes, Time};

/// The toy with another network, on 12 nodes.
fn parse(network: &str) -> Result<Machine, Errors> {
    let (before, rest) = CORRECT.split_once("[network]\n").expect("it has one");
    let (_, after) = rest.split_once("[memory]").expect("it has one");
    let text =
        format!("{before}[network]\n{network}\n[memory]{after}").replace("nodes = 2\n", "nodes = 12\n");
    Machine::parse("toy.toml", &text)
}

fn routers(network: &str) -> Routers {
    parse(network).unwrap_or_else(|errors| panic!("{errors}")).network.routers.expect("it is routed")
}

const REST: &str = "latency = \"0 ns\"\nlink = \"100 MB/s\"\nhop = \"40 ns\"\nbuffer = \"8 B\"";

#[test]
fn every_topology_is_understood() {
    let mesh =
        |dimensions, sides: Option<&[u32]>| Topology::Mesh { dimensions, sides: sides.map(<[u32]>::to_vec) };
    let torus =
        |dimensions, sides: Option<&[u32]>| Topology::Torus { dimensions, sides: sides.map(<[u32]>::to_vec) };
    for (written, topology) in [
        ("topology = \"mesh\"", mesh(2, None)),
        ("topology = \"mesh\"\ndimensions = [3, 2, 2]", mesh(3, Some(&[3, 2, 2]))),
        ("topology = \"torus\"", torus(3, None)),
        ("topology = \"torus\"\ndimensions = [6, 2]", torus(2, Some(&[6, 2]))),
        ("topology = \"ring\"", torus(1, None)),
        ("topology = \"hypercube\"", Topology::Hypercube),
        ("topology = \"fat-tree\"\narity = 4", Topology::FatTree { arity: 4 }),
    ] {
        let routers = routers(&format!("{written}\n{REST}"));
        assert_eq!(routers.topology, topology);
        assert_eq!(routers.link, Bandwidth::new(100_000_000).unwrap());
        assert_eq!((routers.hop, routers.buffer), (Time::from_nanoseconds(40), Bytes::new(8)));
        assert_eq!(routers.cross_traffic, None);
    }
}

#[test]
fn a_crossbar_has_a_latency_and_no_hops() {
    let crossbar =
        "topology = \"crossbar\"\nlatency = \"281.25 ns\"\nlink = \"160 MB/s\"\nbuffer = \"1 KiB\"";
    assert_eq!((routers(crossbar).topology, routers(crossbar).hop), (Topology::Crossbar, Time::ZERO));
}

#[test]
fn a_network_may_take_no_time() {
    let constant =
        parse("topology = \"constant\"\nlatency = \"0 ns\"").unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(constant.network.latency, Time::ZERO);
    let crossbar = "topology = \"crossbar\"\nlatency = \"0 ns\"\nlink = \"160 MB/s\"\nbuffer = \"1 KiB\"";
    assert_eq!(routers(crossbar).topology, Topology::Crossbar);
}

#[test]
fn a_buffer_is_shallow_below_what_the_link_carries_in_two_hops() {
    // 100 MB/s carry 8 B in 80 ns.
    let of = |buffer: &str| routers(&format!("topology = \"ring\"\n{}", REST.replace("\"8 B\"", buffer)));
    assert!(!of("\"8 B\"").is_shallow() && of("\"7 B\"").is_shallow());
    let ns = Time::from_nanoseconds;
    let passages = |buffer: &str| [4, 7, 8, 70].map(|size| of(buffer).passage(Bytes::new(size)));
    assert_eq!(passages("\"8 B\""), [40, 70, 80, 700].map(ns));
    assert_eq!(passages("\"4 B\""), [40, 140, 160, 1400].map(ns));
}

#[test]
fn a_mesh_may_have_cross_traffic() {
    let traffic = "[network.cross_traffic]\nmessage = \"64 B\"\nrate = \"10 MB/s\"\nlaunch = \"1 us\"";
    let traffic = routers(&format!("topology = \"mesh\"\n{REST}\n{traffic}")).cross_traffic.unwrap();
    assert_eq!((traffic.message, traffic.launch), (Bytes::new(64), Time::from_microseconds(1)));
    assert_eq!(traffic.rate, Bandwidth::new(10_000_000).unwrap());
}

#[test]
fn what_is_wrong_is_named_with_what_was_expected() {
    let rest =
        |without: &str| REST.lines().filter(|line| !line.starts_with(without)).collect::<Vec<_>>().join("\n");
    let all = rest("nothing");
    for (network, key, expected) in [
        (format!("topology = \"mash\"\n{all}"), "network.topology", "one of constant, crossbar, mesh, torus"),
        (format!("topology = \"mesh\"\n{}", rest("link")), "network.link", "a bandwidth"),
        (format!("topology = \"mesh\"\n{}", rest("hop")), "network.hop", "a time such as"),
        (
            format!("topology = \"mesh\"\ndimensions = [8, 4]\n{all}"),
            "network.dimensions",
            "`nodes`, which is 12",
        ),
        (
            format!("topology = \"mesh\"\ndimensions = 12\n{all}"),
            "network.dimensions",
            "a list of whole numbers from 1",
        ),
        (
            format!("topology = \"mesh\"\ndimensions = [12, 0]\n{all}"),
            "network.dimensions",
            "a list of whole numbers",
        ),
        (format!("topology = \"mesh\"\narity = 4\n{all}"), "network.arity", "a key of [network]"),
        (format!("topology = \"crossbar\"\n{all}"), "network.hop", "a key of [network]"),
        (
            format!("topology = \"fat-tree\"\narity = 1\n{all}"),
            "network.arity",
            "a whole number from 1, such as 8, at least 2",
        ),
        (
            format!("topology = \"torus\"\n{all}\n[network.cross_traffic]\nmessage = \"64 B\""),
            "network.cross_traffic",
            "a key of [network]",
        ),
    ] {
        let errors = parse(&network).unwrap_err();
        let found = errors.iter().find(|error| error.key == key);
        let found = found.unwrap_or_else(|| panic!("no error about {key}: {errors}"));
        assert!(found.expected.contains(expected), "{found}");
    }
}

#[test]
fn dimensions_can_be_set_on_the_command_line() {
    let text = CORRECT
        .replace("topology = \"constant\"\nlatency = \"1 us\"", &format!("topology = \"mesh\"\n{REST}"));
    let set = [("network.dimensions", "1, 2")];
    let machine = Machine::parse_with("toy.toml", &text, &set, Known::default()).unwrap();
    assert_eq!(machine.given_sides(), Some(&[1, 2][..]), "the run's nodes are compared with them");
    let sides = Some(vec![1, 2]);
    assert_eq!(machine.network.routers.unwrap().topology, Topology::Mesh { dimensions: 2, sides });
}
