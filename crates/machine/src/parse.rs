//! From the text of a machine file to a [`Machine`]: which sections there are, what they hold, what must agree.
//! Knows no file, only its name and text.

use toml_edit::{Document, TomlError};
use units::Frequency;

use crate::digest::Digest;
use crate::reader::Reader;
use crate::section::Section;
use crate::{
    Error, Errors, Interface, Machine, Memory, Network, Primitives, Processor, Queue, Value, WorkCosts,
};

/// Stands in for a clock that was refused, so that the other mistakes of the file are found in the same reading.
const NO_CLOCK: Frequency = Frequency::from_megahertz(1_000);

impl Machine {
    /// Reads a machine file. `file` is what to call it in messages.
    ///
    /// # Errors
    ///
    /// All mistakes of the file at once, each with its line.
    pub fn parse(file: &str, text: &str) -> Result<Self, Errors> {
        Self::parse_with::<&str, &str>(file, text, &[])
    }

    /// As [`parse`](Self::parse), with values from the command line in place of those of the file: dotted keys
    /// such as `processor.clock`, values without quotes such as `200MHz`, lists separated by commas. Of two
    /// values for one key the later holds. They are checked as the file's own are.
    ///
    /// # Errors
    ///
    /// All mistakes of the file and of the overrides; those of the overrides say `--set` in place of a line.
    pub fn parse_with<K: AsRef<str>, V: AsRef<str>>(
        file: &str,
        text: &str,
        overrides: &[(K, V)],
    ) -> Result<Self, Errors> {
        let overrides = overrides.iter().map(|(key, value)| (key.as_ref(), value.as_ref())).collect();
        let reader = Reader::new(file, text, overrides);
        let document = Document::parse(text).map_err(|error| no_toml(file, &reader, &error))?;
        let machine = Section::file(&reader, document.as_table(), machine);
        let (values, errors) = reader.finish();
        match machine {
            Some(machine) if errors.is_empty() => Ok(Self { values, ..machine }),
            _ => Err(Errors::new(errors)),
        }
    }

    /// Every value the machine was built from, in the order it was read.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// A number that stands for all that can change a result: equal machines have equal digests, on every host
    /// and in every build. Where a number comes from, what the summary says and how it was spelled do not count.
    pub fn digest(&self) -> u64 {
        Digest::of(self)
    }
}

fn no_toml(file: &str, reader: &Reader<'_>, error: &TomlError) -> Errors {
    let line = error.span().map_or(1, |span| reader.line(span.start));
    let expected = format!("TOML; its reader says: {}", error.message().trim());
    Errors::new(vec![Error {
        file: file.to_owned(),
        line: Some(line),
        key: String::new(),
        value: None,
        expected,
    }])
}

fn machine(file: &Section<'_>) -> Option<Machine> {
    let name =
        file.text("name", "a name of lower-case letters, digits and hyphens such as \"cm-5\"", is_name);
    let summary = file.text("summary", "one line that says what the machine is", is_line);
    let nodes = file.count("nodes");
    let processors = file.count("processors");
    let can = file.capabilities("can");
    let processor = file.section("processor", processor);
    let clock = processor.as_ref().map_or(NO_CLOCK, |processor| processor.clock);
    let primitives = file.section("primitives", |section| Primitives::read(section, clock));
    let queue = file.section("queue", queue);
    let interface = file.section("interface", |section| interface(section, clock));
    let memory = file.section("memory", |section| memory(section, clock));
    let network = file.section("network", |section| network(section, clock));
    Some(Machine {
        name: name?,
        summary: summary?,
        nodes: nodes?,
        processors: processors?,
        processor: processor?,
        primitives: primitives?,
        queue: queue?,
        interface: interface?,
        memory: memory?,
        network: network?,
        can: can?,
        values: Vec::new(),
    })
}

fn processor(section: &Section<'_>) -> Option<Processor> {
    let stated: Option<Frequency> = section.quantity("clock");
    let clock = stated.unwrap_or(NO_CLOCK);
    let work = section.section("work", |section| work_costs(section, clock));
    let thread_switch = section.time("thread_switch", clock);
    let poll = section.time("poll", clock);
    let interrupt = section.time("interrupt", clock);
    Some(Processor {
        clock: stated?,
        work: work?,
        thread_switch: thread_switch?,
        poll: poll?,
        interrupt: interrupt?,
    })
}

fn work_costs(section: &Section<'_>, clock: Frequency) -> Option<WorkCosts> {
    let flop = section.time("flop", clock);
    let integer = section.time("integer", clock);
    let load = section.time("load", clock);
    let store = section.time("store", clock);
    Some(WorkCosts { flop: flop?, integer: integer?, load: load?, store: store? })
}

fn queue(section: &Section<'_>) -> Option<Queue> {
    let window = section.limit("window");
    let capacity = section.count("capacity");
    let queue = Queue { window: window?, capacity: capacity? };
    if queue.window.is_some_and(|window| window > queue.capacity) {
        section.contradict("window", format!("at most queue.capacity, which is {}", queue.capacity));
        return None;
    }
    Some(queue)
}

fn interface(section: &Section<'_>, clock: Frequency) -> Option<Interface> {
    let bandwidth = section.bandwidth("bandwidth", clock);
    let header = section.quantity("header");
    let packet = section.quantity_above_zero("packet");
    let send_queue = section.count("send_queue");
    let engine = section.bandwidth("engine", clock);
    let deposit = section.time("deposit", clock);
    Some(Interface {
        bandwidth: bandwidth?,
        header: header?,
        packet: packet?,
        send_queue: send_queue?,
        engine: engine?,
        deposit: deposit?,
    })
}

fn memory(section: &Section<'_>, clock: Frequency) -> Option<Memory> {
    let line = section.quantity_above_zero("line");
    let read = section.time("read", clock);
    Some(Memory { line: line?, read: read? })
}

fn network(section: &Section<'_>, clock: Frequency) -> Option<Network> {
    let topology = section
        .text("topology", "\"constant\", the only topology there is so far", |name| name == "constant");
    let latency = section.time_above_zero("latency", clock);
    topology.and(Some(Network { latency: latency? }))
}

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(allowed)
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('\n')
}
