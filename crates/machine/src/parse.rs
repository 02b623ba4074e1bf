//! From the text of a machine file to a [`Machine`]: which sections there are, what they hold, what must agree.
//! Knows no file, only its name and text.

use units::{Bytes, Frequency, Quantity, Span, Time};

use crate::chain::{self, Bases};
use crate::node_memory::Banks;
use crate::residual;
use crate::section::Section;
use crate::variants::Reading;
use crate::{
    Calibrated, Capability, Errors, Flow, Handoff, Interface, Machine, Memory, Network, NetworkProcessor,
    NodeMemory, Primitives, Processor, Queue, SoftwareDispatch, Value, WorkCosts,
};

/// Stands in for a clock that was refused, so that the other mistakes of the file are found in the same reading.
pub(crate) const NO_CLOCK: Frequency = Frequency::from_megahertz(1_000);

/// Stands in for a memory line that was refused, so that the other mistakes of the file are found in one
/// reading.
const NO_LINE: Bytes = Bytes::new(64);

impl Machine {
    /// Reads a machine file that extends no other. `file` is what to call it in messages.
    ///
    /// # Errors
    ///
    /// All mistakes of the file at once, each with its line.
    pub fn parse(file: &str, text: &str) -> Result<Self, Errors> {
        Self::parse_with::<&str, &str>(file, text, &[], &|_, _| Err(None))
    }

    /// Reads a machine file together with values from the command line, which replace those of the file:
    /// dotted keys such as `processor.clock`, values without quotes such as `200MHz`, lists separated by
    /// commas. Of two values for one key the later holds; one for a policy, `policy.np.processor.poll`,
    /// precedes one in general. They are checked like the file's own. `bases` finds the files that it
    /// extends.
    ///
    /// # Errors
    ///
    /// All mistakes of the files and of the overrides; those of the overrides say `--set` in place of a line.
    pub fn parse_with<K: AsRef<str>, V: AsRef<str>>(
        file: &str,
        text: &str,
        overrides: &[(K, V)],
        bases: &Bases<'_>,
    ) -> Result<Self, Errors> {
        let chain = chain::load(file, text, bases)?;
        let overrides: Vec<_> = overrides.iter().map(|(key, value)| (key.as_ref(), value.as_ref())).collect();
        Reading::new(&chain, &overrides).machine()
    }

    /// Every value the machine was built from, in the order it was read; those that hold under a policy come last.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// A number that stands for all that can change a result: equal machines have equal digests, on every host
    /// and in every build. It is that of the files and the overrides, whatever has been done to the fields since. Where a
    /// number comes from, what the summary says and how it was spelled do not count.
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

/// Reads the top level.
pub(crate) fn machine(file: &Section<'_>) -> Option<Machine> {
    let name =
        file.text("name", "a name of lower-case letters, digits and hyphens such as \"cm-5\"", is_name);
    file.expect_own("name", "a name of its own, which no other machine has");
    let summary = file.text("summary", "one line that says what the machine is", is_line);
    let nodes = file.count("nodes");
    let processors = file.count("processors");
    let can = file.list("can", "capability", Capability::NAMES, |name| name.parse::<Capability>().ok());
    let abilities = can.as_deref().unwrap_or_default();
    let processor = file.section("processor", |section| processor(section, abilities));
    let clock = processor.as_ref().map_or(NO_CLOCK, |processor| processor.clock);
    let primitives = file.section("primitives", |section| {
        let primitives = Primitives::read(section, clock);
        if abilities.contains(&Capability::Transfer) {
            section.expect("start_transfer", Span::EXPECTED);
        }
        primitives
    });
    let queue = file.section("queue", queue);
    let interface = file.section("interface", |section| Interface::read(section, clock, abilities));
    let network_processor =
        file.optional_section("network_processor", |section| NetworkProcessor::read(section, abilities));
    let handoff = file.optional_section("handoff", |section| Handoff::read(section, clock));
    let flow = file.optional_section("flow", Flow::read);
    let software_dispatch =
        file.optional_section("software_dispatch", |section| SoftwareDispatch::read(section, clock));
    if matches!(software_dispatch, Some(Some(_))) && abilities.contains(&Capability::KeyedDispatch) {
        file.contradict(
            "can",
            "no `keyed-dispatch`: [software_dispatch] runs one handler at a time".to_owned(),
        );
    }
    let memory = file.section("memory", |section| memory(section, clock));
    let (memory, banks) = memory.unzip();
    let line = memory.as_ref().map_or(NO_LINE, |memory| memory.line);
    let node_memory = NodeMemory::read(file, clock, line, banks.flatten());
    let network = file.section("network", |section| Network::read(section, clock, nodes));
    let calibrated = file.optional_section("calibrated", Calibrated::read);
    if let (Some(_), Some(primitives), Some(Some(memory))) = (&processor, &primitives, &node_memory) {
        file.section("primitives", |section| {
            section.forgive();
            residual::check(section, primitives, (memory, line), abilities)
        })?;
    }
    Some(Machine {
        name: name?,
        summary: summary?,
        nodes: nodes?,
        processors: processors?,
        processor: processor?,
        primitives: primitives?,
        queue: queue?,
        interface: interface?,
        network_processor: network_processor?,
        handoff: handoff?,
        flow: flow?,
        software_dispatch: software_dispatch?,
        memory: memory?,
        node_memory: node_memory?,
        network: network?,
        can: can?,
        calibrated: calibrated?,
        values: Vec::new(),
        digest: 0,
        variants: Vec::new(),
    })
}

fn processor(section: &Section<'_>, can: &[Capability]) -> Option<Processor> {
    let stated: Option<Frequency> = section.quantity("clock");
    let clock = stated.unwrap_or(NO_CLOCK);
    let work = section.section("work", |section| work_costs(section, clock));
    let thread_switch = section.time("thread_switch", clock);
    let poll = section.time("poll", clock);
    if can.contains(&Capability::Interrupt) {
        section.expect("interrupt", Span::EXPECTED);
    }
    let fetch = section.time_or("fetch", clock, Time::ZERO);
    let pace = section.time_or("pace", clock, Time::ZERO);
    let pass = section.time_or("pass", clock, Time::ZERO);
    let signal = section.time_or("signal", clock, Time::ZERO);
    let hold = section.time_or("hold", clock, Time::ZERO);
    let wake = section.time_or("wake", clock, Time::ZERO);
    let interrupt = section.time_or("interrupt", clock, Time::ZERO);
    Some(Processor {
        clock: stated?,
        work: work?,
        thread_switch: thread_switch?,
        poll: poll?,
        fetch: fetch?,
        pace: pace?,
        pass: pass?,
        signal: signal?,
        hold: hold?,
        wake: wake?,
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

fn memory(section: &Section<'_>, clock: Frequency) -> Option<(Memory, Option<Banks>)> {
    let line = section.quantity_above_zero("line");
    let read = section.time("read", clock);
    let banks = section.optional_section("banks", |section| Banks::read(section, clock));
    Some((Memory { line: line?, read: read? }, banks?))
}

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(allowed)
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('\n')
}
