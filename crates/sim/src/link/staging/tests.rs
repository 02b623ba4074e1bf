//! Transfers through staging buffers between two nodes with round prices.

use super::*;
use crate::link::command::Source;
use crate::link::testing::{interface, memory, staging};
use crate::testing::ns;

/// Two nodes with a network of 10 ns between them, and their events to come.
struct Bench {
    staging: Staging,
    nodes: Vec<NodeMemory>,
    passages: Passages,
    agenda: Vec<(Time, Effect)>,
    /// The bytes of each launched packet and the flight of each complete transfer, with their times.
    launched: Vec<(u64, Time)>,
    complete: Vec<(u32, Time)>,
}

impl Bench {
    fn new(costs: machine::Staging) -> Self {
        let nodes = vec![memory(costs.clone()), memory(costs.clone())];
        let staging = Staging {
            costs,
            room: 2,
            packet: 64,
            line: 32,
            bandwidth: interface().bandwidth,
            header: interface().header,
            stagers: vec![Stager::default(), Stager::default()],
            shipments: Vec::new(),
            parcels: Vec::new(),
            held: Vec::new(),
            effects: Vec::new(),
        };
        let passages = Passages::new(interface(), Time::ZERO);
        Self { staging, nodes, passages, agenda: Vec::new(), launched: Vec::new(), complete: Vec::new() }
    }

    fn ship(&mut self, flight: u32, bytes: u64) {
        self.ship_to(flight, &[(0, bytes)]);
    }

    fn ship_to(&mut self, flight: u32, target: &[(u64, u64)]) {
        let bytes = target.iter().map(|(_, bytes)| bytes).sum();
        self.ship_from(flight, Source::Segments([(0, bytes)].into_iter().collect()), target);
    }

    fn ship_from(&mut self, flight: u32, source: Source, target: &[(u64, u64)]) {
        let (number, bytes) = (flight.into(), target.iter().map(|(_, bytes)| bytes).sum());
        let target = target.iter().copied().collect();
        let command = Command { flight, number, from: 0, to: 1, source, target, slots: [500].into(), bytes };
        let effects = self.staging.ship(ns(0), command);
        self.apply(ns(0), effects);
    }

    fn apply(&mut self, now: Time, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Later { at, .. } => self.agenda.push((at, effect)),
                Effect::Complete { at, flight, .. } => self.complete.push((flight, at)),
                Effect::Launch { packet, to, bytes, .. } => {
                    self.launched.push((bytes, now));
                    let looks = self.staging.arrive(now + ns(10), to, packet);
                    self.apply(now, vec![looks]);
                }
            }
        }
    }

    fn run(&mut self) {
        while let Some(next) = (0..self.agenda.len()).min_by_key(|&one| self.agenda[one].0) {
            let (now, effect) = self.agenda.remove(next);
            let Effect::Later { packet, step, .. } = effect else { continue };
            let memory = &mut self.nodes[self.staging.place_of(packet, step)];
            let site = Site { now, memory, passages: &mut self.passages };
            let effects = self.staging.step(site, packet, step);
            self.apply(now, effects);
        }
    }
}

#[test]
fn a_transfer_goes_in_packets_that_stay_within_blocks_and_is_complete_once() {
    let mut bench = Bench::new(staging());
    bench.ship(7, 150);
    bench.run();
    let sizes: Vec<_> = bench.launched.iter().map(|&(bytes, _)| bytes).collect();
    assert_eq!(sizes, [64, 64, 22]);
    assert_eq!(bench.complete.iter().map(|&(flight, _)| flight).collect::<Vec<_>>(), [7]);
    // The last byte comes 10 ns of network and 22 ns of wire after the last packet, then 3 to receive it, 50 to notice.
    assert!(bench.complete[0].1 >= bench.launched[2].1 + ns(10 + 22 + 3 + 50));
    assert_eq!(bench.staging.counts(0).0, 3);
    assert_eq!(bench.staging.let_through(7), [0; 0], "nothing waited for it");
}

#[test]
fn words_that_are_scattered_go_in_packets_of_their_own() {
    let mut bench = Bench::new(staging());
    bench.ship_to(7, &[(0, 24), (4096, 80)]);
    bench.run();
    let sizes: Vec<_> = bench.launched.iter().map(|&(bytes, _)| bytes).collect();
    assert_eq!(sizes, [24, 64, 16]);
    assert_eq!(bench.complete.len(), 1);
}

#[test]
fn words_that_come_with_the_command_need_no_read() {
    let mut bench = Bench::new(staging());
    bench.ship_from(7, Source::Command, &[(0, 64)]);
    bench.run();
    // The engine takes 20 ns, the words 1 and 8 through the port, the handoff 5.
    assert_eq!(bench.launched, [(64, ns(34))]);
    assert_eq!(bench.nodes[0].counts().memory_reads, 0);
    assert_eq!((bench.complete.len(), bench.nodes[1].counts().memory_writes), (1, 2));
}

#[test]
fn a_packet_that_may_not_join_pays_for_a_way_of_its_own() {
    let gaps = |append| {
        let mut bench = Bench::new(machine::Staging { append, ..staging() });
        bench.ship(0, 128);
        bench.run();
        (bench.launched[1].1 - bench.launched[0].1, bench.staging.counts(0).1)
    };
    let (joined, apart) = (gaps(true), gaps(false));
    // 64 B go in 64 ns; the way of a packet stays for another 35.
    assert_eq!(joined, (ns(64), 1));
    assert_eq!(apart, (ns(64 + 35), 2));
}

#[test]
fn a_packet_waits_for_its_slot_where_the_engine_does_not_have_it_at_hand() {
    let completes = |slots| {
        let mut bench = Bench::new(machine::Staging { slots, ..staging() });
        bench.ship(0, 8);
        bench.ship(1, 8);
        bench.run();
        let counts = bench.nodes[1].counts();
        (
            bench.complete.iter().map(|&(_, at)| at).collect::<Vec<_>>(),
            counts.slot_lookups,
            counts.slot_misses,
        )
    };
    let (at_hand, _, _) = completes(None);
    let (fetched, lookups, misses) = completes(Some(1));
    // The word is there 4 ns after the slot is found. The line of the slot comes in 1 of arbitration, 1 of address, 9 of memory, 4 of data.
    assert_eq!(fetched[0] - at_hand[0], ns(1 + 1 + 9 + 4 - 4));
    assert_eq!((fetched[1], lookups, misses), (at_hand[1], 2, 1), "the second packet finds it");
}

#[test]
fn without_turns_a_command_waits_for_the_one_before() {
    let mut bench = Bench::new(staging());
    bench.ship(0, 128);
    assert!(bench.staging.takes_commands(0));
    bench.ship(1, 64);
    assert!(!bench.staging.takes_commands(0), "there is room for two");
    bench.run();
    assert_eq!(bench.launched.iter().map(|&(bytes, _)| bytes).collect::<Vec<_>>(), [64, 64, 64]);
    assert_eq!(bench.complete.iter().map(|&(flight, _)| flight).collect::<Vec<_>>(), [0, 1]);
    assert!(bench.staging.takes_commands(0));
}

#[test]
fn what_left_later_on_the_same_way_waits_for_a_transfer() {
    let mut bench = Bench::new(staging());
    bench.ship(5, 64);
    assert!(!bench.staging.holds_back(90, 0, 1, 4), "it left before");
    assert!(!bench.staging.holds_back(91, 1, 0, 6), "it goes another way");
    assert!(bench.staging.holds_back(93, 0, 1, 7));
    assert!(bench.staging.holds_back(92, 0, 1, 6));
    bench.run();
    assert_eq!(bench.staging.let_through(5), [92, 93]);
    assert!(!bench.staging.holds_back(94, 0, 1, 8));
}
