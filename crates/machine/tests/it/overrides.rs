//! Values from the command line in place of those of a file.

use tradewind_machine::{ByClass, Capability, Class, Cost, Errors, Known, Machine};
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
    // Of the very many keys that there are, those that may have been meant.
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
