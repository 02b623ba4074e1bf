//! Tests of `barrier`, in a file of their own because the model in `tests/models` compiles that one too.

use crate::parts::barrier::{Barrier, Entry};

/// Lets a thread enter a region whose measurement is `measured`. Returns the threads that it makes ready, or the awaited number.
fn enter(
    barrier: &Barrier<u32, u32>,
    thread: u32,
    name: &'static str,
    measured: u32,
) -> Result<Vec<u32>, u32> {
    match barrier.enter(thread, name, || measured) {
        Entry::Last(others) => Ok(others),
        Entry::Wait(count) => Err(count),
    }
}

#[test]
fn the_last_thread_measures_and_makes_the_others_ready() {
    let barrier = Barrier::new(3);
    for (round, name) in ["first", "second"].into_iter().enumerate() {
        let count = round as u32 + 1;
        assert_eq!([enter(&barrier, 0, name, 7), enter(&barrier, 1, name, 8)], [Err(count), Err(count)]);
        assert_eq!((barrier.entered(), barrier.arrivals().as_str()), (count - 1, "2 of 3 threads have come"));
        assert_eq!((enter(&barrier, 2, name, 9 + count), barrier.entered()), (Ok(vec![0, 1]), count));
    }
    barrier.with_measured(|measured| assert_eq!(measured, [10, 11]));
}

#[test]
#[should_panic(expected = "phase `gather` is entered while other threads enter phase `solve`")]
fn threads_that_enter_different_regions_are_told() {
    let barrier = Barrier::new(2);
    let _waits = enter(&barrier, 0, "solve", 0);
    let _never = enter(&barrier, 1, "gather", 0);
}
