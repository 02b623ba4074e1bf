//! Values that are right alone and contradict each other: one error, which names both with their lines.

use crate::document;
use tradewind_machine::{Endpoints, Errors, Known, Machine};
use units::Time;

fn read(text: &str, set: &[(&str, &str)]) -> Result<Machine, Errors> {
    Machine::parse_with("my-machine.toml", text, set, Known::default())
}

/// The template without a lock on the interface, which it has under one policy.
fn template() -> String {
    let text = document::template();
    text.split("[policy.inject.interface]").next().expect("what stands before it").to_owned()
}

/// The template with one line replaced by others.
fn with(line: &str, instead: &str) -> String {
    let text = template();
    let found = text.lines().find(|have| have.starts_with(line)).expect("a line of the file");
    text.replace(found, instead)
}

/// The number of the line that starts so, from 1.
fn line_of(text: &str, start: &str) -> usize {
    1 + text.lines().position(|line| line.starts_with(start)).expect("a line of the file")
}

/// A dispatch routine beside the number of nodes.
const ROUTINE: &str = "nodes = 4\nsoftware_dispatch = { poll_every = 8, notice = \"0 us\", enter = \"0 us\", find = \"0 us\", leave = \"0 us\", state = \"0 B\", wake = \"0 us\", drain = 1 }";

#[test]
fn two_values_that_contradict_each_other_are_one_error_that_names_both_lines() {
    let traffic = "topology = \"mesh\"\nhop = \"1 ns\"\ncross_traffic = { message = \"8 B\", rate = \"90 MB/s\", launch = \"0 us\" }";
    for (line, instead, refused, other) in [
        ("window = \"unlimited\"", "window = 2048", "window =", ("queue.capacity = 1024", "capacity =")),
        (
            "topology =",
            "topology = \"mesh\"\nhop = \"1 ns\"\ndimensions = [2, 3]",
            "dimensions =",
            ("nodes = 4", "nodes ="),
        ),
        ("topology =", traffic, "cross_traffic =", ("network.link = 80 MB/s", "link =")),
        (
            "runs =",
            "runs = [\"read\"]\npreempt = [\"reply\"]",
            "preempt =",
            ("network_processor.runs = [\"read\"]", "runs ="),
        ),
        (
            "header = ",
            "header = \"8 B\"\nlock_migration = \"1 us\"\nendpoints = \"processor\"",
            "endpoints =",
            ("interface.lock_migration = 1 us", "lock_migration = \"1 us\""),
        ),
        ("nodes = ", ROUTINE, "endpoints =", ("software_dispatch.poll_every = 8", "software_dispatch =")),
    ] {
        let mut text = with(line, instead);
        if instead == ROUTINE {
            text = text.replace("[interface] ", "[interface]\nendpoints = \"processor\" #");
        }
        let errors = read(&text, &[]).expect_err(instead);
        assert_eq!(errors.iter().count(), 1, "{errors}");
        let told = errors.to_string();
        assert!(told.starts_with(&format!("my-machine.toml:{}: ", line_of(&text, refused))), "{told}");
        let (value, line) = other;
        assert!(told.contains(&format!("{value}: line {}", line_of(&text, line))), "{told}");
    }
}

/// The template with queue pairs that have these further keys.
fn with_pairs(keys: &str) -> String {
    with("[flow]", &format!("[queue_pairs]\ncount = 24\n{keys}\n[flow]"))
}

#[test]
fn queue_pairs_that_contradict_the_interface_are_one_error_that_names_both_lines() {
    for (keys, interface, refused, other) in [
        ("lock = \"50 ns\"", "lock_migration = \"1 us\"", "lock =", "interface.lock_migration = 1 us"),
        ("gap = \"0.2 us\"", "gap = \"0.4 us\"", "gap = \"0.2", "interface.gap = 0.4 us"),
    ] {
        let text =
            with_pairs(keys).replace("packet = \"256 B\"", &format!("packet = \"256 B\"\n{interface}"));
        let errors = read(&text, &[]).expect_err(keys);
        assert_eq!(errors.iter().count(), 1, "{errors}");
        let told = errors.to_string();
        assert!(told.starts_with(&format!("my-machine.toml:{}: ", line_of(&text, refused))), "{told}");
        assert!(told.contains(&format!("{other}: line {}", line_of(&text, interface))), "{told}");
    }
    for (wrong, key) in [("order = \"any\"", "queue_pairs.order"), ("number = 2", "queue_pairs.number")] {
        let errors = read(&with_pairs(wrong), &[]).expect_err(wrong);
        let keys: Vec<_> = errors.iter().map(|error| error.key.as_str()).collect();
        assert_eq!(keys, [key], "{errors}");
    }
}

#[test]
fn abilities_follow_from_sections() {
    let without = with("can =", "can = [\"poll\", \"network-queue\"]");
    let can = |text: &str| read(text, &[]).unwrap_or_else(|errors| panic!("{errors}")).can;
    use tradewind_machine::Capability::{NetworkProcessor, NetworkQueue, Poll, SenderInjects};
    assert_eq!(can(&without), [Poll, NetworkQueue, NetworkProcessor]);
    assert!(!can(&template()).contains(&SenderInjects) && can(&with_pairs("")).contains(&SenderInjects));
    let endpoints = with("header = ", "header = \"8 B\"\nendpoints = \"processor\"");
    assert!(can(&endpoints).contains(&SenderInjects));
}

#[test]
fn a_contradiction_with_the_command_line_names_it() {
    let errors = read(&template(), &[("queue.window", "16"), ("queue.capacity", "8")]).expect_err("refused");
    assert_eq!(
        errors.to_string(),
        "--set queue.window = \"16\": expected at most queue.capacity, which is 8 (queue.capacity = 8: --set)"
    );
    let errors = read(&with("window =", "window = 16"), &[("queue.capacity", "8")]).expect_err("refused");
    assert!(errors.to_string().ends_with("(queue.capacity = 8: --set)"), "{errors}");
}

#[test]
fn what_counts_processors_clocks_and_spills_is_read_and_checked() {
    let embedded = "[embedded_processor]\nclock = \"200 MHz\"\n[embedded_processor.primitives]\nstart_transfer = \"4 cycles\"\ndispatch = \"2 cycles\"\n";
    let text = with("turn =", "count = 3\nturn = \"10 cycles\"")
        .replace("[queue] ", "[queue]\nspill = \"1 us\" #")
        .replace("header = \"8 B\" ", "header = \"8 B\"\nendpoints = \"processor\" #")
        .replace("[policy.np.primitives]", &format!("{embedded}[policy.np.primitives]"))
        .replace("dispatch = \"20 cycles\"", "dispatch = \"20 cycles\"\ndispatch_interrupt = \"30 cycles\"");
    let machine = read(&text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(machine.network_processor.as_ref().map(|network| network.count), Some(3));
    assert_eq!(machine.queue.spill, Some(Time::from_microseconds(1)));
    assert_eq!(machine.interface.endpoints, Endpoints::Processor);
    let path = |price: Option<tradewind_machine::ByClass<tradewind_machine::Cost>>| {
        price.expect("a price").of(tradewind_machine::Class::User).path
    };
    // The cycles of an embedded processor are its own.
    let own = machine.embedded_processor.as_ref().expect("there are some");
    assert_eq!(path(own.primitives.dispatch), Time::from_nanoseconds(10));
    assert_eq!(path(machine.primitives.dispatch_interrupt), Time::from_nanoseconds(300));
    for (right, wrong, key) in [
        ("count = 3", "count = 0", "network_processor.count"),
        ("clock = \"200 MHz\"", "", "embedded_processor.clock"),
        ("clock = \"33 MHz\"", "", "network_processor.clock"),
        ("\"processor\" #", "\"core\" #", "interface.endpoints"),
        ("spill = \"1 us\"", "spill = 1", "queue.spill"),
    ] {
        let errors = read(&text.replacen(right, wrong, 1), &[]).expect_err(wrong);
        let keys: Vec<_> = errors.iter().map(|error| error.key.as_str()).collect();
        assert_eq!(keys, [key], "{errors}");
    }
}

#[test]
fn what_is_not_stated_is_as_it_was() {
    let machine = read(&template(), &[]).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(machine.network_processor.as_ref().map(|network| network.count), Some(1));
    assert_eq!(machine.queue.spill, None);
    assert_eq!(machine.interface.endpoints, Endpoints::Node);
    assert_eq!(machine.embedded_processor, None);
    assert_eq!(machine.primitives.dispatch_interrupt, None);
}

#[test]
fn only_a_network_of_links_backs_up_behind_a_full_queue() {
    let text = with("window =", "window = \"unlimited\"\nbacks_up = true");
    assert!(read(&text, &[]).unwrap_or_else(|errors| panic!("{errors}")).queue.backs_up);
    let errors = read(&text, &[("network.topology", "constant")]).expect_err("refused");
    assert_eq!(
        errors.iter().map(|error| error.key.as_str()).collect::<Vec<_>>(),
        ["queue.backs_up"],
        "{errors}"
    );
    assert!(errors.to_string().contains("a constant network never backs up"), "{errors}");
}
