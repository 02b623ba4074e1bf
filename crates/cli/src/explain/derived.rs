//! What follows from a machine's values: quantities that its file does not state, each with where it comes from.
//! Nothing here is measured, and no run uses it.

use hardware::Shape;
use machine::Machine;
use units::{Bandwidth, Bytes, Frequency, Time};

/// One quantity.
pub(super) struct Derived {
    /// Its name, for people and scripts.
    pub(super) name: String,
    pub(super) number: f64,
    pub(super) unit: &'static str,
    /// What it is made of.
    pub(super) from: String,
}

/// A quantity that does not follow, although one might look for it.
pub(super) struct Underived {
    pub(super) name: String,
    /// Why not.
    pub(super) reason: String,
}

impl Derived {
    pub(super) fn time(name: impl Into<String>, time: Time, from: impl Into<String>) -> Self {
        Self { name: name.into(), number: time.as_nanoseconds(), unit: "ns", from: from.into() }
    }

    fn rate(name: &str, rate: Bandwidth, times: u64, from: impl Into<String>) -> Self {
        let number = rate.as_bytes_per_second() as f64 * times as f64 / 1e6;
        Self { name: name.to_owned(), number, unit: "MB/s", from: from.into() }
    }

    fn per_cycle(name: &str, rate: Bandwidth, clock: Frequency, from: &str) -> Self {
        let number = rate.as_bytes_per_second() as f64 / clock.as_hertz() as f64;
        Self { name: name.to_owned(), number, unit: "B/cycle", from: from.to_owned() }
    }
}

/// All of them that hold whatever is sent by whom.
pub(super) fn derive(machine: &Machine) -> Vec<Derived> {
    let mut derived = node(machine);
    derived.extend(interface(machine));
    derived.extend(network(machine));
    derived
}

fn node(machine: &Machine) -> Vec<Derived> {
    let clock = machine.processor.clock;
    let mut derived = vec![Derived::time("cycle", clock.cycles_to_time(1), "1 / processor.clock")];
    if let Some(network) = &machine.network_processor {
        let cycle = network.clock.cycles_to_time(1);
        derived.push(Derived::time("network processor cycle", cycle, "1 / network_processor.clock"));
    }
    if !machine.memory.read.is_zero() {
        let line = machine.memory.line;
        let rate = line.get() as f64 / machine.memory.read.as_seconds() / 1e6;
        let (name, from) = ("memory, a line at a time".to_owned(), "memory.line / memory.read".to_owned());
        derived.push(Derived { name, number: rate, unit: "MB/s", from });
    }
    derived
}

fn interface(machine: &Machine) -> Vec<Derived> {
    let (port, clock) = (&machine.interface, machine.processor.clock);
    let packet = Bytes::new(port.packet.get() + port.header.get());
    let share = port.packet.get() as f64 / packet.get() as f64;
    let payload = port.bandwidth.as_bytes_per_second() as f64 / 1e6 * share;
    let mut derived = vec![
        Derived::per_cycle("port", port.bandwidth, clock, "interface.bandwidth / processor.clock"),
        Derived::time(
            "line through a port",
            port.bandwidth.transfer_time(machine.memory.line),
            "memory.line / interface.bandwidth",
        ),
        Derived::time(
            "full packet through a port",
            port.bandwidth.transfer_time(packet),
            "(interface.packet + header) / bandwidth",
        ),
        Derived {
            name: "data through a port".to_owned(),
            number: payload,
            unit: "MB/s",
            from: "bandwidth * packet / (packet + header)".to_owned(),
        },
    ];
    if let (Some(engine), Some(chunk)) = (port.engine, port.chunk) {
        let headers = chunk.get().div_ceil(port.packet.get()) * port.header.get();
        let through = port.bandwidth.transfer_time(Bytes::new(chunk.get() + headers));
        let piece = engine.transfer_time(chunk).max(through) + port.chunk_cost;
        derived.push(Derived {
            name: "block engine, whole chunks".to_owned(),
            number: chunk.get() as f64 / piece.as_seconds() / 1e6,
            unit: "MB/s",
            from: "chunk / (chunk_cost + the slower of engine and port)".to_owned(),
        });
    }
    derived
}

fn network(machine: &Machine) -> Vec<Derived> {
    let (clock, nodes) = (machine.processor.clock, machine.nodes);
    let Some(routers) = &machine.network.routers else { return Vec::new() };
    let shape = Shape::new(routers, nodes);
    let mean = machine.network.latency.as_nanoseconds() + shape.mean_links * routers.hop.as_nanoseconds();
    vec![
        Derived::per_cycle("link", routers.link, clock, "network.link / processor.clock"),
        Derived::time(
            "line over a link",
            routers.link.transfer_time(machine.memory.line),
            "memory.line / network.link",
        ),
        Derived::rate(
            "bisection, each way",
            routers.link,
            shape.bisection_links,
            format!("{} links between the halves of {nodes} nodes", shape.bisection_links),
        ),
        Derived {
            name: "mean distance".to_owned(),
            number: shape.mean_links,
            unit: "links",
            from: format!("between routers, over all pairs of {nodes} nodes"),
        },
        Derived {
            name: "mean latency of the network".to_owned(),
            number: mean,
            unit: "ns",
            from: "network.latency + mean distance * network.hop".to_owned(),
        },
    ]
}
