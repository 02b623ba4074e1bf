//! The settings of a launch. This module must never know how processes are started.

use std::time::Duration;

/// The settings of a launch.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no process is started"))]
pub(crate) struct Settings<'a> {
    /// Number of nodes in each process.
    pub(crate) nodes_each: u32,
    /// Time of silence after which a process is lost.
    pub(crate) peer_timeout: Duration,
    /// The run in the words of the command; `None` where a process reaches it by itself.
    pub(crate) order: Option<&'a str>,
    /// Number of worlds of processes that this process has run before.
    pub(crate) calls: u64,
}
