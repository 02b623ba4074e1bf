//! Tests of `event` without other threads: the resumed threads, their order, and their node.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ::segment::MemorySource;

use crate::data::event::{Event, Tally, looks};
use crate::sync::tally_words;
use crate::{NodeId, Waiter};

const NODE: NodeId = NodeId(3);

fn waiter(thread: u32) -> Waiter {
    Waiter { thread, generation: 7 }
}

/// Adds `amount` to the count, by the alone protocol if `alone`. Returns the threads that this resumes.
fn add(event: &Event, alone: bool, amount: u64) -> Vec<u32> {
    let mut resumed = Vec::new();
    let resume = |waiter: Waiter| {
        assert_eq!(waiter.generation, 7);
        resumed.push(waiter.thread);
    };
    if alone {
        event.add_alone(NODE, amount, resume);
    } else {
        event.add(NODE, amount, resume);
    }
    resumed
}

fn enlist(event: &Event, alone: bool, at_least: u64, thread: u32) -> bool {
    if alone {
        event.enlist_alone(NODE, at_least, waiter(thread))
    } else {
        event.enlist(NODE, at_least, waiter(thread))
    }
}

#[test]
fn both_ways_resume_who_is_satisfied_in_the_order_they_came() {
    for (alone, event) in [
        (false, Event::new("shared")),
        (true, Event::new("alone")),
        (true, Event::open("open", Tally::new(tally_words(&MemorySource::Private)))),
    ] {
        assert_eq!(add(&event, alone, 2), []);
        assert!(!enlist(&event, alone, 2, 0), "{event:?}: it is there already");
        assert!(enlist(&event, alone, 4, 1));
        assert_eq!((add(&event, alone, 1), add(&event, alone, 1)), (vec![], vec![1]), "{event:?}");
        // At 4 now: two waiters want 5, and between them a third wants 9.
        assert!([(5, 2), (9, 3), (5, 4)].iter().all(|(count, who)| enlist(&event, alone, *count, *who)));
        assert_eq!((add(&event, alone, 1), add(&event, alone, 1)), (vec![2, 4], vec![]), "{event:?}");
        assert!(enlist(&event, alone, 8, 5));
        assert_eq!((add(&event, alone, 3), add(&event, alone, 1)), (vec![3, 5], vec![]), "{event:?}");
        assert!(enlist(&event, alone, 11, 6));
        assert_eq!((add(&event, alone, 1), event.counted()), (vec![6], 11));
    }
}

/// Uses an event in a way that panics, and returns the text of the panic.
fn refused<R>(uses: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(uses()))).expect_err("the use is refused");
    panic.downcast_ref::<String>().expect("it says why").clone()
}

#[test]
fn a_signal_looks_at_those_it_resumes_and_no_others() {
    const THREADS: u32 = 1000;
    for (alone, event) in [(false, Event::new("shared")), (true, Event::new("alone"))] {
        let before = looks::so_far();
        // Each thread signals and waits for all, half of them for a second round.
        for thread in 0..THREADS {
            let at_least = u64::from(THREADS * (1 + thread % 2)) + 1;
            assert_eq!(add(&event, alone, 1), []);
            assert!(enlist(&event, alone, at_least, thread));
        }
        let looks_in_vain = looks::so_far() - before;
        assert_eq!(looks_in_vain, 0, "no signal has reached an awaited count");
        let even: Vec<u32> = (0..THREADS).step_by(2).collect();
        let odd: Vec<u32> = (1..THREADS).step_by(2).collect();
        assert_eq!(add(&event, alone, 1), even);
        assert_eq!(add(&event, alone, THREADS.into()), odd);
        let looks = looks::so_far() - before - looks_in_vain;
        assert!(looks <= u64::from(THREADS) + 2, "{looks} looks to resume {THREADS} threads");
    }
}

#[test]
fn a_deposit_tells_the_owner_only_when_an_awaited_count_is_reached() {
    let tally = Tally::new(tally_words(&MemorySource::Private));
    let event = Event::open("deposits", tally.clone());
    assert_eq!(tally.add(1), Ok(false), "no thread waits");
    assert!(!event.enlist(NODE, 0, waiter(0)) && !event.enlist(NODE, 1, waiter(0)));
    assert!(event.enlist(NODE, 9, waiter(1)) && event.enlist(NODE, 4, waiter(2)));
    assert!(!event.enlist(NODE, 1, waiter(0)) && event.enlist(NODE, u64::MAX, waiter(3)));
    assert_eq!([1, 1, 1].map(|amount| tally.add(amount)), [Ok(false), Ok(false), Ok(true)]);
    let mut resumed = Vec::new();
    event.end_waits(|waiter| resumed.push(waiter.thread));
    assert_eq!((resumed, tally.add(4), tally.add(1)), (vec![2], Ok(false), Ok(true)));
}

#[test]
fn an_event_is_for_one_node() {
    let other = NodeId(4);
    for alone in [false, true] {
        let event = Event::new("mine");
        add(&event, alone, 1);
        let uses: [&dyn Fn(); 4] = [
            &|| event.add(other, 1, |_| ()),
            &|| event.add_alone(other, 1, |_| ()),
            &|| _ = event.enlist(other, 2, waiter(0)),
            &|| _ = event.enlist_alone(other, 2, waiter(0)),
        ];
        for uses in uses {
            let said = refused(uses);
            assert!(said.starts_with("event `mine` of node 3 is used on node 4"), "{said}");
        }
        assert_eq!(event.counted(), 1, "what is refused is not done");
    }
}

#[test]
fn a_count_does_not_begin_again_at_nothing() {
    for alone in [false, true] {
        let event = Event::new("much");
        add(&event, alone, u64::MAX - 1);
        assert_eq!(add(&event, alone, 1), []);
        let said = refused(|| add(&event, alone, 1));
        assert!(
            said.starts_with("event `much` is at 18446744073709551615 and cannot count 1 more"),
            "{said}"
        );
    }
}
