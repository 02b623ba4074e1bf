//! Tests of `set_aside` and `requests`, in a file of their own because the model in `tests/models` compiles those too.

use std::cell::Cell;

use tempest::world::{Downgrade, MessageId, Packet};
use tempest::{Block, NodeId, Tag};

use crate::parts::requests::Requests;
use crate::parts::set_aside::{DowngradeSite, Downgrades};
use crate::rings::message::Received;

/// A processor of a node whose only block may have an outstanding access.
struct Site<'a> {
    alone: bool,
    pinned: Cell<bool>,
    lowered: Cell<u32>,
    /// The requests that this processor answers, as computing processor 0.
    answers: Option<&'a Requests>,
}

impl DowngradeSite for Site<'_> {
    fn is_alone(&self) -> bool {
        self.alone
    }

    fn is_pinned(&self, _: &Downgrade) -> bool {
        self.pinned.get()
    }

    fn lower(&self, _: &Downgrade) {
        self.lowered.set(self.lowered.get() + 1);
    }

    fn answer(&self) {
        self.answers.map(|requests| requests.answer(0));
    }
}

fn downgrade() -> Downgrade {
    let then = Packet::from_parts(MessageId(5), NodeId(0), &[]).unwrap();
    Downgrade { first: Block(0), count: 1, tag: Tag::Invalid, then }
}

#[test]
fn a_node_of_one_processor_downgrades_at_once_unless_an_access_is_outstanding() {
    let (downgrades, looked) = (Downgrades::new(1), Cell::new(0));
    let site = Site { alone: true, pinned: Cell::new(false), lowered: Cell::new(0), answers: None };
    assert!(downgrades.begin(&site, &downgrade()).is_none() && site.lowered.get() == 1);
    site.pinned.set(true);
    let pending = downgrades.begin(&site, &downgrade()).expect("it waits for the access");
    downgrades.set_aside(pending, Received::blank(), None);
    assert!(downgrades.has_set_aside() && downgrades.awaits_access() && site.lowered.get() == 1);
    assert!(downgrades.take_done(&site, &looked).is_none(), "the access is outstanding");
    site.pinned.set(false);
    downgrades.note_change();
    assert!(downgrades.sees_change(&looked));
    let done = downgrades.take_done(&site, &looked).expect("the access has been made");
    assert_eq!((done.then.id(), site.lowered.get()), (MessageId(5), 2));
    assert!(!downgrades.has_set_aside() && !downgrades.awaits_access());
}

#[test]
fn a_downgrade_waits_for_the_answers_of_all_computing_processors() {
    let (downgrades, looked) = (Downgrades::new(2), Cell::new(0));
    let requests = &downgrades.requests;
    let site =
        Site { alone: false, pinned: Cell::new(false), lowered: Cell::new(0), answers: Some(requests) };
    let pending = downgrades.begin(&site, &downgrade()).expect("processor 1 has not answered");
    downgrades.set_aside(pending, Received::blank(), None);
    assert!(site.lowered.get() == 1 && !downgrades.awaits_access());
    assert!(requests.is_waited_for() && !requests.concerns(0) && requests.concerns(1));
    assert!(downgrades.take_done(&site, &looked).is_none());
    assert!(requests.answer(1) && !requests.answer(1), "an answer is one step");
    assert!(downgrades.take_done(&site, &looked).is_some() && !requests.is_waited_for());
}

#[test]
fn a_processor_that_is_away_need_not_answer() {
    let requests = Requests::new(1);
    requests.go_away(0);
    let question = requests.ask();
    assert!(requests.is_answered(question));
    requests.come_back(0);
    assert!(requests.is_answered(question) && !requests.concerns(0), "it has answered on its return");
    assert!(!requests.is_answered(requests.ask()));
}
