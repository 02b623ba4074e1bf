//! The sections of a node's memory system: what they come to, and what each mistake in them is told.

use crate::toy;
use tradewind_machine::Machine;
use units::{Bytes, Time};

const SECTIONS: &str = r#"
[memory.banks]
count = 2
latency = "10 cycles"
read = "12 cycles"
write = "4 cycles"
turnaround = "5 cycles"
accept = "3 cycles"
[cache]
size = "1 KiB"
ways = 2
coherence = "snooping"
load_use = "1 cycle"
refill = "2 cycles"
misses = 4
write_backs = 4
acknowledge = "3 cycles"
tag_delay = "0 cycles"
sync = "5 cycles"
supply = "6 cycles"
[bus]
clock = "25 MHz"
width = "8 B"
multiplexed = true
arbitration = "2 cycles"
address = "1 cycle"
snoop = "1 cycle"
[staging]
size = "4 KiB"
block = "128 B"
tags = 64
deposit = "buffer"
append = true
interleave = false
command = "10 cycles"
packet = "5 cycles"
read_every = "4 cycles"
port = "8 B/cycle"
store = "1 cycle"
handoff = "5 cycles"
path = "10 cycles"
receive = "5 cycles"
lookup = "10 cycles"
notify = "20 cycles"
"#;

fn parse(sections: &str) -> Result<Machine, Vec<String>> {
    let text = format!("{}{sections}", toy::CORRECT);
    Machine::parse("toy.toml", &text).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

#[test]
fn cycles_of_the_bus_are_its_own() {
    let memory = parse(SECTIONS).unwrap().node_memory.unwrap();
    // The processor has 50 MHz, the bus 25.
    assert_eq!(memory.cache.load_use, Time::from_nanoseconds(20));
    assert_eq!(
        (memory.bus.cycle, memory.bus.address),
        (Time::from_nanoseconds(40), Time::from_nanoseconds(40))
    );
    let staging = memory.staging.unwrap();
    assert_eq!(staging.port.transfer_time(Bytes::new(32)), Time::from_nanoseconds(80));
    assert!(memory.cache.coherent && staging.keeps);
    assert_eq!(parse("").unwrap().node_memory, None);
}

/// The toy machine with those sections, a price written so, and this ability besides.
fn with_price(price: &str, ability: &str) -> Result<Machine, Vec<String>> {
    let text = toy::CORRECT.replace("set_tag = \"5 cycles\"", price);
    let text = text.replace("can = [", &format!("can = [{ability}")) + SECTIONS;
    Machine::parse("toy.toml", &text).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

#[test]
fn a_price_below_its_transactions_is_refused() {
    // A word is written in two bus cycles of arbitration, one of address, one of data: 160 ns are 8 of the processor's.
    let price = |path: u64| format!("set_tag = {{ path = \"{path} cycles\", bus = \"write\" }}");
    assert!(with_price(&price(8), "").is_ok());
    let errors = with_price(&price(7), "").unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(
        errors[0].contains("primitives.set_tag") && errors[0].contains("a path of at least 160 ns"),
        "{errors:?}"
    );
    let after = "set_tag = { path = \"1 us\", occupancy = \"1 cycle\", after = \"invalidate\" }";
    assert!(with_price(after, "").unwrap_err()[0].contains("an occupancy of at least 160 ns"));
    let unknown = with_price("set_tag = { path = \"1 us\", bus = \"wriet\" }", "").unwrap_err();
    assert!(unknown[0].contains("expected transactions such as \"invalidate + line\""), "{unknown:?}");
}

#[test]
fn what_moves_blocks_of_shared_memory_makes_transactions_for_each_line() {
    // The toy's prices are for whole blocks: without shared memory that is its own affair.
    let errors = with_price("set_tag = \"5 cycles\"", "\"shared-memory\", ").unwrap_err();
    // Fetch: arbitration 2, address 1, snoop 1, four data cycles of 40 ns, and 10 of 20 ns in memory.
    let told =
        |key: &str, least: &str| errors.iter().any(|error| error.contains(key) && error.contains(least));
    assert!(told("primitives.fetch_block", "a line of at least 520 ns"), "{errors:#?}");
    assert!(told("primitives.purge", "a line of at least 160 ns"), "{errors:#?}");
    assert_eq!(errors.len(), 2, "{errors:#?}");
}

#[test]
fn a_mistake_is_told_with_what_would_be_right() {
    for (from, to, key, says) in [
        ("size = \"1 KiB\"", "size = \"1000 B\"", "cache.size = \"1000 B\"", "whole number of sets"),
        ("ways = 2", "ways = 0", "cache.ways = 0", "a whole number from 1"),
        (
            "coherence = \"snooping\"",
            "coherence = \"yes\"",
            "cache.coherence",
            "\"snooping\" or \"software\"",
        ),
        (
            "coherence = \"snooping\"",
            "coherence = \"software\"",
            "staging.deposit",
            "because caches are not coherent (cache.coherence = software: line ",
        ),
        ("supply = \"6 cycles\"\n", "", "cache.supply is missing", "a time such as"),
        ("snoop = \"1 cycle\"\n", "", "bus.snoop is missing", "a time such as"),
        ("width = \"8 B\"", "width = \"7 B\"", "bus.width = \"7 B\"", "a part of a line, which is 32 B"),
        ("multiplexed = true", "multiplexed = \"yes\"", "bus.multiplexed", "true or false"),
        ("address = \"1 cycle\"", "address = \"0 cycles\"", "bus.address", "above zero"),
        ("block = \"128 B\"", "block = \"100 B\"", "staging.block", "lines, which are 32 B each"),
        ("size = \"4 KiB\"", "size = \"256 B\"", "staging.size", "at least 4 blocks"),
        ("deposit = \"buffer\"", "deposit = \"here\"", "staging.deposit", "\"memory\" or \"buffer\""),
        ("[bus]", "[buss]", "bus is missing", "a section [bus]"),
        ("[memory.banks]", "[memory.bank]", "memory.banks is missing", "a section"),
    ] {
        assert!(SECTIONS.contains(from), "{from}");
        let errors = parse(&SECTIONS.replacen(from, to, 1)).unwrap_err();
        let told = errors.iter().any(|error| error.contains(key) && error.contains(says));
        assert!(told, "{from} -> {to}: {errors:#?}");
    }
}
