//! The order of events and the length of turns, with and without lookahead, on two nodes.

use proptest::prelude::*;

use super::*;

fn ns(time: u64) -> Time {
    Time::from_nanoseconds(time)
}

/// An agenda without lookahead, of nodes with these ranks. Node 0 acts.
fn agenda(ties: &[u32], stall_limit: Option<Time>) -> Agenda {
    let mut agenda = Agenda::new(ties.into(), Time::ZERO, stall_limit);
    agenda.go_on_now(0, 0, 0);
    agenda.take_due();
    agenda
}

/// Two nodes whose messages take 10 ns at least. Node 1 acts.
fn running_ahead() -> Agenda {
    let mut agenda = Agenda::new([7, 3].into(), ns(10), None);
    deliver(&mut agenda, 1, 0, 99);
    assert_eq!(next(&mut agenda), Some((99, ns(0))));
    agenda
}

fn deliver(agenda: &mut Agenda, node: usize, at: u64, flight: u32) {
    agenda.push(node, ns(at), Happening::Deliver { flight });
}

/// Begins the next event. Returns its flight and its time.
fn next(agenda: &mut Agenda) -> Option<(u32, Time)> {
    let (at, event) = agenda.take_next()?;
    agenda.begin(at, event);
    let Happening::Deliver { flight } = event.into() else { panic!("{event:?}") };
    Some((flight, at))
}

#[test]
fn time_passes_up_to_the_next_event_and_not_beyond() {
    let mut agenda = agenda(&[7], None);
    deliver(&mut agenda, 0, 10, 1);
    assert_eq!((agenda.pass(ns(9)), agenda.now()), (None, ns(9)));
    assert_eq!((agenda.pass(ns(1)), agenda.now()), (Some(ns(10)), ns(9)), "the event comes first");
    agenda.go_on_now(0, 3, 7);
    assert_eq!(agenda.pass(ns(0)), Some(ns(9)), "so does what is due");
    assert_eq!(
        (agenda.first_due(), agenda.take_due(), agenda.take_due()),
        (Some((3, 7)), Some((3, 7)), None)
    );
}

#[test]
fn in_global_order_a_turn_ends_at_the_next_event_of_any_node() {
    let mut agenda = agenda(&[7, 3], None);
    deliver(&mut agenda, 0, 5, 0);
    deliver(&mut agenda, 1, 5, 1);
    deliver(&mut agenda, 1, 8, 2);
    // Among simultaneous events the lower rank comes first.
    assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((1, ns(5))), Some((0, ns(5)))]);
    assert_eq!(agenda.pass(ns(3)), Some(ns(8)));
    assert_eq!(agenda.pass(ns(2)), None);
    deliver(&mut agenda, 1, 7, 3);
    assert_eq!(agenda.pass(ns(0)), Some(ns(7)), "an event that comes up meanwhile counts");
}

#[test]
fn an_event_that_is_pushed_late_comes_where_it_would_have_come() {
    let mut agenda = agenda(&[3, 7], None);
    let place = agenda.keep_place(1, ns(5));
    deliver(&mut agenda, 1, 5, 1);
    agenda.push_to(place, 1, Happening::Deliver { flight: 2 });
    assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((2, ns(5))), Some((1, ns(5)))]);
}

#[test]
fn an_event_that_is_pushed_early_comes_where_it_would_have_come() {
    for mut agenda in [agenda(&[3, 7], None), Agenda::new([3, 7].into(), ns(10), None)] {
        // Pushed at 0 for a push at 6.
        agenda.push_since(ns(6), 0, ns(9), Happening::Deliver { flight: 1 });
        deliver(&mut agenda, 0, 5, 0);
        deliver(&mut agenda, 0, 7, 0);
        assert_eq!(next(&mut agenda), Some((0, ns(5))));
        deliver(&mut agenda, 0, 9, 2);
        assert_eq!(next(&mut agenda), Some((0, ns(7))));
        deliver(&mut agenda, 0, 9, 3);
        let last = [next(&mut agenda), next(&mut agenda), next(&mut agenda)];
        assert_eq!(last, [2, 1, 3].map(|flight| Some((flight, ns(9)))));
    }
}

#[test]
fn a_place_is_past_when_an_event_there_would_have_happened() {
    for mut agenda in [agenda(&[3], None), Agenda::new([3].into(), ns(10), None)] {
        deliver(&mut agenda, 0, 5, 1);
        let place = agenda.keep_place(0, ns(5));
        deliver(&mut agenda, 0, 5, 2);
        let mut past = || next(&mut agenda).map(|(flight, _)| (flight, agenda.is_past(0, place)));
        assert_eq!([past(), past()], [Some((1, false)), Some((2, true))]);
        let place = agenda.keep_place(0, ns(8));
        assert!(!agenda.is_past(0, place));
        assert_eq!((agenda.pass(ns(3)), agenda.is_past(0, place)), (None, true));
    }
}

#[test]
fn with_lookahead_a_turn_ends_before_a_message_can_come() {
    let mut agenda = running_ahead();
    deliver(&mut agenda, 0, 105, 0);
    deliver(&mut agenda, 0, 116, 1);
    deliver(&mut agenda, 1, 107, 2);
    assert_eq!(next(&mut agenda), Some((0, ns(105))));
    // A message of the other node comes at 117 at the earliest.
    assert_eq!((agenda.pass(ns(10)), agenda.pass(ns(1))), (None, Some(ns(116))));
    assert_eq!(next(&mut agenda), Some((1, ns(116))), "the other node is behind");
    assert_eq!(agenda.pass(ns(1)), Some(ns(117)));
    deliver(&mut agenda, 0, 117, 3);
    deliver(&mut agenda, 1, 190, 4);
    assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((2, ns(107))), Some((3, ns(117)))]);
    // The node may send, and be answered at 137.
    assert_eq!((agenda.pass(ns(19)), agenda.pass(ns(1))), (None, Some(ns(137))));
}

#[test]
fn simultaneous_events_of_a_node_come_in_the_order_of_their_pushes_in_modelled_time() {
    let mut agenda = running_ahead();
    deliver(&mut agenda, 0, 104, 0);
    deliver(&mut agenda, 1, 105, 1);
    next(&mut agenda);
    assert_eq!(agenda.pass(ns(8)), None);
    deliver(&mut agenda, 0, 130, 2);
    assert_eq!(next(&mut agenda), Some((1, ns(105))), "earlier, and later for the host");
    deliver(&mut agenda, 0, 130, 3);
    assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((3, ns(130))), Some((2, ns(130)))]);
}

#[test]
fn a_fiber_that_steps_back_goes_on_in_global_order_before_what_was_due_then() {
    let mut agenda = running_ahead();
    deliver(&mut agenda, 0, 104, 0);
    deliver(&mut agenda, 1, 106, 1);
    next(&mut agenda);
    assert_eq!((agenda.is_in_order(), agenda.pass(ns(8))), (false, None));
    agenda.go_on_now(0, 5, 0);
    agenda.step_back(2, 9);
    assert_eq!((agenda.take_due(), next(&mut agenda)), (None, Some((1, ns(106)))));
    let (at, event) = agenda.take_next().expect("the fiber goes on");
    assert!(matches!(event.into(), Happening::Continue { core: 2, epoch: 9 }));
    assert_eq!((at, agenda.is_in_order(), agenda.take_due()), (ns(112), true, Some((5, 0))));
}

#[test]
fn looks_that_find_nothing_do_not_make_a_run_longer() {
    let mut agenda = agenda(&[7], None);
    let mut happens = |at, happening| {
        agenda.push(0, ns(at), happening);
        let (at, happening) = agenda.take_next().unwrap();
        agenda.begin(at, happening);
    };
    happens(5, Happening::Deliver { flight: 0 });
    happens(8, Happening::Look { node: 0 });
    happens(9, Happening::Post { node: 0 });
    assert_eq!(agenda.now(), ns(9));
    agenda.end();
    assert_eq!((agenda.now(), agenda.happened(), agenda.waiting()), (ns(5), 3, 0));
}

#[test]
fn a_look_after_which_a_fiber_went_on_counts() {
    let mut agenda = agenda(&[7], None);
    agenda.begin(ns(8), Happening::Look { node: 0 }.into());
    agenda.go_on_now(0, 0, 0);
    agenda.take_due();
    agenda.end();
    assert_eq!(agenda.now(), ns(8));
}

#[test]
fn events_are_under_way_that_may_end_a_wait() {
    let mut agenda = agenda(&[7], None);
    agenda.push(0, ns(1), Happening::Continue { core: 0, epoch: 0 });
    agenda.push(0, ns(2), Happening::Look { node: 0 });
    assert_eq!((agenda.under_way(false), agenda.under_way(true)), (1, 0));
    agenda.push(0, ns(3), Happening::Arrive { flight: 0 });
    assert_eq!((agenda.under_way(false), agenda.under_way(true)), (2, 1));
    agenda.take_next();
    assert_eq!(agenda.under_way(false), 2);
}

#[test]
fn a_run_stalls_when_nothing_happens_for_longer_than_the_limit() {
    let mut agenda = agenda(&[7], Some(ns(100)));
    agenda.begin(ns(100), Happening::Deliver { flight: 0 }.into());
    assert!(!agenda.has_ended());
    assert_eq!(agenda.pass(ns(1)), Some(ns(101)), "a clock does not run past the limit");
    agenda.note_progress();
    assert_eq!((agenda.pass(ns(1)), agenda.has_ended()), (None, false));
    agenda.begin(ns(201), Happening::Deliver { flight: 0 }.into());
    assert!(agenda.has_ended() && agenda.limits().beyond().is_none());
}

#[test]
fn an_event_beyond_the_end_of_time_ends_the_run_at_its_next_step() {
    let last = Time::from_femtoseconds(u64::MAX - 1);
    for (lookahead, many) in [(Time::ZERO, 2), (Time::ZERO, MANY), (ns(10), 2)] {
        let ranks: Vec<u32> = (0..many as u32).collect();
        let mut agenda = Agenda::new(ranks.into(), lookahead, None);
        agenda.push(1, last, Happening::Deliver { flight: 4 });
        assert_eq!(
            (next(&mut agenda), agenda.has_ended()),
            (Some((4, last)), false),
            "the last instant is one"
        );
        agenda.push(1, last + ns(1), Happening::Deliver { flight: 5 });
        assert!(matches!(agenda.limits().beyond(), Some((_, Happening::Deliver { flight: 5 }))));
        assert!(agenda.has_ended() && agenda.waiting() == 0, "nothing is pushed for never");
        let place = agenda.keep_place(1, last);
        assert!(agenda.pass(ns(0)).is_some() && !agenda.come_to(place), "no time passes after that");
    }
}

#[test]
fn a_clock_does_not_come_to_the_end_of_time() {
    let mut agenda = agenda(&[7], None);
    assert_eq!(agenda.pass(Time::MAX), Some(Time::MAX));
    assert!(agenda.now() == Time::ZERO && !agenda.has_ended() && !agenda.goes_on_for(Time::MAX));
    assert_eq!(agenda.pass(Time::from_femtoseconds(u64::MAX - 1)), None);
    assert_eq!(agenda.pass(Time::from_femtoseconds(1)), Some(Time::MAX));
}

#[test]
fn a_run_that_is_asked_says_how_far_it_is_and_goes_on() {
    let progress = RunProgress::default();
    let mut agenda = agenda(&[7], Some(ns(100))).watched_in(progress.clone());
    assert_eq!((agenda.pass(ns(5)), progress.answers()), (None, 0), "nobody has asked");
    progress.ask();
    assert_eq!((agenda.pass(ns(1)), progress.answers(), progress.time()), (None, 1, ns(5)));
    assert_eq!((agenda.pass(ns(1)), progress.answers()), (None, 1));
    progress.ask();
    assert_eq!((agenda.has_ended(), progress.time()), (false, ns(7)));
    assert_eq!(agenda.pass(ns(94)), Some(ns(101)), "the stall limit holds as before");
}

#[test]
fn a_node_that_runs_ahead_does_not_stall_before_another_has_made_progress() {
    let mut agenda = Agenda::new([3, 7].into(), ns(10), Some(ns(100)));
    deliver(&mut agenda, 1, 90, 0);
    deliver(&mut agenda, 1, 101, 2);
    deliver(&mut agenda, 0, 95, 1);
    assert_eq!([next(&mut agenda), next(&mut agenda)], [Some((0, ns(90))), Some((1, ns(95)))]);
    agenda.note_progress();
    assert_eq!((next(&mut agenda), agenda.has_ended()), (Some((2, ns(101))), false));
}

proptest! {
    /// A step pushes an event of a node with a delay out of a few, or with any. Then time goes on to the next event.
    #[test]
    fn in_global_order_simultaneous_events_come_by_rank_and_then_as_long_as_they_were_waited_for(
        pushes in proptest::collection::vec((0_usize..4, 0_u64..30, 0_u64..5), 0..300)
    ) {
        // The nodes are many: events may stand in rows.
        let ranks = (0..MANY as u32).rev().collect::<Vec<_>>();
        let (mut agenda, mut plain) = (agenda(&ranks, None), std::collections::BTreeSet::new());
        let taken = |agenda: &mut Agenda, plain: &mut std::collections::BTreeSet<_>| {
            let first = plain.pop_first().map(|(at, _, _, flight)| (flight, at));
            (next(agenda), first)
        };
        for (flight, (node, delay, taken_after)) in (0..).zip(pushes) {
            let (now, at) = (agenda.now(), agenda.now() + ns(delay));
            agenda.push(node, at, Happening::Deliver { flight });
            plain.insert((at, ranks[node], now, flight));
            if taken_after < 2 {
                let (next, first) = taken(&mut agenda, &mut plain);
                prop_assert_eq!(next, first);
            }
        }
        while !plain.is_empty() {
            let (next, first) = taken(&mut agenda, &mut plain);
            prop_assert_eq!(next, first);
        }
    }
}
