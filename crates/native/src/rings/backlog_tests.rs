//! Tests of `backlog`, in a file of their own because the model in `tests/models` compiles that one too.

use crate::rings::backlog::Backlog;

#[test]
fn a_node_acknowledges_while_its_outboxes_hold_no_more_than_the_reserve() {
    let backlog = Backlog::new(10);
    assert!(backlog.is_sent() && backlog.may_acknowledge() && !backlog.is_left());
    backlog.add(10);
    assert!(!backlog.is_sent() && backlog.may_acknowledge() && backlog.is_left());
    backlog.add(1);
    assert!(!backlog.may_acknowledge() && backlog.words() == 11);
}

#[test]
fn an_owed_acknowledgement_is_paid_once_when_the_outboxes_are_down_to_the_reserve() {
    let backlog = Backlog::new(10);
    backlog.add(12);
    backlog.owe();
    assert!(!backlog.settles(), "the outboxes are too full");
    backlog.remove(12);
    assert!(backlog.is_left(), "the acknowledgement is owed");
    assert!(backlog.settles() && !backlog.settles() && !backlog.is_left());
}
