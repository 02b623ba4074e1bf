//! Tests of `attendance`, in a file of their own because the model in `tests/models` compiles that one too.

use std::cell::Cell;

use crate::fences::Fences;
use crate::parts::attendance;
use crate::parts::parker::Parker;

#[test]
fn an_awake_helper_is_not_woken() {
    attendance::rouse(&Parker::default(), || unreachable!("it is awake"), || unreachable!("it is awake"));
}

#[test]
fn a_parked_helper_is_woken_if_no_processor_idles() {
    let helper = Parker::default();
    for nobody_idles in [false, true] {
        let noted = Cell::new(false);
        helper.park_unless(&Fences::symmetric(), || {
            attendance::rouse(&helper, || nobody_idles, || noted.set(true));
            assert_eq!((noted.get(), helper.is_parked()), (nobody_idles, !nobody_idles));
            true
        });
    }
}

#[test]
fn a_helper_stays_awake_for_messages_that_no_processor_will_see() {
    let (helper, fences) = (Parker::default(), Fences::symmetric());
    assert!(!attendance::sleep(&helper, &fences, || false, || true, || true));
    assert!(!attendance::sleep(&helper, &fences, || true, || false, || false), "the world is over");
}

#[test]
fn a_processor_that_ends_its_idleness_serves_once_and_leaves_the_rest() {
    let leave = |mut waiting: u32| {
        let (left, roused) = (Cell::new(waiting), Cell::new(false));
        let serve = || left.set(left.get() - 1);
        attendance::leave(&Fences::symmetric(), || left.get() > 0, serve, || roused.set(true));
        waiting -= left.get();
        (waiting, roused.get())
    };
    assert_eq!([leave(0), leave(1), leave(2)], [(0, false), (1, false), (1, true)]);
}
