//! The promises of the waist where nodes are processes. This test has a `main` of its own: it is a launcher, and each of its processes
//! executes it again to take part in one run of one promise.
//!
//! ```text
//! cargo test -p tradewind-native --test processes                     # the small dose
//! cargo test --release -p tradewind-native --test processes -- --full # every promise under every policy with 2, 4 and 8 processes
//! cargo test -p tradewind-native --test processes -- locks_exclude    # the promises with this in their names
//! ```

#![allow(clippy::print_stdout, reason = "it is a command of its own")]

#[cfg(target_os = "linux")]
mod promises;

fn main() {
    #[cfg(target_os = "linux")]
    promises::main();
}
