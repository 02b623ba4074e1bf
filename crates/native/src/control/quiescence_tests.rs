//! Tests of `quiescence`, in a file of their own because the model in `tests/models` compiles that one too.

use std::sync::atomic::Ordering;

use crate::control::quiescence::is_quiescent;
use crate::padding::bump;
use crate::parts::gauge::Gauge;

#[test]
fn a_world_is_quiescent_if_all_idle_and_all_work_was_handled() {
    let gauges = [Box::<Gauge>::default(), Box::default()];
    assert!(!is_quiescent(&gauges), "both are active");
    gauges.iter().for_each(|gauge| gauge.idle.store(true, Ordering::SeqCst));
    assert!(is_quiescent(&gauges));
    bump(&gauges[0].sent, 2);
    gauges[1].count_handled(1);
    assert!(!is_quiescent(&gauges), "a message is in flight");
    gauges[1].count_handled(1);
    assert!(is_quiescent(&gauges));
    gauges[1].idle.store(false, Ordering::SeqCst);
    assert!(!is_quiescent(&gauges), "one is active");
}
