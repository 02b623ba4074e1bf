//! Tests of `event` without other threads: who is resumed, in which order, and on which node.

use crate::event::Event;
use crate::{NodeId, Waiter};

const NODE: NodeId = NodeId(3);

fn waiter(thread: u32) -> Waiter {
    Waiter { thread, generation: 7 }
}

/// The threads that are resumed when `amount` is added.
fn add(event: &Event, alone: bool, amount: u64) -> Vec<u32> {
    let mut resumed = Vec::new();
    let resume = |waiter: Waiter| {
        assert_eq!(waiter.generation, 7);
        resumed.push(waiter.thread);
    };
    if alone {
        event.add_alone(NODE, amount, resume);
    } else {
        event.add(amount, resume);
    }
    resumed
}

fn enlist(event: &Event, alone: bool, at_least: u64, thread: u32) -> bool {
    if alone {
        event.enlist_alone(NODE, at_least, waiter(thread))
    } else {
        event.enlist(at_least, waiter(thread))
    }
}

#[test]
fn both_ways_resume_who_is_satisfied_in_the_order_they_came() {
    for (alone, event) in
        [(false, Event::new("shared")), (true, Event::new("alone")), (true, Event::open("open"))]
    {
        assert_eq!(add(&event, alone, 2), []);
        assert!(!enlist(&event, alone, 2, 0), "{event:?}: it is there already");
        assert!(enlist(&event, alone, 4, 1));
        assert_eq!((add(&event, alone, 1), add(&event, alone, 1)), (vec![], vec![1]), "{event:?}");
        // At 4 now: two that want 5, between them one that wants 9.
        assert!([(5, 2), (9, 3), (5, 4)].iter().all(|(count, who)| enlist(&event, alone, *count, *who)));
        assert_eq!((add(&event, alone, 1), add(&event, alone, 1)), (vec![2, 4], vec![]), "{event:?}");
        assert!(enlist(&event, alone, 8, 5));
        assert_eq!((add(&event, alone, 3), add(&event, alone, 1)), (vec![3, 5], vec![]), "{event:?}");
        assert!(enlist(&event, alone, 11, 6));
        assert_eq!((add(&event, alone, 1), event.count()), (vec![6], 11));
    }
}

#[test]
#[should_panic(expected = "event `mine` of node 3 is used on node 4")]
fn an_event_is_for_one_node() {
    let event = Event::new("mine");
    event.add_alone(NODE, 1, |_| ());
    event.add_alone(NodeId(4), 1, |_| ());
}
