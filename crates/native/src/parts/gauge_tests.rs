//! Tests of `gauge` by hand: the kinds of idle time, and of bytes.

use tempest::Volume;
use tempest::outcome::VolumeBytes;

use crate::padding::bump;
use crate::parts::gauge::{Awaited, Gauge, Waited};

#[test]
fn idling_for_a_block_is_a_wait_for_memory_and_handlers_in_between_are_neither() {
    let gauge = Gauge::default();
    gauge.begin_idle(100, Awaited::Block);
    bump(&gauge.overhead_ns, 10);
    assert_eq!(gauge.waited_until(150), Waited { memory_ns: 40, awaited_ns: 0, idle_ns: 0 });
    gauge.end_idle(160);
    gauge.begin_idle(200, Awaited::Event);
    assert_eq!(gauge.waited_until(207), Waited { memory_ns: 50, awaited_ns: 7, idle_ns: 0 });
    gauge.end_idle(210);
    gauge.count_wait_for_room(5);
    let waited = gauge.waited_until(1000);
    assert_eq!((waited, waited.total_ns()), (Waited { memory_ns: 55, awaited_ns: 10, idle_ns: 0 }, 65));
}

#[test]
fn a_processor_without_threads_waits_for_nothing() {
    let gauge = Gauge::default();
    gauge.begin_idle(100, Awaited::Nothing);
    assert_eq!(gauge.waited_until(107), Waited { memory_ns: 0, awaited_ns: 0, idle_ns: 7 });
    gauge.end_idle(110);
    gauge.begin_idle(120, Awaited::Event);
    assert_eq!(gauge.waited_until(125), Waited { memory_ns: 0, awaited_ns: 5, idle_ns: 10 });
}

#[test]
fn only_data_has_its_headers_counted_apart() {
    let gauge = Gauge::default();
    gauge.count_message(Volume::Data, Some(56), 7);
    gauge.count_message(Volume::Data, Some(64), 8);
    gauge.count_message(Volume::Request, Some(8), 1);
    gauge.count_message(Volume::Invalidation, Some(0), 0);
    gauge.count_message(Volume::Invalidation, None, 14);
    // Data messages of seven words have one head, those of eight two.
    let volume = VolumeBytes { data: 120, headers: 8 + 16, requests: 16, invalidations: 8 };
    assert_eq!((gauge.counters().volume, gauge.counters().messages), (volume, 5));
}
