//! A machine whose every time is twice as long, whose clocks and bandwidths are half: every time it comes to is twice as
//! long. So no time of a machine hides in the code that reads files.
//!
//! And a machine whose processors alone have twice the clock: the work of processors takes half the time, and wires,
//! memory and devices take as long as before.

use crate::document;
use crate::folder::{all, read, text_of};
use crate::slower::{slowed, slower};
use tradewind_machine::{Class, Known, Machine, Value};
use units::{Cycles, Frequency, Span, Time};

/// Compares all values; times in cycles of a clock whose period is no whole number of femtoseconds are rounded, each by
/// less than one.
fn compare(machine: &Machine, slow: &Machine) {
    let rounds = |value: &Value| {
        value.resolved.parse::<Frequency>().is_ok_and(|clock| 1_000_000_000_000_000 % clock.as_hertz() != 0)
    };
    let rounding = u64::from(machine.values().iter().chain(slow.values()).any(rounds));
    assert_eq!(machine.values().len(), slow.values().len());
    let mut times = 0;
    for (value, twice) in machine.values().iter().zip(slow.values()) {
        assert_eq!(value.key, twice.key);
        match (value.resolved.parse::<Time>(), twice.resolved.parse::<Time>()) {
            (Ok(time), Ok(twice)) => {
                let (due, found) = (2 * time.as_femtoseconds(), twice.as_femtoseconds());
                let allowed = if value.text.contains("cycle") { rounding } else { 0 };
                assert!(due.abs_diff(found) <= allowed, "{}: {time} and {twice}", value.key);
                times += 1;
            }
            _ => assert_eq!(
                slower(&value.resolved).unwrap_or(value.resolved.clone()),
                twice.resolved,
                "{}",
                value.key
            ),
        }
    }
    assert!(times > 10, "{times} times were compared");
}

#[test]
fn every_shipped_machine_doubles() {
    for name in all() {
        compare(&read(&name, text_of), &read(&name, |name| slowed(&text_of(name))));
    }
}

#[test]
fn so_does_the_template() {
    let read =
        |text: &str| Machine::parse("my-machine.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let machine = read(&document::template());
    let slow = read(&slowed(&document::template()));
    compare(&machine, &slow);
    // The fields hold the doubled values.
    assert_eq!(slow.network.latency, machine.network.latency + machine.network.latency);
    assert_eq!(slow.processor.poll, machine.processor.poll + machine.processor.poll);
    assert_eq!(slow.under("inject").interface.lock_migration, Some(Time::from_nanoseconds(800)));
}

/// A shipped machine whose processors have twice the clock.
fn faster(name: &str) -> Machine {
    let clock = read(name, text_of).processor.clock;
    let set = [("processor.clock", Frequency::new(2 * clock.as_hertz()).expect("twice a clock").to_string())];
    let file = |name: &str| format!("machines/{name}.toml");
    let bases = |_: &str, name: &str| Ok((file(name), text_of(name)));
    let known = Known { bases: &bases, ..Known::default() };
    let machine = Machine::parse_with(&file(name), &text_of(name), &set, known);
    machine.unwrap_or_else(|errors| panic!("{name}: {errors}"))
}

/// Whether the processors take the time of a key, so that it may count their cycles. The chip that is the interface of
/// Alewife, and its memory's controller, has the clock of the node.
fn is_of_processors(machine: &str, key: &str) -> bool {
    let rest = key.strip_prefix("policy.").and_then(|rest| rest.split_once('.'));
    let key = rest.map_or(key, |(_, key)| key);
    let begins = |section: &&str| key.strip_prefix(*section).is_some_and(|rest| rest.starts_with('.'));
    ["processor", "primitives", "software_dispatch", "cache"].iter().any(begins)
        || key == "memory.read"
        || (machine == "alewife" && ["interface", "memory.banks", "bus"].iter().any(begins))
}

#[test]
fn on_every_shipped_machine_twice_the_clock_halves_the_processors_parts_and_nothing_else() {
    for name in all() {
        let (machine, fast) = (read(&name, text_of), faster(&name));
        let (own, bus) =
            (machine.processor.clock, machine.node_memory.as_ref().map(|memory| memory.bus.clock));
        let mut halved = 0;
        assert_eq!(machine.values().len(), fast.values().len());
        for (value, then) in machine.values().iter().zip(fast.values()) {
            let Value { key, text, resolved, .. } = value;
            match text.parse::<Span>() {
                _ if key == "processor.clock" => {}
                Ok(span) if is_of_processors(&name, key) => {
                    let rest = Span { cycles: Cycles::ZERO, ..span };
                    let (whole, rest) = (span.resolve(own, bus), rest.resolve(own, bus));
                    let (whole, rest) = (whole.expect("it was read"), rest.expect("it was read"));
                    let due = rest.as_femtoseconds() + (whole - rest).as_femtoseconds() / 2;
                    let found = then.resolved.parse::<Time>().expect("a time").as_femtoseconds();
                    // Each is rounded down to a femtosecond.
                    assert!(
                        found.abs_diff(due) <= 1,
                        "{name}: {key} = {text}: {resolved} and {}",
                        then.resolved
                    );
                    halved += usize::from(span.cycles != Cycles::ZERO);
                }
                _ => assert!(
                    *resolved == then.resolved || is_of_processors(&name, key),
                    "{name}: {key} = {text}"
                ),
            }
        }
        assert!(halved >= 4, "{name}: {halved} times are in cycles of the processors");
        assert_eq!(machine.network, fast.network, "{name}");
    }
}

#[test]
fn a_price_with_bus_transactions_keeps_them_when_the_clock_is_doubled() {
    let (machine, fast) = (read("hurricane-1", text_of), faster("hurricane-1"));
    let of = |machine: &Machine| machine.primitives.dispatch.expect("a price").of(Class::Read);
    // 3 cycles of 2.5 ns; an address and a register's line are 48 of them and keep their time.
    let ns = Time::from_picoseconds;
    assert_eq!((of(&machine).path, of(&machine).occupancy), (ns(127_500), ns(30_000)));
    assert_eq!((of(&fast).path, of(&fast).occupancy), (ns(123_750), ns(30_000)));
    let line = |machine: &Machine| machine.primitives.fetch_block.expect("a price").of(Class::Read).line;
    assert_eq!((line(&machine), line(&fast)), (ns(160_000), ns(158_750)));
}
