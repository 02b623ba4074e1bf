//! Jobs: a program with its input, ready to be installed on every node of a world; and its report afterwards.
//!
//! This module must never know which world runs a job.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pdq::DispatcherId;

use crate::blame::take_place;
use crate::disposal::States;
use crate::key::Proof;
use crate::node::Node;
use crate::{Failure, Flow, NodeId, Protocol, Quiet, Setup, Shape, Thread};

/// A program: a protocol whose nodes also run threads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no program",
    label = "no threads, and no report",
    note = "write `fn main(&self, thread: &Thread<'_>)` and `fn report(&self, end: &mut Quiet<'_>) -> Report` in its \
            `#[handlers] impl`"
)]
pub trait Program: Protocol {
    /// The body of each thread.
    fn main(&self, thread: &Thread<'_>);

    /// Checks this node's share of the result against a sequential reference, and states the program's own figures. It is
    /// called once on each node, when the run has ended well; `end` gives the entries of the node's keyed tables.
    fn report(&self, end: &mut Quiet<'_>) -> Report;
}

/// The rule by which figures of several nodes become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merge {
    /// The sum of the nodes' values.
    Sum,
    /// The largest of the nodes' values.
    Max,
}

/// A number that a program reports.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    /// The name of the figure, in the words of the program's documentation.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// The unit of the value, such as `us` or `MB/s`; empty for a pure number.
    pub unit: &'static str,
    /// The rule by which the nodes' values become one.
    pub merge: Merge,
}

/// The result of a program's own check, and its figures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// The number of results that were compared with the reference.
    pub checks: u64,
    /// The differences found, one line each.
    pub failures: Vec<String>,
    /// The program's figures.
    pub figures: Vec<Figure>,
}

impl Report {
    /// Makes a report of one check. `wrong` describes the fault if it is not `right`.
    pub fn checked(right: bool, wrong: impl FnOnce() -> String) -> Self {
        let failures = if right { Vec::new() } else { vec![wrong()] };
        Self { checks: 1, failures, figures: Vec::new() }
    }

    /// Adds a figure without a unit to this report.
    #[must_use = "returns the report with the figure"]
    pub fn figure(self, name: &'static str, value: f64, merge: Merge) -> Self {
        self.measured(name, value, "", merge)
    }

    /// Adds a figure with a unit to this report.
    #[must_use = "returns the report with the figure"]
    pub fn measured(mut self, name: &'static str, value: f64, unit: &'static str, merge: Merge) -> Self {
        self.figures.push(Figure { name, value, unit, merge });
        self
    }

    /// Adds another node's report to this one: the numbers of checks are added, the failures are joined, and figures of one
    /// name become one by their [`Merge`] rule.
    pub fn merge(&mut self, other: Report) {
        self.checks += other.checks;
        self.failures.extend(other.failures);
        for figure in other.figures {
            match self.figures.iter_mut().find(|known| known.name == figure.name) {
                None => self.figures.push(figure),
                Some(known) => {
                    known.value = match figure.merge {
                        Merge::Sum => known.value + figure.value,
                        Merge::Max => known.value.max(figure.value),
                    }
                }
            }
        }
    }

    /// Names the node at the head of each failure that does not name it.
    fn name(&mut self, node: NodeId) {
        let name = node.to_string();
        // The name of node 2 is the beginning of that of node 20.
        let goes_on = |rest: &str| rest.starts_with(|next: char| next.is_ascii_digit());
        let is_named = |failure: &str| failure.split(&name).skip(1).any(|rest| !goes_on(rest));
        let nameless = self.failures.iter_mut().filter(|failure| !is_named(failure));
        nameless.for_each(|failure| *failure = format!("{name}: {failure}"));
    }

    /// Whether something was checked and nothing was wrong.
    pub fn verified(&self) -> bool {
        self.checks > 0 && self.failures.is_empty()
    }
}

/// A program as it is installed on one node, without its type.
pub(crate) trait Installed: Send + Sync {
    fn main(&self, thread: &Thread<'_>);
    fn report(&self, end: &mut Quiet<'_>) -> Report;
}

impl<P: Program> Installed for P {
    fn main(&self, thread: &Thread<'_>) {
        Program::main(self, thread);
    }
    fn report(&self, end: &mut Quiet<'_>) -> Report {
        Program::report(self, end)
    }
}

/// A program as it is installed on one node, ready to run.
#[derive(Clone)]
pub struct Resident {
    /// Dropped before the node, whose states are the last to hold the program.
    program: Arc<dyn Installed>,
    /// The node, as handlers see it.
    pub node: Arc<Node>,
}

impl Resident {
    /// Runs the body of one thread.
    pub fn main(&self, thread: &Thread<'_>) {
        self.program.main(thread);
    }

    /// Makes the node's share of the program's report, whose failures name the node if there are several. The world calls this when the
    /// run has ended well and nothing of the node
    /// runs any more. `proof` shows that the node's dispatcher has nothing under way.
    ///
    /// # Errors
    /// [`Failure::Program`] if the program panics.
    ///
    /// # Panics
    /// If the proof is of another key than the sequential one.
    pub fn report(&self, proof: Proof<'_>) -> Result<Report, Failure> {
        let (node, nodes) = (self.node.id(), self.node.shape().nodes);
        let mut end = Quiet::new((node, nodes), proof);
        let mut report = guarded("reporting", || self.program.report(&mut end))?;
        if nodes > 1 {
            report.name(node);
        }
        Ok(report)
    }
}

type Install = dyn Fn(&mut Setup<'_>) -> Arc<dyn Installed> + Send + Sync;

/// A program with its input.
#[derive(Clone)]
pub struct Job {
    install: Arc<Install>,
}

impl Job {
    /// Makes a job that runs `P` on `config`.
    pub fn new<P: Program>(config: P::Config) -> Self {
        let install = move |setup: &mut Setup<'_>| setup.install_new::<P>(&config) as Arc<dyn Installed>;
        Self { install: Arc::new(install) }
    }

    /// Installs the program on a node whose events go through `dispatcher`. `first` is the first node of the run, once there is
    /// one.
    ///
    /// # Errors
    /// [`Refusal::Configurations`](crate::Refusal::Configurations) if protocols of the program install a third one differently; [`Refusal::Nodes`](crate::Refusal::Nodes) if the program
    /// makes something else of this node than of the first; [`Failure::Program`] if the program panics.
    pub(crate) fn settle(
        &self,
        id: NodeId,
        shape: Shape,
        flow: Flow,
        dispatcher: DispatcherId,
        first: Option<&Node>,
    ) -> Result<Resident, Failure> {
        let mut node = Node {
            id,
            shape,
            flow,
            dispatcher,
            kinds: Default::default(),
            ids: Default::default(),
            foresees: false,
            protocols: 0,
            charges: Vec::new(),
            needs_handlers: false,
            segments: Default::default(),
            tables: Default::default(),
            plots: Default::default(),
            memory: None,
            states: States::of(id, first.map(|first| first.disposal().clone()).unwrap_or_default()),
        };
        let program = guarded("settling on its nodes", || (self.install)(&mut Setup::of(&mut node)))?;
        if let Some(first) = first {
            node.ids = node.ids.shared_with(&first.ids);
            node.expect_like(first).map_err(Failure::Refused)?;
            node.kinds.share(&first.kinds);
        }
        Ok(Resident { program, node: Arc::new(node) })
    }
}

/// Calls the program outside its threads and handlers. Its unwinding is a refusal, or a panic of its own.
fn guarded<T>(doing: &str, program: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(program)).map_err(|panic| match panic.downcast() {
        Ok(refusal) => Failure::Refused(*refusal),
        Err(panic) => {
            let place = take_place().map_or(String::new(), |place| format!(" (at {place})"));
            Failure::Program(format!("panicked while {doing}: {}{place}", panic_message(&*panic)))
        }
    })
}

/// The text of a panic. It says at least that something panicked.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panicked (without a message)")
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Job")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_node_once() {
        let mut report = Report::checked(false, || "61 counters are wrong".to_owned());
        report.merge(Report::checked(false, || "word 3 of node 2 is wrong".to_owned()));
        report.merge(Report::checked(false, || "no word from node 20".to_owned()));
        report.name(NodeId(2));
        let named =
            ["node 2: 61 counters are wrong", "word 3 of node 2 is wrong", "node 2: no word from node 20"];
        assert_eq!(report.failures, named);
    }
}
