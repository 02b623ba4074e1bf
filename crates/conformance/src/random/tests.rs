//! The generator draws every construct of the language, and the oracle's verdicts agree with verdicts by hand.

use std::collections::BTreeSet;

use tempest::{NodeId, Shape, ThreadId};

use super::Case;
use super::oracle::{Verdict, judge};
use super::script::{Act, Kind, Op, Rule, Script, Sending, To};

const POLICIES: &[&str] = &["single", "fixed:2", "floating+keyed"];

/// Two nodes of one thread.
const PAIR: Shape = Shape { nodes: 2, threads: 1 };

/// A kind of message under key 0 of the program.
fn kind(acts: Vec<Act>) -> Kind {
    Kind { rule: Rule::Own, keys: 1, payload: 0, work: 0, acts }
}

fn send(kind: usize, to: To, times: u32) -> Sending {
    Sending { kind, to, times }
}

/// The verdict on a program of two nodes, whose kind 0 signals event 0 and starts `fan_out` of kind 1 at both nodes.
fn verdict(bodies: [Vec<Op>; 2], fan_out: u32) -> Verdict {
    let first = kind(vec![Act::Signal { event: 0, amount: 2 }, Act::Send(send(1, To::Every, fan_out))]);
    let script = Script { kinds: vec![first, kind(Vec::new())], bodies: bodies.to_vec() };
    judge(&script, PAIR, 1_000).expect("it is small")
}

#[test]
fn a_seed_draws_the_same_case_again() {
    for seed in 0..50 {
        assert_eq!(Case::draw(seed, POLICIES), Case::draw(seed, POLICIES));
    }
}

#[test]
fn every_operation_is_drawn_and_every_end() {
    let (mut ops, mut ends) = (BTreeSet::new(), BTreeSet::new());
    fn collect(body: &[Op], ops: &mut BTreeSet<String>) {
        for op in body {
            let name = format!("{op:?}");
            ops.insert(name.split([' ', '(']).next().unwrap().to_owned());
            collect(op.inner(), ops);
        }
    }
    for seed in 0..300 {
        let case = Case::draw(seed, POLICIES);
        case.script.bodies.iter().for_each(|body| collect(body, &mut ops));
        ends.insert(match case.verdict() {
            Verdict::Well { .. } => "well",
            Verdict::Fails(_) => "fails",
            Verdict::Deadlock(_) => "deadlock",
        });
    }
    let all = [
        "Ask", "Caught", "Deposit", "Guarded", "Hold", "Panic", "Phase", "Poll", "Send", "Signal", "Spin",
        "Transfer", "TrySend", "Wait", "Work",
    ];
    assert_eq!(ops, all.map(str::to_owned).into());
    assert_eq!(ends, ["deadlock", "fails", "well"].into());
}

#[test]
fn messages_that_start_others_are_counted() {
    let bodies = [vec![Op::Send(send(0, To::Every, 3))], vec![Op::Wait { event: 0, at_least: 6 }]];
    let Verdict::Well { nodes, messages } = verdict(bodies, 5) else { panic!("nobody waits in vain") };
    // Three to each of two nodes, each of which starts five at each.
    assert_eq!(messages, 6 + 6 * 10);
    let counts: Vec<_> = nodes.iter().map(|node| (node.visits[0], node.events[0])).collect();
    assert_eq!(counts, [(3 + 30, 6), (3 + 30, 6)]);
}

#[test]
fn who_waits_for_more_than_there_is_waits_in_vain() {
    let bodies = [
        vec![Op::Send(send(0, To::Next, 1)), Op::Phase(0)],
        vec![Op::Wait { event: 0, at_least: 3 }, Op::Phase(0)],
    ];
    let Verdict::Deadlock(stuck) = verdict(bodies, 0) else { panic!("two signals are not three") };
    let told: Vec<_> = stuck.iter().map(|one| (one.thread, one.says[0].as_str())).collect();
    let thread = |node| ThreadId { node: NodeId(node), index: 0 };
    assert_eq!(told, [(thread(0), "random.first"), (thread(1), "random.red")]);
}

#[test]
fn a_panic_that_is_reached_is_the_end_unless_it_is_the_threads_own_affair() {
    let hold = |number| Op::Hold { rule: Rule::NoSync, key: 0, acts: vec![Act::Panic(number)] };
    let fails = |body| match verdict([body, Vec::new()], 0) {
        Verdict::Fails(panics) => panics.into_iter().collect(),
        _ => Vec::new(),
    };
    assert_eq!(fails(vec![Op::Panic(1), Op::Panic(2)]), [1], "the second is not reached");
    assert_eq!(fails(vec![Op::Wait { event: 0, at_least: 1 }, Op::Panic(1)]), []);
    assert_eq!(fails(vec![Op::Caught(vec![Op::Panic(1)]), Op::Signal { event: 0, amount: 1 }]), []);
    assert_eq!(fails(vec![Op::Caught(vec![hold(3)])]), [3], "a hold is an event, whoever catches its panic");
    assert_eq!(fails(vec![Op::Caught(vec![Op::Panic(1)]), Op::Panic(2)]), [2]);
}

#[test]
fn a_failing_case_is_made_smaller_as_far_as_it_fails() {
    let case =
        (0..).map(|seed| Case::draw(seed, POLICIES)).find(|case| case.script.bodies.len() > 3).expect("one");
    let asks = |case: &Case| case.to_string().contains("Ask");
    let case = if asks(&case) {
        case
    } else {
        (0..).map(|seed| Case::draw(seed, POLICIES)).find(asks).expect("one")
    };
    let smaller = case.shrunk(asks);
    let operations: usize = smaller.script.bodies.iter().map(Vec::len).sum();
    assert_eq!(operations, 1, "{smaller}");
}
