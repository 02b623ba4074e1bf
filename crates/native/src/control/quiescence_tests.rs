//! Tests of `quiescence`, in a file of their own because the model in `tests/models` compiles that one too.

use std::sync::atomic::Ordering;

use crate::control::quiescence::{Sums, sums};
use crate::padding::bump;
use crate::parts::gauge::Gauge;

#[test]
fn a_node_has_sums_if_all_its_processors_idle() {
    let gauges = [Gauge::default(), Gauge::default()];
    let counted = || sums(gauges.iter());
    assert_eq!(counted(), None, "both are active");
    gauges.iter().for_each(|gauge| gauge.idle.store(true, Ordering::SeqCst));
    assert_eq!(counted(), Some(Sums { handled: 0, sent: 0 }));
    bump(&gauges[0].sent, 2);
    gauges[1].count_handled(1);
    assert_eq!(counted(), Some(Sums { handled: 1, sent: 2 }), "a message is in flight");
    gauges[1].idle.store(false, Ordering::SeqCst);
    assert_eq!(counted(), None, "one is active");
}
