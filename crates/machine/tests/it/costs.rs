//! Prices by class of message, in files and on the command line.

use crate::toy::CORRECT;
use tradewind_machine::{ByClass, Class, Cost, Known, Machine, Transactions};
use units::Time;

const fn ns(n: u64) -> Time {
    Time::from_nanoseconds(n)
}

const FREE: Cost = Cost {
    path: Time::ZERO,
    occupancy: Time::ZERO,
    wait: Time::ZERO,
    line: Time::ZERO,
    bus: Transactions::NONE,
    after: Transactions::NONE,
};

const fn path(n: u64) -> Cost {
    Cost { path: ns(n), ..FREE }
}

/// The price of `set_tag`, written so, with these settings of the command line. A cycle is 20 ns.
fn price(written: &str, set: &[(&str, &str)]) -> ByClass<Cost> {
    let text = CORRECT.replace("set_tag = \"5 cycles\"", &format!("set_tag = {written}"));
    let machine = Machine::parse_with("toy.toml", &text, set, Known::default());
    machine.unwrap_or_else(|errors| panic!("{errors}")).primitives.set_tag.expect("it has a price")
}

#[test]
fn one_price_is_for_all_classes() {
    assert_eq!(price("\"1 cycle\"", &[]), ByClass::uniform(path(20)));
    let parts = price("{ path = \"1 cycle\", occupancy = \"2 cycles\", wait = \"3 us\" }", &[]);
    assert_eq!(parts, ByClass::uniform(Cost { occupancy: ns(40), wait: ns(3_000), ..path(20) }));
}

#[test]
fn a_class_that_is_not_named_has_the_price_of_the_others() {
    let price =
        price("{ user = \"1 us\", other = { path = \"2 us\", wait = \"1 us\" }, read = \"3 us\" }", &[]);
    assert_eq!((price.of(Class::User), price.of(Class::Read)), (path(1_000), path(3_000)));
    for class in [Class::Write, Class::Reply, Class::Acknowledge, Class::System] {
        assert_eq!(price.of(class), Cost { wait: ns(1_000), ..path(2_000) });
    }
}

#[test]
fn what_has_no_price_has_none() {
    let text = CORRECT.replace("set_tag = \"5 cycles\"\n", "");
    assert_eq!(Machine::parse("toy.toml", &text).unwrap().primitives.set_tag, None);
}

#[test]
fn the_command_line_sets_a_class_or_a_part_whatever_the_file_says() {
    let user = price("\"1 us\"", &[("primitives.set_tag.user", "2 us")]);
    assert_eq!((user.of(Class::User), user.of(Class::Read)), (path(2_000), path(1_000)));
    let wait = price("\"1 us\"", &[("primitives.set_tag.user.wait", "2 us")]);
    assert_eq!(wait.of(Class::User), Cost { wait: ns(2_000), ..path(1_000) });
    let other = price("{ user = \"1 us\", other = \"2 us\" }", &[("primitives.set_tag.other", "3 us")]);
    assert_eq!((other.of(Class::User), other.of(Class::Read)), (path(1_000), path(3_000)));
    let all = price("{ user = \"1 us\", other = \"2 us\" }", &[("primitives.set_tag", "3 us")]);
    assert_eq!(all, ByClass::uniform(path(3_000)));
}

#[test]
fn a_price_is_the_same_however_it_is_spelled() {
    let digest = |written: &str| {
        let text = CORRECT.replace("set_tag = \"5 cycles\"", &format!("set_tag = {written}"));
        Machine::parse("toy.toml", &text).unwrap().digest()
    };
    let same = digest("\"5 cycles\"");
    assert_eq!(digest("{ path = \"100 ns\", wait = \"0 us\" }"), same);
    assert_eq!(digest("{ user = \"5 cycles\", other = { path = \"0.1 us\" } }"), same);
    assert_ne!(digest("{ user = \"5 cycles\", other = { path = \"0.1 us\", wait = \"1 fs\" } }"), same);
}
