//! Values from the command line in place of a file's values.

use crate::folder::text_of;
use tradewind_machine::{ByClass, Capability, Class, Cost, Errors, Known, Machine, Topology};
use units::Time;

const FILE: &str = include_str!("../../../../machines/hurricane-1.toml");

fn with(overrides: &[(&str, &str)]) -> Result<Machine, Errors> {
    Machine::parse_with("machines/hurricane-1.toml", FILE, overrides, Known::default())
}

fn of_user(price: &Option<ByClass<Cost>>) -> Cost {
    price.expect("the file gives it a price").of(Class::User)
}

fn refusal(overrides: &[(&str, &str)]) -> String {
    with(overrides).expect_err("must be refused").to_string()
}

#[test]
fn an_override_takes_the_place_of_the_file() {
    let machine = with(&[
        ("processor.clock", "200MHz"),
        ("nodes", "16"),
        ("queue.window", "unlimited"),
        ("can", "poll, keyed-dispatch"),
        ("network.latency", "1 us"),
    ])
    .unwrap();
    assert_eq!(machine.processor.clock.as_hertz(), 200_000_000);
    assert_eq!(machine.processor.poll, Time::from_nanoseconds(5));
    assert_eq!(machine.nodes, 16);
    assert_eq!(machine.queue.window, None);
    assert_eq!(machine.can, [Capability::Poll, Capability::KeyedDispatch]);
    assert_eq!(machine.network.latency, Time::from_microseconds(1));
    let clock = machine.values().iter().find(|value| value.key == "processor.clock").unwrap();
    assert_eq!((clock.line, clock.source.as_deref(), clock.text.as_str()), (None, Some("--set"), "200MHz"));
}

#[test]
fn the_last_of_two_holds() {
    assert_eq!(with(&[("nodes", "2"), ("nodes", "3")]).unwrap().nodes, 3);
}

#[test]
fn a_cost_is_set_whole_or_by_part() {
    let (one, two) = (Time::from_picoseconds(2_500), Time::from_picoseconds(5_000));
    let dispatch = |overrides: &[(&str, &str)]| of_user(&with(overrides).unwrap().primitives.dispatch_fault);
    let defer = |overrides: &[(&str, &str)]| of_user(&with(overrides).unwrap().primitives.defer);
    assert_eq!(dispatch(&[("primitives.dispatch_fault", "1 cycle")]), Cost { path: one, ..Cost::default() });
    let path = dispatch(&[("primitives.dispatch_fault.path", "100 cycles")]);
    assert_eq!((path.path, path.occupancy), (Time::from_nanoseconds(250), Time::from_nanoseconds(30)));
    assert_eq!(path.bus.to_string(), "invalidate + line");
    assert_eq!(defer(&[("primitives.defer.path", "1 cycle")]), Cost { path: one, ..Cost::default() });
    assert_eq!(defer(&[("primitives.defer.occupancy", "2 cycles")]).occupancy, two);
    assert_eq!(defer(&[("primitives.defer.occupancy", "2 cycles")]).path, Time::from_nanoseconds(20));
}

/// A shipped machine with these settings.
fn shipped(name: &str, overrides: &[(&str, &str)]) -> Result<Machine, Errors> {
    let file = |name: &str| format!("machines/{name}.toml");
    let bases = |_: &str, name: &str| Ok((file(name), text_of(name)));
    Machine::parse_with(&file(name), &text_of(name), overrides, Known { bases: &bases, ..Known::default() })
}

#[test]
fn values_may_have_the_quotes_and_brackets_of_toml() {
    let machine = with(&[
        ("network.latency", "\"1 us\""),
        ("queue.window", "'unlimited'"),
        ("can", "[\"poll\", 'keyed-dispatch']"),
    ])
    .unwrap();
    assert_eq!(machine.network.latency, Time::from_microseconds(1));
    assert_eq!((machine.queue.window, machine.can.len()), (None, 2));
    for dimensions in ["4,4", "[4, 4]", "[4,4,]"] {
        let set = [("network.dimensions", dimensions), ("nodes", "16")];
        let routers = shipped("alewife", &set).unwrap().network.routers.unwrap();
        assert_eq!(
            routers.topology,
            Topology::Mesh { dimensions: 2, sides: Some(vec![4, 4]) },
            "{dimensions}"
        );
    }
    for wrong in ["[]", "[4", "[4, \"x\"]", ""] {
        let errors = shipped("alewife", &[("network.dimensions", wrong)]).unwrap_err().to_string();
        assert!(errors.contains("expected a list of whole numbers from 1, such as [8, 4]"), "{errors}");
    }
    assert!(refusal(&[("network.latency", "\"1 us")]).contains("expected a time such as"));
}

#[test]
fn a_section_that_no_file_has_is_set_key_by_key() {
    let [message, rate, launch] = [("message", "64 B"), ("rate", "9 MB/s"), ("launch", "1 us")];
    let traffic = |keys: &[(&str, &str)]| {
        let keys: Vec<_> =
            keys.iter().map(|(key, value)| (format!("network.cross_traffic.{key}"), *value)).collect();
        shipped("alewife", &keys.iter().map(|(key, value)| (key.as_str(), *value)).collect::<Vec<_>>())
    };
    let routers = traffic(&[message, rate, launch]).unwrap().network.routers.unwrap();
    assert_eq!(routers.cross_traffic.unwrap().launch, Time::from_microseconds(1));
    let errors = traffic(&[rate]).unwrap_err();
    assert_eq!(errors.iter().count(), 1, "{errors}");
    assert_eq!(
        errors.to_string(),
        "--set network.cross_traffic.rate = \"9 MB/s\": expected with it, as further --set: \
         network.cross_traffic.message (a size such as \"64 KiB\" or \"16 B\"), \
         network.cross_traffic.launch (a time such as \"1.7 us\" or \"16 cycles\")"
    );
    let told = refusal(&[("interface.overflow.after", "1 us"), ("interface.overflow.trap", "1 us")]);
    assert!(
        told.contains("interface.overflow.byte (a time") && told.contains("interface.receive_queue"),
        "{told}"
    );
    let told = refusal(&[("flow.window", "3")]);
    assert!(
        told.contains("with it, as further --set: flow.acknowledge_every (") && told.lines().count() == 1,
        "{told}"
    );
}

#[test]
fn another_topology_leaves_the_keys_of_the_files_own_unused() {
    let set = |name, topology| shipped(name, &[("network.topology", topology)]);
    for name in ["paragon", "cm-5", "alewife", "now", "t3d"] {
        assert_eq!(set(name, "constant").unwrap().network.routers, None, "{name}");
    }
    let mesh = set("cm-5", "mesh").unwrap().network.routers.unwrap();
    assert_eq!(mesh.topology, Topology::Mesh { dimensions: 2, sides: None });
    assert_eq!(set("paragon", "crossbar").unwrap().network.routers.unwrap().hop, Time::ZERO);
    let errors = set("hurricane-1", "mesh").unwrap_err();
    assert_eq!(errors.iter().count(), 1, "{errors}");
    let told = errors.to_string();
    assert!(
        told.starts_with("--set network.topology = \"mesh\": expected with it, as further --set: "),
        "{told}"
    );
    for key in ["network.hop (a time", "network.link (a bandwidth", "network.buffer (a size"] {
        assert!(told.contains(key), "{told}");
    }
    let rest = [
        ("network.topology", "mesh"),
        ("network.hop", "1 ns"),
        ("network.link", "1 GB/s"),
        ("network.buffer", "1 KiB"),
    ];
    assert!(shipped("hurricane-1", &rest).is_ok());
    // A key of no topology is refused as ever.
    let text = text_of("cm-5").replace("arity =", "arty =");
    let set = [("network.topology", "constant")];
    let errors = Machine::parse_with("cm-5.toml", &text, &set, Known::default()).unwrap_err().to_string();
    assert!(
        errors.contains("network.arty = 4: expected a key of [network]; did you mean \"arity\"?"),
        "{errors}"
    );
}

#[test]
fn a_bad_override_says_so() {
    assert_eq!(
        refusal(&[("processor.clock", "50 Mhz")]),
        "--set processor.clock = \"50 Mhz\": expected a frequency such as \"400 MHz\"; did you mean \"MHz\"?"
    );
    assert_eq!(
        refusal(&[("processor.clok", "50 MHz")]),
        "--set processor.clok = \"50 MHz\": expected a key of the machine file; did you mean \"processor.clock\"?"
    );
    // The likely keys out of the very many known ones.
    let told = refusal(&[("network.speed", "1 us")]);
    assert!(told.ends_with("; known are network.latency, network.topology") && told.len() < 200, "{told}");
    let told = refusal(&[("speed", "1 us")]);
    assert!(told.contains("; keys begin with bus, cache, ") && told.len() < 300, "{told}");
    assert!(refusal(&[("nodes", "0")]).starts_with("--set nodes = \"0\": expected a whole number from 1"));
    assert!(refusal(&[("can", "poll,pol")]).contains("did you mean \"poll\"?"));
}

#[test]
fn overrides_are_reported_after_the_file() {
    let text = FILE.replace("\"16 B\"", "\"16\"");
    let errors = Machine::parse_with("some.toml", &text, &[("nodes", "none")], Known::default()).unwrap_err();
    let keys: Vec<_> = errors.iter().map(|error| error.key.as_str()).collect();
    assert_eq!(keys, ["interface.header", "nodes"]);
}

#[test]
fn a_bandwidth_may_be_set_below_what_a_gap_of_the_file_allows_for() {
    let text = crate::toy::CORRECT.replace("packet = \"64 B\"", "packet = \"64 B\"\ngap = \"100 ns\"");
    let slow = [("interface.bandwidth", "1 MB/s")];
    let machine = Machine::parse_with("toy.toml", &text, &slow, Known::default()).unwrap();
    assert_eq!(machine.interface.gap, Time::from_nanoseconds(100));
    let errors = Machine::parse("toy.toml", &text.replace("175 MB/s", "1 MB/s")).unwrap_err();
    assert!(errors.to_string().contains("which `header` takes at `bandwidth`"), "{errors}");
}

#[test]
fn a_hint_has_keys_that_neither_the_file_nor_another_setting_gives() {
    let told = refusal(&[("primitives.defer.user.occupancyy", "1 us"), ("nodes", "4")]);
    assert!(told.ends_with("; did you mean \"primitives.defer.user.occupancy\"?"), "{told}");
    let told = refusal(&[("policy.np.primitives.defer.user.occupancyy", "1 us")]);
    assert!(told.ends_with("; did you mean \"policy.np.primitives.defer.user.occupancy\"?"), "{told}");
}
