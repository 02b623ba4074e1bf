//! The checker of histories, checked: it accepts every history that the rule allows and names each way of breaking
//! the rule.

use tradewind_pdq::Key;

use crate::history::{Arrival, Empty, History, Item, Part, Time, UNKNOWN, Violation};

const A: Key = Key::User(0xa);
const B: Key = Key::User(0xb);
const SEQ: Key = Key::Sequential;
const FREE: Key = Key::NoSync;

/// Item n of producer n: no two are of one producer.
fn item(n: usize) -> Item {
    Item { producer: n, number: 0 }
}

/// A history from lines: keys, times of the calls, times of the runs.
fn history(lines: &[(Key, [Time; 2], [Time; 2])]) -> History {
    let mut history = History::default();
    for (n, (key, [called, returned], [start, end])) in lines.iter().copied().enumerate() {
        history.arrivals.push(Arrival { item: item(n), key, called, returned });
        history.parts.push(part(n, 0, [start, end]));
    }
    history
}

fn part(n: usize, step: u32, [start, end]: [Time; 2]) -> Part {
    Part { item: item(n), step, last: true, asked: start, start, end, released: end }
}

/// Makes both items come from one producer, in this order.
fn of_one_producer(mut history: History, numbers: [usize; 2]) -> History {
    for (n, number) in numbers.into_iter().enumerate() {
        let item = Item { producer: 0, number };
        history.arrivals[n].item = item;
        history.parts[n].item = item;
    }
    history
}

fn overtaken(older: usize, younger: usize) -> Result<(), Violation> {
    Err(Violation::Overtaken { older: item(older), younger: item(younger) })
}

#[test]
fn what_the_rule_allows_is_accepted() {
    let allowed = [
        // Equal keys in order; another key and nosync at the same time, out of order.
        history(&[
            (A, [0, 1], [30, 40]),
            (A, [2, 3], [41, 50]),
            (B, [4, 5], [6, 35]),
            (FREE, [7, 8], [9, 60]),
        ]),
        // Calls that overlapped: either order.
        history(&[(A, [0, 5], [30, 40]), (A, [1, 4], [10, 20])]),
        history(&[(SEQ, [0, 5], [30, 40]), (B, [1, 4], [10, 20])]),
        // A barrier between older and younger items.
        history(&[(A, [0, 1], [10, 20]), (SEQ, [2, 3], [21, 30]), (FREE, [4, 5], [31, 40])]),
        // Nosync overtakes nosync.
        history(&[(FREE, [0, 1], [20, 30]), (FREE, [2, 3], [10, 25])]),
        // An item in a buffer is older only than later items of its own producer.
        history(&[(A, [0, UNKNOWN], [30, 40]), (A, [2, 3], [10, 20])]),
        History::default(),
    ];
    for history in allowed {
        assert_eq!(history.check(), Ok(()), "{history:?}");
    }
}

#[test]
fn an_item_that_never_ran_is_found() {
    let mut lost = history(&[(A, [0, 1], [2, 3])]);
    lost.parts.clear();
    assert_eq!(lost.check(), Err(Violation::Lost(item(0))));
}

#[test]
fn an_item_whose_continuation_never_ran_is_found() {
    let mut lost = history(&[(A, [0, 1], [2, 3])]);
    lost.parts[0].last = false;
    assert_eq!(lost.check(), Err(Violation::Lost(item(0))));
}

#[test]
fn an_item_that_ran_twice_or_came_from_nowhere_is_found() {
    let once = history(&[(A, [0, 1], [2, 3])]);
    let not_once = Err(Violation::NotOnce(item(0)));
    let mut twice = once.clone();
    twice.parts.push(part(0, 0, [4, 5]));
    assert_eq!(twice.check(), not_once);
    let mut after_its_last_step = once.clone();
    after_its_last_step.parts.push(part(0, 1, [4, 5]));
    assert_eq!(after_its_last_step.check(), not_once);
    let mut run_and_handed_back = once.clone();
    run_and_handed_back.handed_back.push(item(0));
    assert_eq!(run_and_handed_back.check(), not_once);
    let mut handed_back_twice = once.clone();
    handed_back_twice.parts.clear();
    handed_back_twice.handed_back = vec![item(0); 2];
    assert_eq!(handed_back_twice.check(), not_once);
    let mut from_nowhere = once;
    from_nowhere.arrivals.clear();
    assert_eq!(from_nowhere.check(), not_once);
}

#[test]
fn steps_out_of_order_are_found() {
    let mut history = history(&[(A, [0, 1], [10, 20])]);
    history.parts[0].last = false;
    history.parts.push(part(0, 1, [15, 30]));
    assert_eq!(history.check(), Err(Violation::NotOnce(item(0))));
}

#[test]
fn equal_keys_that_overlap_are_found() {
    let history = history(&[(A, [0, 1], [10, 20]), (A, [2, 3], [19, 30])]);
    assert_eq!(history.check(), Err(Violation::Overlap(item(0), item(1))));
}

#[test]
fn an_item_between_another_of_its_key_and_that_ones_continuation_is_found() {
    let mut history = history(&[(A, [0, 1], [10, 20]), (A, [2, 3], [21, 22])]);
    history.parts[0].last = false;
    history.parts.push(part(0, 1, [23, 24]));
    assert_eq!(history.check(), Err(Violation::Overlap(item(0), item(1))));
}

#[test]
fn equal_keys_against_real_time_are_found() {
    let history = history(&[(A, [0, 1], [20, 30]), (A, [2, 3], [10, 15])]);
    assert_eq!(history.check(), overtaken(0, 1));
}

#[test]
fn equal_keys_against_the_order_of_their_producer_are_found() {
    // Both were buffered: real time says nothing.
    let lines = [(A, [0, UNKNOWN], [20, 30]), (A, [1, UNKNOWN], [10, 15])];
    assert_eq!(of_one_producer(history(&lines), [1, 0]).check(), Ok(()));
    let [older, younger] = [0, 1].map(|number| Item { producer: 0, number });
    let wrong = of_one_producer(history(&lines), [0, 1]).check();
    assert_eq!(wrong, Err(Violation::Overtaken { older, younger }));
}

#[test]
fn an_order_violated_far_apart_is_found() {
    let history = history(&[
        (A, [2, 3], [10, 11]),
        (A, [0, 9], [12, 13]),
        (A, [0, 8], [14, 15]),
        (A, [0, 1], [16, 17]),
    ]);
    assert_eq!(history.check(), overtaken(3, 0));
}

#[test]
fn whatever_overlaps_a_sequential_item_is_found() {
    for key in [A, FREE, SEQ] {
        let inside = history(&[(SEQ, [0, 9], [10, 20]), (key, [0, 9], [12, 14])]);
        assert_eq!(inside.check(), Err(Violation::Overlap(item(0), item(1))));
    }
    for key in [A, FREE] {
        let around = history(&[(key, [0, 9], [10, 20]), (B, [0, 9], [11, 12]), (SEQ, [0, 9], [13, 14])]);
        assert_eq!(around.check(), Err(Violation::Overlap(item(0), item(2))));
    }
}

#[test]
fn whatever_passes_a_sequential_item_is_found() {
    for key in [A, FREE, SEQ] {
        let early = history(&[(SEQ, [0, 1], [20, 30]), (key, [2, 3], [10, 15])]);
        assert_eq!(early.check(), overtaken(0, 1));
        let late = history(&[(key, [0, 1], [20, 30]), (SEQ, [2, 3], [10, 15])]);
        assert_eq!(late.check(), overtaken(0, 1));
    }
}

/// Three items of which the first runs from 10 to 20, and a server that gets nothing from 12 to 14.
fn with_a_server_that_gets_nothing(keys: [Key; 2]) -> History {
    let mut history = history(&[(keys[0], [0, 1], [10, 20]), (keys[1], [2, 3], [21, 30])]);
    history.empties.push(Empty { asked: 12, answered: 14 });
    history
}

#[test]
fn a_server_left_idle_is_found() {
    for keys in [[A, B], [A, FREE], [FREE, FREE]] {
        let idle = with_a_server_that_gets_nothing(keys);
        assert_eq!(idle.check(), Ok(()));
        assert_eq!(idle.check_work_conservation(), Err(Violation::Idle(item(1))));
    }
}

#[test]
fn a_server_that_finds_nothing_it_may_run_is_not_idle() {
    for keys in [[A, A], [SEQ, A], [A, SEQ]] {
        assert_eq!(with_a_server_that_gets_nothing(keys).check_work_conservation(), Ok(()));
    }
    // It had not arrived yet, or was taken meanwhile.
    let mut late = with_a_server_that_gets_nothing([A, B]);
    late.arrivals[1].returned = 13;
    assert_eq!(late.check_work_conservation(), Ok(()));
    let mut taken = with_a_server_that_gets_nothing([A, B]);
    taken.parts[1].asked = 13;
    assert_eq!(taken.check_work_conservation(), Ok(()));
}
