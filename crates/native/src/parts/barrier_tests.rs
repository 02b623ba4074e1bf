//! Tests of `barrier`, in a file of their own because the model in `tests/models` compiles that one too.

use crate::parts::barrier::{Arrival, Barrier};

#[test]
fn the_last_thread_is_told_and_an_opened_barrier_gives_the_waiting_threads() {
    let barrier = Barrier::new(3);
    for (count, name) in [(1, "first"), (2, "second")] {
        let waits = Arrival { count, is_last: false };
        assert_eq!([barrier.arrive(0, name), barrier.arrive(1, name)], [waits; 2]);
        assert_eq!((barrier.entered(), barrier.arrivals()), (count - 1, (2, 3)));
        assert_eq!(barrier.arrive(2, name), Arrival { count, is_last: true });
        barrier.measure(|name| (name, count));
        if count == 1 {
            barrier.enlist(2, count);
            assert_eq!((barrier.open(), barrier.entered()), (vec![0, 1, 2], count));
        } else {
            assert_eq!((barrier.open(), barrier.entered()), (vec![0, 1], count));
            barrier.enlist(2, count);
            assert_eq!(barrier.open(), [], "the barrier was open before the last thread joined the list");
        }
    }
    barrier.with_measured(|measured| assert_eq!(measured, [("first", 1), ("second", 2)]));
}

#[test]
#[should_panic(expected = "phase `gather` is entered while other threads enter phase `solve`")]
fn threads_that_enter_different_regions_are_told() {
    let barrier = Barrier::<u32, u32>::new(2);
    let _waits = barrier.arrive(0, "solve");
    let _never = barrier.arrive(1, "gather");
}
