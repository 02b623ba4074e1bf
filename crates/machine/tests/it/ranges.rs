//! Each number of a machine file has a range: a number outside is one error, with line, key, value, and the end of the
//! range.

use tradewind_machine::{Known, Machine};

use crate::document::template;

/// The errors of the documented machine file with `line` in place of the line that begins with `old`.
fn errors(old: &str, line: &str) -> Vec<String> {
    let text = template();
    let place = text.lines().position(|each| each.starts_with(old)).expect("the file has the line");
    let lines: Vec<_> =
        text.lines().enumerate().map(|(at, each)| if at == place { line } else { each }).collect();
    let told = Machine::parse("x.toml", &lines.join("\n")).expect_err("must be refused");
    let at = format!("x.toml:{}: ", place + 1);
    told.iter()
        .map(|error| error.to_string().strip_prefix(&at).expect("it is on its line").to_owned())
        .collect()
}

#[test]
fn a_number_outside_its_range_is_told_with_the_end_of_the_range() {
    let count = "a whole number from 1, such as 8";
    let size = "a size such as \"64 KiB\" or \"16 B\"";
    for (old, line, expected) in [
        (
            "send_queue",
            "send_queue = 4294967296",
            format!("{count}, at most 65536: a model keeps each of them"),
        ),
        ("send_queue", "send_queue = 9223372036854775807", format!("{count}, at most 65536")),
        ("send_queue", "send_queue = 0", count.to_owned()),
        ("nodes", "nodes = 2097152", format!("{count}, at most 1048576")),
        ("processors", "processors = 65536", format!("{count}, at most 65535")),
        (
            "window = \"un",
            "window = 65537",
            "a whole number from 1, such as 16, or \"unlimited\", at most 65536".to_owned(),
        ),
        ("header", "header = \"64 GiB\"", format!("{size}, at most 4 KiB: each packet has them")),
        ("packet", "packet = \"2 GiB\"", format!("{size}, at most 1 GiB")),
        ("chunk ", "chunk = \"0 B\"", format!("{size}, at least 1 B")),
        ("line", "line = \"1 MiB\"", format!("{size}, at most 64 KiB")),
        (
            "engine",
            "engine = \"1000001 GB/s\"",
            "a bandwidth such as \"175 MB/s\" or \"2 B/cycle\", at most 1000000 GB/s".to_owned(),
        ),
        (
            "clock = \"100",
            "clock = \"1001 GHz\"",
            "a frequency such as \"400 MHz\", at most 1000 GHz".to_owned(),
        ),
        (
            "latency",
            "latency = \"18001 s\"",
            "a time such as \"1.7 us\" or \"16 cycles\", at most 18000 s: modelled time ends".to_owned(),
        ),
        (
            "thread_switch",
            "thread_switch = \"9000000000000 cycles\"",
            "a time such as \"1.7 us\" or \"16 cycles\", at most 18000 s".to_owned(),
        ),
    ] {
        let told = errors(old, line);
        let (key, value) = line.split_once(" = ").expect("a key with a value");
        let told = told.iter().find(|told| told.contains(&format!("{key} = {value}: expected {expected}")));
        assert!(told.is_some(), "{line}: {:#?}", errors(old, line));
    }
}

#[test]
fn every_number_of_a_file_is_named_with_its_range() {
    let numbers = Machine::numbers("x.toml", &template(), Known::default()).expect("the file is right");
    let find =
        |key: &str| numbers.iter().find(|number| number.key == key).unwrap_or_else(|| panic!("no {key}"));
    assert_eq!(
        (find("nodes").kind, find("nodes").range.most, find("nodes").is_usual),
        ("count", "1048576", false)
    );
    assert_eq!((find("queue.window").kind, find("queue.window").range.most), ("count", "65536"));
    assert!(find("interface.write_buffer").is_usual, "a key that the file could have");
    assert_eq!(find("network_processor.primitives.take").kind, "time");
    let machine = Machine::parse("x.toml", &template()).expect("the file is right");
    let is_text = |key: &str| key.starts_with("policy.") || key == "summary";
    for value in machine.values().iter().filter(|value| !is_text(&value.key)) {
        let is_number = value.resolved.starts_with(|first: char| first.is_ascii_digit());
        let is_named = numbers.iter().any(|number| number.key == value.key);
        assert_eq!(
            is_named,
            is_number || ["unlimited", "never"].contains(&value.resolved.as_str()),
            "{} = {}",
            value.key,
            value.resolved
        );
    }
}
