//! Runs that would never end do end, and name the threads that spin or wait; a run that only takes long is not cut off.

use machine::Machine;
use tempest::outcome::{Attempt, Failure, Outcome};
use tempest::world::{Launch, World};
use tempest::{
    Event, FinalState, Handler, Job, NodeId, Operations, Protocol, Report, Setup, Thread, handlers,
};
use tradewind_sim::Model;
use units::Time;

use crate::setup::{assisted, machine, software};

/// Behaviour of the threads.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Game {
    /// The first thread spins for a message that no thread sends; the others wait for it.
    Spin,
    /// The first thread spins for that message, and does no work between its turns.
    Turn,
    /// The first thread polls for that message, and does nothing besides.
    Poll,
    /// The first thread of each node spins for a signal that the second thread of the node would send.
    Starve,
    /// The first thread spins; the first thread of the next node computes for ten seconds and then sends.
    Compute,
    /// The threads of the first node spin for a message and do no work; the next node sends it after some work.
    TurnLate,
    /// The threads of the first node poll for that message and do nothing besides.
    PollLate,
    /// The first two nodes send each other a message many times, and spin for it.
    Bounce,
}

struct Endless {
    game: Game,
    came: Event,
}

impl Protocol for Endless {
    type Config = Game;

    fn install(&game: &Game, _: &mut Setup<'_>) -> Self {
        Self { game, came: Event::new("endless.came") }
    }
}

/// Round trips.
const ROUNDS: u64 = 20;

#[handlers]
impl Endless {
    #[message]
    fn come(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.came, 1);
    }

    /// The work of one look. Where it takes long until something comes, it is more, for the sake of this host.
    fn look(&self) -> u32 {
        if self.game == Game::Compute { 100_000 } else { 100 }
    }

    fn spin(&self, thread: &Thread<'_>, until: u64) {
        while self.came.count(thread) < until {
            thread.charge(Operations::NONE.integers(self.look()));
            thread.spin();
        }
    }

    fn poll(&self, thread: &Thread<'_>) {
        while self.came.count(thread) < 1 {
            thread.poll();
        }
    }

    fn turn(&self, thread: &Thread<'_>) {
        while self.came.count(thread) < 1 {
            thread.spin();
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("game");
        let first = thread.node().0 == 0 && thread.index() == 0;
        match self.game {
            Game::Spin if first => self.spin(thread, 1),
            Game::Turn if first => self.turn(thread),
            Game::Poll if first => self.poll(thread),
            Game::TurnLate if thread.node().0 == 0 => self.turn(thread),
            Game::PollLate if thread.node().0 == 0 => self.poll(thread),
            Game::TurnLate | Game::PollLate if thread.node().0 == 1 && thread.index() == 0 => {
                thread.charge(Operations::NONE.integers(10_000));
                thread.send(NodeId(0), Self::come());
            }
            Game::Starve if thread.index() == 0 => self.spin(thread, 1),
            Game::Starve => thread.signal(&self.came, 1),
            Game::Compute if first => self.spin(thread, 1),
            Game::Compute if thread.node().0 == 1 && thread.index() == 0 => {
                (0..1000).for_each(|_| thread.charge(Operations::NONE.integers(4_000_000)));
                thread.send(NodeId(0), Self::come());
            }
            Game::Bounce if thread.node().0 < 2 && thread.index() == 0 => {
                let with = NodeId(1 - thread.node().0);
                for round in 1..=ROUNDS {
                    if first {
                        thread.send(with, Self::come());
                    }
                    self.spin(thread, round);
                    if !first {
                        thread.send(with, Self::come());
                    }
                }
            }
            _ => {}
        }
        thread.phase("end");
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

fn play(machine: Machine, policy: &str, game: Game, threads: u32) -> Result<Outcome, Failure> {
    let policy = policy.parse().expect("a policy of the table");
    let job = Job::new::<Endless>(game);
    Model::new(machine).run(&Launch { nodes: 3, processors: 2, threads, ..Launch::new(job, policy) })
}

/// Policies under which a message is noticed in a different way, each on a machine that can do it.
pub(crate) fn cases() -> Vec<(Machine, &'static str)> {
    let plain = [
        "single",
        "single+every=0",
        "fixed:1",
        "floating",
        "floating+every=0",
        "adaptive",
        "hurricane-1-mult",
    ];
    let network = ["proc", "np", "inject", "receive"];
    // Iterators and not arrays: a machine is large, and several of them beside each other do not fit a test's stack.
    let mut cases = Vec::new();
    cases.extend(plain.into_iter().map(|policy| (machine("hurricane-1", &[]), policy)));
    cases.extend(network.into_iter().map(|policy| (machine("paragon", &[]), policy)));
    cases.extend(network.into_iter().map(|policy| (assisted(&[]), policy)));
    let dispatched = ["single", "floating", "fixed:1"].into_iter();
    cases.extend(dispatched.map(|policy| (software(&[("software_dispatch.poll_every", "50")]), policy)));
    cases.push((machine("alewife", &[]), "single+interrupt"));
    cases.push((machine("alewife", &[]), "single"));
    cases.push((machine("t3d", &[]), "inject"));
    cases
}

#[test]
fn a_thread_that_spins_while_nothing_is_under_way_ends_the_run_by_name() {
    for (machine, policy) in cases() {
        let name = machine.name.clone();
        let Err(Failure::Livelock { at, spinning, blocked }) = play(machine, policy, Game::Spin, 1) else {
            panic!("{policy} on {name}");
        };
        let [spinner] = &spinning[..] else { panic!("{policy} on {name}: {spinning:?}") };
        assert_eq!(spinner.thread.to_string(), "node 0 thread 0", "{policy} on {name}");
        assert_eq!((spinner.attempt, spinner.phase, spinner.unhandled), (Attempt::Look, Some("game"), 0));
        assert!(spinner.since < at && spinner.times > 1000, "{policy} on {name}: {spinning:?}");
        assert!(!blocked.is_empty() && blocked.iter().all(|one| one.waits_for.starts_with("phase `end`")));
    }
}

#[test]
fn threads_that_spin_for_what_comes_see_it_under_every_policy() {
    for (machine, policy) in cases() {
        let name = machine.name.clone();
        if let Err(failure) = play(machine, policy, Game::Bounce, 1) {
            panic!("{policy} on {name}: {failure}");
        }
    }
}

/// Policies on machines where a look is free.
fn free_looks() -> Vec<(Machine, &'static str)> {
    let free = |name| machine(name, &[("processor.poll", "0 ns")]);
    let mut cases: Vec<_> = ["single", "single+every=0", "fixed:1", "floating", "floating+every=0"]
        .map(|policy| (free("hurricane-1"), policy))
        .into();
    cases.push((free("paragon"), "receive"));
    cases.push((
        software(&[("software_dispatch.poll_every", "50"), ("processor.poll", "0 ns")]),
        "floating+strict",
    ));
    cases
}

/// Plays a game that must end as a livelock of one thread.
fn ends_by_name(cases: Vec<(Machine, &str)>, game: Game) {
    for (machine, policy) in cases {
        let name = machine.name.clone();
        let Err(Failure::Livelock { spinning, .. }) = play(machine, policy, game, 1) else {
            panic!("{policy} on {name}: the run ended otherwise");
        };
        let [spinner] = &spinning[..] else { panic!("{policy} on {name}: {spinning:?}") };
        assert_eq!(spinner.thread.to_string(), "node 0 thread 0", "{policy} on {name}");
    }
}

#[test]
fn a_thread_that_spins_without_work_lets_time_go_on() {
    ends_by_name(cases(), Game::Turn);
    ends_by_name(free_looks(), Game::Turn);
}

#[test]
fn a_thread_that_only_polls_for_ever_ends_the_run_by_name() {
    // Under many of these policies the polls look for nothing and take no time.
    ends_by_name(cases(), Game::Poll);
}

#[test]
fn a_thread_that_only_polls_for_ever_ends_the_run_where_looks_are_free() {
    ends_by_name(free_looks(), Game::Poll);
}

#[test]
fn threads_that_do_nothing_but_wait_in_a_loop_see_what_comes_late() {
    for (machine, policy) in cases().into_iter().chain(free_looks()) {
        for game in [Game::TurnLate, Game::PollLate] {
            let name = machine.name.clone();
            let ended = play(machine.clone(), policy, game, 1);
            let outcome = ended.unwrap_or_else(|why| panic!("{policy} on {name}, {game:?}: {why}"));
            assert!(outcome.time > Time::from_microseconds(10), "{policy} on {name}: {}", outcome.time);
        }
    }
}

#[test]
fn a_thread_that_another_one_leaves_no_processor_is_named() {
    let failure = play(machine("hurricane-1", &[]), "single", Game::Starve, 2).expect_err("nobody signals");
    let text = failure.to_string();
    assert!(text.contains("2 threads spin, 4 threads wait"), "{text}");
    assert!(text.contains("node 1 thread 0 looks for messages, "), "{text}");
    assert!(text.contains("node 1 thread 1 waits for a processor"), "{text}");
}

#[test]
fn a_thread_that_computes_for_seconds_is_waited_for() {
    for (machine, policy) in cases() {
        let name = machine.name.clone();
        let outcome =
            play(machine, policy, Game::Compute, 1).unwrap_or_else(|why| panic!("{policy} on {name}: {why}"));
        assert!(outcome.time > Time::from_microseconds(10_000_000), "{policy} on {name}: {}", outcome.time);
    }
}

#[test]
fn a_message_that_is_long_under_way_is_waited_for() {
    let slow = machine("hurricane-1", &[("network.latency", "1 ms")]);
    let outcome = play(slow, "single", Game::Bounce, 1).expect("all messages arrive");
    assert!(outcome.time > Time::from_microseconds(1_000 * ROUNDS), "{}", outcome.time);
}
