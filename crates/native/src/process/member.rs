//! A process of a world, from its start to its end.
//!
//! A process that a launcher has started finds a socket in place of its standard input, and [`MARK`] in its environment. It runs the same
//! program as the launcher's process. Where that program runs its world of processes, the process takes its part and ends with the run.
//!
//! Two control threads run beside the processors. One beats, also while handlers take long; the other acts on the launcher's messages. A
//! process whose launcher has gone ends at once.
//!
//! This module must never know the launcher's other processes but by their memory.

use std::any::Any;
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread;
use std::time::Duration;

use segment::{FrozenFile, MemorySource, SharedFile};
use tempest::entry::Problems;
use tempest::outcome::{Failure, Refusal};
use tempest::world::{Launch, panic_message};
use trace::Recorder;
use units::Time;

use crate::fences::between_processes;
use crate::lock::lock;
use crate::measure::outcome::records;
use crate::parts::settling::{Settled, Terms};
use crate::parts::world::{Stage, World};
use crate::process::memory::{Home, Neighbourhood, Peer};
use crate::process::orders::{Cause, FromProcess, Join, Left, NodeExports, Still, ToProcess};
use crate::process::refusals::{no_file, no_thread};
use crate::process::socket::Socket;
use crate::runner::os_threads::{Farewell, Processors, last_grace, progress, running};

/// The variable of the environment that a launcher sets for its processes.
pub(crate) const MARK: &str = "TRADEWIND_PROCESS";

/// Interval at which a process looks whether its run has stopped.
const LOOK: Duration = Duration::from_millis(20);

/// Time in which the launcher's first message comes: the launcher sends it at once.
const PATIENCE: Duration = Duration::from_secs(5);

/// This process as a part of a world of processes.
pub struct Member {
    socket: Arc<Socket>,
    join: Join,
    problems: Problems,
    running: Arc<OnceLock<Running>>,
    /// The launcher's messages that prepare the run, with their descriptors.
    prepared: Mutex<Receiver<(ToProcess, Vec<OwnedFd>)>>,
}

/// The run, once its nodes are connected.
struct Running {
    world: Weak<World>,
    /// Number of threads of each computing processor.
    threads: u32,
    /// The threads that ran without progress when the run had stalled.
    stalled: OnceLock<Vec<Still>>,
}

/// This process's part in a world of processes; `None` if no launcher has started it. The first call receives the launcher's message.
///
/// # Errors
/// The environment has a mark that is none; or a launcher has started the process, and its message is none, or of another executable. The
/// error is one line.
pub fn member() -> Result<Option<&'static Member>, &'static str> {
    static MEMBER: OnceLock<Result<Option<Member>, String>> = OnceLock::new();
    let member = MEMBER.get_or_init(|| marked().and_then(|job| job.map(Member::joined).transpose()));
    member.as_ref().map(Option::as_ref).map_err(String::as_str)
}

/// The job of the launcher that has started this process: the process has the launcher's mark, and the launcher is its parent. `None` for a
/// process that a member has started, which inherits the mark.
///
/// # Errors
/// If the mark is none.
fn marked() -> Result<Option<u128>, String> {
    let Some(text) = std::env::var_os(MARK) else { return Ok(None) };
    let parts = text.to_str().and_then(|text| text.split_once(':'));
    let parts = parts.and_then(|(launcher, job)| {
        Some((launcher.parse::<u32>().ok()?, u128::from_str_radix(job, 16).ok()?))
    });
    match parts {
        Some((launcher, job)) if mark(launcher, job).as_str() == text => {
            Ok((launcher == std::os::unix::process::parent_id()).then_some(job))
        }
        _ => Err(format!("{MARK} is {text:?}, which is no mark of a launcher; {EXPECTED}")),
    }
}

/// The expectation in the error of a process that no launcher has started as it should.
const EXPECTED: &str = "expected only Tradewind to set TRADEWIND_PROCESS, for the processes that it starts";

/// Tells the launcher why the host does not let this process take part in the run, and ends it.
fn refuse(socket: &Socket, why: &str) -> ! {
    let why = Refusal::Host(why.to_owned());
    // A launcher that has gone needs no reason.
    _ = socket.send(&FromProcess::Refused(Cause::of(&Failure::Refused(why))));
    std::process::exit(1);
}

/// A message of the launcher with its descriptors; `None` at the end of the socket.
type Heard = io::Result<Option<(ToProcess, Vec<OwnedFd>)>>;

/// The first message of the socket.
///
/// # Errors
/// If none comes within [`PATIENCE`]. The time is counted in looks, so a job that is stopped for a while loses none.
fn first_message(socket: &Arc<Socket>) -> Result<Heard, String> {
    let (to, first) = channel();
    let receiver = Arc::clone(socket);
    let receive = move || _ = to.send(receiver.receive());
    if let Err(error) = thread::Builder::new().name("first message".to_owned()).spawn(receive) {
        refuse(socket, &no_thread(&error));
    }
    for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
        match first.recv_timeout(LOOK) {
            Err(RecvTimeoutError::Timeout) => {}
            heard => return Ok(heard.unwrap_or(Ok(None))),
        }
    }
    Err(format!("the socket at the standard input brings no message of a launcher; {EXPECTED}"))
}

impl Member {
    /// Takes the socket from the standard input, and the launcher's first message from it.
    fn joined(job: u128) -> Result<Self, String> {
        let bad = |error: io::Error| format!("no launcher at the standard input: {error}; {EXPECTED}");
        let socket = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3).map_err(|error| bad(error.into()))?;
        let socket = Arc::new(Socket::new(UnixStream::from(socket)));
        let null: OwnedFd = std::fs::File::open("/dev/null").map_err(bad)?.into();
        rustix::stdio::dup2_stdin(&null).map_err(|error| bad(error.into()))?;
        let (join, mut files) = match first_message(&socket)?.map_err(bad)? {
            Some((ToProcess::Join(join), files)) => (join, files),
            Some(_) => return Err(format!("the launcher's first message is another; {EXPECTED}")),
            None => return Err(format!("the socket at the standard input is closed; {EXPECTED}")),
        };
        if join.job != job {
            return Err(format!("the launcher at the standard input has another job; {EXPECTED}"));
        }
        if join.build != build() {
            return Err(format!("the launcher at the standard input is another executable; {EXPECTED}"));
        }
        let problems = files.pop().map(FrozenFile::adopt).transpose().map_err(bad)?;
        let problems = problems.map_or_else(Problems::default, Problems::received);
        let (to, prepared) = channel();
        let member = Self { socket, join, problems, running: Arc::default(), prepared: Mutex::new(prepared) };
        if let Err(error) = member.beat().and_then(|()| member.obey(to)) {
            refuse(&member.socket, &no_thread(&error));
        }
        Ok(member)
    }

    /// The run as the launcher's command describes it; `None` where the program reaches the run by itself.
    pub fn order(&self) -> Option<&str> {
        self.join.order.as_deref()
    }

    /// The [problems](Launch::problems) that the launcher has made for the run.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// The number of worlds of processes that the launcher has run before.
    pub(crate) fn calls(&self) -> u64 {
        self.join.calls
    }

    /// Beats on a thread of its own, as long as the process lives.
    fn beat(&self) -> io::Result<()> {
        let (socket, running) = (Arc::clone(&self.socket), Arc::clone(&self.running));
        let pause = Duration::from_nanos(self.join.beat_ns);
        let beat = move || {
            let world = || running.get().and_then(|running| running.world.upgrade());
            let beat = || FromProcess::Beat(world().map_or(0, |world| progress(&world)));
            while socket.send(&beat()).is_ok() {
                thread::sleep(pause);
            }
        };
        thread::Builder::new().name("beat".to_owned()).spawn(beat).map(drop)
    }

    /// Acts on the launcher's messages, on a thread of its own. Messages that prepare the run go to the thread that waits for them.
    fn obey(&self, to: Sender<(ToProcess, Vec<OwnedFd>)>) -> io::Result<()> {
        let (socket, running) = (Arc::clone(&self.socket), Arc::clone(&self.running));
        let obey = move || {
            let receive = || {
                let received = socket.receive();
                received.unwrap_or_else(|error| {
                    refuse(&socket, &format!("a process cannot read a message of the launcher: {error}"))
                })
            };
            while let Some((message, descriptors)) = receive() {
                match (message, running.get()) {
                    (message @ (ToProcess::Peers(_) | ToProcess::Go(_)), _) => {
                        _ = to.send((message, descriptors))
                    }
                    (message, Some(running)) => running.obey(message),
                    // The run is over before it began.
                    (ToProcess::Stop(..) | ToProcess::Stall(_), None) => std::process::exit(0),
                    (ToProcess::Join(_) | ToProcess::Search, None) => {}
                }
            }
            // The launcher has gone.
            std::process::exit(1);
        };
        thread::Builder::new().name("control".to_owned()).spawn(obey).map(drop)
    }

    /// Takes the process's part in a run, and ends the process.
    pub(crate) fn run(&self, terms: &Terms<'_>) -> ! {
        let recorder = self.join.traced.then(|| Recorder::memory(usize::MAX));
        let launch = &Launch { trace: recorder.clone(), ..terms.launch.clone() };
        let terms = &Terms { launch, ..*terms };
        let connected = catch_unwind(AssertUnwindSafe(|| self.connected(terms)));
        match connected.unwrap_or_else(|panic| Err(panicked("being connected", &*panic))) {
            Ok(world) => {
                let disposal = world.disposal();
                let mut left = self.runs(&world, terms.launch);
                // The program's state is dropped with the last handle of the world.
                drop(world);
                left.disposal = disposal.panic().map(str::to_owned);
                left.events = recorder.map_or_else(Vec::new, |recorder| recorder.events());
                self.tell(&FromProcess::Left(Box::new(left)));
            }
            Err(failure) => self.tell(&FromProcess::Refused(Cause::of(&failure))),
        }
        std::process::exit(0);
    }

    /// Tells the launcher. A process whose launcher has gone ends.
    fn tell(&self, message: &FromProcess) {
        self.tell_with(message, &[]);
    }

    fn tell_with(&self, message: &FromProcess, descriptors: &[std::os::fd::BorrowedFd<'_>]) {
        if self.socket.send_with(message, descriptors).is_err() {
            std::process::exit(1);
        }
    }

    /// The launcher's next message that prepares the run.
    fn next(&self) -> (ToProcess, Vec<OwnedFd>) {
        // The sender lives as long as the process.
        lock(&self.prepared).recv().unwrap_or_else(|_| std::process::exit(1))
    }

    /// Installs the job on the process's nodes and connects them.
    fn connected(&self, terms: &Terms<'_>) -> Result<Arc<World>, Failure> {
        let host = |error: io::Error| Failure::Refused(Refusal::Host(error.to_string()));
        if terms.to_string() != self.join.terms {
            let (here, there) = (terms, &self.join.terms);
            let why = format!(
                "a process runs {here}, and its launcher {there}: expected a program that always makes equal runs"
            );
            return Err(Failure::Refused(Refusal::Host(why)));
        }
        let own = own(&self.join, terms)?;
        let file = SharedFile::new().map_err(|error| Failure::Refused(no_file(&error)))?;
        let file = Arc::new(file);
        let settled = Settled::new(terms, own, &MemorySource::Shared(Arc::clone(&file)))?;
        let homes = Home::of(terms, &settled, &file).map_err(host)?;
        file.seal().map_err(host)?;
        let exports = homes.iter().map(|home| home.exports().clone()).collect();
        self.tell_with(&FromProcess::Settled(exports), &[file.descriptor()]);
        let (ToProcess::Peers(exports), files) = self.next() else { std::process::exit(1) };
        let files = files.into_iter().map(SharedFile::adopt).collect::<io::Result<Vec<_>>>().map_err(host)?;
        let each = self.join.nodes as usize;
        expect_complete(terms, &exports, &files, each).map_err(host)?;
        let peer = |node: usize| Peer { file: &files[node / each], exports: &exports[node] };
        let all = Neighbourhood::map(terms, &settled, &homes, peer).map_err(host)?;
        let (links, parkers) = all.links(terms, &settled, homes);
        Ok(Arc::new(World::new(terms, settled, links, parkers, between_processes(terms.sleep_is_rare()))))
    }

    /// Runs the process's nodes. Returns their end.
    fn runs(&self, world: &Arc<World>, launch: &Launch) -> Left {
        let processors = Processors::start(world, launch);
        self.tell(&FromProcess::Arrived);
        let (ToProcess::Go(at), _) = self.next() else { std::process::exit(1) };
        let stalled = OnceLock::new();
        let running = Running { world: Arc::downgrade(world), threads: launch.threads, stalled };
        let running = self.running.get_or_init(|| running);
        world.start_clock(at);
        processors.release();
        let farewell = self.await_end(world, &processors);
        if farewell == Farewell::Joined {
            processors.join();
        }
        let mut blocked = std::mem::take(&mut *lock(&world.blocked));
        blocked.sort_by_key(|blocked| blocked.thread);
        let mut left = Left {
            records: None,
            failure: None,
            blocked,
            spinning: Vec::new(),
            disposal: None,
            events: Vec::new(),
        };
        match world.take_failure() {
            _ if let Some(spinning) = running.stalled.get() => left.spinning.clone_from(spinning),
            Some(failure) => left.failure = Some(Cause::of(&failure)),
            None if world.stage() == Stage::Ended && farewell == Farewell::Joined => {
                let records = catch_unwind(AssertUnwindSafe(|| records(world, world.running_ns())));
                match records.unwrap_or_else(|panic| Err(panicked("giving its records", &*panic))) {
                    Ok(records) => left.records = Some(records),
                    Err(failure) => left.failure = Some(Cause::of(&failure)),
                }
            }
            None => {}
        }
        left
    }

    /// Waits until the processors are gone. Tells the launcher as soon as the run has stopped here.
    fn await_end(&self, world: &World, processors: &Processors) -> Farewell {
        loop {
            let gone = processors.sees_off(LOOK);
            let stage = world.stage();
            if stage != Stage::Running {
                self.tell(&FromProcess::Stopped(stage, world.running_ns()));
                // Once more: other processes can write to the words on which these processors sleep.
                world.wake_all();
            }
            match stage {
                _ if gone => return Farewell::Joined,
                Stage::Failed | Stage::Deadlocked => return last_grace(processors),
                Stage::Running | Stage::Ended => {}
            }
        }
    }
}

impl Running {
    /// Acts on a message of the launcher.
    fn obey(&self, message: ToProcess) {
        let Some(world) = self.world.upgrade() else { return };
        match message {
            ToProcess::Search => world.ask_for_the_end(),
            ToProcess::Stop(stage, at) => {
                world.stop_at(stage, Time::from_nanoseconds(at));
            }
            ToProcess::Stall(since) => {
                let spinning = running(&world, self.threads, Duration::from_nanos(since));
                _ = self.stalled.set(spinning.iter().filter_map(Still::of).collect());
                world.stop_at(Stage::Failed, world.now());
            }
            ToProcess::Join(_) | ToProcess::Peers(_) | ToProcess::Go(_) => {}
        }
    }
}

/// The failure of a process that panicked outside its threads and handlers.
fn panicked(doing: &str, panic: &(dyn Any + Send)) -> Failure {
    Failure::Program(format!("a process panicked while {doing}: {}", panic_message(panic)))
}

/// The numbers of the process's nodes.
fn own(join: &Join, terms: &Terms<'_>) -> Result<Range<usize>, Failure> {
    let first = usize::try_from(join.first).ok();
    let nodes = terms.launch.nodes as usize;
    let own =
        first.filter(|first| *first < nodes).map(|first| first..(first + join.nodes as usize).min(nodes));
    own.ok_or_else(|| Failure::Refused(Refusal::Host(format!("no node {} among {nodes}", join.first))))
}

/// Checks that each node of a world has its places in a file.
fn expect_complete(
    terms: &Terms<'_>,
    exports: &[NodeExports],
    files: &[SharedFile],
    each: usize,
) -> io::Result<()> {
    let nodes = terms.launch.nodes as usize;
    if exports.len() == nodes && files.len() == nodes.div_ceil(each) {
        return Ok(());
    }
    Err(io::Error::other("the launcher names another number of nodes or files"))
}

/// The mark of the processes of a job, whose launcher has this number.
pub(crate) fn mark(launcher: u32, job: u128) -> String {
    format!("{launcher}:{job:032x}")
}

/// The identity of this executable: its file and the time of its last change, in a hash.
pub(crate) fn build() -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    use std::os::unix::fs::MetadataExt;

    let mut hash = DefaultHasher::new();
    let file = std::fs::metadata("/proc/self/exe").ok();
    let parts =
        file.map(|file| [file.dev(), file.ino(), file.len(), file.mtime() as u64, file.mtime_nsec() as u64]);
    parts.hash(&mut hash);
    hash.finish()
}
