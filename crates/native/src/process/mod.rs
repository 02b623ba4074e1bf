//! A world whose nodes are processes of one host.
//!
//! The *launcher* runs no node. It starts the processes: each executes the same file again and is given its place in the world over a
//! socket that only it has. A process installs the job on its nodes, connects them with all others through memory that the processes share,
//! runs them as a [`Local`](crate::Local) world runs all nodes, and gives the launcher their records in the end. While they run, the
//! launcher only listens: no message of the program passes it.
//!
//! | file | content |
//! |---|---|
//! | `world`, `settings` | the world as its users have it, and its settings |
//! | `launcher` | starts the processes, and makes one outcome of their records |
//! | `member` | a process of a world, from its start to its end |
//! | `peers` | the processes as the launcher knows them: silence, progress, ends |
//! | `memory` | the memory of nodes that several processes access, and the links through it |
//! | `orders` | the messages between the launcher and a process |
//! | `socket` | their way: bytes and descriptors |
//! | `refusals` | the errors of a host that lacks something |
//! | `coding` | plain values as bytes |
//! | `elsewhere` | systems other than Linux |
//!
//! This part must never know the program.

#[cfg(target_os = "linux")]
mod coding;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod member;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod orders;
#[cfg(target_os = "linux")]
mod peers;
#[cfg(target_os = "linux")]
mod refusals;
mod settings;
#[cfg(target_os = "linux")]
mod socket;
mod world;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Member, member};
#[cfg(target_os = "linux")]
use launcher as system;
#[cfg(target_os = "linux")]
pub use member::{Member, member};
pub use world::Processes;
