//! The modelled worlds keep the promises of the waist, repeat themselves to the bit, and lose no time.

use machine::Machine;
use tempest::entry::Given;
use tempest::outcome::{Failure, Outcome, Utilization};
use tempest::world::{Launch, World};
use tempest::{Job, Mechanism};
use trace::{Event, Recorder};
use tradewind_sim::Model;
use units::Time;

use crate::adders::{Adders, Poller};
use crate::every;
use crate::setup::{
    assisted, job, job_of, machine, machine_with, of_shared_memory, software, without_shared_memory,
};

/// Every policy a Hurricane-1 node can do, with and without the options that change the target or the time of
/// interrupts.
pub(crate) const POLICIES: &[&str] = &[
    "single",
    "single+interrupt",
    "single+every=8",
    "fixed:1",
    "fixed:2",
    "fixed:2+serial",
    "floating",
    "floating+keyed",
    "floating+interrupt",
    "partitioned:2",
    "proc",
    "hurricane-1:2",
    "hurricane-1-mult",
    "adaptive",
    "adaptive+serial",
    "adaptive+interrupt",
];

/// Policies of a node with a network processor.
const ASSISTED: &[&str] = &["single", "proc", "proc+every=8", "np", "inject", "receive"];

/// Policies of a node whose software switches between threads and handlers.
const SOFTWARE: &[&str] = &[
    "single",
    "fixed:1",
    "floating",
    "floating+every=8+strict",
    "floating+every=8+waiting",
    "floating+bound",
    "floating+interrupt",
    "adaptive+serial",
    "adaptive+serial+bound",
];

/// Policies that change the roles of processors, on a node that gives them reason to: a look costs it as much as a
/// handler.
const ADAPTIVE: &[&str] = &["adaptive", "adaptive+serial", "adaptive+every=8"];

/// A machine whose polls cost as much as handlers.
fn dear_looks() -> Machine {
    machine("hurricane-1", &[("processor.poll", "200 cycles")])
}

/// Every policy, each on a machine that can do it.
pub(crate) fn cases() -> impl Iterator<Item = (Machine, &'static str)> {
    let (plain, assisted, software) = (machine("hurricane-1", &[]), assisted(&[]), software(&[]));
    let plain = POLICIES.iter().map(move |policy| (plain.clone(), *policy));
    let software = SOFTWARE.iter().map(move |policy| (software.clone(), *policy));
    let adaptive = ADAPTIVE.iter().map(|policy| (dear_looks(), *policy));
    plain
        .chain(software)
        .chain(adaptive)
        .chain(ASSISTED.iter().map(move |policy| (assisted.clone(), *policy)))
}

/// A world in which all that a program does is shared memory: on a machine that runs nobody's handlers but the system's.
struct Sharing(Model);

impl World for Sharing {
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure> {
        self.0.run(&Launch { mechanism: Mechanism::SharedMemory, ..launch.clone() })
    }
}

fn launch(policy: &str, seed: u64) -> Launch {
    Launch {
        nodes: 4,
        processors: 4,
        threads: 2,
        seed,
        ..Launch::new(Job::new::<Adders>(()), policy.parse().expect("a policy of the table"))
    }
}

fn run(machine: &Machine, policy: &str, seed: u64) -> Outcome {
    let outcome = Model::new(machine.clone()).run(&launch(policy, seed)).expect("the run ends well");
    assert!(outcome.report.verified(), "{policy}: {:?}", outcome.report);
    outcome
}

#[test]
fn the_same_run_is_the_same_to_the_bit_and_another_seed_only_gives_the_same_answer() {
    for (machine, policy) in cases() {
        let outcome = run(&machine, policy, 1);
        assert_eq!(outcome, run(&machine, policy, 1), "{policy}");
        let other = run(&machine, policy, 2);
        assert_ne!(outcome.digest, other.digest, "{policy}");
        assert_eq!(outcome.report, other.report, "{policy}");
    }
}

#[test]
fn a_trace_tells_all_of_a_run_and_changes_nothing_of_it() {
    for (machine, policy) in cases() {
        let recorder = Recorder::memory(1 << 20);
        let traced = Launch { trace: Some(recorder.clone()), ..launch(policy, 1) };
        let outcome = Model::new(machine.clone()).run(&traced).expect("the run ends well");
        // A traced run keeps global order, in which nodes take more turns. Nothing else is different.
        let untraced = Outcome { events: outcome.events, ..run(&machine, policy, 1) };
        assert_eq!(outcome, untraced, "{policy}");
        let in_order = Model::new(machine.clone()).in_global_order().run(&launch(policy, 1));
        assert_eq!(outcome, in_order.expect("the run ends well"), "{policy}");
        assert_eq!(recorder.finish().unwrap().lost, 0);
        let events = recorder.events();
        let count = |of: fn(&Event) -> bool| events.iter().filter(|(_, event)| of(event)).count() as u64;
        let handlers = outcome.counters.handlers;
        assert_eq!(count(|event| matches!(event, Event::HandlerStart { .. })), handlers, "{policy}");
        assert_eq!(count(|event| matches!(event, Event::HandlerEnd { .. })), handlers, "{policy}");
        let sent = count(|event| matches!(event, Event::Send { .. }));
        assert_eq!(sent, outcome.counters.messages, "{policy}");
        let runs = count(|event| matches!(event, Event::Run { .. }));
        assert_eq!(runs, count(|event| matches!(event, Event::Leave { .. })), "{policy}");
    }
}

#[test]
fn every_instant_of_every_computing_processor_is_booked_once() {
    for (machine, policy) in cases() {
        let outcome = run(&machine, policy, 3);
        let computing: u32 = policy.parse::<tempest::Policy>().unwrap().split(4).unwrap().computing;
        assert_eq!(outcome.breakdown.total(), outcome.time * u64::from(4 * computing), "{policy}");
    }
}

#[test]
fn every_instant_of_every_protocol_processor_is_booked_once() {
    let mut kinds = std::collections::BTreeSet::new();
    for (machine, policy) in cases() {
        let outcome = run(&machine, policy, 3);
        let utilization = |resource| Utilization::find(&outcome.utilization, resource);
        for spent in &outcome.protocol {
            let entry = utilization(spent.processors).expect("what has time is listed");
            assert_eq!(spent.total(), outcome.time * u64::from(entry.count), "{policy}");
            let busy = 1.0 - spent.idle.as_seconds() / spent.total().as_seconds();
            assert!((busy - entry.mean).abs() < 1e-9, "{policy}: {busy}, {}", entry.mean);
            assert_eq!(spent.handlers.is_zero(), policy.starts_with("proc"), "{policy}: {spent:?}");
            kinds.insert(spent.processors);
        }
        let in_phases = outcome.phases.iter().flat_map(|phase| &phase.protocol);
        let of_phases = in_phases.map(|spent| spent.total()).max().unwrap_or_default();
        assert_eq!(of_phases.is_zero(), outcome.protocol.is_empty(), "{policy}");
    }
    assert!(kinds.len() >= 2, "{kinds:?}");
}

#[test]
fn every_instant_is_booked_once_by_every_mechanism() {
    for mechanism in Mechanism::ALL {
        for (machine, policy) in cases() {
            let can: Vec<_> = machine.can.iter().map(|can| can.name()).collect();
            if mechanism.check(&machine.name, &can).is_err() {
                continue;
            }
            let asked = launch(policy, 1);
            let computing = asked.policy.split(asked.processors).unwrap().computing;
            let shape = tempest::Shape { nodes: asked.nodes, threads: computing * asked.threads };
            let job = job("em3d", mechanism, shape, &[("nodes", "600")]);
            let outcome = Model::new(machine).run(&Launch { job, mechanism, ..asked }).unwrap();
            let all = outcome.time * u64::from(shape.nodes * computing);
            assert_eq!(outcome.breakdown.total(), all, "{mechanism} {policy}");
            for phase in &outcome.phases {
                let whole = phase.time * u64::from(shape.nodes * computing);
                assert_eq!(phase.breakdown.total(), whole, "{mechanism} {policy}: {}", phase.name);
            }
        }
    }
}

/// A region begins while a processor is in the middle of work that it has booked.
#[test]
fn the_parts_of_a_region_add_up_to_its_length_where_work_goes_on_across_its_ends() {
    let cases = [
        ("fft-remap", "paragon", "proc", Mechanism::Messages),
        ("fft-remap", "paragon", "proc", Mechanism::Bulk),
        ("iccg", "sparc20-myrinet", "floating", Mechanism::Messages),
    ];
    for (program, name, policy, mechanism) in cases {
        let asked = launch(policy, 1);
        let computing = asked.policy.split(asked.processors).unwrap().computing;
        let shape = tempest::Shape { nodes: asked.nodes, threads: computing * asked.threads };
        // The usual inputs of iccg have no matrix.
        let given = if program == "iccg" { every::given(program) } else { Given::default() };
        let launch = Launch { job: job_of(program, mechanism, shape, &given), mechanism, ..asked };
        let outcome = Model::new(machine(name, &[])).run(&launch).unwrap();
        for phase in &outcome.phases {
            let whole = phase.time * u64::from(shape.nodes * computing);
            assert_eq!(phase.breakdown.total(), whole, "{program} on {name}: {}", phase.name);
        }
    }
}

#[test]
fn interrupts_are_taken_only_where_the_policy_has_them() {
    for (machine, policy) in cases() {
        let interrupts = run(&machine, policy, 1).counters.interrupts;
        let expected = policy.contains("interrupt") || policy == "hurricane-1-mult";
        assert_eq!(interrupts > 0, expected, "{policy}: {interrupts} interrupts");
    }
}

#[test]
fn doubling_the_clock_period_and_every_absolute_time_doubles_the_run() {
    // Every other duration of this file is in cycles of the processors or of the bus.
    let slow = [
        ("processor.clock", "200 MHz"),
        ("bus.clock", "50 MHz"),
        ("memory.read", "315 ns"),
        ("memory.banks.latency", "195 ns"),
        ("memory.banks.read", "195 ns"),
        ("interface.bandwidth", "25.6 GB/s"),
        ("interface.engine", "400 MB/s"),
        ("network.latency", "498.125 ns"),
    ];
    let (slow, fast) = (machine("hurricane-1", &slow), machine("hurricane-1", &[]));
    for policy in POLICIES {
        let time = |machine: &Machine| Model::new(machine.clone()).run(&launch(policy, 1)).unwrap().time;
        assert_eq!(time(&slow), time(&fast) * 2, "{policy}");
    }
}

#[test]
fn a_machine_that_lacks_what_a_policy_needs_refuses_it_by_name() {
    for (policy, processors, says) in [
        ("np", 4, "network-processor"),
        ("adaptive+helper", 4, "helper-thread"),
        ("s-coma", 4, "hardware-protocol"),
        ("fixed:4", 4, "expected at least --processors 5"),
        ("single", 0, "--processors 0"),
    ] {
        let refused =
            Model::new(machine("hurricane-1", &[])).run(&Launch { processors, ..launch(policy, 1) });
        let Err(Failure::Refused(why)) = refused else { panic!("{policy}: {refused:?}") };
        assert!(why.to_string().contains(says), "{policy}: {why}");
    }
}

#[test]
fn a_thread_that_polls_for_ever_is_stopped_at_the_stall_limit() {
    let job = Job::new::<Poller>(());
    let limit = Some(Time::from_microseconds(50));
    let stalled = Model::new(machine("hurricane-1", &[])).run(&Launch {
        job,
        stall_limit: limit,
        ..launch("single", 1)
    });
    assert!(matches!(stalled, Err(Failure::Stalled { .. })), "{stalled:?}");
}

#[test]
fn every_promise_of_the_waist_holds_under_every_policy() {
    let model = Model::new(machine("hurricane-1", &[]));
    for (nodes, processors) in [(1, 3), (2, 4), (5, 3)] {
        conformance::run(&without_shared_memory(), &model, POLICIES, nodes, processors);
        conformance::run(&without_shared_memory(), &Model::new(dear_looks()), ADAPTIVE, nodes, processors);
    }
    for nodes in [1, 2, 5] {
        conformance::run(&without_shared_memory(), &Model::new(assisted(&[])), ASSISTED, nodes, 1);
    }
    // Where everything is free, everything happens at once: order must not depend on costs.
    let anywhere = &["single", "floating", "floating+keyed", "fixed:1", "adaptive", "adaptive+serial"];
    conformance::run_all(&Model::new(machine("ideal", &[])), anywhere, 3, 2);
}

#[test]
fn every_promise_of_shared_memory_holds_under_every_policy() {
    let model = Model::new(machine("hurricane-1", &[]));
    conformance::run(&of_shared_memory(), &model, POLICIES, 3, 3);
    conformance::run(&of_shared_memory(), &Model::new(dear_looks()), ADAPTIVE, 3, 3);
    let model = Model::new(machine("hurricane", &[]));
    conformance::run(&of_shared_memory(), &model, &["hurricane:1", "hurricane:4"], 3, 2);
    let model = Sharing(Model::new(machine("s-coma", &[])));
    conformance::run(&conformance::shared_memory_promises(), &model, &["s-coma"], 3, 2);
}

/// A processor takes a message in while another is slow to hand over, or to take in, the message before it.
#[test]
fn messages_stay_in_order_however_slow_a_network_processor_is() {
    for (machine, policy) in [
        (machine("paragon", &[("handoff.visible", "5 us")]), "receive"),
        (machine("t3d", &[("network_processor.primitives.hand_over", "20 us")]), "receive"),
        (machine("meiko-cs2", &[]), "np"),
        (assisted(&[("handoff.visible", "5 us")]), "np"),
        (assisted(&[("network_processor.primitives.extract", "20 us")]), "np"),
    ] {
        let (world, policy) = (Model::new(machine), policy.parse().expect("a policy"));
        for nodes in [2, 5] {
            let setting = conformance::Setting { world: &world, policy: &policy, nodes, processors: 1 };
            conformance::order_of_a_stream(&setting);
            conformance::order_across_handlers(&setting);
            conformance::order_across_holds(&setting);
            conformance::order_from_a_hold_to_a_handler(&setting);
        }
    }
}

#[test]
fn pieces_go_through_a_staging_buffer_and_over_a_bus() {
    for name in ["avalanche-widget", "avalanche-memory", "avalanche-noncoherent", "alewife", "paragon"] {
        let (world, policy) = (Model::new(machine(name, &[])), "single".parse().expect("a policy"));
        let setting = conformance::Setting { world: &world, policy: &policy, nodes: 3, processors: 1 };
        conformance::transfers_gather_and_scatter(&setting);
        conformance::transfers_of_every_length(&setting);
    }
}

/// The engine of an interface with a staging buffer refuses a packet by its receive slot, with the words of every other world.
#[test]
fn transfers_are_refused_by_the_slots_of_a_staging_interface() {
    for name in ["avalanche-widget", "avalanche-memory", "avalanche-noncoherent"] {
        let (world, policy) = (Model::new(machine(name, &[])), "single".parse().expect("a policy"));
        let setting = conformance::Setting { world: &world, policy: &policy, nodes: 3, processors: 1 };
        conformance::transfers_need_a_place(&setting);
        conformance::transfers_need_the_right(&setting);
    }
}

#[test]
fn every_promise_holds_where_a_network_processor_s_node_is_interrupted() {
    let can = ("can", "poll,interrupt,network-queue,network-processor,transfer,deposit");
    let model = Model::new(assisted(&[can, ("handoff.capacity", "1")]));
    let policies = &["proc+interrupt", "np+interrupt", "inject+interrupt", "receive+interrupt"];
    conformance::run(&without_shared_memory(), &model, policies, 3, 1);
}

/// The machines of the split-phase study, with the policies they were built for. Promises that they cannot keep are
/// left out.
#[test]
fn every_promise_holds_on_the_machines_that_studies_measured() {
    let deposits = [
        "deposits_are_counted",
        "segments_hold_words_of_every_width",
        "placement_precedes_messages",
        "deadlock_names_who_waits",
        "deadlock_of_all",
        "deadlock_of_deposits",
        "deposits_need_a_place",
        "deposits_need_the_right",
    ];
    let transfers = [
        "transfers_of_every_length",
        "transfers_need_a_place",
        "transfers_need_the_right",
        "transfers_gather_and_scatter",
        "handlers_transfer_without_waiting",
        "split_phase_is_memory",
        "split_phase_holds_words_of_four_bytes",
        "store_sync_counts_bytes",
        "all_store_sync_waits_for_stores",
    ];
    for (name, policies) in [
        ("cm-5", &["single", "proc"][..]),
        ("paragon", &["proc", "np", "inject", "receive"]),
        ("meiko-cs2", &["proc", "np"]),
        ("t3d", &["inject", "receive"]),
        ("now", &["proc", "np"]),
    ] {
        let machine = machine(name, &[]);
        let can_transfer = machine.can.contains(&machine::Capability::Transfer);
        let beyond =
            |promise: &&str| deposits.contains(promise) || !can_transfer && transfers.contains(promise);
        let world = Model::new(machine);
        for policy in policies {
            let policy = policy.parse().expect("a policy");
            let setting = conformance::Setting { world: &world, policy: &policy, nodes: 3, processors: 1 };
            let promises = without_shared_memory().into_iter().filter(|(promise, _)| !beyond(promise));
            promises.for_each(|(_, promise)| promise(&setting));
        }
    }
}

/// Deposits go by commands to an interface with a staging buffer, and shared memory is software there, beside caches that snoop or do
/// not.
#[test]
fn every_promise_holds_beside_a_staging_buffer() {
    for name in ["avalanche", "avalanche-memory", "avalanche-noncoherent", "avalanche-widget"] {
        conformance::run(conformance::promises(), &Model::new(machine(name, &[])), &["single"], 3, 1);
    }
}

/// A message that waits for room in the interface is let in when another has been read, and may have to be taken in at
/// once.
#[test]
fn a_step_that_is_over_is_not_put_off() {
    let machine = machine("meiko-cs2", &[("interface.receive_queue", "1")]);
    let (world, policy) = (Model::new(machine), "np".parse().expect("a policy"));
    let setting = conformance::Setting { world: &world, policy: &policy, nodes: 2, processors: 1 };
    conformance::split_phase_is_memory(&setting);
}

#[test]
fn every_promise_holds_however_few_requests_may_be_without_their_answer() {
    for (window, acknowledge_every) in [(1, 8), (7, 2), (16, 8)] {
        let flow = format!("\n[flow]\nwindow = {window}\nacknowledge_every = {acknowledge_every}\n");
        let model = Model::new(machine_with("hurricane-1", &flow, &[]));
        let policies = &["single", "floating+keyed", "hurricane-1:2"];
        conformance::run(&without_shared_memory(), &model, policies, 3, 2);
    }
}
