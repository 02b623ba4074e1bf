//! The launcher of a world of processes.
//!
//! It runs no node. It starts the processes, brings them together, and makes one outcome of their records. In between it only listens: to
//! their beats, for the first end of the run in a process, and for a process that is gone or silent. In every case it leaves no process behind.
//!
//! This module must never know the memory of a node.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use segment::FrozenFile;
use tempest::NodeId;
use tempest::outcome::{Blocked, Failure, Outcome, Refusal, Spinning};
use tempest::world::lasting;
use units::Time;

use crate::clock::monotonic_ns;
use crate::measure::outcome::outcome;
use crate::parts::settling::Terms;
use crate::parts::world::Stage;
use crate::process::member::{MARK, build, mark};
use crate::process::orders::{FromProcess, Join, Left, NodeExports, Still, ToProcess};
use crate::process::peers::{Milestone, Peers};
use crate::process::refusals::no_file;
use crate::process::settings::Settings;
use crate::process::socket::{MOST_DESCRIPTORS, Socket, is_ended};
use crate::runner::stillness::{Judgement, Stillness};

/// Time that processes have to leave a run that has failed, beyond the time that they give their own processors.
const GRACE: Duration = Duration::from_secs(3);

/// Runs a job with its nodes in processes.
///
/// # Errors
/// The failure of the run.
pub(crate) fn run(terms: &Terms<'_>, settings: &Settings<'_>) -> Result<Outcome, Failure> {
    let mut launcher = Launcher::start(terms, settings)?;
    let ended = launcher.run(terms);
    launcher.end();
    ended
}

/// The number of processes that a run of `nodes` nodes has, with up to `nodes_each` in each.
///
/// # Errors
/// They are more than a launcher can have.
pub(crate) fn processes(nodes: u32, nodes_each: u32) -> Result<usize, Refusal> {
    let processes = nodes.div_ceil(nodes_each.max(1)) as usize;
    if processes <= MOST_DESCRIPTORS {
        return Ok(processes);
    }
    Err(Refusal::Host(format!(
        "{processes} processes: expected at most {MOST_DESCRIPTORS}; fewer --nodes, or more of them in each process"
    )))
}

/// A message of a process with its descriptors; `None` at the end of its socket; an error if the bytes are no message.
type Heard = (usize, io::Result<Option<(FromProcess, Vec<OwnedFd>)>>);

/// The launcher of a world.
struct Launcher {
    children: Vec<Child>,
    sockets: Vec<Arc<Socket>>,
    /// The threads that listen to the sockets.
    listeners: Vec<JoinHandle<()>>,
    heard: Receiver<Heard>,
    peers: Peers,
    nodes_each: usize,
    timeout: Duration,
}

/// The launcher's knowledge of a run.
struct Run {
    /// By process: its nodes' exports and its file, until all are known.
    settled: Vec<Option<(Vec<NodeExports>, OwnedFd)>>,
    /// The judgement of the run's progress, once the clock runs.
    stillness: Option<Stillness>,
    /// The stop of the run, once one process has stopped it.
    stopped: Option<Stopped>,
    /// By process: its end.
    left: Vec<Option<Left>>,
    /// The failure that the launcher itself has found.
    failure: Option<Failure>,
    /// The first process that was lost before it had given its records.
    lost: Option<String>,
    /// The stall limit that the run has passed.
    stalled: Option<Time>,
}

/// The stop of a run.
struct Stopped {
    stage: Stage,
    /// The time of the stop in nanoseconds from the start of the run.
    at: u64,
    /// The time at which the launcher noted it.
    noted: Instant,
}

impl Launcher {
    /// Starts the processes.
    fn start(terms: &Terms<'_>, settings: &Settings<'_>) -> Result<Self, Failure> {
        let host = |what: String| Failure::Refused(Refusal::Host(what));
        let nodes = terms.launch.nodes;
        let nodes_each = settings.nodes_each.max(1).min(nodes) as usize;
        let processes = processes(nodes, settings.nodes_each).map_err(Failure::Refused)?;
        let problems = terms.launch.problems.freeze();
        let problems = problems.map_err(|error| Failure::Refused(no_file(&error)))?;
        let (to, heard) = channel();
        let (job, beat) = (job(), Peers::beat(settings.peer_timeout));
        let peers = Peers::new(processes, settings.peer_timeout);
        let mut launcher = Self {
            children: Vec::new(),
            sockets: Vec::new(),
            listeners: Vec::new(),
            heard,
            peers,
            nodes_each,
            timeout: settings.peer_timeout,
        };
        for process in 0..processes {
            let join = Join {
                job,
                build: build(),
                first: (process * nodes_each) as u64,
                nodes: nodes_each as u64,
                calls: settings.calls,
                order: settings.order.map(str::to_owned),
                terms: terms.to_string(),
                beat_ns: beat.as_nanos() as u64,
                traced: terms.launch.trace.is_some(),
            };
            let started = launcher.add(job, join, problems.as_ref(), to.clone());
            started.map_err(|error| {
                launcher.end();
                host(format!(
                    "the host refuses process {process} of {processes}: {error}; expected fewer --nodes, or more in each process"
                ))
            })?;
        }
        Ok(launcher)
    }

    /// Starts a process, hands it the problems of the run, and listens to it.
    fn add(
        &mut self,
        job: u128,
        join: Join,
        problems: Option<&FrozenFile>,
        to: Sender<Heard>,
    ) -> io::Result<()> {
        let (here, there) = UnixStream::pair()?;
        let mut arguments = std::env::args_os();
        let mut command = Command::new("/proc/self/exe");
        command.arg0(arguments.next().unwrap_or_default()).args(arguments);
        command
            .env(MARK, mark(std::process::id(), job))
            .stdin(Stdio::from(OwnedFd::from(there)))
            .stdout(Stdio::null());
        let process = self.children.len();
        self.children.push(command.spawn()?);
        // The end of the process is in the child alone.
        drop(command);
        let socket = Arc::new(Socket::new(here));
        self.sockets.push(Arc::clone(&socket));
        // A process that has gone is heard of by the end of its socket.
        let problems: Vec<_> = problems.map(FrozenFile::descriptor).into_iter().collect();
        _ = socket.send_with(&ToProcess::Join(join), &problems);
        let listener = thread::Builder::new().name(format!("listens to process {process}"));
        self.listeners.push(listener.spawn(move || {
            loop {
                let heard = socket.receive();
                let is_last = !matches!(heard, Ok(Some(_)));
                if to.send((process, heard)).is_err() || is_last {
                    return;
                }
            }
        })?);
        Ok(())
    }

    /// Sends a message to each process.
    fn tell_all(&self, message: &ToProcess, descriptors: &[BorrowedFd<'_>]) {
        // A process that has gone is heard of by the end of its socket.
        self.sockets.iter().for_each(|socket| _ = socket.send_with(message, descriptors));
    }

    /// Listens until all processes have left, or the rest are given up.
    fn run(&mut self, terms: &Terms<'_>) -> Result<Outcome, Failure> {
        let processes = self.children.len();
        let mut run = Run {
            settled: (0..processes).map(|_| None).collect(),
            stillness: None,
            stopped: None,
            left: (0..processes).map(|_| None).collect(),
            failure: None,
            lost: None,
            stalled: None,
        };
        let (mut last, mut judged) = (Instant::now(), Instant::now());
        while !self.peers.have_left() {
            let pause = run.stillness.as_ref().map_or(self.beat(), |still| still.pause().min(self.beat()));
            match self.heard.recv_timeout(pause) {
                Ok((process, Ok(Some((message, files))))) => {
                    self.hear(&mut run, terms, process, message, files);
                }
                Ok((process, Ok(None))) => self.lose(&mut run, process),
                Ok((process, Err(error))) if is_ended(&error) => self.lose(&mut run, process),
                Ok((process, Err(error))) => self.refuse(&mut run, process, &error.to_string()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let now = Instant::now();
            if let Some(lost) = self.peers.look(now - last) {
                self.lose(&mut run, lost);
            }
            last = now;
            if run.stillness.as_ref().is_some_and(|still| now - judged >= still.pause()) {
                judged = now;
                self.judge(&mut run);
            }
            let is_over = |stopped: &Stopped| {
                stopped.stage != Stage::Ended && now - stopped.noted > GRACE + self.timeout
            };
            if run.stopped.as_ref().is_some_and(is_over) {
                break;
            }
        }
        run.ended(terms)
    }

    fn beat(&self) -> Duration {
        Peers::beat(self.timeout)
    }

    /// Acts on a message of a process.
    fn hear(
        &mut self,
        run: &mut Run,
        terms: &Terms<'_>,
        process: usize,
        message: FromProcess,
        mut files: Vec<OwnedFd>,
    ) {
        self.peers.hear(process);
        match message {
            FromProcess::Beat(progress) => self.peers.note_progress(process, progress),
            FromProcess::Settled(exports)
                if self.peers.has_only(process, Milestone::Started)
                    && exports.len() == self.nodes_of(process, terms) =>
            {
                run.settled[process] = files.pop().map(|file| (exports, file));
                if self.peers.reach(process, Milestone::Settled) {
                    self.connect(run, terms);
                }
            }
            FromProcess::Arrived if self.peers.has_only(process, Milestone::Settled) => {
                if self.peers.reach(process, Milestone::Arrived) && run.stopped.is_none() {
                    self.tell_all(&ToProcess::Go(monotonic_ns()), &[]);
                    run.stillness = Some(Stillness::new(self.peers.progress(), terms.launch.stall_limit));
                }
            }
            FromProcess::Refused(cause) => {
                self.peers.reach(process, Milestone::Left);
                self.fail(run, cause.failure());
            }
            FromProcess::Stopped(stage, at) if stage != Stage::Running => self.stop(run, stage, at),
            FromProcess::Left(left)
                if left.records.as_ref().is_none_or(|of| of.len() == self.nodes_of(process, terms)) =>
            {
                self.peers.reach(process, Milestone::Left);
                run.left[process] = Some(*left);
            }
            FromProcess::Settled(_)
            | FromProcess::Arrived
            | FromProcess::Stopped(..)
            | FromProcess::Left(_) => {
                self.refuse(run, process, "the message does not fit the step that the process has come to");
            }
        }
    }

    /// Number of nodes of a process.
    fn nodes_of(&self, process: usize, terms: &Terms<'_>) -> usize {
        self.nodes_each.min(terms.launch.nodes as usize - process * self.nodes_each)
    }

    /// Ends the run because of bytes of a process that are no message, or a message that it must not send. Gives the process up.
    fn refuse(&mut self, run: &mut Run, process: usize, why: &str) {
        if self.peers.has_only(process, Milestone::Left) {
            return;
        }
        self.peers.reach(process, Milestone::Left);
        _ = self.children[process].kill();
        self.fail(
            run,
            Failure::Refused(Refusal::Host(format!("process {process} is not understood: {why}"))),
        );
    }

    /// Tells each process of the memory of all, if they have installed one program.
    fn connect(&mut self, run: &mut Run, terms: &Terms<'_>) {
        let settled: Option<Vec<_>> = std::mem::take(&mut run.settled).into_iter().collect();
        let Some(settled) = settled else {
            return self.fail(run, Failure::Program("a process has no file for its memory".to_owned()));
        };
        let (exports, files): (Vec<_>, Vec<_>) = settled.into_iter().unzip();
        let exports: Vec<NodeExports> = exports.into_iter().flatten().collect();
        let differs =
            |(number, node): (usize, &NodeExports)| node.expect_like(number as u32, &exports[0]).err();
        if let Some(refusal) = exports.iter().enumerate().find_map(differs) {
            return self.fail(run, Failure::Refused(refusal));
        }
        if let Some(recorder) = &terms.launch.trace {
            let messages = exports[0].messages.iter().map(|name| lasting(name.clone()));
            recorder.begin(terms.cast(messages));
        }
        let files: Vec<_> = files.iter().map(AsFd::as_fd).collect();
        self.tell_all(&ToProcess::Peers(exports), &files);
    }

    /// Judges the run by its progress.
    fn judge(&mut self, run: &mut Run) {
        if run.stopped.is_some() {
            return;
        }
        let progress = self.peers.progress();
        match run.stillness.as_mut().map(|stillness| stillness.look(progress)) {
            None | Some(Judgement::Moves) => {}
            // Node 0 keeps the search.
            Some(Judgement::Still) => _ = self.sockets[0].send(&ToProcess::Search),
            Some(Judgement::Stalled { limit, since }) => {
                run.stalled = Some(limit);
                run.note_stop(Stage::Failed, 0);
                self.tell_all(&ToProcess::Stall(since.as_nanos() as u64), &[]);
            }
        }
    }

    /// Stops the run in all processes, if it still runs.
    fn stop(&mut self, run: &mut Run, stage: Stage, at: u64) {
        if run.note_stop(stage, at) {
            self.tell_all(&ToProcess::Stop(stage, at), &[]);
        }
    }

    /// Ends the run with a failure that the launcher has found.
    fn fail(&mut self, run: &mut Run, failure: Failure) {
        if run.stopped.is_none() {
            run.failure = Some(failure);
        }
        self.stop(run, Stage::Failed, u64::MAX);
    }

    /// Gives up a process whose socket has ended, or that is silent, unless it has left.
    fn lose(&mut self, run: &mut Run, process: usize) {
        if self.peers.has_only(process, Milestone::Left) {
            return;
        }
        self.peers.reach(process, Milestone::Left);
        let first = process * self.nodes_each;
        let nodes = match self.nodes_each {
            1 => NodeId(first as u32).to_string(),
            each => format!("nodes {first} to {}", first + each - 1),
        };
        let child = &mut self.children[process];
        // A process whose socket has ended is about to end; a silent process may be stopped.
        let why = match wait_briefly(child) {
            Some(status) => format!("has ended: {status}"),
            None => format!("has been silent for {} s", self.timeout.as_secs_f64()),
        };
        _ = child.kill();
        // The run may be over: then the process is missed only if no other failure ended it.
        let process = run.lost.get_or_insert_with(|| format!("process {process} ({nodes}) {why}")).clone();
        self.fail(run, Failure::Lost { process, blocked: Vec::new() });
    }

    /// Ends all processes that are left, and waits for each.
    fn end(&mut self) {
        self.sockets.iter().for_each(|socket| socket.close());
        for child in &mut self.children {
            if wait_briefly(child).is_none() {
                _ = child.kill();
            }
            _ = child.wait();
        }
        // The end of its socket ends each of them.
        self.listeners.drain(..).for_each(|listener| _ = listener.join());
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.end();
    }
}

/// The end of a process that comes within a tenth of a second.
fn wait_briefly(child: &mut Child) -> Option<std::process::ExitStatus> {
    for _ in 0..100 {
        match child.try_wait() {
            Ok(None) => thread::sleep(Duration::from_millis(1)),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
    None
}

impl Run {
    /// Notes that the run has stopped. Returns false if it had before.
    fn note_stop(&mut self, stage: Stage, at: u64) -> bool {
        let first = self.stopped.is_none();
        if first {
            self.stopped = Some(Stopped { stage, at, noted: Instant::now() });
        }
        first
    }

    /// The result of the run. Its events go to the recorder of a traced run.
    fn ended(mut self, terms: &Terms<'_>) -> Result<Outcome, Failure> {
        if let Some(recorder) = &terms.launch.trace {
            self.left.iter().flatten().for_each(|left| recorder.record(&left.events));
        }
        let blocked = self.blocked();
        let spinning = self.left.iter_mut().flatten().flat_map(|left| std::mem::take(&mut left.spinning));
        let spinning: Vec<Spinning> = spinning.map(Still::spinning).collect();
        if let Some(limit) = self.stalled {
            return Err(Failure::Stalled { limit, spinning, blocked });
        }
        match self.failure {
            Some(Failure::Lost { process, .. }) => return Err(Failure::Lost { process, blocked }),
            Some(failure) => return Err(failure),
            None => {}
        }
        if let Some(cause) = self.left.iter_mut().flatten().find_map(|left| left.failure.take()) {
            return Err(cause.failure());
        }
        let (stage, at) = self.stopped.map_or((Stage::Failed, 0), |stopped| (stopped.stage, stopped.at));
        if stage == Stage::Deadlocked {
            return Err(Failure::Deadlock { at: Time::from_nanoseconds(at), blocked });
        }
        let disposal = self.left.iter_mut().flatten().find_map(|left| left.disposal.take());
        let records: Option<Vec<_>> = self.left.into_iter().map(|left| left?.records).collect();
        match (disposal, records) {
            (Some(why), _) => Err(Failure::Program(why)),
            (None, Some(records)) => Ok(outcome(&terms.seating(), at, records.into_iter().flatten())),
            (None, None) if let Some(process) = self.lost => Err(Failure::Lost { process, blocked }),
            (None, None) => Err(Failure::Program("a process has left the run without a record".to_owned())),
        }
    }

    /// The threads of all processes that waited when the run stopped.
    fn blocked(&mut self) -> Vec<Blocked> {
        let each = self.left.iter_mut().flatten().flat_map(|left| std::mem::take(&mut left.blocked));
        let mut blocked: Vec<_> = each.collect();
        blocked.sort_by_key(|blocked| blocked.thread);
        blocked
    }
}

/// The secret of a new job.
fn job() -> u128 {
    use std::hash::{BuildHasher, RandomState};

    // Each state is made of random bits of the system.
    let half = |number: u64| u128::from(RandomState::new().hash_one(number));
    half(0) << 64 | half(1)
}

impl fmt::Debug for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launcher").field("peers", &self.peers).finish_non_exhaustive()
    }
}
