//! Many fibers at once: more than there are mappings for a guard each, in little memory, or in a page each. The test is alone in
//! its process, because it looks at the memory of the process.
#![cfg(target_os = "linux")]

use tradewind_fiber::{Fiber, Pool, Status};

const FIBERS: usize = 40_000;

/// Pages of this process that lie in memory.
fn resident_pages() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux tells a process its size");
    statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .expect("the second number is what is resident")
}

#[test]
fn forty_thousand_fibers_are_suspended_at_once_in_few_pages_each_or_the_host_is_named() {
    suspend_many(&Pool::new(256 * 1024), 3.0);
    suspend_many(&Pool::spread_over(256 * 1024, 1024), 1.25);
}

/// Suspends many fibers at once, in fewer than `most` pages each.
fn suspend_many(pool: &Pool, most: f64) {
    let before = resident_pages();
    // SAFETY: the body touches no thread-local but the room's own.
    let spawn = |_| unsafe { pool.spawn(tradewind_fiber::suspend) };
    let fibers: Result<Vec<Fiber>, _> = (0..FIBERS).map(spawn).collect();
    let mut fibers = match fibers {
        Ok(fibers) => fibers,
        Err(error) => {
            let says = error.to_string();
            assert!(says.contains("vm.max_map_count") && says.contains("256 KiB"), "{says}");
            return;
        }
    };
    assert!(fibers.iter_mut().all(|fiber| fiber.resume() == Status::Suspended));
    let pages = resident_pages() - before;
    assert!((pages as f64) < most * FIBERS as f64, "{pages} pages for {FIBERS} fibers");
    assert!(fibers.iter_mut().all(|fiber| fiber.resume() == Status::Finished));
}
