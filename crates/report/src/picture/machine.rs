//! A machine as boxes and wires: the parts of a node, the network, the other nodes. This module must never know the effect of a value.

use units::plural::several;

use crate::document::Explain;
use crate::quantity::number;
use plot::{Block, BlockKind, Content, Diagram, Panel, Picture, Shared};

/// The grid: the node on the left, the network and the other nodes on the right.
const WIDTH: f64 = 100.0;
const NODE: f64 = 71.0;
const MARGIN: f64 = 2.5;
const TOP: f64 = 5.5;
const ROW: f64 = 13.0;
const BUS: f64 = 4.6;
const GAP: f64 = 3.2;

/// Two processors side by side stand for all of a node.
const DRAWN: u32 = 2;

/// The picture of a machine, from its values.
pub fn machine(machine: &Explain) -> Picture {
    let panels = vec![Panel { title: String::new(), content: Content::Diagram(diagram(&Values(machine))) }];
    Picture {
        title: format!("{}: {}", machine.machine, machine.summary),
        caption: format!("The parts of {} that cost time, with some of their values.", machine.machine_file),
        panels,
        shared: Shared::default(),
    }
}

/// The values of a machine by their keys.
struct Values<'m>(&'m Explain);

impl Values<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.values.iter().find(|value| value.key == key).map(|value| value.value.as_str())
    }

    fn has(&self, section: &str) -> bool {
        let dotted = format!("{section}.");
        self.0.values.iter().any(|value| value.key.starts_with(&dotted))
    }

    fn count(&self, key: &str) -> u32 {
        self.get(key).and_then(|count| count.parse().ok()).unwrap_or(1)
    }

    /// A line of a box: the name and the value of each key that there is.
    fn line(&self, parts: &[(&str, &str)]) -> Option<String> {
        let told = |(name, key): &(&str, &str)| {
            let value = short(self.get(key).filter(|value| !is_nothing(value))?);
            Some(if name.is_empty() { value } else { format!("{name} {value}") })
        };
        let parts: Vec<_> = parts.iter().filter_map(told).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn lines(&self, lines: &[&[(&str, &str)]]) -> Vec<String> {
        lines.iter().filter_map(|parts| self.line(parts)).collect()
    }
}

/// Whether a value is the absence of a price or a limit.
fn is_nothing(value: &str) -> bool {
    value == "unlimited" || value.split(' ').next() == Some("0")
}

/// A value with few digits.
fn short(value: &str) -> String {
    let word = |word: &str| match word.parse::<f64>() {
        Ok(exact) if word.len() > 5 => number((exact * 1e3).round() / 1e3),
        _ => word.to_owned(),
    };
    value.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn diagram(values: &Values<'_>) -> Diagram {
    let inner = NODE - 2.0 * MARGIN;
    let (top, bus) = (TOP, TOP + ROW + GAP);
    let below = bus + BUS + GAP;
    let bottom = below + ROW + MARGIN;
    let mut boxes = vec![frame(values, bottom)];
    let mut wires = Vec::new();
    let above = above(values);
    let width = (inner - GAP * (above.len() - 1) as f64) / above.len() as f64;
    for (at, block) in above.into_iter().enumerate() {
        let left = MARGIN + at as f64 * (width + GAP);
        boxes.push(Block { place: (left, top, width, ROW), ..block });
        wires.push(vec![(left + width / 2.0, top + ROW), (left + width / 2.0, bus)]);
    }
    boxes.push(Block { place: (MARGIN, bus, inner, BUS), ..bus_of(values) });
    let halves = (inner * 0.4, inner * 0.6 - GAP);
    let interface = MARGIN + halves.0 + GAP;
    boxes.push(Block { place: (MARGIN, below, halves.0, ROW), ..memory(values) });
    boxes.push(Block { place: (interface, below, halves.1, ROW), ..interface_of(values) });
    for middle in [MARGIN + halves.0 / 2.0, interface + halves.1 / 2.0] {
        wires.push(vec![(middle, bus + BUS), (middle, below)]);
    }
    let right = NODE + GAP + 1.0;
    boxes
        .push(Block { place: (right, bus - 6.0, WIDTH - right, below + ROW - bus + 6.0), ..network(values) });
    let others = values.count("nodes").saturating_sub(1);
    if others > 0 {
        let title = several(others, "further node");
        let kind = BlockKind::Frame;
        boxes.push(Block { place: (right, 0.0, WIDTH - right, 8.0), title, lines: Vec::new(), kind });
        let middle = f64::midpoint(right, WIDTH);
        wires.push(vec![(middle, 8.0), (middle, bus - 6.0)]);
    }
    let port = below + ROW / 2.0;
    wires.push(vec![(interface + halves.1, port), (right, port)]);
    Diagram { size: (WIDTH, bottom), boxes, wires }
}

fn frame(values: &Values<'_>, bottom: f64) -> Block {
    let title = format!("a node, {}", several(values.count("processors"), "processor"));
    Block { place: (0.0, 0.0, NODE, bottom), title, lines: Vec::new(), kind: BlockKind::Frame }
}

/// A box that has no place yet.
fn block(title: &str, kind: BlockKind, lines: Vec<String>) -> Block {
    Block { title: title.to_owned(), lines, kind, ..Block::default() }
}

/// The boxes above the bus: computing processors with their caches, and network processors.
fn above(values: &Values<'_>) -> Vec<Block> {
    let count = values.count("processors");
    let lines = values.lines(&[
        &[("", "processor.clock")],
        &[("cache", "cache.size"), ("", "cache.coherence")],
        &[("poll", "processor.poll"), ("interrupt", "processor.interrupt")],
    ]);
    let drawn = count.min(DRAWN);
    let title = |at: u32| match (count, at) {
        (1, _) => "processor".to_owned(),
        (_, at) if at + 1 == drawn && count > DRAWN => format!("processors {} to {count}", at + 1),
        (_, at) => format!("processor {}", at + 1),
    };
    let processor = |at: u32| block(&title(at), BlockKind::Processor, lines.clone());
    let of_network = values.has("network_processor").then(|| {
        let lines = values.lines(&[
            &[("", "network_processor.clock")],
            &[("turn of its loop", "network_processor.turn")],
            &[("runs", "network_processor.runs")],
        ]);
        block("network processor", BlockKind::Processor, lines)
    });
    (0..drawn).map(processor).chain(of_network).collect()
}

fn bus_of(values: &Values<'_>) -> Block {
    let told = values.line(&[("", "bus.clock"), ("width", "bus.width"), ("address", "bus.address")]);
    let title = told
        .map_or("memory bus, whose traffic is not modelled".to_owned(), |told| format!("memory bus: {told}"));
    block(&title, BlockKind::Wire, Vec::new())
}

fn memory(values: &Values<'_>) -> Block {
    let lines = values.lines(&[
        &[("line", "memory.line"), ("read", "memory.read")],
        &[("banks", "memory.banks.count"), ("first word", "memory.banks.latency")],
        &[("tag for each", "memory.tag")],
    ]);
    block("memory", BlockKind::Memory, lines)
}

fn interface_of(values: &Values<'_>) -> Block {
    let lines = values.lines(&[
        &[("", "interface.bandwidth"), ("header", "interface.header"), ("packets of", "interface.packet")],
        &[("block engine", "interface.engine"), ("lock", "interface.lock_migration")],
        &[("processors inside", "embedded_processor.clock"), ("buffer on the bus", "staging.size")],
        &[("dispatch queue", "queue.capacity"), ("window", "queue.window")],
    ]);
    block("network interface", BlockKind::Memory, lines)
}

fn network(values: &Values<'_>) -> Block {
    let lines = values.lines(&[
        &[("", "network.topology")],
        &[("latency", "network.latency")],
        &[("hop", "network.hop")],
        &[("link", "network.link")],
    ]);
    block("network", BlockKind::Wire, lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::samples;

    #[test]
    fn the_boxes_of_a_machine_say_its_values() {
        let picture = machine(&samples::explain());
        let Content::Diagram(diagram) = &picture.panels[0].content else { panic!("boxes") };
        let titles: Vec<_> = diagram.boxes.iter().map(|block| block.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "a node, 4 processors",
                "processor 1",
                "processors 2 to 4",
                "memory bus, whose traffic is not modelled",
                "memory",
                "network interface",
                "network",
                "7 further nodes"
            ]
        );
        assert_eq!(diagram.boxes[1].lines, ["50 MHz"]);
        let inside = |block: &Block| {
            block.place.0 + block.place.2 <= WIDTH && block.place.1 + block.place.3 <= diagram.size.1
        };
        assert!(diagram.boxes.iter().all(inside));
    }
}
