//! The `tradewind` command as a process that does runs, several at a time if need be, and the end of all of them at
//! once. This module must never know the purpose of a run, nor the meaning of a number of its answer.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use units::text;

use crate::Specification;

/// The command whose processes do runs. Threads may share one.
#[derive(Debug)]
pub struct Runner {
    executable: PathBuf,
    running: Mutex<Running>,
}

/// The processes that are running now.
#[derive(Debug, Default)]
struct Running {
    /// No further process is begun.
    is_stopped: bool,
    children: Vec<Arc<Mutex<Child>>>,
}

/// Why a run has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// The run failed. A text for people: the output of the process, its wrong results, or that its answer is none.
    Failed(String),
    /// The command refused the run, as it will each time: its command line or an input is wrong. The text is the output
    /// of the process.
    Refused(String),
    /// The process was stopped before its end, so that nothing is known of the run: by [`Runner::stop`], or by a signal such as
    /// an interrupt at the terminal.
    Stopped,
}

impl NoAnswer {
    /// The text for people.
    pub fn why(self) -> String {
        match self {
            Self::Failed(why) | Self::Refused(why) => why,
            Self::Stopped => "stopped by a signal before its end".to_owned(),
        }
    }
}

/// The exit status of a command that was told something wrong, and ran nothing.
const REFUSED: i32 = 2;

/// Status and output of a finished process.
struct Left {
    status: ExitStatus,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Runner {
    /// The command whose file this is.
    pub fn new(executable: PathBuf) -> Self {
        Self { executable, running: Mutex::default() }
    }

    /// The file of the command.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Does a run as a process, and reads its answer.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub fn run(&self, run: &Specification) -> Result<Value, NoAnswer> {
        let mut command = Command::new(&self.executable);
        command.args(run.arguments().iter().map(|argument| text::os(argument)));
        if let Some(folder) = &run.folder {
            command.current_dir(folder);
        }
        let failed = |error: io::Error| format!("{}: {error}", text::path(&self.executable));
        let left = self.to_its_end(&mut command).map_err(|error| NoAnswer::Failed(failed(error)))?;
        let left = left.filter(|left| !was_stopped(left.status)).ok_or(NoAnswer::Stopped)?;
        let none = if left.status.code() == Some(REFUSED) { NoAnswer::Refused } else { NoAnswer::Failed };
        answer(&left).map_err(none)
    }

    /// Ends all processes that run now, and lets no further one begin.
    pub fn stop(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.is_stopped = true;
        for child in running.children.drain(..) {
            // A process that has just ended cannot be killed, and need not be.
            let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        }
    }

    /// Runs a process and waits until it ends; `None` if it was stopped.
    fn to_its_end(&self, command: &mut Command) -> io::Result<Option<Left>> {
        let Some((child, mut stdout, mut stderr)) = self.begin(command)? else { return Ok(None) };
        let (out, err) = thread::scope(|scope| {
            let err = scope.spawn(move || whole(&mut stderr));
            (whole(&mut stdout), err.join().unwrap_or_default())
        });
        let status = child.lock().unwrap_or_else(PoisonError::into_inner).wait()?;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.children.retain(|other| !Arc::ptr_eq(other, &child));
        Ok((!running.is_stopped).then_some(Left { status, out, err }))
    }

    /// Begins a process; its outputs are read by the caller. `None` if no further process may begin.
    fn begin(
        &self,
        command: &mut Command,
    ) -> io::Result<Option<(Arc<Mutex<Child>>, impl Read, impl Read + Send)>> {
        // Held while the process begins: none may begin unseen by `stop`.
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_stopped {
            return Ok(None);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let pipes = (child.stdout.take(), child.stderr.take());
        let (Some(stdout), Some(stderr)) = pipes else { unreachable!("both outputs are pipes") };
        let child = Arc::new(Mutex::new(child));
        running.children.push(Arc::clone(&child));
        Ok(Some((child, stdout, stderr)))
    }
}

/// Reads up to the end, or to the first error.
fn whole(from: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Bytes read before an error are all there is.
    let _ = from.read_to_end(&mut bytes);
    bytes
}

/// Whether a process was ended by a user at a terminal, or by a system that shuts down.
#[cfg(unix)]
fn was_stopped(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;

    /// The end of the terminal, an interrupt at it, and the polite request to end.
    const ENDING: [i32; 3] = [1, 2, 15];

    status.signal().is_some_and(|signal| ENDING.contains(&signal))
}

/// Whether a process was ended by a user at a terminal, or by a system that shuts down: not known on this system.
#[cfg(not(unix))]
fn was_stopped(_: ExitStatus) -> bool {
    false
}

/// The answer that a process left, or a text for people.
fn answer(left: &Left) -> Result<Value, String> {
    let said = complaint(&String::from_utf8_lossy(&left.err));
    if left.out.is_empty() {
        return Err(if said.is_empty() { format!("it said nothing: {}", left.status) } else { said });
    }
    let answer: Value = serde_json::from_slice(&left.out)
        .map_err(|error| format!("expected JSON on standard output: {error}"))?;
    if let Value::Array(errors) = &answer["errors"] {
        return Err(errors.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"));
    }
    match &answer["report"]["failures"] {
        Value::Array(failures) if !failures.is_empty() => {
            let failures: Vec<_> = failures.iter().filter_map(Value::as_str).collect();
            Err(format!("wrong results: {}", failures.join("; ")))
        }
        _ if !left.status.success() => Err(format!("{}: {said}", left.status)),
        _ => Ok(answer),
    }
}

/// The complaint in the output of a process: all lines from its first error, `NAME: error: …`, on. Reports of the host
/// may stand before it. Without such a line it is all of the output.
fn complaint(said: &str) -> String {
    let is_own = |line: &str| line.split_once(": error: ").is_some_and(|(name, _)| !name.contains(' '));
    let mut lines = said.lines().skip_while(|line| !is_own(line)).peekable();
    if lines.peek().is_none() {
        return said.trim().to_owned();
    }
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_begins_where_the_process_itself_complains() {
        let said = "OpenMP: warning: slow\nmine: error: unknown program\nmine: error: unknown machine\n";
        assert_eq!(complaint(said), "mine: error: unknown program\nmine: error: unknown machine");
        assert_eq!(complaint(" killed \n"), "killed");
    }

    #[cfg(unix)]
    #[test]
    fn what_runs_is_ended_at_once_and_nothing_begins_after_it() {
        use std::time::{Duration, Instant};

        let runner = Runner::new("sh".into());
        let begun = Instant::now();
        thread::scope(|scope| {
            let long = scope.spawn(|| runner.to_its_end(Command::new("sleep").arg("60")).unwrap().is_none());
            while runner.running.lock().unwrap().children.is_empty() {
                thread::sleep(Duration::from_millis(1));
            }
            runner.stop();
            assert!(long.join().unwrap());
        });
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert!(runner.to_its_end(Command::new("true").arg("x")).unwrap().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_says_much_on_both_outputs_is_read_to_its_end() {
        let much = "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 3";
        let runner = Runner::new("sh".into());
        let left = runner.to_its_end(Command::new("sh").args(["-c", much])).unwrap().unwrap();
        assert_eq!((left.out.len(), left.err.len(), left.status.code()), (1_000_000, 1_000_000, Some(3)));
    }
}
