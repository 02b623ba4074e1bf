//! Whatever a world does, its trace shows exactly that.

use crate::check::{self, Reading};
use proptest::collection::vec;
use proptest::prelude::*;
use tradewind_trace::{Cast, Event};
use units::Time;

use crate::traced;
use crate::world::World;

/// Many times are equal, in femtoseconds or at least in nanoseconds.
fn after() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), 0_u32..1_000_000, 0_u32..5_000_000]
}

fn world() -> impl Strategy<Value = World> {
    let steps = vec((any::<u8>(), any::<u8>(), any::<u8>(), after()), 0..400);
    (1_u32..4, 1_u16..4, 0_u16..3, 1_u32..5, steps).prop_map(
        |(nodes, computing, dedicated, threads, steps)| {
            World::run(nodes, computing, dedicated, threads, &steps)
        },
    )
}

/// Compares a trace with its world.
fn compare(world: &World, events: &[(Time, Event)]) -> Result<(), TestCaseError> {
    let (bytes, summary) = traced(&world.cast, events);
    prop_assert_eq!((summary.lost, summary.moved), (0, 0));
    let Reading { mut slices, instants, flows, tracks, .. } =
        check::read(&bytes).map_err(TestCaseError::fail)?;
    slices.sort();
    prop_assert_eq!(&slices, &world.slices);
    prop_assert_eq!(instants.len(), world.instants);
    let flows: Vec<_> = flows.into_iter().map(|flow| (flow.id, flow.from, flow.to)).collect();
    prop_assert_eq!(&flows, &world.flows);
    let Cast { nodes, computing, dedicated, threads, .. } = world.cast;
    prop_assert_eq!(tracks.len() as u32, 2 + nodes * (2 + u32::from(computing + dedicated) + threads));
    Ok(())
}

/// Any event, also of places that a cast of two has not.
fn anything() -> impl Strategy<Value = Event> {
    let numbers = (0_u8..14, 0_u32..4, 0_u16..4, 0_u32..4, 0_u64..8, any::<u32>());
    numbers.prop_map(|(kind, node, processor, other, flow, bytes)| {
        let (thread, message, from, to, source) = (other, other as u16, other, other, other);
        match kind {
            0 => Event::HandlerStart { node, processor, message, source, flow },
            1 => Event::HandlerEnd { node, processor },
            2 => Event::Send { node, processor, to, message, bytes, flow },
            3 => Event::Arrive { node, from, message, flow },
            4 => Event::Block { node, thread, what: "lock" },
            5 => Event::Resume { node, thread },
            6 => Event::Interrupt { node, processor },
            7 => Event::Phase { index: other, name: "solve" },
            8 => Event::ThreadStart { node, thread },
            9 => Event::ThreadEnd { node, thread },
            10 => Event::Run { node, processor, thread },
            11 => Event::Leave { node, processor, thread },
            12 => Event::Deposit { node, processor, to, bytes, flow },
            _ => Event::Place { node, from, flow },
        }
    })
}

proptest! {
    #[test]
    fn a_trace_shows_what_happened(world in world()) {
        let events: Vec<_> = world.events.iter().map(|&(_, event)| event).collect();
        compare(&world, &events)?;
    }

    #[test]
    fn the_order_of_batches_does_not_matter(world in world(), picks in vec((any::<u8>(), 1_u8..40), 0..60)) {
        compare(&world, &world.in_batches(&picks))?;
    }

    #[test]
    fn what_makes_no_sense_still_makes_a_trace(
        cast in (0_u32..3, 0_u16..3, 0_u16..2, 0_u32..3),
        events in vec((prop_oneof![0..9_000_000_u64, any::<u64>()], anything()), 0..200),
    ) {
        let (nodes, computing, dedicated, threads) = cast;
        let messages = vec!["A", "B"];
        let cast =
            Cast { nodes, computing, dedicated, threads, machine: "m".into(), messages, counters: Vec::new() };
        let events: Vec<_> =
            events.into_iter().map(|(at, event)| (Time::from_femtoseconds(at), event)).collect();
        let (bytes, _) = traced(&cast, &events);
        check::slices(&bytes).map_err(TestCaseError::fail)?;
    }
}
