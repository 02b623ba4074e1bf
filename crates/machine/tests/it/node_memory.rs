//! The sections of a node's memory system: their resulting times, and the error of each mistake in them.

use crate::toy;
use tradewind_machine::{ByClass, Class, Cost, Known, Machine, Placement};
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
    assert!(memory.cache.coherent);
    assert_eq!(staging.deposit, Placement::Buffer);
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
    // A word is written in two bus cycles of arbitration, one of address, one of data: 160 ns are 8 cycles of the
    // processor.
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
fn polls_over_the_bus_need_a_bus_and_a_time_and_one_processor_that_makes_them() {
    let network = "[network_processor]\nclock = \"50 MHz\"\nruns = [\"read\"]\nturn = \"0 us\"\ndrain = 1\n[network_processor.primitives]\n";
    let polls = |keys: &str, sections: &str| {
        let can = toy::CORRECT.replace("can = [", "can = [\"network-queue\", \"network-processor\", ");
        let handoff = "[handoff]\ncapacity = 1\nvisible = \"0 us\"\n";
        let network = network.replace("drain = 1\n", &format!("drain = 1\n{keys}"));
        let text = format!("{can}{handoff}{network}{sections}");
        Machine::parse("toy.toml", &text).map_err(|errors| errors.to_string())
    };
    // A line from memory takes 4 bus cycles, 10 cycles of the processor and 4 bus cycles: 26 cycles of the processor.
    let (two, time) = ("idle_bus = \"memory + memory\"\n", "idle_poll = \"52 cycles\"\n");
    let machine = polls(&format!("{two}{time}"), SECTIONS).unwrap_or_else(|errors| panic!("{errors}"));
    let network = machine.network_processor.expect("there is one");
    // A poll takes the longer of its own time and its transactions.
    for (stated, cycles) in [("51", 52), ("0", 52), ("53", 53)] {
        let machine = polls(&format!("{two}idle_poll = \"{stated} cycles\"\n"), SECTIONS);
        let poll = machine.map(|machine| machine.network_processor.and_then(|network| network.idle_poll));
        assert_eq!(poll, Ok(Some(Time::from_nanoseconds(20 * cycles))), "of {stated} cycles");
    }
    assert_eq!(
        (network.idle_bus.to_string().as_str(), network.idle_bus.iter().count()),
        ("memory + memory", 2)
    );
    assert!(polls(time, SECTIONS).is_ok_and(|machine| {
        machine.network_processor.is_some_and(|network| network.idle_bus.is_empty())
    }));
    for (keys, sections, told) in [
        (two.to_owned(), SECTIONS, "expected nothing without `idle_poll`"),
        (format!("{two}{time}"), "", "expected nothing, because the file does not describe the bus"),
        (
            format!("{two}{time}count = 2\n"),
            SECTIONS,
            "expected nothing on a node of several network processors",
        ),
        (format!("{time}idle_bus = \"lines\"\n"), SECTIONS, "read, write, transfer, memory"),
    ] {
        let errors = polls(&keys, sections).expect_err(told);
        assert!(errors.contains("network_processor.idle_bus") && errors.contains(told), "{errors}");
    }
}

#[test]
fn a_price_is_stated_as_the_processors_own_part_beside_its_transactions() {
    let price = |written: &str| {
        let machine = with_price(&format!("set_tag = {written}"), "").unwrap();
        machine.primitives.set_tag.unwrap().of(Class::User)
    };
    // An invalidation takes four bus cycles of 40 ns, a write as long.
    assert_eq!(
        price(
            "{ own = \"3 cycles\", bus = \"invalidate + write\", own_after = \"1 cycle\", after = \"write\" }"
        ),
        price(
            "{ path = \"19 cycles\", bus = \"invalidate + write\", occupancy = \"9 cycles\", after = \"write\" }"
        )
    );
    assert_eq!(
        price("{ own = \"0 cycles\", bus = \"write\", after = \"write\" }"),
        price("{ path = \"4 bus cycles\", bus = \"write\", occupancy = \"0.16 us\", after = \"write\" }")
    );
    assert_eq!(price("\"1 cycle + 2 bus cycles + 5 ns\"").path, Time::from_nanoseconds(105));
    // The lines of a block that is fetched are read over the bus, 520 ns each; that of a purge is an address.
    let text = "fetch_block = \"5 cycles\"";
    let text = toy::CORRECT.replace(text, "fetch_block.own_line = \"1 cycle\"") + SECTIONS;
    let text = text.replace("purge = \"5 cycles\"", "purge.own_line = \"0 cycles\"");
    let own = Machine::parse("toy.toml", &text).unwrap_or_else(|errors| panic!("{errors}")).primitives;
    let line = |price: Option<ByClass<Cost>>| price.unwrap().of(Class::User).line;
    assert_eq!(line(own.fetch_block), Time::from_nanoseconds(540));
    assert_eq!(line(own.purge), Time::from_nanoseconds(160));
}

#[test]
fn the_command_line_states_a_part_whole_or_as_the_processors_own() {
    let text =
        toy::CORRECT.replace("set_tag = \"5 cycles\"", "set_tag = { own = \"3 cycles\", bus = \"write\" }");
    let path = |set: &[(&str, &str)]| {
        let machine = Machine::parse_with("toy.toml", &(text.clone() + SECTIONS), set, Known::default());
        machine.unwrap_or_else(|errors| panic!("{errors}")).primitives.set_tag.unwrap().of(Class::User).path
    };
    assert_eq!(path(&[]), Time::from_nanoseconds(220));
    assert_eq!(path(&[("primitives.set_tag.own", "1 cycle")]), Time::from_nanoseconds(180));
    assert_eq!(path(&[("primitives.set_tag.path", "1 us")]), Time::from_nanoseconds(1_000));
    assert_eq!(path(&[("primitives.set_tag.bus", "none")]), Time::from_nanoseconds(60));
    assert_eq!(path(&[("primitives.set_tag", "1 us")]), Time::from_nanoseconds(1_000));
}

#[test]
fn what_does_not_go_with_the_processors_own_part_is_one_error() {
    let both = "set_tag = { own = \"3 cycles\", path = \"9 cycles\", bus = \"write\" }";
    let errors = with_price(both, "").unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(
        errors[0].contains("primitives.set_tag.own = \"3 cycles\": expected nothing beside `path`"),
        "{errors:?}"
    );
    let text = toy::CORRECT.replace("set_tag = \"5 cycles\"", "set_tag = { own = \"3 cycles\" }");
    let errors = Machine::parse("toy.toml", &text).unwrap_err().to_string();
    assert!(errors.contains("expected `path` in its place, because the machine has no [bus]"), "{errors}");
    let text = toy::CORRECT.replace("set_tag = \"5 cycles\"", "set_tag = \"3 bus cycles\"");
    let errors = Machine::parse("toy.toml", &text).unwrap_err().to_string();
    assert!(
        errors.contains("expected a time without bus cycles, because the machine has no [bus]"),
        "{errors}"
    );
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
        ("width = \"8 B\"", "width = \"12 B\"", "bus.width = \"12 B\"", "a part of a line, which is 32 B"),
        ("multiplexed = true", "multiplexed = \"yes\"", "bus.multiplexed", "true or false"),
        ("address = \"1 cycle\"", "address = \"0 cycles\"", "bus.address", "above zero"),
        ("block = \"128 B\"", "block = \"100 B\"", "staging.block", "lines, which are 32 B each"),
        ("size = \"4 KiB\"", "size = \"256 B\"", "staging.size", "at least 4 blocks"),
        ("deposit = \"buffer\"", "deposit = \"here\"", "staging.deposit", "\"memory\" or \"buffer\""),
        (
            "[staging]",
            "[queue_pairs]\ncount = 2\n[staging]",
            "queue_pairs.count",
            "commands of [staging] go to one queue",
        ),
        ("[bus]", "[buss]", "bus is missing", "a section [bus]"),
        ("[memory.banks]", "[memory.bank]", "memory.banks is missing", "a section"),
    ] {
        assert!(SECTIONS.contains(from), "{from}");
        let errors = parse(&SECTIONS.replacen(from, to, 1)).unwrap_err();
        let told = errors.iter().any(|error| error.contains(key) && error.contains(says));
        assert!(told, "{from} -> {to}: {errors:#?}");
    }
}

#[test]
fn a_bus_moves_words_and_is_held_where_addresses_and_data_share_its_wires() {
    let with = |from: &str, to: &str| parse(&SECTIONS.replace(from, to));
    for (from, to, told) in [
        ("width = \"8 B\"", "width = \"4 B\"", "bus.width = \"4 B\": expected at least a word, which is 8 B"),
        (
            "multiplexed = true",
            "multiplexed = false\nconnected = true",
            "bus.connected = true: expected false, because addresses have wires of their own",
        ),
        (
            "ways = 2",
            "ways = 3",
            "cache.size = \"1 KiB\": expected a whole number of sets, which are 96 B each",
        ),
    ] {
        let errors = with(from, to).unwrap_err();
        assert!(errors.len() == 1 && errors[0].contains(told), "{errors:#?}");
    }
    let bus = |machine: Machine| machine.node_memory.unwrap().bus;
    let connected = with("multiplexed = true", "multiplexed = true\nconnected = true").unwrap();
    assert!(bus(connected).connected && !bus(parse(SECTIONS).unwrap()).connected);
}

#[test]
fn a_first_level_cache_is_sets_of_lines_and_no_larger_than_the_cache_behind_it() {
    let with = |first: &str| {
        let sections =
            SECTIONS.replace("[bus]", &format!("[cache.first]\n{first}\nwait = \"3 cycles\"\n[bus]"));
        parse(&sections).map(|machine| machine.node_memory.unwrap().cache.first)
    };
    let first = with("size = \"256 B\"\nways = 4").unwrap().unwrap();
    assert_eq!((first.size, first.ways, first.wait), (Bytes::new(256), 4, Time::from_nanoseconds(60)));
    for (first, told) in [
        (
            "size = \"256 B\"\nways = 3",
            "cache.first.size = \"256 B\": expected a whole number of sets, which are 96 B",
        ),
        (
            "size = \"2 KiB\"\nways = 1",
            "cache.first.size = \"2 KiB\": expected at most that of the cache behind it, which is 1 KiB",
        ),
        ("ways = 1", "cache.first.size is missing"),
    ] {
        let errors = with(first).unwrap_err();
        assert!(errors.len() == 1 && errors[0].contains(told), "{errors:#?}");
    }
    assert_eq!(parse(SECTIONS).unwrap().node_memory.unwrap().cache.first, None);
}
