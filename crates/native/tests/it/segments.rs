//! Tests of segments in one process: they are mapped, and refuse accesses to words that do not exist or are not for others.

use tempest::entry::{Given, Plan};
use tempest::outcome::Failure;
use tempest::world::{Launch, World};
use tempest::{
    FinalState, Job, Mechanism, NodeId, Protocol, Report, Rights, Segment, Setup, Shape, Thread, handlers,
};
use tradewind_native::Local;

/// The access of the last node to node 0.
#[derive(Clone, Copy)]
enum Access {
    Reach,
    GetBeyond,
    PutClosed,
    ReadBeyond,
    NoNode,
}

struct Probe {
    deed: Access,
    open: Segment<f64>,
    closed: Segment<u64>,
}

impl Protocol for Probe {
    type Config = Access;
    fn install(&deed: &Access, setup: &mut Setup<'_>) -> Self {
        let open = setup.segment_for(Rights::READ_WRITE, "open", 4, 0.0);
        Self { deed, open, closed: setup.segment_for(Rights::READ, "closed", 4, 0) }
    }
}

#[handlers]
impl Probe {
    fn main(&self, thread: &Thread<'_>) {
        if thread.node() == NodeId(0) {
            return;
        }
        let open = thread.map(&self.open, NodeId(0)).expect("all is mapped in one process");
        let closed = thread.map(&self.closed, NodeId(0)).expect("all is mapped in one process");
        match self.deed {
            Access::Reach => {
                open.put(1, 1.5);
                open.write(2, &[2.5, open.get(1)]);
            }
            Access::GetBeyond => _ = closed.get(4),
            Access::PutClosed => closed.put(0, 1),
            Access::ReadBeyond => closed.read(3, &mut [0; 2]),
            Access::NoNode => _ = thread.map(&self.open, NodeId(2)),
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let held: Vec<f64> = (0..4).map(|cell| self.open.cells().get(end, cell)).collect();
        let reached = held == [0.0, 1.5, 2.5, 1.5];
        Report::checked(reached || held == [0.0; 4], || format!("{held:?}")).figure(
            "reached",
            f64::from(u8::from(reached)),
            tempest::Merge::Sum,
        )
    }
}

fn run(deed: Access) -> Result<tempest::outcome::Outcome, Failure> {
    let policy = "single".parse().expect("a policy of this host");
    Local::new().run(&Launch { nodes: 2, ..Launch::new(Job::new::<Probe>(deed), policy) })
}

#[test]
fn memory_of_other_nodes_is_mapped() {
    let report = run(Access::Reach).unwrap().report;
    assert!(report.verified(), "{report:?}");
    assert_eq!(report.figures[0].value, 1.0, "node 0 has what was put there");
}

#[test]
fn an_access_that_is_refused_is_the_programs_failure() {
    for (deed, says) in [
        (Access::GetBeyond, "1 words for node 1 at offset 4 of segment 1 of node 0, which has 4"),
        (Access::PutClosed, "offset 0 of segment 1 of node 0, which no other node may write"),
        (Access::ReadBeyond, "2 words for node 1 at offset 3 of segment 1 of node 0, which has 4"),
        (Access::NoNode, "a segment of node 2: there are 2 nodes"),
    ] {
        match run(deed) {
            Err(Failure::Program(what)) => assert!(what.contains(says), "{what}"),
            other => panic!("expected `{says}`, got {other:?}"),
        }
    }
}

/// A program over the split-phase layer, with its accesses direct or not.
fn split_phase(program: &str, mechanism: Mechanism, direct: &str) -> tempest::outcome::Outcome {
    let policy = "floating".parse().expect("a policy of this host");
    let given = Given { values: [("direct".to_owned(), direct.to_owned())].into(), ..Given::default() };
    let program = tempest::entry::find(program, probes::ALL).expect("the program is there");
    let instance = (program.load)(&given).expect("the inputs are good");
    let job =
        instance.job(&Plan::new(mechanism, Shape { nodes: 3, threads: 1 })).expect("the shape is possible");
    Local::new().run(&Launch { nodes: 3, mechanism, ..Launch::new(job, policy) }).expect("the run ends well")
}

#[test]
fn split_phase_programs_answer_alike_directly_with_fewer_messages() {
    for (program, mechanism) in [
        ("split-phase", Mechanism::Messages),
        ("bulk-bandwidth", Mechanism::Messages),
        ("bulk-bandwidth", Mechanism::Bulk),
    ] {
        let [by_message, direct] = ["false", "true"].map(|direct| split_phase(program, mechanism, direct));
        for outcome in [&by_message, &direct] {
            assert!(outcome.report.verified(), "{program}: {:?}", outcome.report);
        }
        let (more, fewer) = (by_message.counters.messages, direct.counters.messages);
        assert!(fewer < more, "{program}: {fewer} messages directly, {more} else");
    }
}
