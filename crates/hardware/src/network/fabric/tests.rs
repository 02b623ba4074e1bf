//! Tests of a fabric after all of its messages have arrived: wires and buffers are free again.

use machine::Topology;

use self::agenda::Agenda;
use super::*;

#[path = "../../../tests/network/agenda.rs"]
mod agenda;

#[test]
fn what_messages_took_of_wires_and_buffers_they_have_given_back_when_all_are_there() {
    let topologies = [
        Topology::Crossbar,
        Topology::Mesh { dimensions: 2, sides: None },
        Topology::Torus { dimensions: 2, sides: None },
        Topology::FatTree { arity: 2 },
    ];
    // Deep buffers, and shallow ones.
    for (topology, hop) in topologies.iter().flat_map(|topology| [10, 200].map(|hop| (topology.clone(), hop)))
    {
        let (link, buffer) = (Bandwidth::new(1_000_000_000).expect("above zero"), Bytes::new(50));
        let hop = Time::from_nanoseconds(hop);
        let routers = machine::Routers { topology, link, hop, buffer, cross_traffic: None };
        let idle = Fabric::new(hop, hop, &routers, 16);
        let (mut fabric, mut agenda) = (idle.clone(), Agenda::new());
        let choice = des::Choice::new(3);
        for cargo in 0..2000 {
            let (from, to) = (choice.tie(3 * cargo) % 16, choice.tie(3 * cargo + 1) % 16);
            let bytes = u64::from(choice.tie(3 * cargo + 2) % 200);
            if from != to {
                let parcel = Parcel { cargo, tie: cargo, from, to, bytes, passage: Time::ZERO };
                fabric.launch(Time::ZERO, parcel, |at, tie, event| agenda.push(at, tie, event));
            }
        }
        while let Some((now, event)) = agenda.pop() {
            let mut later = |at, tie, event| agenda.push(at, tie, event);
            if let Some(cargo) = fabric.step(now, event, &mut later) {
                fabric.accept(now, choice.tie(3 * cargo + 1) % 16, later);
            }
        }
        assert_eq!(fabric.inside, 0);
        let rooms = |fabric: &Fabric| fabric.channels.iter().map(|channel| channel.room).collect::<Vec<_>>();
        assert_eq!(rooms(&fabric), rooms(&idle));
        assert!(fabric.channels.iter().all(|one| one.first == NONE && one.free_at != Time::MAX));
        assert!(fabric.channels.iter().all(|one| one.cleared_at != Time::MAX));
    }
}
