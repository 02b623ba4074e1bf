//! A separate process for a scenario that would end the test's process: an abort, an overflow, an exit, a fork.
//!
//! The process is the test binary again, running the test that started it; an environment variable tells the test where it runs.
//!
//! This module must never know any one scenario.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Set in the process that runs a scenario, to its test.
const ALONE: &str = "TRADEWIND_HOSTILE_ALONE";

/// Time after which a process counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sleep of the waiting process between two looks.
const NAP: Duration = Duration::from_millis(10);

/// The end of a process.
pub(crate) struct Death {
    pub(crate) status: ExitStatus,
    /// Standard error of the process.
    pub(crate) said: String,
}

impl Death {
    /// The signal that killed it, if any.
    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

/// Runs `body` in a separate process and returns how it ended. `test` is the full name of the calling test, which runs again there up to
/// this call, and ends with exit code 0 if `body` returns.
///
/// # Panics
/// If the process hangs or cannot be started. In that process: if the body does.
pub(crate) fn alone(test: &str, body: impl FnOnce()) -> Death {
    if std::env::var(ALONE).is_ok_and(|there| there == test) {
        body();
        std::process::exit(0);
    }
    let this = std::env::current_exe().expect("a test binary has a path");
    let mut command = Command::new(this);
    command.args(["--exact", test, "--include-ignored", "--nocapture", "--test-threads=1"]);
    let child = command.env(ALONE, test).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    watch(test, child.expect("a test binary can be run"))
}

fn watch(test: &str, mut child: Child) -> Death {
    let start = Instant::now();
    let mut said = child.stderr.take().expect("it is piped");
    let reader = std::thread::spawn(move || std::io::read_to_string(&mut said));
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("a child can be killed");
            panic!("the process of `{test}` is not over after {PATIENCE:?}: it hangs");
        }
        std::thread::sleep(NAP);
    };
    let said = reader.join().expect("reading does not panic").expect("people's words are text");
    Death { status, said }
}

#[test]
fn a_death_is_told_with_its_words_and_its_signal() {
    let test = "kit::alone::a_death_is_told_with_its_words_and_its_signal";
    let death = alone(test, || {
        std::io::Write::write_all(&mut std::io::stderr(), b"the last words\n").unwrap();
        std::process::abort();
    });
    assert_eq!((death.signal(), death.status.code()), (Some(6), None), "{}", death.said);
    assert!(death.said.contains("the last words"), "{}", death.said);
}

#[test]
fn a_body_that_returns_ends_its_process_well() {
    let death = alone("kit::alone::a_body_that_returns_ends_its_process_well", || ());
    assert!(death.status.success(), "{}: {}", death.status, death.said);
}
