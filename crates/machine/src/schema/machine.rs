//! A machine: the top level of its file, and the checks that concern several sections. Plain data, resolved and
//! checked. This module must never know files, nor the events on a machine.
//!
//! Durations that a file states in cycles are absolute here.

use units::Bytes;

use super::idle_bus::IdleBus;
use super::residual;
use crate::reading::{Note, Section, Value, range};
use crate::{
    Calibrated, Capability, EmbeddedProcessor, Endpoints, Flow, Handoff, Interface, Memory, Network,
    NetworkProcessor, NodeMemory, Primitives, Processor, Queue, QueuePairs, SoftwareDispatch, Topology,
};

/// Stands in for a memory line that was refused, so that the other mistakes of the file are found in one
/// reading.
const NO_LINE: Bytes = Bytes::new(64);

/// A machine: nodes of processors, joined by a network.
///
/// [`Machine::parse`] makes one and checks every field. Later changes by a caller are not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The machine's name: lower-case letters, digits and hyphens, such as `hurricane-1`.
    pub name: String,
    /// A line of text that describes the machine.
    pub summary: String,
    /// The number of nodes, unless the run says otherwise; at least 1.
    pub nodes: u32,
    /// The number of compute processors of a node, unless the run says otherwise; at least 1.
    pub processors: u32,
    /// The compute processors, all alike.
    pub processor: Processor,
    /// The prices of the primitives in protocol handlers that compute processors run.
    pub primitives: Primitives,
    /// The dispatch queue of a node, which hands protocol events to processors.
    pub queue: Queue,
    /// The network interface of a node.
    pub interface: Interface,
    /// The network processors of a node, which move messages and may run handlers. `None`: it has none.
    pub network_processor: Option<NetworkProcessor>,
    /// The processors inside a node's network device. `None`: the processors that a policy puts there have the prices of the
    /// computing processors.
    pub embedded_processor: Option<EmbeddedProcessor>,
    /// The queues between the network processor and the compute processors. `None`: the file states none.
    pub handoff: Option<Handoff>,
    /// The queues through which processors post messages to the network interface. `None`: all processors of a node post to the
    /// interface in one place.
    pub queue_pairs: Option<QueuePairs>,
    /// The bound on a node's outstanding requests; `None` if there is no bound.
    pub flow: Option<Flow>,
    /// The dispatch routine, if software switches this machine's processors between threads and handlers.
    pub software_dispatch: Option<SoftwareDispatch>,
    /// The memory of a node: the size of a line, and the time to read it.
    pub memory: Memory,
    /// The caches, bus and memory banks of a node; `None` if the machine file does not describe them.
    pub node_memory: Option<NodeMemory>,
    /// The network that joins the nodes.
    pub network: Network,
    /// The capabilities of the machine: the words of its file, in their order, and then the capabilities that follow from its
    /// sections. None is listed twice.
    pub can: Vec<Capability>,
    /// The measured host and the day, if the machine file is a measurement; `None` for any other machine.
    pub calibrated: Option<Calibrated>,
    pub(crate) values: Vec<Value>,
    /// The notes at the heads of the machine's file and of the files that it extends, each with its file, the machine's
    /// own first.
    pub(crate) heads: Vec<(String, Vec<Note>)>,
    pub(crate) digest: u64,
    /// The machine as it is under each policy for which its file has values of its own, by the policy's name.
    pub(crate) variants: Vec<(String, Self)>,
}

impl Machine {
    /// The sides of the network's grid, if the command line gives them. A run must then have as many nodes as the grid has places.
    pub fn given_sides(&self) -> Option<&[u32]> {
        let mut values = self.values.iter();
        values.find(|value| value.key == "network.dimensions" && value.line.is_none())?;
        match &self.network.routers.as_ref()?.topology {
            Topology::Mesh { sides, .. } | Topology::Torus { sides, .. } => sides.as_deref(),
            _ => None,
        }
    }

    /// Reads the top level; `None` if a value was refused, which has then been reported.
    pub(crate) fn read_keys(file: &Section<'_>) -> Option<Self> {
        let name =
            file.text("name", "a name of lower-case letters, digits and hyphens such as \"cm-5\"", is_name);
        file.expect_own("name", "a name of its own, which no other machine has, such as name = \"mine\"");
        let summary = file.text("summary", "one line that says what the machine is", is_line);
        file.limit("nodes", range("1", "1048576", "each has a thread, and a run has no more of them"));
        file.limit("processors", range("1", "65535", "each has a number of 16 bits in its node"));
        let nodes = file.key("nodes");
        let processors = file.key("processors");
        let can = file.list("can", "capability", Capability::NAMES, |name| name.parse::<Capability>().ok());
        let can = can.map(|can: Vec<Capability>| with_parts(file, can));
        let abilities = can.clone().unwrap_or_default();
        let abilities = abilities.as_slice();
        let processor = file.section("processor", |section| Processor::read_keys(section, abilities));
        if let Some(processor) = &processor {
            file.count_cycles_of(processor.clock);
        }
        file.count_bus_cycles();
        let (memory, banks) = file.section("memory", Memory::read_with_banks).unzip();
        let line = memory.as_ref().map_or(NO_LINE, |memory| memory.line);
        let node_memory = NodeMemory::read_keys(file, line, banks.flatten());
        let bus = match &node_memory {
            None => IdleBus::Refused,
            Some(None) => IdleBus::Absent,
            Some(Some(memory)) => IdleBus::Known(memory, line),
        };
        let primitives = Primitives::section(file, "primitives", abilities, bus);
        let queue = file.key("queue");
        let interface = file.section("interface", |section| Interface::read_keys(section, abilities));
        let network_processor = file.optional_section("network_processor", |section| {
            NetworkProcessor::read_keys(section, abilities, bus)
        });
        let embedded_processor = file.optional_section("embedded_processor", |section| {
            EmbeddedProcessor::read_keys(section, abilities, bus)
        });
        let handoff = file.key("handoff");
        let queue_pairs: Option<Option<QueuePairs>> = file.key("queue_pairs");
        if let (Some(Some(pairs)), Some(interface)) = (&queue_pairs, &interface) {
            check_pairs(file, pairs, interface, node_memory.as_ref().and_then(Option::as_ref));
        }
        let flow = file.key("flow");
        let software_dispatch: Option<Option<SoftwareDispatch>> = file.key("software_dispatch");
        if matches!(software_dispatch, Some(Some(_))) && abilities.contains(&Capability::KeyedDispatch) {
            file.contradict(
                "can",
                "no `keyed-dispatch`: [software_dispatch] runs one handler at a time".to_owned(),
                &["software_dispatch.poll_every"],
            );
        }
        let by_processor = interface.as_ref().is_some_and(|each| each.endpoints == Endpoints::Processor);
        if by_processor && matches!(software_dispatch, Some(Some(_))) {
            file.section("interface", |section| {
                section.forgive();
                let expected = "\"node\", because [software_dispatch] takes messages out in one place";
                section.contradict("endpoints", expected.to_owned(), &["software_dispatch.poll_every"]);
            });
        }
        let network = file.section("network", |section| Network::read_keys(section, nodes));
        let mut can = can;
        if let Some(can) =
            can.as_mut().filter(|can| by_processor && !can.contains(&Capability::SenderInjects))
        {
            can.push(Capability::SenderInjects);
        }
        let backs_up = queue.as_ref().is_some_and(|queue: &Queue| queue.backs_up);
        if backs_up && network.as_ref().is_some_and(|network| network.routers.is_none()) {
            file.section("queue", |section| {
                section.forgive();
                let expected = "false, because a constant network never backs up";
                section.contradict("backs_up", expected.to_owned(), &["network.topology"]);
            });
        }
        let calibrated = file.key("calibrated");
        if let (Some(_), Some(primitives), Some(Some(memory))) = (&processor, &primitives, &node_memory) {
            file.section("primitives", |section| {
                section.forgive();
                residual::check(section, primitives, (memory, line), abilities)
            })?;
        }
        Some(Self {
            name: name?,
            summary: summary?,
            nodes: nodes?,
            processors: processors?,
            processor: processor?,
            primitives: primitives?,
            queue: queue?,
            interface: interface?,
            network_processor: network_processor?,
            embedded_processor: embedded_processor?,
            handoff: handoff?,
            queue_pairs: queue_pairs?,
            flow: flow?,
            software_dispatch: software_dispatch?,
            memory: memory?,
            node_memory: node_memory?,
            network: network?,
            can: can?,
            calibrated: calibrated?,
            values: Vec::new(),
            heads: Vec::new(),
            digest: 0,
            variants: Vec::new(),
        })
    }
}

/// Adds the capabilities that follow from the sections of a file to the words of its `can`.
fn with_parts(file: &Section<'_>, mut can: Vec<Capability>) -> Vec<Capability> {
    for (section, capability) in [
        ("network_processor", Capability::NetworkProcessor),
        ("embedded_processor", Capability::EmbeddedProcessors),
        ("queue_pairs", Capability::SenderInjects),
    ] {
        if file.gives(section) && !can.contains(&capability) {
            can.push(capability);
        }
    }
    can
}

/// Refuses queue pairs that contradict the interface.
fn check_pairs(file: &Section<'_>, pairs: &QueuePairs, interface: &Interface, memory: Option<&NodeMemory>) {
    let refuse = |key: &'static str, expected: String, other: &str| {
        file.section("queue_pairs", |section| {
            section.forgive();
            section.contradict(key, expected, &[other]);
        });
    };
    if pairs.lock.is_some() && interface.lock_migration.is_some() {
        let expected = "nothing, because one lock guards the whole interface";
        refuse("lock", expected.to_owned(), "interface.lock_migration");
    }
    if !pairs.gap.is_zero() && pairs.gap < interface.gap {
        let expected = format!("at least {}, which is the gap of the interface", interface.gap);
        refuse("gap", expected, "interface.gap");
    }
    if memory.is_some_and(|memory| memory.staging.is_some()) {
        let expected = "no [queue_pairs], because commands of [staging] go to one queue".to_owned();
        refuse("count", expected, "staging.size");
    }
}

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(allowed)
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('\n')
}
