//! The machine files that ship with the project: each reads, every number says where it comes from, and what the
//! literature states of it comes out.

use std::path::PathBuf;

use machine::{Capability, Machine};
use units::{Bytes, Time};

fn text_of(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../machines").join(format!("{name}.toml"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn shipped(name: &str) -> Machine {
    Machine::parse(&format!("machines/{name}.toml"), &text_of(name))
        .unwrap_or_else(|errors| panic!("{errors}"))
}

fn cycles(n: u64) -> Time {
    Time::from_picoseconds(2_500 * n)
}

#[test]
fn every_shipped_file_reads_and_bears_its_name() {
    for name in ["hurricane-1", "ideal"] {
        assert_eq!(shipped(name).name, name);
    }
}

#[test]
fn every_shipped_number_has_a_source() {
    for name in ["hurricane-1", "ideal"] {
        for value in shipped(name).values() {
            let prose = ["name", "summary", "can"].contains(&value.key.as_str());
            assert!(prose || value.source.is_some(), "{name}: {} has no source", value.key);
            assert!(value.line.is_some(), "{name}: {} has no line", value.key);
        }
    }
}

#[test]
fn hurricane_1_adds_up_to_the_rows_of_the_paper() {
    let primitives = shipped("hurricane-1").primitives;
    let sum = |costs: &[machine::Cost]| costs.iter().map(|cost| cost.path).sum::<Time>();
    let p = &primitives;
    assert_eq!(sum(&[p.read_fault_state, p.send_header]), cycles(141));
    assert_eq!(sum(&[p.fetch_block, p.set_tag, p.send_header]), cycles(205));
    assert_eq!(sum(&[p.place_block, p.set_tag]), cycles(63));
    let path = [
        p.dispatch_fault,
        p.read_fault_state,
        p.send_header,
        p.dispatch,
        p.directory_lookup,
        p.fetch_block,
        p.set_tag,
        p.send_header,
        p.dispatch,
        p.place_block,
        p.set_tag,
        p.resume,
    ];
    // 1164 less detection (5), two networks (100 each) and the final load (63); the second dispatch is 50, not 51.
    assert_eq!(sum(&path), cycles(1164 - 5 - 200 - 63 + 1));
    assert_eq!(p.dispatch.occupancy, cycles(12));
}

#[test]
fn hurricane_1_is_what_the_paper_states() {
    let machine = shipped("hurricane-1");
    assert_eq!((machine.nodes, machine.processors), (8, 8));
    assert_eq!(machine.processor.clock.as_hertz(), 400_000_000);
    assert_eq!(machine.processor.interrupt, cycles(200));
    assert_eq!(machine.network.latency, cycles(100));
    assert_eq!((machine.queue.window, machine.queue.capacity), (Some(16), 64));
    assert_eq!(machine.interface.bandwidth.as_bytes_per_second(), 800_000_000);
    assert_eq!(machine.interface.bandwidth.transfer_time(Bytes::new(80)), cycles(40));
    assert!(machine.can.contains(&Capability::AddedProcessors));
    assert!(!machine.can.contains(&Capability::HardwareProtocol));
}

#[test]
fn ideal_communicates_for_free() {
    let machine = shipped("ideal");
    for (name, cost) in machine.primitives.iter() {
        assert!(cost.path.is_zero() && cost.occupancy.is_zero(), "{name}");
    }
    assert_eq!(machine.queue.window, None);
    assert_eq!(machine.network.latency, Time::from_nanoseconds(1));
    assert_eq!((machine.nodes, machine.processors), (4, 2));
}

#[test]
fn values_remember_text_meaning_line_and_source() {
    let machine = shipped("hurricane-1");
    let value = |key: &str| machine.values().iter().find(|value| value.key == key).unwrap();
    let bandwidth = value("interface.bandwidth");
    assert_eq!((bandwidth.text.as_str(), bandwidth.resolved.as_str()), ("2 B/cycle", "800 MB/s"));
    let lines = text_of("hurricane-1");
    assert!(lines.lines().nth(bandwidth.line.unwrap() - 1).unwrap().starts_with("bandwidth ="));
    assert!(bandwidth.source.as_ref().unwrap().starts_with("assumption: that of"));
    assert_eq!(
        value("processor.work.flop").source.as_ref().unwrap(),
        "assumption: one cycle an operation, in order"
    );
    assert!(value("primitives.dispatch.occupancy").source.as_ref().unwrap().starts_with("[1] Table 1"));
    assert!(value("can").resolved.starts_with("poll, interrupt"));
}
