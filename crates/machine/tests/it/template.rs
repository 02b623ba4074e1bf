//! The machine file that `docs/machine-file.md` offers for copying: it is right, and a newcomer's mistake in it is met
//! with one error that has line, key, value and the expected form.

use tradewind_machine::{Error, Known, Machine};

use crate::document::{page, template};

/// A text on a line of the file and its replacement (none: the line is missing); then key, value and the start of the
/// expected form. The error is on that line unless another line is named.
struct Mistake {
    line: &'static str,
    instead: &'static str,
    at: Option<&'static str>,
    key: &'static str,
    value: Option<&'static str>,
    expected: &'static str,
}

const fn mistake(
    line: &'static str,
    instead: &'static str,
    key: &'static str,
    value: &'static str,
    expected: &'static str,
) -> Mistake {
    Mistake { line, instead, at: None, key, value: Some(value), expected }
}

/// A line that is missing; the error is where its section begins.
const fn missing(line: &'static str, at: &'static str, key: &'static str, expected: &'static str) -> Mistake {
    Mistake { line, instead: "", at: Some(at), key, value: None, expected }
}

const TIME: &str = "a time such as \"1.7 us\" or \"16 cycles\"";
const COUNT: &str = "a whole number from 1, such as 8";

static MISTAKES: &[Mistake] = &[
    mistake("name =", "name = \"My Machine\"", "name", "\"My Machine\"", "a name of lower-case letters"),
    mistake("nodes =", "nodes = 0", "nodes", "0", COUNT),
    mistake("processors =", "processors = \"one\"", "processors", "\"one\"", COUNT),
    mistake("can =", "can = [\"pol\"]", "can", "\"pol\"", "a capability; did you mean \"poll\"?"),
    mistake("clock = \"100 MHz\"", "clock = 100", "processor.clock", "100", "a frequency such as"),
    mistake(
        "clock = \"100 MHz\"",
        "clock = \"100 Mhz\"",
        "processor.clock",
        "\"100 Mhz\"",
        "a frequency such as \"400 MHz\"; did you mean \"MHz\"?",
    ),
    mistake("poll =", "poll = \"0.3\"", "processor.poll", "\"0.3\"", TIME),
    mistake("poll =", "poll = \"-3 us\"", "processor.poll", "\"-3 us\"", TIME),
    missing("interrupt =", "[processor] ", "processor.interrupt", TIME),
    missing("flop =", "[processor.work]", "processor.work.flop", TIME),
    mistake(
        "send_word = \"5 cycles\"",
        "send_wrod = \"5 cycles\"",
        "primitives.send_wrod",
        "\"5 cycles\"",
        "a key of [primitives]; did you mean \"send_word\"?",
    ),
    missing("start_transfer = \"4 us\"", "[primitives]", "primitives.start_transfer", TIME),
    missing(
        "start_transfer = \"30 cycles\"",
        "[network_processor.primitives]",
        "network_processor.primitives.start_transfer",
        TIME,
    ),
    mistake(
        "send_header = { path = \"2 us\"",
        "send_header = { path = \"2 us\", ocupancy = \"1 us\" }",
        "primitives.send_header.ocupancy",
        "\"1 us\"",
        "a key of [primitives.send_header]; did you mean \"occupancy\"?",
    ),
    Mistake {
        line: "send_header = { path = \"2 us\"",
        instead: "send_header = { occupancy = \"1 us\" }",
        at: None,
        key: "primitives.send_header.path",
        value: None,
        expected: TIME,
    },
    mistake(
        "extract = { user",
        "extract = { usr = \"2 us\", other = \"1 us\" }",
        "primitives.extract.usr",
        "\"2 us\"",
        "a key of [primitives.extract]; did you mean \"user\"?",
    ),
    mistake(
        "extract = { user",
        "extract = { path = \"2 us\", other = \"1 us\" }",
        "primitives.extract.path",
        "\"2 us\"",
        "a key of [primitives.extract]; known are",
    ),
    Mistake {
        line: "extract = { user",
        instead: "extract = { read = \"1 us\", write = \"1 us\", reply = \"1 us\", acknowledge = \"1 us\", system = \"1 us\" }",
        at: None,
        key: "primitives.extract.user",
        value: None,
        expected: TIME,
    },
    mistake(
        "window = \"unlimited\"",
        "window = \"all\"",
        "queue.window",
        "\"all\"",
        "a whole number from 1, such as 16, or \"unlimited\"",
    ),
    mistake(
        "window = \"unlimited\"",
        "window = 2048",
        "queue.window",
        "2048",
        "at most queue.capacity, which is 1024",
    ),
    mistake(
        "bandwidth =",
        "bandwidth = \"80 MB\"",
        "interface.bandwidth",
        "\"80 MB\"",
        "a bandwidth such as \"175 MB/s\" or \"2 B/cycle\"",
    ),
    mistake("packet =", "packet = \"0 B\"", "interface.packet", "\"0 B\"", "a size such as"),
    mistake("receive_queue =", "receive_queue = -1", "interface.receive_queue", "-1", COUNT),
    missing("engine =", "[interface]", "interface.engine", "a bandwidth such as"),
    missing("chunk = ", "[interface]", "interface.chunk", "a size such as"),
    mistake(
        "chunk_cost =",
        "chunk_cost = \"5 us\"\nengine_shares_processor = \"yes\"",
        "interface.engine_shares_processor",
        "\"yes\"",
        "true or false",
    ),
    mistake(
        "runs =",
        "runs = [\"read\", \"rite\"]",
        "network_processor.runs",
        "\"rite\"",
        "a class of messages; did you mean \"write\"?",
    ),
    mistake(
        "drain =",
        "preempt = [\"reply\", \"replay\"]\ndrain = 4",
        "network_processor.preempt",
        "\"replay\"",
        "a class of messages; did you mean \"reply\"?",
    ),
    mistake(
        "runs =",
        "runs = [\"read\"]\npreempt = [\"reply\"]",
        "network_processor.preempt",
        "[\"reply\"]",
        "classes of messages that it `runs`",
    ),
    mistake("drain =", "drain = 0", "network_processor.drain", "0", COUNT),
    missing("visible =", "[handoff]", "handoff.visible", TIME),
    mistake(
        "acknowledge_every =",
        "acknowledge_every = \"always\"",
        "flow.acknowledge_every",
        "\"always\"",
        "a whole number from 1, such as 8, or \"never\"",
    ),
    mistake(
        "topology =",
        "topology = \"cross\"",
        "network.topology",
        "\"cross\"",
        "one of constant, crossbar",
    ),
    mistake(
        "[flow] ",
        "[flows]",
        "flows",
        "{…}",
        "a key or section of a machine file; did you mean \"flow\"?",
    ),
    mistake(
        "[policy.np.primitives]",
        "[policy.nq.primitives]",
        "policy.nq",
        "{…}",
        "a policy; did you mean \"np\"?",
    ),
    mistake(
        "hand_over = \"0.7 us\"",
        "hand_ovr = \"0.7 us\"",
        "policy.np.primitives.hand_ovr",
        "\"0.7 us\"",
        "a key of [policy.np.primitives]; did you mean \"hand_over\"?",
    ),
    mistake(
        "[policy.inject.interface]",
        "[policy.inject]\nnodes = 2\n[policy.inject.interface]",
        "policy.inject.nodes",
        "2",
        "nothing here: it is the same under all policies",
    ),
    mistake("lock_migration =", "lock_migration = 4", "policy.inject.interface.lock_migration", "4", TIME),
    mistake(
        "name =",
        "name = \"my-machine\"\nextends = \"nobody\"",
        "extends",
        "\"nobody\"",
        "a machine that ships, or a file beside this one",
    ),
];

fn errors(text: &str) -> Vec<Error> {
    let known = Known { policies: Some(&["proc", "np", "inject"]), ..Known::default() };
    let machine = Machine::parse_with::<&str, &str>("my-machine.toml", text, &[], known);
    machine.expect_err("must be refused").iter().cloned().collect()
}

/// The number of the first line that starts so, from 1.
fn line_of(text: &str, start: &str) -> usize {
    let line = text.lines().position(|line| line.starts_with(start));
    1 + line.unwrap_or_else(|| panic!("no line starts with {start:?}:\n{text}"))
}

/// The text with one line replaced, or taken away.
fn with(text: &str, line: &str, instead: &str) -> String {
    let number = line_of(text, line);
    let lines = text.lines().enumerate().filter_map(|(index, old)| match index + 1 == number {
        true if instead.is_empty() => None,
        true => Some(instead),
        false => Some(old),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_template_is_right_and_every_part_of_it_is_there() {
    let machine = Machine::parse("my-machine.toml", &template()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(machine.network_processor.is_some() && machine.handoff.is_some() && machine.flow.is_some());
    assert_eq!(machine.policies().collect::<Vec<_>>(), ["np", "inject"]);
}

#[test]
fn each_of_more_than_twenty_kinds_of_mistakes_is_one_error() {
    let text = template();
    assert!(MISTAKES.len() > 20);
    for Mistake { line, instead, at, key, value, expected } in MISTAKES {
        let wrong = with(&text, line, instead);
        let errors = errors(&wrong);
        assert_eq!(errors.len(), 1, "{instead:?}: {errors:#?}");
        let error = &errors[0];
        // Of several lines that were put in place of one, the mistake is on the one with its key.
        let last = key.rsplit('.').next().unwrap();
        let own = instead.lines().position(|line| line.starts_with(last)).unwrap_or(0);
        let number = at.map_or_else(|| line_of(&text, line) + own, |at| line_of(&wrong, at));
        let found = (error.line, error.key.as_str(), error.value.as_deref());
        assert_eq!(found, (Some(number), *key, *value), "{instead:?}: {error}");
        assert!(error.expected.starts_with(expected), "{instead:?}: {error}");
    }
}

#[test]
fn several_at_once_are_all_reported() {
    let text = MISTAKES.iter().take(4).fold(template(), |text, one| with(&text, one.line, one.instead));
    let keys: Vec<_> = errors(&text).into_iter().map(|error| error.key).collect();
    assert_eq!(keys, ["name", "nodes", "processors", "can"]);
}

/// The sections of a machine file. In each, the error for an unknown key lists the known ones.
const SECTIONS: &[&str] = &[
    "",
    "processor",
    "processor.work",
    "primitives",
    "queue",
    "interface",
    "interface.overflow",
    "network_processor",
    "network_processor.primitives",
    "embedded_processor",
    "embedded_processor.primitives",
    "handoff",
    "queue_pairs",
    "flow",
    "software_dispatch",
    "memory",
    "memory.banks",
    "cache",
    "bus",
    "staging",
    "network",
    "network.cross_traffic",
    "calibrated",
];

#[test]
fn the_page_names_every_key_there_is() {
    let page = page();
    let kinds = ["mesh", "fat-tree", "crossbar", "constant"];
    let texts =
        kinds.map(|kind| template().replace("topology = \"crossbar\"", &format!("topology = \"{kind}\"")));
    for (section, text) in SECTIONS.iter().flat_map(|section| texts.iter().map(move |text| (section, text))) {
        let header = format!("[{section}]");
        let text = match text.lines().find(|line| !section.is_empty() && line.starts_with(&header)) {
            Some(line) => text.replace(line, &format!("{header}\n?? = 1")),
            None if section.is_empty() => format!("?? = 1\n{text}"),
            None => format!("{text}\n{header}\n?? = 1"),
        };
        let errors = errors(&text.replace("??", "\"???\""));
        let unknown = errors.iter().find_map(|error| error.expected.split_once("; known are "));
        for key in unknown.into_iter().flat_map(|(_, known)| known.split(", ")) {
            let written = [format!("`{key}`"), format!("`{key} "), format!("[{key}"), format!(".{key}]")];
            assert!(written.iter().any(|written| page.contains(written)), "[{section}]: {key}");
        }
        assert!(unknown.is_some() || section.starts_with("network.cross"), "[{section}]: {errors:?}");
    }
}
