//! Lines that are on their way: no client has them before they are there, and a line that several clients fight for moves
//! once in the time of a transaction.

use machine::Transaction;

use super::*;

fn processors(count: usize) -> NodeMemory {
    NodeMemory::new(&simple(), Bytes::new(32), count)
}

/// Has each processor store to line 7 again and again, `think` cycles after its last store is done. Returns the times at
/// which the first `count` stores are done, in order.
fn fight(processors_: usize, think: u64, count: usize) -> Vec<Time> {
    let mut node = processors(processors_);
    let mut clocks = vec![cycles(1000); processors_];
    let mut done = Vec::new();
    while done.len() < count {
        // The first processor in time comes to the bus first.
        let (now, who) = clocks.iter().copied().enumerate().map(|(who, now)| (now, who)).min().unwrap();
        let at = if node.hits(who, 7, true, now) { now } else { node.access(who, 7, true, Keep::Any, now) };
        done.push(at);
        clocks[who] = at + cycles(think);
    }
    done.sort_unstable();
    done
}

#[test]
fn a_line_that_processors_fight_for_moves_once_in_the_time_of_a_transaction() {
    for count in [2, 3, 4, 8, 16] {
        for think in [1, 8, 20] {
            let done = fight(count, think, 200);
            let transfer = simple().uncontended(Transaction::Transfer, Bytes::new(32));
            // From the second store on a line has to come from another cache.
            let fast = done[1..].windows(2).find(|pair| pair[1] - pair[0] < transfer);
            assert_eq!(fast, None, "{count} processors that think for {think} cycles");
            // A transfer is 29 cycles; the last word is in the cache one cycle later.
            let each = in_cycles(done[199] - done[99]) as f64 / 100.0;
            assert!((29.9..30.1).contains(&each), "{count} processors, {think}: {each}");
        }
    }
}

#[test]
fn a_line_on_its_way_is_supplied_when_it_is_there() {
    let mut node = processors(3);
    // From memory: 2 + 1 + 3 + 21 + 1 + 4.
    assert_eq!(node.access(0, 7, true, Keep::Any, cycles(100)), cycles(132));
    // From the cache that waits for it: not before 132, then 2 + 1 + 3 + 19 + 1 + 4.
    assert_eq!(node.access(1, 7, false, Keep::Any, cycles(101)), cycles(132 + 30));
    // The first cache has the line and supplies it to the third too, behind the second's data, which pass from 157 to 161.
    assert_eq!(node.access(2, 7, false, Keep::Any, cycles(133)), cycles(161 + 1 + 4));
    // Their copies are taken away when the last of them is there.
    assert_eq!(node.access(0, 7, true, Keep::Any, cycles(140)), cycles(166 + 6));
    assert!(!node.hits(1, 7, false, Time::ZERO) && !node.hits(2, 7, false, Time::ZERO));
    assert_eq!(node.counts().memory_reads, 1);
}

#[test]
fn the_right_to_store_is_on_its_way_like_a_line() {
    let mut node = processors(2);
    node.access(0, 7, false, Keep::Any, cycles(100));
    node.access(1, 7, false, Keep::Any, cycles(200));
    assert_eq!(node.access(0, 7, true, Keep::Any, cycles(300)), cycles(306));
    assert_eq!(node.access(1, 7, true, Keep::Any, cycles(301)), cycles(306 + 30));
}

#[test]
fn a_device_waits_for_a_line_on_its_way() {
    let mut node = processors(1);
    assert_eq!(node.access(0, 7, true, Keep::Any, cycles(100)), cycles(132));
    // 2 + 1 + 3 + 19 after it is there.
    assert_eq!(node.fetch_line(7, cycles(110)), cycles(132 + 29));
    assert_eq!(node.access(0, 9, false, Keep::Any, cycles(200)), cycles(232));
    assert_eq!(node.purge_line(9, cycles(201)), cycles(232 + 6));
}

#[test]
fn a_line_on_its_way_is_overwritten_and_sent_when_it_is_there() {
    let mut program = Program::new(true);
    program.store(3);
    let asked = program.now;
    // The line is there 32 after the store was issued. A deposit then takes 2 + 1 + 4 + 7, a read for the buffer
    // 2 + 1 + 3 + 19 + 4 + 5.
    assert_eq!(in_cycles(program.node.clone().deposit(3, true, asked) - asked), 32 + 14);
    assert_eq!(in_cycles(program.node.stage([3].into_iter(), asked) - asked), 32 + 34);
}

#[test]
fn a_line_that_is_replaced_on_its_way_is_written_back_when_it_is_there() {
    // Lines 0 and 3 share a place; banks are free again as soon as they have begun to read.
    let mut costs = simple();
    costs.cache.size = Bytes::new(96);
    costs.banks.read = cycles(1);
    let mut node = NodeMemory::new(&costs, Bytes::new(32), 1);
    node.store(0, 0, cycles(100));
    node.store(0, 3, cycles(101));
    // The first line is there at 132, and asks for the bus then: 2 + 1 + 4 + 7 + 6, one cycle behind the second line's data.
    assert_eq!(node.processors[0].write_backs.done(), cycles(132 + 20 + 1));
}

#[test]
fn lines_are_in_the_buffer_when_it_owns_them() {
    let mut program = Program::new(true);
    let (slot, at) = program.node.take_block(program.now).unwrap();
    let lines: Vec<_> = program.node.lines(128, 128).collect();
    let owned = program.node.own(slot, &lines, at);
    assert_eq!(owned, at + cycles(2 + 4 * 4));
    // 2 + 1 + 3 + 1 + 4 from then on.
    assert_eq!(program.node.load(0, 4, at, true), owned + cycles(11));
    let mut sent = Program::new(true);
    let (slot, at) = sent.node.take_block(sent.now).unwrap();
    let owned = sent.node.own(slot, &lines, at);
    assert_eq!(sent.node.stage([5].into_iter(), at), owned, "it is there already, and comes by no bus");
}
