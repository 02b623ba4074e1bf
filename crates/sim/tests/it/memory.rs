//! The memory systems of the Avalanche machines: the published tables come out of running the programs, messages keep
//! their order, and every time in a machine file counts.

use machine::Machine;
use tempest::outcome::{Outcome, Refusal};
use tempest::world::{Launch, World};
use tempest::{Mechanism, Shape};
use tradewind_sim::Model;

use crate::setup::{figures, job, machine, without_shared_memory};

const MACHINES: [&str; 3] = ["avalanche-noncoherent", "avalanche-memory", "avalanche-widget"];

/// Cycles of 120 MHz in a nanosecond.
const CYCLES: f64 = 0.12;

fn run(program: &str, machine: Machine, nodes: u32, inputs: &[(&str, &str)]) -> Outcome {
    let mechanism = if program == "message-memory" { Mechanism::Bulk } else { Mechanism::Messages };
    let job = job(program, mechanism, Shape { nodes, threads: 1 }, inputs);
    let policy = "single".parse().expect("a policy");
    let launch = Launch { nodes, processors: 1, threads: 1, mechanism, ..Launch::new(job, policy) };
    let outcome = Model::new(machine).run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    outcome
}

#[test]
fn operations_cost_what_the_study_printed() {
    // Figure 2, where a miss and a page differ by machine: stated, within a cycle or 1 %.
    for (name, miss, clean, dirty) in [
        ("avalanche-noncoherent", 30.0, 273.0, 731.0),
        ("avalanche-memory", 33.0, 274.0, 799.0),
        ("avalanche-widget", 33.0, 274.0, 799.0),
    ] {
        let figures = figures(&run("memory-operations", machine(name, &[]), 2, &[]));
        let expected = [
            ("miss.ignored", 1.0),
            ("miss.used", miss),
            ("hit.used", 2.0),
            ("sync.empty", 11.0),
            ("sync.one", 31.0),
            ("flush_line", 1.0),
            ("purge_line", 1.0),
            ("flush_page.clean", clean),
            ("flush_page.dirty", dirty),
            ("purge_page", clean),
            ("purge_page.dirty", clean),
        ];
        for (figure, stated) in expected {
            let measured = figures[figure] * CYCLES;
            let allowed = f64::max(1.001, 0.01 * stated);
            assert!((measured - stated).abs() <= allowed, "{name} {figure}: {measured} for {stated}");
        }
    }
}

#[test]
fn a_load_that_the_buffer_supplies_takes_what_the_study_printed() {
    // Figure 2: a miss to the Widget, in cycles.
    let figures = figures(&run("message-memory", machine("avalanche-widget", &[]), 2, &[("bytes", "32")]));
    assert_eq!((figures["load"] * CYCLES).round(), 12.0);
    assert_eq!(figures["receiver.buffer_supplies"], 1.0);
}

#[test]
fn messages_arrive_and_are_consumed_as_the_study_printed() {
    // Figure 3: bytes, arrival, consumption.
    let stated = [
        [("32", 422.0, 50.0), ("128", 547.0, 142.0), ("4096", 4328.0, 4139.0)],
        [("32", 381.0, 53.0), ("128", 474.0, 154.0), ("4096", 3644.0, 4634.0)],
        [("32", 371.0, 22.0), ("128", 476.0, 65.0), ("4096", 3632.0, 1801.0)],
    ];
    for (name, rows) in MACHINES.into_iter().zip(stated) {
        for (bytes, arrival, consume) in rows {
            let figures = figures(&run("message-memory", machine(name, &[]), 2, &[("bytes", bytes)]));
            for (figure, stated, share) in [("arrival", arrival, 0.03), ("consume", consume, 0.04)] {
                let measured = figures[figure] * CYCLES;
                let error = measured / stated - 1.0;
                assert!(error.abs() <= share, "{name} {bytes} {figure}: {measured} for {stated}");
            }
        }
    }
}

/// Caches that do not snoop cannot share a word for nothing, and no program flushes and purges the words that processors of a node
/// share: threads, handlers on another processor, the queues between them.
#[test]
fn caches_that_only_software_keeps_coherent_are_those_of_one_processor_of_a_node() {
    let policies = ["floating", "fixed:1", "adaptive", "floating+interrupt", "floating+keyed"];
    let machine =
        machine("avalanche-noncoherent", &[("can", "poll,interrupt,transfer,deposit,keyed-dispatch")]);
    let check = |policy: &tempest::Policy, processors| {
        Model::new(machine.clone()).check_size(policy, 2, processors, 1)
    };
    let mut refused = 0;
    for policy in policies.map(|policy| policy.parse().expect("a policy")) {
        for processors in [2, 3, 8] {
            let refusal = check(&policy, processors).expect_err("several processors");
            assert!(matches!(refusal, Refusal::Incoherent { .. }), "{policy}, {processors}: {refusal}");
            refused += 1;
        }
    }
    assert_eq!(refused, 15);
    let single = "single".parse().expect("a policy");
    assert!(check(&single, 1).is_ok());
    let floating = "floating".parse().expect("a policy");
    assert!(check(&floating, 1).is_ok());
    assert_eq!(
        check(&floating, 2).expect_err("two processors").to_string(),
        "2 processors per node under policy `floating` on machine `avalanche-noncoherent`, whose caches only software keeps coherent \
         (`cache.coherence = \"software\"`): no program flushes and purges what its processors share; expected --policy single \
         --processors 1"
    );
    let job = job("contended-line", Mechanism::Messages, Shape { nodes: 2, threads: 2 }, &[]);
    let launch = Launch { nodes: 2, processors: 2, ..Launch::new(job, floating) };
    let refused = Model::new(machine).run(&launch).expect_err("a run is refused too");
    assert!(matches!(refused, tempest::outcome::Failure::Refused(Refusal::Incoherent { .. })), "{refused}");
}

#[test]
fn deposited_words_stay_in_the_buffer_where_arrived_messages_do() {
    for (name, kept) in [("avalanche-widget", true), ("avalanche-memory", false), ("avalanche", false)] {
        let inputs = [("nodes", "96"), ("degree", "3"), ("remote", "60"), ("iterations", "2")];
        let (mechanism, shape) = (Mechanism::Deposit, Shape { nodes: 2, threads: 1 });
        let job = job("em3d", mechanism, shape, &inputs);
        let launch = Launch { nodes: 2, mechanism, ..Launch::new(job, "single".parse().expect("a policy")) };
        let outcome = Model::new(machine(name, &[])).run(&launch).expect("the run ends well");
        assert!(outcome.report.verified() && outcome.counters.deposits > 0, "{name}: {:?}", outcome.report);
        assert_eq!(figures(&outcome)["lines from the interface's buffer"] > 0.0, kept, "{name}");
    }
}

#[test]
fn a_program_without_messages_does_not_notice_the_widget() {
    let [without, with] = ["avalanche", "avalanche-widget"]
        .map(|name| run("memory-operations", machine(name, &[]), 1, &[("rounds", "2")]));
    assert_eq!((without.time, &without.report), (with.time, &with.report));
}

/// Everything in cycles runs on the clocks, and the links on theirs: halved, all takes twice as long.
#[test]
fn no_time_hides_in_the_code() {
    let halved = [
        ("processor.clock", "60 MHz"),
        ("bus.clock", "60 MHz"),
        ("interface.bandwidth", "80 MB/s"),
        ("network.latency", "587.5 ns"),
        ("staging.path", "587.5 ns"),
        ("staging.port", "480 MB/s"),
    ];
    for name in MACHINES {
        for inputs in [&[("bytes", "4096")][..], &[("bytes", "40"), ("both", "1")]] {
            let whole = figures(&run("message-memory", machine(name, &[]), 2, inputs));
            let half = figures(&run("message-memory", machine(name, &halved), 2, inputs));
            for figure in ["arrival", "consume", "flush"] {
                // Cycles that are no whole femtoseconds are rounded.
                let twice = 2.0 * whole[figure];
                assert!((half[figure] - twice).abs() <= 1e-6 * twice, "{name} {figure}");
            }
        }
    }
}

#[test]
fn runs_repeat_themselves_to_the_bit_and_lose_no_time() {
    for name in MACHINES {
        let inputs = [("bytes", "1000"), ("unread", "3"), ("both", "1")];
        let outcome = run("message-memory", machine(name, &[]), 2, &inputs);
        assert_eq!(outcome, run("message-memory", machine(name, &[]), 2, &inputs));
        assert_eq!(outcome.breakdown.total(), outcome.time * 2, "{name}");
    }
}

#[test]
fn what_software_leaves_out_is_noticed_and_else_nothing_is() {
    let counted = |name: &str, careless: &str| {
        figures(&run("message-memory", machine(name, &[]), 2, &[("bytes", "128"), ("careless", careless)]))
    };
    // Four lines each: sent old, read old, written over.
    for (careless, figure) in
        [("1", "sender.stale_sends"), ("2", "receiver.stale_loads"), ("3", "receiver.overwritten")]
    {
        assert_eq!(counted("avalanche-noncoherent", careless)[figure], 4.0, "{figure}");
        for name in MACHINES {
            assert_eq!(counted(name, "0")[figure], 0.0, "{name} {figure}");
        }
    }
}

#[test]
fn unread_pages_leave_the_buffer_and_others_pass_between_their_packets() {
    let sent_whole = machine("avalanche-widget", &[("staging.interleave", "false")]);
    let unread = figures(&run("message-memory", sent_whole.clone(), 2, &[("unread", "8")]));
    // Nine pages of 32 blocks, room for 64: the first is in memory by then, 33 + 2 cycles a line.
    assert!(unread["receiver.evictions"] >= 7.0 * 128.0);
    assert_eq!((unread["consume"] * CYCLES).round(), 8.0 + 128.0 * 35.0 + 10.0);
    let inputs = [("other", "32"), ("bytes", "4096")];
    let behind = figures(&run("message-memory", sent_whole, 3, &inputs));
    let between = figures(&run("message-memory", machine("avalanche-widget", &[]), 3, &inputs));
    let alone = figures(&run("message-memory", machine("avalanche-widget", &[]), 2, &[("bytes", "32")]));
    // A packet of 136 bytes at 0.75 cycles a byte.
    assert!((between["other"] - alone["arrival"]) * CYCLES <= 102.0);
    assert!((behind["other"] - alone["arrival"]) * CYCLES > 3000.0);
}

#[test]
fn a_thread_waits_until_the_interface_takes_its_command() {
    let inputs = [("bytes", "4096"), ("unread", "8")];
    let refused = |room: &str| {
        let machine = machine("avalanche-widget", &[("interface.send_queue", room)]);
        run("message-memory", machine, 2, &inputs).counters.refused
    };
    // Twelve rounds of nine pages, commanded much faster than they go: all find room, or all but two of each nine wait.
    assert_eq!(refused("64"), 0);
    assert_eq!(refused("2"), 12 * 7);
}

#[test]
fn every_promise_of_the_waist_holds_with_staging_buffers() {
    for name in MACHINES {
        let set = [
            ("can", "poll, interrupt, transfer, deposit, keyed-dispatch"),
            ("interface.deposit", "9 cycles"),
        ];
        let model = Model::new(machine(name, &set));
        for nodes in [1, 2, 5] {
            conformance::run(&without_shared_memory(), &model, &["single", "single+interrupt"], nodes, 1);
        }
    }
}
