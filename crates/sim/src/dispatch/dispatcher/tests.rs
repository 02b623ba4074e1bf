//! The decisions of a dispatcher, on nodes of a few processors.

use machine::Class;

use super::super::injection::Handover;
use super::super::register::Register;
use super::super::testing::{computing, idle, message, node, parallel_events};
use super::super::turns::Turns;
use super::*;
use crate::processor::core::Activity;
use crate::testing::ns;

/// A node whose device presents events to idle processors. `notice` says whether it interrupts.
fn register(notice: Notice) -> Dispatcher {
    let serving = Serving::Floating(Turns::new(tempest::policy::Turns::IdleFirst, 3));
    let way = Dispatch::Register(Register);
    Dispatcher::of_parts(way, parallel_events(), (serving, Injection::Sender), 3, notice)
}

/// The processor that starts work on a node of these processors.
fn next_start(dispatch: &mut Dispatcher, cores: &[Core]) -> Option<Start> {
    know(dispatch, cores);
    dispatch.next_start(view(cores))
}

/// Tells the dispatch which of a node's processors idle.
fn know(dispatch: &mut Dispatcher, cores: &[Core]) {
    dispatch.idle = Idle::default();
    let idle = cores.iter().filter_map(|core| Some((core.idle_since()?, core.number())));
    let mut idle: Vec<_> = idle.collect();
    idle.sort();
    idle.into_iter().for_each(|(since, number)| dispatch.idle.begin(number, since));
}

fn view(cores: &[Core]) -> View<'_> {
    View { now: ns(10), cores, running: None, room: true }
}

#[test]
fn the_processor_that_became_idle_last_serves() {
    let mut dispatch = register(Notice::Poll);
    let cores = node([idle(3), idle(5), computing()]);
    assert_eq!(next_start(&mut dispatch, &cores), None, "nothing waits");
    dispatch.join(message(0, 7, Class::User));
    assert_eq!(next_start(&mut dispatch, &cores), Some(Start::Serve { number: 1, delay: ns(0) }));
    assert!(dispatch.may_leave_to_others() && dispatch.leaves_to_others(view(&cores)));
}

#[test]
fn a_message_only_waits_where_all_processors_are_busy_and_look_themselves() {
    let keeps = |notice, processors| {
        let mut dispatch = register(notice);
        know(&mut dispatch, &node(processors));
        dispatch.only_keeps_messages()
    };
    let busy = [computing(), Activity::Handler, computing()];
    assert!(keeps(Notice::Poll, busy));
    assert!(!keeps(Notice::Poll, [computing(), idle(3), computing()]), "an idle processor takes it up");
    assert!(!keeps(Notice::Interrupt, busy), "it interrupts a processor");
}

#[test]
fn interrupts_go_round_among_processors_that_may_be_interrupted() {
    let mut dispatch = register(Notice::Interrupt);
    let mut cores = node([computing(), computing(), computing()]);
    cores[0].mask(true);
    dispatch.join(message(0, 7, Class::User));
    know(&mut dispatch, &cores);
    let next = |dispatch: &mut Dispatcher, running| dispatch.next_start(View { running, ..view(&cores) });
    assert_eq!(next(&mut dispatch, None), Some(Start::Interrupt { number: 1 }));
    assert_eq!(next(&mut dispatch, Some(1)), Some(Start::Interrupt { number: 2 }));
    dispatch.note_interrupt(1, 3);
    assert_eq!(next(&mut dispatch, None), Some(Start::Interrupt { number: 2 }));
    assert_eq!(next(&mut dispatch, Some(2)), Some(Start::Interrupt { number: 1 }));
}

#[test]
fn an_idle_processor_is_interrupted_too_unless_it_looks_for_events_itself() {
    let cores = node([idle(3), computing()]);
    let started = [Notice::Interrupt, Notice::InterruptWhenBusy, Notice::Poll].map(|notice| {
        let mut dispatch = register(notice);
        dispatch.join(message(0, 7, Class::User));
        next_start(&mut dispatch, &cores)
    });
    let looks = Some(Start::Serve { number: 0, delay: ns(0) });
    assert_eq!(started, [Some(Start::Interrupt { number: 0 }), looks, looks]);
    let mut dispatch = register(Notice::Interrupt);
    dispatch.serving = Serving::Dedicated { computing: 0 };
    dispatch.join(message(0, 7, Class::User));
    let dedicated = [Core::new(0, 0, true, 0)];
    assert_eq!(next_start(&mut dispatch, &dedicated), looks, "a dedicated processor looks in a loop");
}

#[test]
fn a_device_interrupts_only_when_all_processors_compute() {
    let mut dispatch = register(Notice::InterruptWhenBusy);
    dispatch.join(message(0, 7, Class::User));
    let busy = node([computing(), computing(), computing()]);
    assert_eq!(next_start(&mut dispatch, &busy), Some(Start::Interrupt { number: 0 }));
    let serves = node([computing(), Activity::Handler, computing()]);
    assert_eq!(next_start(&mut dispatch, &serves), None, "the processor that serves looks again by itself");
}

#[test]
fn only_dedicated_processors_serve_and_inject_where_a_policy_sets_them_aside() {
    let mut dispatch = register(Notice::Poll);
    dispatch.serving = Serving::Dedicated { computing: 2 };
    dispatch.injection = Injection::Dedicated(Handover::of(1));
    let cores: Vec<Core> = (0..3).map(|number| Core::new(0, number, number == 2, 0)).collect();
    assert!(dispatch.hands_over(false) && !dispatch.hands_over(true));
    dispatch.join(message(0, 7, Class::User));
    assert_eq!(next_start(&mut dispatch, &cores), Some(Start::Serve { number: 2, delay: ns(0) }));
    assert_eq!([0, 1, 2].map(|number| dispatch.has_event(number, &cores)), [false, false, true]);
    assert_eq!([0, 1, 2].map(|number| dispatch.server(number, &cores)), [None, None, Some(0)]);
}
