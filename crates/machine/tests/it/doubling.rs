//! A machine whose every time is twice as long, whose clocks and bandwidths are half: every time it comes to is twice as
//! long. So no time of a machine hides in the code that reads files.

use crate::document;
use crate::folder::{all, read, text_of};
use crate::slower::{slowed, slower};
use tradewind_machine::{Machine, Value};
use units::{Frequency, Time};

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
    // What the fields hold is what the values say.
    assert_eq!(slow.network.latency, machine.network.latency + machine.network.latency);
    assert_eq!(slow.processor.poll, machine.processor.poll + machine.processor.poll);
    assert_eq!(slow.under("inject").interface.lock_migration, Some(Time::from_nanoseconds(800)));
}
