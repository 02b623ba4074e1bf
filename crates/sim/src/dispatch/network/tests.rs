//! The loops of network processors with pencil and paper, and a node that rests against the search for a processor.

use proptest::prelude::*;
use tempest::policy::Notice;

use super::*;
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::injection::{Handover, Injection};
use crate::dispatch::serving::Serving;
use crate::dispatch::testing::{computing, idle, key, message, node, parallel_events};
use crate::dispatch::{Dispatch, View};
use crate::link::cargo::{HandedOver, Stream};
use crate::testing::ns;

/// The classes whose handlers the network processors of most tests run.
const RUNS: [Class; 2] = [Class::Read, Class::Reply];

/// Loops from processor 1 on that run handlers of the classes `runs`, are interrupted by replies, and drain two messages in a pass.
fn network_processors(count: usize, runs: &[Class], shares: bool) -> NetworkProcessors {
    NetworkProcessors {
        first: 1,
        shares,
        endpoints: None,
        joins_steps: false,
        runs: Classes::of(runs.iter().copied()),
        preempt: Classes::of([Class::Reply]),
        drain: 2,
        turn: ns(1),
        loops: vec![Loop::default(); count],
        incoming: VecDeque::new(),
        line: VecDeque::new(),
        forwarded: Inbox::default(),
        ahead: Ahead::default(),
    }
}

fn arrive(network: &mut NetworkProcessors, message: Arrived) {
    network.line_up(message);
    network.receive(message);
}

const NOTHING: Outlook = Outlook { now: Time::ZERO, handed_over: false, room: true };

#[test]
fn a_pass_takes_one_message_drains_two_and_goes_round() {
    let mut network = network_processors(1, &RUNS, false);
    for flight in 0..3 {
        arrive(&mut network, message(flight, flight, Class::Read));
    }
    let outlook = Outlook { handed_over: true, ..NOTHING };
    assert_eq!(network.next_step(0, outlook), Some(NextStep::Take));
    network.note_taken(0);
    for flight in 0..2 {
        assert_eq!(network.next_step(0, outlook), Some(NextStep::Extract { index: 0 }));
        assert_eq!(network.extract(0, 0), Some(message(flight, flight, Class::Read)));
    }
    assert_eq!(network.next_step(0, outlook), Some(NextStep::Turn));
    network.end_pass(0);
    assert_eq!(network.next_step(0, outlook), Some(NextStep::Take));
}

#[test]
fn an_answer_ends_the_pass_and_a_pass_that_did_nothing_costs_no_turn() {
    let mut network = network_processors(1, &RUNS, false);
    assert_eq!(network.next_step(0, Outlook { handed_over: true, room: false, ..NOTHING }), None);
    arrive(&mut network, message(0, 0, Class::Read));
    network.extract(0, 0);
    assert_eq!(network.next_step(0, NOTHING), None, "nothing is left for another pass");
    arrive(&mut network, message(1, 1, Class::Read));
    network.note_answer(0);
    assert_eq!(network.next_step(0, NOTHING), Some(NextStep::Turn));
}

#[test]
fn while_a_handler_has_to_wait_the_loop_takes_what_it_hands_over() {
    let mut network = network_processors(1, &RUNS, false);
    network.serve_from(0, ns(10));
    arrive(&mut network, message(0, 0, Class::Read));
    // Network processors do not run handlers of user messages. The first message belongs to the stream of a message that
    // has to wait.
    arrive(&mut network, message(1, 0, Class::User));
    arrive(&mut network, message(2, 2, Class::User));
    let step = |at, network: &NetworkProcessors| network.next_step(0, Outlook { now: ns(at), ..NOTHING });
    assert_eq!(step(9, &network), Some(NextStep::Extract { index: 2 }));
    assert_eq!(step(10, &network), Some(NextStep::Extract { index: 0 }));
}

#[test]
fn it_runs_a_handler_in_its_turn_if_it_can_and_the_key_is_free() {
    let mut network = network_processors(1, &RUNS, false);
    let mut events = parallel_events();
    let [first, second, other] =
        [message(0, 7, Class::Read), message(1, 7, Class::Read), message(2, 7, Class::User)];
    for message in [first, second, other] {
        network.line_up(message);
    }
    assert!(network.hold_for((ns(1), 0), &second, &mut events).is_none(), "the first of the stream waits");
    let job = network.hold_for((ns(1), 0), &first, &mut events).expect("nothing conflicts");
    assert_eq!(job.event, Event::Message { flight: 0 });
    assert!(network.hold_for((ns(1), 0), &second, &mut events).is_none(), "the key is held");
    events.complete(ns(2), job.held);
    assert!(network.hold_for((ns(2), 0), &second, &mut events).is_some());
    assert!(
        network.hold_for((ns(2), 0), &other, &mut events).is_none(),
        "it cannot run handlers of this class"
    );
}

#[test]
fn a_message_interrupts_one_step_and_the_step_goes_on_afterwards() {
    let mut network = network_processors(1, &RUNS, false);
    let mut events = parallel_events();
    let [read, first, second] =
        [message(0, 0, Class::Read), message(1, 1, Class::Reply), message(2, 2, Class::Reply)];
    for message in [read, first, second] {
        network.line_up(message);
    }
    let step = (Step::Turn, ns(3));
    assert!(!network.may_interrupt(0, &read) && network.may_interrupt(0, &first));
    assert!(network.preempt((ns(1), 0), &first, step, &mut events).is_some());
    assert!(!network.may_interrupt(0, &second), "a step is interrupted already");
    assert_eq!(network.interrupted_step(0), Some(step));
    assert_eq!(network.interrupted_step(0), None);
}

#[test]
fn the_computing_processor_leaves_streams_that_the_network_processor_has_begun() {
    let mut network = network_processors(1, &RUNS, true);
    let mut events = parallel_events();
    let [first, second, other] =
        [message(0, 7, Class::User), message(1, 7, Class::User), message(2, 8, Class::User)];
    for message in [first, second, other] {
        arrive(&mut network, message);
    }
    // The network processor reads the first message, and the second has to wait for it.
    assert_eq!(network.extract(0, 0), Some(first));
    let job = network.next(ns(0), 0, &mut events).expect("the third is of another stream").job;
    assert_eq!(job.event, Event::Message { flight: 2 });
    assert!(!network.has_event(0, &events));
    events.note_arrival(ns(1));
    network.forward(first, &mut events);
    let job = network.next(ns(1), 0, &mut events).expect("the first has been handed over").job;
    assert_eq!(job.event, Event::Message { flight: 0 });
    assert!(network.has_event(0, &events), "the second may be looked at now");
}

#[test]
fn two_network_processors_share_messages_and_keep_each_stream_in_order() {
    let mut network = network_processors(2, &RUNS, false);
    let mut events = parallel_events();
    let [first, second, other] =
        [message(0, 7, Class::Read), message(1, 7, Class::Read), message(2, 8, Class::User)];
    for message in [first, second, other] {
        arrive(&mut network, message);
    }
    assert_eq!(
        (network.numbers(), network.place(0), network.place(2), network.place(3)),
        (1..3, None, Some(1), None)
    );
    assert_eq!(network.next_step(0, NOTHING), Some(NextStep::Extract { index: 0 }));
    assert_eq!(network.extract(0, 0), Some(first));
    // The second message is of the stream of the first, which is in the hands of another network processor.
    assert_eq!(network.next_step(1, NOTHING), Some(NextStep::Extract { index: 1 }));
    assert_eq!(network.extract(1, 1), Some(other));
    network.note_handed_over(1);
    assert_eq!(network.next_step(1, NOTHING), None);
    let job = network.hold_for((ns(1), 0), &first, &mut events).expect("nothing conflicts");
    assert_eq!(
        network.next_step(1, NOTHING),
        None,
        "its key is held by the handler of another network processor"
    );
    events.complete(ns(2), job.held);
    network.serve_from(0, ns(2));
    network.end_pass(1);
    assert_eq!(network.next_step(1, NOTHING), Some(NextStep::Extract { index: 0 }));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A node that rests is not asked for a processor that could start: there is none.
    #[test]
    fn a_node_that_rests_has_nobody_who_could_start(
        idles in [any::<bool>(), any::<bool>()],
        waiting in [0..2_u32, 0..2_u32, 0..2_u32, 0..2_u32],
        (runs, shares) in prop_oneof![Just((&RUNS[..0], false)), Just((&RUNS[..], false)), Just((&RUNS[..], true))],
        interrupts in any::<bool>(),
    ) {
        let [incoming, forwarded, queued, handed_over] = waiting;
        let mut network = network_processors(1, runs, shares);
        let (mut events, mut lane) = (parallel_events(), Injection::Network(Handover::of(1)));
        for flight in 0..incoming {
            arrive(&mut network, message(flight, flight, Class::User));
        }
        (0..forwarded).for_each(|flight| network.forward(message(10 + flight, 10, Class::User), &mut events));
        for flight in 0..queued {
            let message = message(20 + flight, 20, Class::User);
            events.note_arrival(message.at);
            events.enqueue(&message);
        }
        for flight in 0..handed_over {
            let handed = HandedOver { stream: Stream { to: tempest::NodeId(1), key: key(flight), places: false }, flight };
            prop_assert!(lane.push(ns(0), handed, 0).is_ok());
        }
        let cores = node(idles.map(|idles| if idles { idle(0) } else { computing() }));
        let notice = if interrupts { Notice::Interrupt } else { Notice::Poll };
        let parts = (Serving::First, lane);
        let mut dispatch = Dispatcher::of_parts(Dispatch::Network(Box::new(network)), events, parts, 2, notice);
        (0..2).filter(|&number| !idles[number]).for_each(|number| dispatch.idle.end(number as u16));
        prop_assert_eq!(dispatch.a_loop_idles(), idles[1]);
        let view = View { now: ns(1), cores: &cores, running: None, room: true };
        prop_assert!(!dispatch.rests() || dispatch.next_start(view).is_none());
    }
}
