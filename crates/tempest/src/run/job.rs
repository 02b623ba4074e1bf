//! Jobs: a program with its input, which a world installs on every node, runs, and asks for a report.
//!
//! This module must never know which world runs a job.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ::segment::MemorySource;
use pdq::DispatcherId;

use crate::message::node::Node;
use crate::message::parts::NodeParts;
use crate::outcome::Failure;
use crate::outcome::blame::{panic_message, take_place};
use crate::plain::Flow;
use crate::plain::key::Proof;
use crate::{FinalState, NodeId, Protocol, Report, Setup, Shape, Thread};

/// A program: a protocol that also has threads on every node.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no program",
    label = "no threads, and no report",
    note = "write `fn main(&self, thread: &Thread<'_>)` and `fn report(&self, end: &mut FinalState<'_>) -> Report` in its \
            `#[handlers] impl`"
)]
pub trait Program: Protocol {
    /// The body of each thread, run once on each thread of each node.
    fn main(&self, thread: &Thread<'_>);

    /// Checks this node's share of the result against a sequential reference, and returns the program's own figures.
    /// The world calls this once on each node, when the run has ended well. `end` gives access to the entries of the
    /// node's keyed tables.
    fn report(&self, end: &mut FinalState<'_>) -> Report;
}

/// A program installed on one node, of any Rust type.
pub(crate) trait Installed: Send + Sync {
    fn main(&self, thread: &Thread<'_>);
    fn report(&self, end: &mut FinalState<'_>) -> Report;
}

impl<P: Program> Installed for P {
    fn main(&self, thread: &Thread<'_>) {
        Program::main(self, thread);
    }
    fn report(&self, end: &mut FinalState<'_>) -> Report {
        Program::report(self, end)
    }
}

/// A program installed on one node, ready to run.
#[derive(Clone)]
pub struct Resident {
    /// The program's state. This reference is dropped before `node`, which holds the last reference to the state.
    program: Arc<dyn Installed>,
    /// The node with its messages and tables, which handlers use.
    pub node: Arc<Node>,
}

impl Resident {
    /// Runs the body of one thread.
    pub fn main(&self, thread: &Thread<'_>) {
        self.program.main(thread);
    }

    /// Makes the node's share of the program's report. If there are several nodes, each failure in the report names the
    /// node. The world calls this when the run has ended well and no thread or handler of the node runs any more.
    /// `proof` shows that the node's dispatcher runs no event.
    ///
    /// # Errors
    /// [`Failure::Program`] if the program panics.
    ///
    /// # Panics
    /// If the proof is of another key than the sequential one.
    pub fn report(&self, proof: Proof<'_>) -> Result<Report, Failure> {
        let (node, nodes) = (self.node.id(), self.node.shape().nodes);
        let mut end = FinalState::new((node, nodes), proof);
        let mut report = guarded("reporting", || self.program.report(&mut end))?;
        if nodes > 1 {
            report.name(node);
        }
        Ok(report)
    }
}

type Install = dyn Fn(&mut Setup<'_>) -> Arc<dyn Installed> + Send + Sync;

/// A program with its input, ready to be installed on every node of a world.
#[derive(Clone)]
pub struct Job {
    install: Arc<Install>,
}

impl Job {
    /// Makes a job that runs the program `P` with the configuration `config`.
    pub fn new<P: Program>(config: P::Config) -> Self {
        let install = move |setup: &mut Setup<'_>| setup.install_new::<P>(&config) as Arc<dyn Installed>;
        Self { install: Arc::new(install) }
    }

    /// Installs the program on node `id`, whose events go through `dispatcher`. The memory that other nodes access comes from
    /// `source`. `first` is the first node of this process, with which this node shares memory; `None` while the first node
    /// itself is installed.
    ///
    /// # Errors
    /// [`Refusal::Configurations`](crate::outcome::Refusal::Configurations) if two protocols of the program install a
    /// third one with different configurations; [`Failure::Program`] if the program panics.
    pub(crate) fn settle(
        &self,
        id: NodeId,
        shape: Shape,
        flow: Flow,
        dispatcher: DispatcherId,
        source: &MemorySource,
        first: Option<&Node>,
    ) -> Result<Resident, Failure> {
        let disposal = first.map(|first| first.disposal().clone()).unwrap_or_default();
        let mut node = Node::bare(NodeParts::new(id, shape, flow, dispatcher, source.clone()), disposal);
        let program = guarded("settling on its nodes", || (self.install)(&mut Setup::of(&mut node)))?;
        if let Some(first) = first {
            node.parts.ids = std::mem::take(&mut node.parts.ids).shared_with(&first.ids);
            node.kinds.share(&first.kinds);
        }
        Ok(Resident { program, node: Arc::new(node) })
    }
}

/// Calls code of the program outside its threads and handlers. If the code unwinds, the result is the refusal with
/// which it unwinds, or a failure that names `doing` and the panic's text.
fn guarded<T>(doing: &str, program: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(program)).map_err(|panic| match panic.downcast() {
        Ok(refusal) => Failure::Refused(*refusal),
        Err(panic) => {
            let place = take_place().map_or(String::new(), |place| format!(" (at {place})"));
            Failure::Program(format!("panicked while {doing}: {}{place}", panic_message(&*panic)))
        }
    })
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Job")
    }
}
