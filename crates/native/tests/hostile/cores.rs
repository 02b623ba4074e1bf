//! Programs that launch worlds and spawn OS threads from pinned processors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use tradewind_native::Local;

use crate::kit::Play;

/// Cores that the calling OS thread may run on.
fn here() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// The values of `Local::cores` and of [`here`] on a processor of a world of `processors` inside a pinned processor.
fn inside(processors: u32) -> (usize, usize) {
    let seen: Arc<[AtomicUsize; 2]> = Arc::default();
    let tells = Arc::clone(&seen);
    let outer = Play::new("single", 1, 1, 1).main(move |_, _| {
        let tells = Arc::clone(&tells);
        let inner = Play::new("floating", 1, processors, 1).main(move |_, thread| {
            if thread.index() == 0 {
                tells[0].store(Local::cores(), Ordering::Relaxed);
                tells[1].store(here(), Ordering::Relaxed);
            }
        });
        inner.run_here().well();
    });
    outer.run().well();
    let [cores, here] = &*seen;
    (cores.load(Ordering::Relaxed), here.load(Ordering::Relaxed))
}

#[test]
fn a_world_inside_a_pinned_thread_has_the_cores_of_the_world_around_it() {
    let all = here();
    assert_eq!(Local::cores(), all);
    assert_eq!(inside(1), (all, 1), "one processor is pinned");
    assert_eq!(inside(all as u32 + 1), (all, all), "more processors than cores are pinned to none");
}
