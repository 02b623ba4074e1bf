//! Tests of `parker`, in a file of their own because the model in `tests/models` compiles that one too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::fences::Fences;
use crate::parts::parker::Parker;

#[test]
fn a_processor_that_sees_work_does_not_park() {
    let parker = Parker::default();
    assert!(!parker.park_unless(&Fences::symmetric(), || true) && !parker.is_parked());
    assert!(!parker.wake(), "there is no sleeper");
}

#[test]
fn a_parked_processor_sleeps_until_it_is_woken() {
    let (parker, fences, woken) = (Parker::default(), Fences::symmetric(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            assert!(parker.park_unless(&fences, || false) && woken.load(Ordering::Acquire));
        });
        while !parker.is_parked() {
            thread::yield_now();
        }
        woken.store(true, Ordering::Release);
        assert!(parker.wake() && !parker.wake(), "one wake-up ends a sleep");
    });
}

#[test]
fn a_nap_ends_by_itself() {
    let (parker, start) = (Parker::default(), Instant::now());
    parker.nap_unless(Duration::from_millis(1), || false);
    assert!(!parker.is_parked() && start.elapsed() >= Duration::from_millis(1));
}

#[test]
fn a_rest_ends_when_the_owner_is_woken_for_good() {
    let parker = Parker::default();
    parker.rest(Duration::from_millis(1));
    parker.wake_from_anything();
    let start = Instant::now();
    parker.rest(Duration::from_secs(60));
    assert!(start.elapsed() < Duration::from_secs(30) && !parker.wake());
}

#[test]
fn processors_are_away_if_each_is_parked_or_engaged() {
    let all = [Parker::default(), Parker::default()];
    assert!(!Parker::are_away(&all));
    assert!(!all[0].engage_beside(all[1..].iter()), "no other sleeps");
    assert!(all[0].is_away() && !Parker::are_away(&all));
    // The second looks for work once more, and sees that it would be relied on by nobody else.
    all[1].park_unless(&Fences::symmetric(), || {
        assert!(Parker::are_away(&all) && all[0].engage_beside(all[1..].iter()));
        true
    });
    all[0].engage(false);
    assert!(!all[0].is_engaged() && !Parker::are_away(&all));
}
