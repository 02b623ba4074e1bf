//! Tests that a world in which nothing happens uses hardly any processor time. They measure the CPU time and count the sleeps of this
//! process, so they have the process to themselves.

use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::time::{ClockId, clock_gettime};
use tempest::world::{Launch, World};
use tempest::{Event, FinalState, Handler, Job, NodeId, Protocol, Report, Setup, Thread, handlers};
use tradewind_native::Local;

/// Maximum share of one core that a world may use in a minute.
const SHARE: f64 = 0.01;

/// Maximum share of one core that a world may use in a short time. A world whose processors spin uses a core or more. A host can take
/// many times longer for a sleep than another.
const BRIEF_SHARE: f64 = 0.1;

/// Maximum number of sleeps of all threads of a world in a second. Naps that grow by a sixteenth, to a tenth of a second each, are about
/// 27 a second in the first ten seconds.
const SLEEPS_PER_SECOND: f64 = 100.0;

/// Policies, with the number of processors of each of two nodes. The last have more processors than most hosts have cores.
const WORLDS: &[(&str, u32)] = &[
    ("single", 1),
    ("fixed:1", 2),
    ("fixed:1+interrupt", 2),
    ("floating", 1),
    ("floating+keyed", 2),
    ("floating+helper", 1),
    ("floating+keyed+helper", 1),
    ("fixed:1", 4),
    ("floating+helper", 4),
];

/// CPU time of this process on all cores together.
fn used() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec as u64, used.tv_nsec as u32)
}

/// The number of sleeps of all threads of this process; 0 on a system that does not count them in this place.
fn sleeps() -> u64 {
    let of = |task: fs::DirEntry| -> Option<u64> {
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok())
    };
    fs::read_dir("/proc/self/task").map_or(0, |tasks| tasks.flatten().filter_map(of).sum())
}

/// Activity of the other threads while the first thread is away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Others {
    /// They wait for its message.
    Wait,
    /// They send to its node until there is no room.
    Send,
}

/// A program whose first thread is away for a time.
struct Away {
    time: Duration,
    others: Others,
    back: Event,
}

impl Protocol for Away {
    type Config = (Duration, Others);

    fn install((time, others): &Self::Config, _: &mut Setup<'_>) -> Self {
        Self { time: *time, others: *others, back: Event::new("back") }
    }
}

#[handlers]
impl Away {
    #[message]
    fn word(&self, counts: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.back, counts);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("away");
        if thread.node() == NodeId(0) && thread.index() == 0 {
            let (since, before, slept) = (Instant::now(), used(), sleeps());
            thread::sleep(self.time);
            let share = (used() - before).as_secs_f64() / since.elapsed().as_secs_f64();
            let limit = if self.time < Duration::from_secs(60) { BRIEF_SHARE } else { SHARE };
            assert!(share < limit, "{:.2} % of a core", share * 100.0);
            let rate = (sleeps() - slept) as f64 / since.elapsed().as_secs_f64();
            assert!(rate < SLEEPS_PER_SECOND, "{rate:.0} sleeps a second");
            (0..thread.nodes()).for_each(|node| thread.send(NodeId(node), Self::word(1)));
        } else if self.others == Others::Send && thread.node() == NodeId(1) {
            (0..10_000).for_each(|_| thread.send(NodeId(0), Self::word(0)));
        }
        thread.wait(&self.back, 1);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

fn is_idle_for(time: Duration, policy: &str, processors: u32, others: Others) {
    let job = Job::new::<Away>((time, others));
    let policy = policy.parse().expect("a policy of this host");
    let launch = Launch { nodes: 2, processors, threads: 2, ..Launch::new(job, policy) };
    let outcome = Local::new().run(&launch);
    outcome.unwrap_or_else(|failure| panic!("{}, {processors}, {others:?}: {failure}", launch.policy));
}

#[test]
fn an_idle_world_uses_no_core() {
    for (policy, processors) in WORLDS {
        is_idle_for(Duration::from_millis(700), policy, *processors, Others::Wait);
    }
    // A thread that waits for room looks less and less often.
    is_idle_for(Duration::from_secs(10), "single", 1, Others::Send);
}

/// `cargo test --release -p tradewind-native --test idle minute -- --ignored`
#[test]
#[ignore = "takes a minute for each world"]
fn an_idle_world_uses_no_core_for_a_minute() {
    for (policy, processors) in WORLDS {
        for others in [Others::Wait, Others::Send] {
            is_idle_for(Duration::from_secs(60), policy, *processors, others);
        }
    }
}
