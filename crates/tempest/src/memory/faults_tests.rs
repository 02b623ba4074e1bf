//! Tests of `faults` without other threads: the threads that are served, and the blocks that are pinned.

use super::faults::{Faults, WAYS};
use crate::sync::FAULT_LISTS;
use crate::{Block, Right, Waiter};

/// The largest number of prefetches of a node that can be under way at a time.
const PREFETCHES: usize = FAULT_LISTS * WAYS;

fn waiter(thread: u32) -> Waiter {
    Waiter { thread, generation: 0 }
}

#[test]
fn threads_that_want_one_block_make_one_event_for_each_right() {
    let faults = Faults::default();
    let block = Block(3);
    assert!(faults.enlist(block, Right::Read, waiter(0)));
    assert!(!faults.enlist(block, Right::Read, waiter(1)));
    assert!(faults.enlist(block, Right::Write, waiter(2)), "reading does not serve it");
    assert!(!faults.enlist(block, Right::Read, waiter(3)) && !faults.enlist(block, Right::Write, waiter(4)));
    assert!(faults.enlist(Block(4), Right::Read, waiter(5)), "another block");
    let serve = |right| {
        std::iter::from_fn(|| faults.serve(block, right)).map(|waiter| waiter.thread).collect::<Vec<_>>()
    };
    assert_eq!(serve(Right::Read), [0, 1, 3]);
    assert!(faults.pins_any_of([block].into_iter()));
    assert!(!faults.done(block, 2), "resumed by mistake, it has nothing");
    assert!(!faults.enlist(block, Right::Write, waiter(2)), "thread 4 waits for the same");
    assert_eq!([0, 3, 1].map(|thread| faults.done(block, thread)), [false, false, true]);
    assert!(!faults.pins_any_of([block].into_iter()));
    assert_eq!(serve(Right::Write), [4, 2]);
    assert_eq!([2, 4].map(|thread| faults.done(block, thread)), [false, true]);
    assert_eq!(faults.serve(Block(4), Right::Read), Some(waiter(5)), "of all, it alone is left");
}

#[test]
fn a_prefetch_is_joined_and_pins_nothing() {
    let faults = Faults::default();
    let block = Block(3);
    assert!(faults.prefetch(block, Right::Read));
    assert!(!faults.prefetch(block, Right::Read), "it is under way");
    assert!(!faults.enlist(block, Right::Read, waiter(0)), "a fault joins it");
    assert!(faults.prefetch(block, Right::Write), "reading does not bring it");
    assert!(!faults.pins_any_of([block].into_iter()));
    assert_eq!(faults.serve(block, Right::Read), Some(waiter(0)));
    assert_eq!((faults.serve(block, Right::Read), faults.done(block, 0)), (None, true));
    assert!(!faults.prefetch(block, Right::Read), "the right to write is under way");
    assert_eq!(faults.serve(block, Right::Write), None, "nobody waits for it");
    assert!(faults.enlist(block, Right::Read, waiter(1)), "nothing is under way any more");
}

#[test]
fn prefetches_have_a_bound() {
    let faults = Faults::default();
    let accepted =
        (0..2 * PREFETCHES as u32).filter(|&block| faults.prefetch(Block(block), Right::Read)).count();
    assert_eq!(accepted, PREFETCHES);
    assert!(faults.enlist(Block(1000), Right::Read, waiter(0)), "faults have their own room");
    faults.serve(Block(0), Right::Read);
    assert!(!faults.prefetch(Block(1001), Right::Read), "the words of its set are taken");
    assert!(faults.prefetch(Block(2 * PREFETCHES as u32), Right::Read), "one of its set is free");
}
