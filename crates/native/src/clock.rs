//! The host's monotonic clock as a number, which is the same in all processes of the host.
//!
//! The nodes of a run compare times of each other, so all processes of a run count from one start on one clock. This module must never know
//! a run.

/// Nanoseconds of the monotonic clock since a start that all processes of the host have in common.
#[cfg(target_os = "linux")]
#[inline]
pub(crate) fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Nanoseconds of the monotonic clock since the first call. All nodes are in this process.
#[cfg(not(target_os = "linux"))]
pub(crate) fn monotonic_ns() -> u64 {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}
