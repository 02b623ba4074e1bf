//! Worms in each other's way, step by step.

use machine::Topology;
use units::{Bytes, Time};

use crate::driver::{Driver, mesh, network, ns, torus};

#[test]
fn who_comes_second_to_a_link_waits_for_the_last_byte_of_the_first() {
    let mut driver = Driver::new(&network(mesh(&[4, 1])), 4);
    let far = driver.launch(ns(0), 0, 3, 24);
    let near = driver.launch(ns(0), 1, 3, 24);
    driver.run();
    // `near` enters the link from 1 at 5, that from 2 at 15, and node 3 at 25.
    assert_eq!(driver.arrival(near), ns(25));
    // `far` enters the link from 0 at 5 and wants that from 1 at 15; it is free at 5 + 24 = 29. Then 39 and 49.
    assert_eq!(driver.arrival(far), ns(49));
}

#[test]
fn an_output_of_a_crossbar_serves_one_after_another_and_others_pass() {
    let mut driver = Driver::new(&network(Topology::Crossbar), 4);
    let messages: Vec<u32> = (0..3).map(|from| driver.launch(ns(from), from as u32, 3, 40)).collect();
    let other = driver.launch(ns(0), 3, 2, 40);
    driver.run();
    let at: Vec<_> = messages.iter().map(|&message| driver.arrival(message)).collect();
    assert_eq!(at, [ns(5), ns(45), ns(85)]);
    assert_eq!(driver.arrival(other), ns(5));
}

#[test]
fn a_port_out_sends_one_message_after_another() {
    let mut driver = Driver::new(&network(Topology::Crossbar), 3);
    let first = driver.launch(ns(0), 0, 1, 100);
    let second = driver.launch(ns(0), 0, 2, 8);
    driver.run();
    assert_eq!((driver.arrival(first), driver.arrival(second)), (ns(5), ns(105)));
}

/// A row of five; node 4 accepts no message before 1000, and a message of `bytes` is on its way there.
fn blocked(bytes: u64) -> Driver {
    let mut driver = Driver::new(&network(mesh(&[5, 1])), 5);
    driver.shut(4, ns(1000));
    driver.launch(ns(0), 0, 4, bytes);
    driver
}

#[test]
fn a_blocked_worm_holds_the_links_on_which_bytes_of_it_are_left() {
    // Of 100 bytes 80 are in the buffers of nodes 1 to 4. Everything back to the port out of node 0 is held.
    let mut driver = blocked(100);
    let behind = driver.launch(ns(100), 0, 1, 12);
    let across = driver.launch(ns(100), 2, 3, 12);
    driver.run();
    // At 1000 the head goes on, and the rest in the port out can go. The tail passes the link from 0 at 1020, then the
    // links after it at 1040, 1060 and 1080, and the port in at 1100. The next message enters a link then, and leaves
    // the buffer at its end behind the last 20 bytes of the worm.
    assert_eq!(driver.arrival(across), ns(1060 + 20));
    assert_eq!(driver.arrival(behind), ns(1020 + 20));
}

#[test]
fn what_fits_into_buffers_frees_the_links_behind() {
    // 60 bytes lie in the buffers of nodes 4, 3 and 2. The link from 0 is free again; that from 1 ends in a full buffer,
    // and bytes in it have to pass the link from 2.
    let mut driver = blocked(60);
    let behind = driver.launch(ns(100), 0, 1, 12);
    let along = driver.launch(ns(100), 1, 2, 12);
    let across = driver.launch(ns(100), 2, 3, 12);
    driver.run();
    assert_eq!(driver.arrival(behind), ns(100 + 5 + 10));
    assert_eq!(driver.arrival(along), ns(1000 + 20));
    assert_eq!(driver.arrival(across), ns(1020 + 20));
}

#[test]
fn a_refused_worm_goes_on_when_it_is_accepted() {
    let mut driver = blocked(60);
    let near = driver.launch(ns(0), 3, 4, 30);
    driver.run();
    // Node 3's message is at the port in first, at 15; the other is let in when the last byte of that is.
    assert_eq!(driver.arrival(near), ns(1000));
    assert_eq!(driver.arrival(0), ns(1030));
}

#[test]
fn messages_that_wait_to_leave_are_counted() {
    let mut driver = blocked(100);
    for _ in 0..3 {
        driver.launch(ns(500), 0, 1, 12);
    }
    driver.run_until(ns(999));
    assert_eq!(driver.leaving(0), 3);
    // The first of them has the port out at 1000. Its link is free at 1020, but its router has room for 20 bytes, and 5 are
    // on the way there: the second follows after 12, and the third when both have left the port and the first the router.
    driver.run_until(ns(1011));
    assert_eq!(driver.leaving(0), 2);
    driver.run_until(ns(1023));
    assert_eq!(driver.leaving(0), 1);
    driver.run_until(ns(1024));
    assert_eq!(driver.leaving(0), 0);
    driver.run();
    assert_eq!(driver.leaving(0), 0);
}

#[test]
fn lanes_let_a_ring_go_on_that_would_be_stuck() {
    // Five nodes, each sends 100 bytes two further on, all at once: every link is wanted by two messages.
    let mut driver = Driver::new(&network(torus(&[5])), 5);
    for from in 0..5 {
        driver.launch(ns(0), from, (from + 2) % 5, 100);
    }
    driver.run();
    assert_eq!(driver.arrivals.len(), 5);
}

/// On a ring of five, 0 sends to 2 by the first lanes of the links from 0 and 1, and 4 sends to 1 over the seam, by the
/// second lanes of those from 4 and 0.
fn two_lanes(until: Time) -> (Time, Time) {
    let mut driver = Driver::new(&network(torus(&[5])), 5);
    driver.shut(2, until);
    let first = driver.launch(ns(0), 0, 2, 100);
    let second = driver.launch(ns(0), 4, 1, 100);
    driver.run();
    (driver.arrival(first), driver.arrival(second))
}

#[test]
fn lanes_share_the_wire() {
    // From 5 on the wire of the link from 0 carries the first message, for 100 ns; the second is there at 15.
    assert_eq!(two_lanes(ns(0)), (ns(25), ns(105 + 10)));
}

#[test]
fn a_blocked_worm_leaves_the_wire_to_the_other_lane() {
    assert_eq!(two_lanes(ns(1000)), (ns(1000), ns(105 + 10)));
}

/// A row of five with buffers of `buffer` bytes; node 4 accepts no message before 1000. Four messages of 20 bytes are
/// on their way there from node 2, and then node 2 sends a message to node 3 behind them.
fn queued(buffer: u64) -> Time {
    let mut network = network(mesh(&[5, 1]));
    network.routers.as_mut().expect("it is routed").buffer = Bytes::new(buffer);
    let mut driver = Driver::new(&network, 5);
    driver.shut(4, ns(1000));
    for _ in 0..4 {
        driver.launch(ns(0), 2, 4, 20);
    }
    // From another node, over the links that those wait behind.
    let across = driver.launch(ns(500), 1, 2, 20);
    let behind = driver.launch(ns(500), 2, 3, 20);
    driver.run();
    assert_eq!(driver.arrival(across), ns(515), "nobody is in its way");
    assert_eq!(driver.arrivals.len(), 6);
    driver.arrival(behind)
}

#[test]
fn as_many_messages_wait_in_a_buffer_as_it_has_room_for() {
    // One lies before node 4, one at the end of the link from 2 to 3, one behind the port out of 2; the fourth waits
    // for that port. From 1000 on all move up by one every 20 ns. The message for node 3 has the port at 1020 and the
    // link at 1040, and leaves the buffer at its end behind the fourth at 1060.
    assert_eq!(queued(20), ns(1060));
    // All four are before node 4.
    assert_eq!(queued(80), ns(515));
    // Three are, and one before node 3: the message for node 3 itself has to wait until that one has left.
    assert_eq!(queued(60), ns(1020));
}
