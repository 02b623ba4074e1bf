//! Quantities that follow from a machine's values and that its file does not state, each with its derivation.
//! Nothing here is measured, and no run uses it. This module must never know
//! a policy.

use hardware::Shape;
use machine::Machine;
use report::document::Derived;
use units::{Bandwidth, Bytes, Frequency, Time};

/// A derived time, with its name and formula.
pub(super) fn time(name: impl Into<String>, time: Time, from: impl Into<String>) -> Derived {
    number(name, time.as_nanoseconds(), "ns", from)
}

fn number(name: impl Into<String>, number: f64, unit: &str, from: impl Into<String>) -> Derived {
    Derived { name: name.into(), number, unit: unit.to_owned(), from: from.into() }
}

fn megabytes(rate: Bandwidth) -> f64 {
    rate.as_bytes_per_second() as f64 / 1e6
}

fn per_cycle(name: &str, rate: Bandwidth, clock: Frequency, from: &str) -> Derived {
    number(name, rate.as_bytes_per_second() as f64 / clock.as_hertz() as f64, "B/cycle", from)
}

/// All derived values that hold for any message and sender.
pub(super) fn derive(machine: &Machine) -> Vec<Derived> {
    let mut derived = node(machine);
    derived.extend(interface(machine));
    derived.extend(network(machine));
    derived
}

fn node(machine: &Machine) -> Vec<Derived> {
    let clock = machine.processor.clock;
    let mut derived = vec![time("cycle", clock.cycles_to_time(1), "1 / processor.clock")];
    if let Some(network) = &machine.network_processor {
        let cycle = network.clock.cycles_to_time(1);
        derived.push(time("network processor cycle", cycle, "1 / network_processor.clock"));
    }
    if let Some(embedded) = &machine.embedded_processor {
        let cycle = embedded.clock.cycles_to_time(1);
        derived.push(time("embedded processor cycle", cycle, "1 / embedded_processor.clock"));
    }
    if !machine.memory.read.is_zero() {
        let line = machine.memory.line;
        let rate = line.get() as f64 / machine.memory.read.as_seconds() / 1e6;
        derived.push(number("memory, a line at a time", rate, "MB/s", "memory.line / memory.read"));
    }
    derived
}

fn interface(machine: &Machine) -> Vec<Derived> {
    let (port, clock) = (&machine.interface, machine.processor.clock);
    let packet = Bytes::new(port.packet.get() + port.header.get());
    let share = port.packet.get() as f64 / packet.get() as f64;
    let payload = megabytes(port.bandwidth) * share;
    let mut derived = vec![
        per_cycle("port", port.bandwidth, clock, "interface.bandwidth / processor.clock"),
        time(
            "line through a port",
            port.bandwidth.transfer_time(machine.memory.line),
            "memory.line / interface.bandwidth",
        ),
        time(
            "full packet through a port",
            port.bandwidth.transfer_time(packet),
            "(interface.packet + header) / bandwidth",
        ),
        number("data through a port", payload, "MB/s", "bandwidth * packet / (packet + header)"),
    ];
    if let (Some(engine), Some(chunk)) = (port.engine, port.chunk) {
        let headers = chunk.get().div_ceil(port.packet.get()) * port.header.get();
        let through = port.bandwidth.transfer_time(Bytes::new(chunk.get() + headers));
        let piece = engine.transfer_time(chunk).max(through) + port.chunk_cost;
        derived.push(number(
            "block engine, whole chunks",
            chunk.get() as f64 / piece.as_seconds() / 1e6,
            "MB/s",
            "chunk / (chunk_cost + the slower of engine and port)",
        ));
    }
    derived
}

fn network(machine: &Machine) -> Vec<Derived> {
    let (clock, nodes) = (machine.processor.clock, machine.nodes);
    let Some(routers) = &machine.network.routers else { return Vec::new() };
    let shape = Shape::new(routers, nodes);
    let mean = machine.network.latency.as_nanoseconds() + shape.mean_links * routers.hop.as_nanoseconds();
    vec![
        per_cycle("link", routers.link, clock, "network.link / processor.clock"),
        time(
            "line over a link",
            routers.link.transfer_time(machine.memory.line),
            "memory.line / network.link",
        ),
        number(
            "bisection, each way",
            megabytes(routers.link) * shape.bisection_links as f64,
            "MB/s",
            format!("{} links between the halves of {nodes} nodes", shape.bisection_links),
        ),
        number(
            "mean distance",
            shape.mean_links,
            "links",
            format!("between routers, over all pairs of {nodes} nodes"),
        ),
        number("mean latency of the network", mean, "ns", "network.latency + mean distance * network.hop"),
    ]
}
