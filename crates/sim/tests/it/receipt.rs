//! Ways of events to processors: several network processors, endpoints of computing processors, a dispatch queue that
//! spills, and the price of a receipt after an interrupt.

use machine::Machine;
use tempest::outcome::{Failure, Outcome};
use tempest::world::{Launch, World};
use tempest::{
    Event, FinalState, Handler, Job, NodeId, Operations, Policy, Protocol, Report, Setup, Thread, handlers,
};
use trace::Recorder;
use tradewind_sim::Model;
use units::Time;

use crate::setup::{assisted, machine, unlocked, without_shared_memory};

/// The messages of each sender.
const MESSAGES: u64 = 64;

/// All nodes but the first send to the first, whose threads wait or compute. Messages have many different keys, and
/// their handlers take a while.
struct Incast {
    received: Event,
    computes: bool,
}

impl Protocol for Incast {
    type Config = bool;
    fn install(computes: &bool, _: &mut Setup<'_>) -> Self {
        Self { received: Event::new("messages"), computes: *computes }
    }
}

#[handlers]
impl Incast {
    #[message(key = key)]
    fn take(&self, key: u64, cx: &mut Handler<'_>) {
        let _ = key;
        cx.charge(Operations::NONE.integers(2000));
        cx.signal(&self.received, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let all = MESSAGES * u64::from(thread.nodes() - 1);
        match (thread.node().0, thread.index()) {
            (0, 0) if self.computes => {
                thread.charge(Operations::NONE.integers(4_000_000));
                thread.wait(&self.received, all);
            }
            (0, 0) => thread.wait(&self.received, all),
            (0, _) => {}
            (node, 0) => {
                let keys = u64::from(node) * MESSAGES..;
                keys.take(MESSAGES as usize).for_each(|key| thread.send(NodeId(0), Self::take(key)));
            }
            _ => {}
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

fn launch(policy: &str, processors: u32, computes: bool) -> Launch {
    let policy = policy.parse().expect("a policy");
    Launch { nodes: 4, processors, ..Launch::new(Job::new::<Incast>(computes), policy) }
}

fn run(machine: &Machine, policy: &str, processors: u32, computes: bool) -> Outcome {
    Model::new(machine.clone()).run(&launch(policy, processors, computes)).expect("it runs")
}

/// Time of the first run as a multiple of the second's.
fn ratio(first: &Outcome, second: &Outcome) -> f64 {
    first.time.as_seconds() / second.time.as_seconds()
}

#[test]
fn three_network_processors_serve_three_nodes_three_times_as_fast_as_one() {
    let with = |count| run(&assisted(&[("network_processor.count", count)]), "np", 1, false);
    let (one, three) = (with("1"), with("3"));
    assert!(ratio(&one, &three) > 2.0, "{} and {}", one.time, three.time);
    assert_eq!(one.counters.handlers, three.counters.handlers);
}

#[test]
fn a_trace_has_a_track_for_each_network_processor() {
    for count in ["1", "3"] {
        let recorder = Recorder::perfetto(std::io::sink());
        let launch = Launch { trace: Some(recorder.clone()), ..launch("np", 1, false) };
        Model::new(assisted(&[("network_processor.count", count)])).run(&launch).expect("it runs");
        let summary = recorder.finish().expect("a sink takes everything");
        assert!(summary.events > 0 && summary.lost == 0, "{summary:?}");
    }
}

#[test]
fn more_network_processors_than_a_run_can_have_are_refused() {
    let model = Model::new(assisted(&[("network_processor.count", "65536")]));
    let refused = model.run(&launch("np", 1, false)).expect_err("more processors than numbers");
    assert!(refused.to_string().contains("processors on one node in all"), "{refused}");
}

#[test]
fn messages_stay_in_order_with_several_network_processors() {
    for set in [
        &[("network_processor.count", "2")][..],
        &[("network_processor.count", "3"), ("handoff.visible", "5 us")],
        &[("network_processor.count", "2"), ("network_processor.primitives.extract", "20 us")],
    ] {
        let world = Model::new(assisted(set));
        for policy in ["np", "proc", "inject", "receive"] {
            let policy: Policy = policy.parse().expect("a policy");
            for processors in [1, 3] {
                let setting = conformance::Setting { world: &world, policy: &policy, nodes: 5, processors };
                conformance::order_of_a_stream(&setting);
                conformance::order_across_threads(&setting);
                conformance::order_across_handlers(&setting);
                conformance::order_across_holds(&setting);
            }
        }
        conformance::run(&without_shared_memory(), &world, &["np", "receive"], 3, 2);
    }
}

const ENDPOINTS: (&str, &str) = ("interface.endpoints", "\"processor\"");

#[test]
fn four_processors_with_an_endpoint_each_serve_side_by_side() {
    let shared = run(&machine("hurricane-1", &[]), "floating", 4, false);
    let each = run(&machine("hurricane-1", &[ENDPOINTS]), "floating", 4, false);
    assert!(ratio(&shared, &each) > 2.5, "{} and {}", shared.time, each.time);
    assert_eq!(shared.counters.handlers, each.counters.handlers);
}

#[test]
fn every_promise_holds_where_each_processor_polls_its_own_endpoint() {
    let model = Model::new(machine("hurricane-1", &[ENDPOINTS]));
    let policies = &["floating", "floating+interrupt", "single"];
    conformance::run(&without_shared_memory(), &model, policies, 3, 2);
}

#[test]
fn a_policy_whose_servers_poll_no_endpoint_is_refused() {
    let model = Model::new(machine("hurricane-1", &[ENDPOINTS]));
    let refused = model.run(&launch("adaptive", 4, false)).expect_err("roles change, and endpoints do not");
    let Failure::Refused(why) = refused else { panic!("{refused}") };
    assert!(why.to_string().contains("have no endpoint of machine `hurricane-1`"), "{why}");
}

#[test]
fn dedicated_processors_with_an_endpoint_each_serve_side_by_side() {
    let with = |policy| run(&machine("hurricane-1", &[ENDPOINTS]), policy, 8, false);
    let (one, four) = (with("fixed:1"), with("fixed:4"));
    assert!(ratio(&one, &four) > 2.5, "{} and {}", one.time, four.time);
}

#[test]
fn computing_processors_have_endpoints_beside_network_processors() {
    let model = Model::new(unlocked(&[ENDPOINTS, ("network_processor.count", "2")]));
    conformance::run(&without_shared_memory(), &model, &["np", "proc", "inject", "receive"], 3, 3);
    // Two network processors hand user messages over side by side, to the endpoint that the key says.
    let runs = ("network_processor.runs", "reply, acknowledge");
    let set = [ENDPOINTS, ("network_processor.count", "2"), runs];
    let with = |processors| run(&unlocked(&set), "np", processors, false);
    let (one, four) = (with(1), with(4));
    assert!(ratio(&one, &four) > 2.0, "{} and {}", one.time, four.time);
    assert_eq!(one.counters.handlers, four.counters.handlers);
}

#[test]
fn an_event_that_has_spilled_is_fetched_while_earlier_ones_run() {
    let with = |capacity, spill| {
        let set = [("queue.window", "1"), ("queue.capacity", capacity), ("queue.spill", spill)];
        run(&machine("hurricane-1", &set), "hurricane-1:1", 2, false).time
    };
    assert_eq!(with("1024", "20 us"), with("1024", "0 us"), "all events find room");
    // A handler takes 5 us at least, and the fetch of the next event begins with it.
    assert_eq!(with("1", "4 us"), with("1", "0 us"));
    let longer = with("1", "20 us") - with("1", "0 us");
    let (least, most) = (Time::from_microseconds(13 * MESSAGES), Time::from_microseconds(3 * 15 * MESSAGES));
    assert!(longer > least && longer < most, "{longer} longer for {least} to {most}");
    assert_eq!(with("8", "20 us"), with("8", "0 us"), "seven handlers take longer than a fetch");
}

/// A queue whose file states no price of spilled events fetches them as lines from memory, and the run reports their
/// number.
#[test]
fn what_spills_has_a_price_and_is_counted() {
    let with = |capacity, spill| {
        let set = [("queue.window", "1"), ("queue.capacity", capacity), ("memory.read", "20 us")];
        let mut machine = machine("hurricane-1", &set);
        machine.queue.spill = spill;
        run(&machine, "hurricane-1:1", 2, false)
    };
    let (full, roomy) = (with("1", None), with("1024", None));
    assert_eq!(roomy.dispatching.spilled, 0, "all events find room");
    // The last of the events may find the queue empty.
    assert!((MESSAGES..3 * MESSAGES).contains(&full.dispatching.spilled), "{:?}", full.dispatching);
    assert_eq!(full.time, with("1", Some(Time::from_microseconds(20))).time, "a line from memory");
    assert!(full.time > with("1", Some(Time::ZERO)).time);
}

#[test]
fn handlers_inside_the_device_take_as_long_as_the_clock_there_says() {
    let with =
        |clock| run(&machine("hurricane", &[("embedded_processor.clock", clock)]), "hurricane:1", 1, false);
    let (fast, slow) = (with("400 MHz"), with("200 MHz"));
    // Nothing but the handlers limits this run, and 2000 operations are most of each.
    assert!((1.8..2.05).contains(&ratio(&slow, &fast)), "{} and {}", slow.time, fast.time);
    let network = |clock| run(&assisted(&[("network_processor.clock", clock)]), "np", 1, false);
    let (fast, slow) = (network("400 MHz"), network("200 MHz"));
    assert!((1.8..2.05).contains(&ratio(&slow, &fast)), "{} and {}", slow.time, fast.time);
}

#[test]
fn a_receipt_after_an_interrupt_has_a_price_of_its_own() {
    let with = |price| machine("alewife", &[("primitives.dispatch_interrupt", price)]);
    let (cheap, dear) = (with("51 cycles"), with("151 cycles"));
    let [cheap_run, dear_run] = [&cheap, &dear].map(|machine| run(machine, "single+interrupt", 1, true));
    let interrupts = dear_run.counters.interrupts;
    assert!(interrupts > 0);
    assert!(dear_run.time > cheap_run.time, "{} and {}", dear_run.time, cheap_run.time);
    let [cheap, dear] = [&cheap, &dear].map(|machine| run(machine, "single", 1, true).time);
    assert_eq!(cheap, dear, "a processor that polls is not interrupted");
}

#[test]
fn a_processor_that_waits_pays_for_interrupts_too() {
    let with = |interrupt| {
        run(&machine("alewife", &[("processor.interrupt", interrupt)]), "single+interrupt", 1, false)
    };
    let (free, dear) = (with("0 cycles"), with("200 cycles"));
    assert!(dear.counters.interrupts > 0, "node 0 only waits");
    assert!(dear.time > free.time, "{} and {}", dear.time, free.time);
    let single =
        |interrupt| run(&machine("alewife", &[("processor.interrupt", interrupt)]), "single", 1, false);
    let (free, dear) = (single("0 cycles"), single("200 cycles"));
    assert_eq!(
        (dear.time, dear.counters.interrupts),
        (free.time, 0),
        "a processor that polls while it waits"
    );
}

#[test]
fn each_message_interrupts_where_the_machine_says_so() {
    let with = |each, computes| {
        run(&machine("alewife", &[("processor.interrupt_each", each)]), "single+interrupt", 1, computes)
    };
    for computes in [true, false] {
        let (first, every) = (with("false", computes), with("true", computes));
        assert_eq!(every.counters.interrupts, every.counters.handlers);
        assert!(
            first.counters.interrupts * 4 < first.counters.handlers,
            "messages come faster than handlers end"
        );
        assert!(every.time > first.time, "{} and {}", every.time, first.time);
    }
}
