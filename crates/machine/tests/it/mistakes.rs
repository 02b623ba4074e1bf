//! Every kind of mistake a machine file can hold, each with its line, key, value and expected form.

use crate::toy::CORRECT;
use tradewind_machine::{Class, Error, Machine};

fn mistakes(text: &str) -> Vec<Error> {
    Machine::parse("toy.toml", text).expect_err("must be refused").iter().cloned().collect()
}

/// The one mistake after a line was replaced; an empty replacement takes the line away.
fn mistake(line: &str, instead: &str) -> Error {
    let instead = if instead.is_empty() { String::new() } else { format!("{instead}\n") };
    let text = CORRECT.replace(&format!("{line}\n"), &instead);
    assert_ne!(text, CORRECT, "{line:?} is no line of the file");
    let mut mistakes = mistakes(&text);
    assert_eq!(mistakes.len(), 1, "{mistakes:#?}");
    mistakes.remove(0)
}

#[test]
fn the_correct_file_is_correct() {
    let machine = Machine::parse("toy.toml", CORRECT).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(
        machine.primitives.dispatch.unwrap().of(Class::User).occupancy,
        units::Time::from_nanoseconds(80)
    );
}

/// A text of the file and its replacement; then line, key, value and the start of the expected form.
type Row<'a> = (&'a str, &'a str, usize, &'a str, Option<&'a str>, &'a str);

#[test]
fn each_mistake_is_met_with_line_key_value_and_expectation() {
    let frequency = "a frequency such as \"400 MHz\"";
    let time = "a time such as \"1.7 us\" or \"16 cycles\"";
    let count = "a whole number from 1, such as 8";
    let rate = "a bandwidth such as \"175 MB/s\" or \"2 B/cycle\"";
    let size = "a size such as \"64 KiB\" or \"16 B\"";
    let list = "a list of at least one capability such as [\"poll\", \"interrupt\"]";
    let (clock, poll, can) =
        ("clock = \"50 MHz\"", "poll = \"1 cycle\"", "can = [\"poll\", \"keyed-dispatch\"]");
    let table: &[Row<'_>] = &[
        (clock, "clock = \"50 MHZ2\"", 7, "processor.clock", Some("\"50 MHZ2\""), frequency),
        (clock, "clock = 50", 7, "processor.clock", Some("50"), frequency),
        (
            clock,
            "clock = \"0 MHz\"",
            7,
            "processor.clock",
            Some("\"0 MHz\""),
            "a frequency such as \"400 MHz\" above zero",
        ),
        (clock, "", 6, "processor.clock", None, frequency),
        (poll, "poll = \"-1 cycles\"", 9, "processor.poll", Some("\"-1 cycles\""), time),
        (poll, "poll = \"NaN ns\"", 9, "processor.poll", Some("\"NaN ns\""), time),
        (
            poll,
            "poll = \"1 Cycle\"",
            9,
            "processor.poll",
            Some("\"1 Cycle\""),
            "a time such as \"1.7 us\" or \"16 cycles\"; did you mean \"cycle\"?",
        ),
        (
            poll,
            "poll = \"99999 s\"",
            9,
            "processor.poll",
            Some("\"99999 s\""),
            "a time such as \"1.7 us\" or \"16 cycles\"; this one is too large",
        ),
        (poll, "poll = true", 9, "processor.poll", Some("true"), time),
        (
            poll,
            "poll = \"1 cycle\"\npool = \"1 cycle\"",
            10,
            "processor.pool",
            Some("\"1 cycle\""),
            "a key of [processor]; did you mean \"poll\"?",
        ),
        (
            poll,
            "poll = \"1 cycle\"\nsource = 3",
            10,
            "processor.source",
            Some("3"),
            "a text that says where the numbers come from",
        ),
        ("nodes = 2", "nodes = 0", 3, "nodes", Some("0"), count),
        ("nodes = 2", "nodes = -2", 3, "nodes", Some("-2"), count),
        ("nodes = 2", "nodes = \"two\"", 3, "nodes", Some("\"two\""), count),
        ("nodes = 2", "nodes = 5000000000", 3, "nodes", Some("5000000000"), count),
        ("processors = 1", "processors = 0", 4, "processors", Some("0"), count),
        ("processors = 1", "", 1, "processors", None, count),
        ("name = \"toy\"", "name = \"A Toy\"", 1, "name", Some("\"A Toy\""), "a name of lower-case letters"),
        ("summary = \"a toy\"", "summary = \" \"", 2, "summary", Some("\" \""), "one line that says what"),
        (can, "can = []", 5, "can", Some("[]"), list),
        (can, "can = \"poll\"", 5, "can", Some("\"poll\""), list),
        (
            can,
            "can = [\"poll\",\n  \"fly\"]",
            6,
            "can",
            Some("\"fly\""),
            "a capability; known are poll, interrupt",
        ),
        (can, "can = [\"poll\", \"pol\"]", 5, "can", Some("\"pol\""), "a capability; did you mean \"poll\"?"),
        (can, "can = [\"poll\", \"poll\"]", 5, "can", Some("\"poll\""), "each capability once"),
        (
            "dispatch = { path = \"3 cycles\", occupancy = \"4 cycles\" }",
            "dispatch = { occupancy = \"4 cycles\" }",
            13,
            "primitives.dispatch.path",
            None,
            time,
        ),
        (
            "dispatch = { path = \"3 cycles\", occupancy = \"4 cycles\" }",
            "dispatch = { path = \"3 cycles\", ocupancy = \"4 cycles\" }",
            13,
            "primitives.dispatch.ocupancy",
            Some("\"4 cycles\""),
            "a key of [primitives.dispatch]; did you mean \"occupancy\"?",
        ),
        ("set_tag = \"5 cycles\"", "set_tag = 5", 20, "primitives.set_tag", Some("5"), time),
        (
            "set_tag = \"5 cycles\"",
            "set_tag = \"5\"",
            20,
            "primitives.set_tag",
            Some("\"5\""),
            "a time such as \"1.7 us\" or \"16 cycles\"; the unit is missing",
        ),
        (
            "window = 4",
            "window = 0",
            29,
            "queue.window",
            Some("0"),
            "a whole number from 1, such as 16, or \"unlimited\"",
        ),
        (
            "window = 4",
            "window = \"endless\"",
            29,
            "queue.window",
            Some("\"endless\""),
            "a whole number from 1, such as 16, or \"unlimited\"",
        ),
        ("window = 4", "window = 9", 29, "queue.window", Some("9"), "at most queue.capacity, which is 8"),
        ("capacity = 8", "capacity = 0", 30, "queue.capacity", Some("0"), count),
        (
            "bandwidth = \"175 MB/s\"",
            "bandwidth = \"0 MB/s\"",
            32,
            "interface.bandwidth",
            Some("\"0 MB/s\""),
            rate,
        ),
        (
            "bandwidth = \"175 MB/s\"",
            "bandwidth = \"175 MB\"",
            32,
            "interface.bandwidth",
            Some("\"175 MB\""),
            rate,
        ),
        (
            "packet = \"64 B\"",
            "packet = \"0 B\"",
            34,
            "interface.packet",
            Some("\"0 B\""),
            "a size such as \"64 KiB\" or \"16 B\" above zero",
        ),
        ("header = \"16 B\"", "header = \"0.5 B\"", 33, "interface.header", Some("\"0.5 B\""), size),
        (
            "packet = \"64 B\"",
            "packet = \"64 B\"\nfill = \"65 B\"",
            35,
            "interface.fill",
            Some("\"65 B\""),
            "at most `packet`, which is 64 B",
        ),
        // 16 bytes at 175 MB/s take 91.43 ns.
        (
            "packet = \"64 B\"",
            "packet = \"64 B\"\ngap = \"91 ns\"",
            35,
            "interface.gap",
            Some("\"91 ns\""),
            "at least 91.428572 ns, which `header` takes at `bandwidth`",
        ),
        ("send_queue = 4", "send_queue = 1.5", 35, "interface.send_queue", Some("1.5"), count),
        (
            "topology = \"constant\"",
            "topology = \"mush\"",
            39,
            "network.topology",
            Some("\"mush\""),
            "one of constant, crossbar, mesh",
        ),
        (
            "latency = \"1 us\"",
            "latency = \"0\"",
            40,
            "network.latency",
            Some("\"0\""),
            "a time such as \"1.7 us\" or \"16 cycles\"",
        ),
        (
            "latency = \"1 us\"",
            "latency = \"1 us\"\n[netwrk]\nhop = \"1 ns\"",
            41,
            "netwrk",
            Some("{…}"),
            "a key or section of a machine file; did you mean \"network\"?",
        ),
        (
            "name = \"toy\"",
            "name = \"toy\"\ncolour = \"red\"",
            2,
            "colour",
            Some("\"red\""),
            "a key or section of a machine file; known are source, extends",
        ),
    ];
    for &(line, instead, number, key, value, expected) in table {
        let mistake = mistake(line, instead);
        let found = (mistake.line, mistake.key.as_str(), mistake.value.as_deref());
        assert_eq!(found, (Some(number), key, value), "{instead:?}: {mistake}");
        assert!(mistake.expected.starts_with(expected), "{instead:?}: {mistake}");
        assert_eq!(mistake.file, "toy.toml");
    }
}

#[test]
fn a_missing_section_is_one_mistake() {
    let queue = "[queue]\nwindow = 4\ncapacity = 8\n";
    let found = mistakes(&CORRECT.replace(queue, ""));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].to_string(), "toy.toml:1: queue is missing: expected a section [queue]");
    let work = CORRECT.lines().find(|line| line.starts_with("work")).unwrap();
    assert_eq!(
        mistake(work, "").to_string(),
        "toy.toml:6: processor.work is missing: expected a section [processor.work]"
    );
    assert_eq!(
        mistake(work, "work = 3").to_string(),
        "toy.toml:11: processor.work = 3: expected a section [processor.work]"
    );
}

#[test]
fn all_mistakes_come_at_once_in_the_order_of_the_lines() {
    let text = CORRECT
        .replace("latency = \"1 us\"", "latency = \"soon\"")
        .replace("window = 4", "window = none")
        .replace("window = none", "window = \"none\"")
        .replace("clock = \"50 MHz\"", "clock = \"50 Mhz\"")
        .replace("store = \"1 cycle\"", "stor = \"1 cycle\"");
    let errors = Machine::parse("toy.toml", &text).unwrap_err();
    let lines: Vec<_> = errors.iter().filter_map(|error| error.line).collect();
    assert_eq!(lines, [7, 11, 11, 29, 40]);
    assert_eq!(
        errors.to_string().lines().next().unwrap(),
        "toy.toml:7: processor.clock = \"50 Mhz\": expected a frequency such as \"400 MHz\"; did you mean \"MHz\"?"
    );
    assert_eq!(errors.to_string().lines().count(), 5);
}

#[test]
fn what_is_no_toml_is_met_at_its_line() {
    for (broken, line) in
        [("clock = ", 7), ("clock = \"50 MHz", 7), ("clock = \"50 MHz\"\nclock = \"50 MHz\"", 8)]
    {
        let error = mistake("clock = \"50 MHz\"", broken);
        assert_eq!(
            (error.line, error.key.as_str(), error.value),
            (Some(line), "", None),
            "{}",
            error.expected
        );
        assert!(error.expected.starts_with("TOML; its reader says: "), "{}", error.expected);
        assert!(!error.expected.contains('\n'), "{}", error.expected);
    }
}

#[test]
fn a_section_given_twice_as_an_array_is_refused() {
    let error = mistake("[queue]", "[[queue]]");
    assert_eq!((error.line, error.expected.as_str()), (Some(28), "a section [queue]"));
}
