//! Utilization: the share of the time for which each part of a machine that can be a bottleneck was busy.
//!
//! A world lists the kinds of parts that it has and measures. This module must never know how a world measures.

use std::fmt;

use units::Time;

/// A kind of part of a machine that serves one request at a time. Work waits while such a part is busy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Resource {
    /// A processor of the node that runs threads of the program.
    ComputingProcessor,
    /// A processor of the node that runs handlers and no threads.
    DedicatedProcessor,
    /// A processor inside the network interface that runs handlers.
    EmbeddedProcessor,
    /// The network processor of a node, which stands between its computing processor and the network.
    NetworkProcessor,
    /// A hardware state machine that runs handlers.
    StateMachine,
    /// The dispatch queue of a node: busy while an event waits in it or a key is held.
    DispatchQueue,
    /// The lock that processors take to use a network interface: busy while it is held.
    InterfaceLock,
    /// The port from a node's interface into the network.
    PortOut,
    /// The port from the network into a node's interface.
    PortIn,
    /// A link between two routers, in one direction.
    Link,
    /// The memory bus of a node: its address wires, and its data wires too if it has the same wires for both.
    Bus,
    /// The data wires of a memory bus that has separate wires for addresses and data.
    DataBus,
    /// A bank of the memory of a node.
    MemoryBank,
}

impl Resource {
    /// All kinds of parts, in the order in which reports list them.
    pub const ALL: [Self; 13] = [
        Self::ComputingProcessor,
        Self::DedicatedProcessor,
        Self::EmbeddedProcessor,
        Self::NetworkProcessor,
        Self::StateMachine,
        Self::DispatchQueue,
        Self::InterfaceLock,
        Self::PortOut,
        Self::PortIn,
        Self::Link,
        Self::Bus,
        Self::DataBus,
        Self::MemoryBank,
    ];

    /// The name of the kind in JSON and tables, such as `memory-bank`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ComputingProcessor => "computing-processor",
            Self::DedicatedProcessor => "dedicated-processor",
            Self::EmbeddedProcessor => "embedded-processor",
            Self::NetworkProcessor => "network-processor",
            Self::StateMachine => "state-machine",
            Self::DispatchQueue => "dispatch-queue",
            Self::InterfaceLock => "interface-lock",
            Self::PortOut => "port-out",
            Self::PortIn => "port-in",
            Self::Link => "link",
            Self::Bus => "bus",
            Self::DataBus => "data-bus",
            Self::MemoryBank => "memory-bank",
        }
    }

    /// The kind of part called `name` by [`name`](Self::name); `None` if there is no such kind.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resource| resource.name() == name)
    }

    /// Whether parts of this kind run handlers and no threads of the program.
    pub const fn is_protocol_processor(self) -> bool {
        matches!(
            self,
            Self::DedicatedProcessor | Self::EmbeddedProcessor | Self::NetworkProcessor | Self::StateMachine
        )
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The shares of time for which the parts of one kind were busy.
#[derive(Clone, PartialEq, Debug)]
pub struct Utilization {
    /// The kind of the parts.
    pub resource: Resource,
    /// The number of parts of this kind, at least 1.
    pub count: u32,
    /// The mean share of the time, from 0 to 1, for which a part of this kind was busy.
    pub mean: f64,
    /// The share of the time, from 0 to 1, for which the busiest part of this kind was busy.
    pub most: f64,
    /// The name of the busiest part, or the first of several. A link is named by its two ends, `3→4`. A part of a node
    /// is named by its number there and the node, `1 of node 3`; if the node has one such part, by the node alone.
    pub busiest: String,
}

impl Utilization {
    /// Computes the utilization of all parts of kind `resource`. `parts` gives the busy time of each part and the time
    /// for which the part existed; `name` names the part with an index. `None` if no part existed for any time.
    pub fn of(
        resource: Resource,
        parts: impl IntoIterator<Item = (Time, Time)>,
        name: impl FnOnce(usize) -> String,
    ) -> Option<Self> {
        let [mut busy, mut there] = [0.0; 2];
        let (mut count, mut most) = (0, None);
        for (index, (part_busy, part_there)) in parts.into_iter().enumerate() {
            if part_there.is_zero() {
                continue;
            }
            // A service that began before the end may be booked with its whole length.
            let part_busy = part_busy.min(part_there).as_femtoseconds() as f64;
            let part_there = part_there.as_femtoseconds() as f64;
            let share = part_busy / part_there;
            if most.is_none_or(|(most, _)| share > most) {
                most = Some((share, index));
            }
            busy += part_busy;
            there += part_there;
            count += 1;
        }
        let (most, index) = most?;
        Some(Self { resource, count, mean: busy / there, most, busiest: name(index) })
    }

    /// The name of part `number` of `node`, which has `of` parts of this kind.
    pub fn name_of(number: usize, of: usize, node: usize) -> String {
        if of > 1 { format!("{number} of node {node}") } else { format!("node {node}") }
    }

    /// The entry of kind `resource` in `list`; `None` if the list has no such entry.
    pub fn find(list: &[Self], resource: Resource) -> Option<&Self> {
        list.iter().find(|entry| entry.resource == resource)
    }

    /// The entry in `list` of the kind of protocol processors with the highest mean utilization; `None` if the list has
    /// no protocol processors.
    pub fn protocol(list: &[Self]) -> Option<&Self> {
        let processors = list.iter().filter(|entry| entry.resource.is_protocol_processor());
        processors.max_by(|one, other| one.mean.total_cmp(&other.mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::from_microseconds(us)
    }

    #[test]
    fn the_busiest_part_is_named_and_parts_that_were_never_there_do_not_count() {
        let parts = [(us(2), us(8)), (us(0), us(0)), (us(6), us(8)), (us(3), us(4))];
        let links = Utilization::of(Resource::Link, parts, |index| format!("{index}→{}", index + 1)).unwrap();
        assert_eq!((links.count, links.mean, links.most), (3, 11.0 / 20.0, 0.75));
        assert_eq!(links.busiest, "2→3");
        assert_eq!(Utilization::of(Resource::Link, [(us(0), us(0))], |_| unreachable!()), None);
    }

    #[test]
    fn a_part_that_is_booked_beyond_the_end_is_never_busier_than_always() {
        let ports = Utilization::of(Resource::PortOut, [(us(9), us(8))], |_| "node 0".to_owned()).unwrap();
        assert_eq!((ports.mean, ports.most), (1.0, 1.0));
    }

    #[test]
    fn protocol_processors_are_told_from_those_that_compute() {
        let all = Resource::ALL.map(|resource| {
            let busy = if resource == Resource::NetworkProcessor { 3 } else { 1 };
            Utilization::of(resource, [(us(busy), us(4))], |_| "node 0".to_owned()).unwrap()
        });
        assert_eq!(Utilization::protocol(&all).map(|entry| entry.resource), Some(Resource::NetworkProcessor));
        assert_eq!(Utilization::protocol(&all[..1]), None);
        assert_eq!(Utilization::find(&all, Resource::Link).map(|entry| entry.most), Some(0.25));
    }
}
