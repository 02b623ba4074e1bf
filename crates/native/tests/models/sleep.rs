//! Stands in for the library's `sleep`: a futex of threads that `loom` schedules. A sleep that ends by itself ends at once: every moment is
//! considered anyway.

use std::time::Duration;

use loom::sync::Mutex;

use crate::parking::{Thread, current, park};
use crate::sync::{AtomicU32, Ordering};

loom::lazy_static! {
    /// The sleepers, by the address of their word.
    static ref SLEEPERS: Mutex<Vec<(usize, Thread)>> = Mutex::new(Vec::new());
}

fn address(word: &AtomicU32) -> usize {
    std::ptr::from_ref(word).addr()
}

pub(crate) fn wait(word: &AtomicU32, expected: u32, longest: Option<Duration>) {
    if longest.is_some() {
        return loom::thread::yield_now();
    }
    let mut sleepers = SLEEPERS.lock().expect("nobody panics");
    if word.load(Ordering::Relaxed) == expected {
        sleepers.push((address(word), current()));
        drop(sleepers);
        park();
    }
}

pub(crate) fn wake(word: &AtomicU32) {
    let mut sleepers = SLEEPERS.lock().expect("nobody panics");
    let place = sleepers.iter().position(|(at, _)| *at == address(word));
    if let Some((_, sleeper)) = place.map(|place| sleepers.swap_remove(place)) {
        drop(sleepers);
        sleeper.unpark();
    }
}
