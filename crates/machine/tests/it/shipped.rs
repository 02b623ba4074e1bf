//! The machine files that ship with the project: each is valid, every number has its source, and the figures of the
//! literature come out.

use crate::document;
use crate::folder::{all, read, text_of};
use tradewind_machine::{ByClass, Capability, Class, Cost, Machine};
use units::{Bytes, Time};

fn shipped(name: &str) -> Machine {
    read(name, text_of)
}

fn cycles(n: u64) -> Time {
    Time::from_picoseconds(2_500 * n)
}

#[test]
fn every_shipped_file_reads_and_bears_its_name() {
    for name in all() {
        assert_eq!(shipped(&name).name, name);
    }
}

#[test]
fn every_shipped_number_has_a_source() {
    for name in all() {
        for value in shipped(&name).values() {
            let prose = ["name", "summary", "can"].contains(&value.key.as_str());
            assert!(prose || value.source.is_some(), "{name}: {} has no source", value.key);
            assert!(value.line.is_some(), "{name}: {} has no line", value.key);
        }
    }
}

/// The folder of claims from the literature.
fn claims() -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../claims");
    let files = std::fs::read_dir(folder).expect("the folder of claims");
    files.map(|file| std::fs::read_to_string(file.expect("an entry").path()).expect("a text")).collect()
}

#[test]
fn what_was_fitted_names_claims_that_there_are() {
    let claims = claims();
    let mut named = 0;
    for name in all() {
        let machine = shipped(&name);
        let sources = machine.values().iter().filter_map(|value| value.source.as_deref());
        for ids in sources.filter_map(|source| source.split_once("fit: ")).map(|(_, ids)| ids) {
            for id in ids.split([',', ' ', ';']).take_while(|word| word.is_empty() || word.contains('.')) {
                assert!(id.is_empty() || claims.contains(&format!("id = \"{id}\"\n")), "{name}: {id}");
                named += usize::from(!id.is_empty());
            }
        }
    }
    assert!(named > 60, "{named} names of claims");
}

#[test]
fn every_key_of_a_shipped_file_is_on_the_page_about_machine_files() {
    let page = document::page();
    for name in all() {
        for value in shipped(&name).values() {
            let key = value.key.strip_prefix("policy.").and_then(|rest| rest.split_once('.'));
            for part in key.map_or(value.key.as_str(), |(_, key)| key).split('.') {
                let shown = ['`', '.', '['].iter().any(|before| {
                    ['`', '.', ']'].iter().any(|after| page.contains(&format!("{before}{part}{after}")))
                });
                assert!(shown, "{name}: {part} of {} is not on the page", value.key);
            }
        }
    }
}

#[test]
fn hurricane_1_adds_up_to_the_rows_of_the_paper() {
    let p = &shipped("hurricane-1").primitives;
    let path = |price: &Option<ByClass<Cost>>| price.expect("a price").of(Class::User).path_of(2);
    let sum = |prices: &[Option<ByClass<Cost>>]| prices.iter().map(path).sum::<Time>();
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
    // 1164 less detection (5), two networks (100 each) and the final load (63); the response is dispatched in 50, not 51.
    assert_eq!(sum(&path), cycles(1164 - 5 - 200 - 63 + 1));
    let dispatch = p.dispatch.expect("a price");
    assert_eq!((dispatch.of(Class::Read).path, dispatch.of(Class::Reply).path), (cycles(51), cycles(50)));
    assert_eq!(dispatch.of(Class::Read).occupancy, cycles(12));
}

#[test]
fn hurricane_and_s_coma_add_up_to_their_columns() {
    // Get fault state, send; fetch data, change tag, send; place data, change tag; directory lookup; resume.
    for (name, rows) in [("hurricane", [36, 140, 50, 61, 6]), ("s-coma", [0, 136, 8, 8, 6])] {
        let machine = shipped(name);
        let p =
            machine.embedded_processor.as_ref().map_or(&machine.primitives, |embedded| &embedded.primitives);
        let sum = |prices: &[Option<ByClass<Cost>>]| {
            prices.iter().map(|price| price.expect("a price").of(Class::User).path_of(2)).sum::<Time>()
        };
        let sums = [
            sum(&[p.read_fault_state, p.send_header]),
            sum(&[p.fetch_block, p.set_tag, p.send_header]),
            sum(&[p.place_block, p.set_tag]),
            sum(&[p.directory_lookup]),
            sum(&[p.resume]),
        ];
        assert_eq!(sums, rows.map(cycles), "{name}");
    }
}

#[test]
fn the_nodes_own_processors_pay_on_hurricane_what_they_pay_on_hurricane_1() {
    let [inside, outside] = ["hurricane", "hurricane-1"].map(shipped);
    assert_eq!(inside.primitives, outside.primitives);
}

#[test]
fn hurricane_1_is_what_the_paper_states() {
    let machine = shipped("hurricane-1");
    assert_eq!((machine.nodes, machine.processors), (8, 8));
    assert_eq!(machine.processor.clock.as_hertz(), 400_000_000);
    assert_eq!(machine.processor.interrupt, cycles(200));
    // Half a cycle apart: a request of 16 bytes, and a reply of 80.
    let through =
        |bytes| machine.network.latency + machine.interface.bandwidth.transfer_time(Bytes::new(bytes));
    assert_eq!((through(16) * 4, through(80) * 4), (cycles(399), cycles(401)));
    assert_eq!((machine.queue.window, machine.queue.capacity), (Some(16), 64));
    assert_eq!(machine.interface.engine.map(|engine| engine.as_bytes_per_second()), Some(800_000_000));
    assert!(machine.can.contains(&Capability::AddedProcessors));
    assert!(!machine.can.contains(&Capability::HardwareProtocol));
}

#[test]
fn alewife_receives_in_40_cycles_by_poll_and_in_72_after_an_interrupt() {
    let machine = shipped("alewife");
    let (processor, prices) = (&machine.processor, &machine.primitives);
    let path = |price: Option<ByClass<Cost>>| price.expect("a price").of(Class::User).path;
    let cycles = |n| machine.processor.clock.cycles_to_time(n);
    assert_eq!(processor.poll + path(prices.dispatch), cycles(40));
    assert_eq!(processor.interrupt + path(prices.dispatch_interrupt), cycles(72));
}

#[test]
fn ideal_communicates_for_free() {
    let machine = shipped("ideal");
    for (name, costs) in machine.primitives.iter() {
        assert_eq!(costs, &ByClass::default(), "{name}");
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
    assert_eq!((bandwidth.text.as_str(), bandwidth.resolved.as_str()), ("51.2 GB/s", "51.2 GB/s"));
    let deposit = value("interface.deposit");
    assert_eq!((deposit.text.as_str(), deposit.resolved.as_str()), ("4.5 bus cycles", "45 ns"));
    let lines = text_of("hurricane-1");
    assert!(lines.lines().nth(bandwidth.line.unwrap() - 1).unwrap().starts_with("bandwidth ="));
    assert!(bandwidth.source.as_ref().unwrap().starts_with("fit: pdq.table1"));
    assert_eq!(
        value("processor.work.flop").source.as_ref().unwrap(),
        "assumption: one cycle an operation, in order"
    );
    assert!(value("primitives.dispatch_fault.own").source.as_ref().unwrap().starts_with("[1] Table 1"));
    assert!(value("can").resolved.starts_with("poll, interrupt"));
}
