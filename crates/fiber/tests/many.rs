//! Many fibers at once: more than there are mappings for a guard each, in little memory, or in a page each. A host without light
//! guards has fewer, and must say so. The test is alone in its process, because it looks at the memory of the process.
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

/// Stacks for which Linux grants a process mappings, if each takes two of them. Some are left for everything else.
fn granted_stacks() -> usize {
    let most = std::fs::read_to_string("/proc/sys/vm/max_map_count")
        .expect("Linux says how many mappings there may be");
    let most: usize = most.trim().parse().expect("it is a number");
    most.saturating_sub(1000) / 2
}

#[test]
fn forty_thousand_fibers_are_suspended_at_once_in_few_pages_each_or_as_many_as_the_host_has_mappings_for() {
    suspend_many(&Pool::new(256 * 1024), 3.0);
    suspend_many(&Pool::spread_over(256 * 1024, 1024), 1.25);
}

/// Suspends many fibers at once, in fewer than `most` pages each.
fn suspend_many(pool: &Pool, most: f64) {
    let before = resident_pages();
    let mut fibers = make_many(pool);
    assert!(fibers.iter_mut().all(|fiber| fiber.resume() == Status::Suspended));
    let (pages, count) = (resident_pages() - before, fibers.len());
    assert!((pages as f64) < most * count as f64, "{pages} pages for {count} fibers");
    assert!(fibers.iter_mut().all(|fiber| fiber.resume() == Status::Finished));
}

/// Makes up to `FIBERS` fibers. A host that refuses one names its limit, and has granted all that its mappings allow.
fn make_many(pool: &Pool) -> Vec<Fiber> {
    let mut fibers = Vec::new();
    while fibers.len() < FIBERS {
        // SAFETY: the body touches no thread-local but the room's own.
        match unsafe { pool.spawn(tradewind_fiber::suspend) } {
            Ok(fiber) => fibers.push(fiber),
            Err(error) => {
                let says = error.to_string();
                assert!(says.contains("vm.max_map_count") && says.contains("256 KiB"), "{says}");
                assert!(fibers.len() >= granted_stacks(), "refused after {}: {says}", fibers.len());
                break;
            }
        }
    }
    fibers
}
