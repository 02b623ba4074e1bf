//! Faults that are put into the queue on purpose, to see that a model notices.
//!
//! The sources name their faults by `mutated!("name")`. At most one is on in a process: the environment
//! variable `PDQ_FAULT` names it. So each test of a fault runs a scenario in a process of its own. By hand, to see the
//! effect of a fault:
//!
//! ```text
//! PDQ_FAULT=latch-relaxed cargo test -p tradewind-pdq --test models_loom components::latch
//! ```
//!
//! This module must never know the effect of a fault, nor which checker runs the scenario.

use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Whether the fault of that name is on in this process.
pub(crate) fn is_on(fault: &str) -> bool {
    static ON: OnceLock<Option<String>> = OnceLock::new();
    ON.get_or_init(|| std::env::var("PDQ_FAULT").ok()).as_deref() == Some(fault)
}

/// Whether this run may take minutes: `PDQ_DOSE=full`.
pub(crate) fn full_dose() -> bool {
    static FULL: OnceLock<bool> = OnceLock::new();
    *FULL.get_or_init(|| std::env::var("PDQ_DOSE").is_ok_and(|dose| dose == "full"))
}

/// Time after which a scenario that has found nothing is given up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Asserts that the scenario, a test of this crate by its full name, fails when the fault is on.
pub(crate) fn assert_noticed(fault: &str, scenario: &str) {
    let this = std::env::current_exe().expect("a test knows its own executable");
    let mut child = Command::new(this)
        .args([scenario, "--exact"])
        .env("PDQ_FAULT", fault)
        .env_remove("PDQ_DOSE")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a test can run itself");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break Some(status);
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("a child can be ended");
            child.wait().expect("a child can be waited for");
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    // A name that matches no test would be a success too.
    match status {
        Some(status) => assert!(!status.success(), "`{scenario}` does not notice the fault `{fault}`"),
        None => panic!("`{scenario}` under the fault `{fault}` neither ends nor fails"),
    }
}

/// Whether the fault of that name is turned on: asked by the sources at its place.
macro_rules! mutated {
    ($fault:literal) => {
        crate::faults::is_on($fault)
    };
}
pub(crate) use mutated;
