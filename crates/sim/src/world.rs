//! The world of a modelled machine: what it refuses, how it runs a job, what it reports.

use hardware::EventQueue;
use machine::{Capability, Endpoints, Machine};
use pdq::DispatcherId;
use tempest::policy::{Injector, Notice, Servers, Split};
use tempest::world::{Charge, DispatchKey, Name, Resident};
use tempest::{
    Dispatching, Failure, Flow, Launch, Mechanism, NodeId, Outcome, Policy, Refusal, Report, Shape, Size,
    Stage, Unobeyed, World,
};
use trace::{Cast, Counter};
use units::Time;

use crate::cluster::making::Plan;
use crate::cluster::{Cluster, gauges};
use crate::dispatch;
use crate::engine::Engine;
use crate::needs::Needs;
use crate::processor::core::Event;

/// A modelled machine, as a world to run programs in.
#[derive(Clone, Debug)]
pub struct Model {
    machine: Machine,
    /// How far loads of shared memory run ahead of engine time; `None`: by one transaction of the machine.
    lead: Option<Time>,
}

impl Model {
    /// The world of a machine.
    pub fn new(machine: Machine) -> Self {
        Self { machine, lead: None }
    }

    /// Bounds how far loads of shared memory run ahead of engine time. With a lead of zero every access happens exactly at its
    /// time, which takes the host longer. Without this bound the lead is one transaction of the machine.
    pub fn with_lead(self, lead: Time) -> Self {
        Self { lead: Some(lead), ..self }
    }

    /// Whether the machine has what a mechanism and a policy need, and this simulator models it.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn check(&self, mechanism: Mechanism, policy: &Policy) -> Result<(), Refusal> {
        self.expect(mechanism)?;
        let can: Vec<_> = self.machine.can.iter().map(|capability| capability.name()).collect();
        policy.check(&self.machine.name, &can)?;
        match policy.servers {
            Servers::Compute
            | Servers::Taken
            | Servers::Added
            | Servers::Idle
            | Servers::Network
            | Servers::Either
            | Servers::Embedded
            | Servers::Adaptive => {}
            Servers::Hardware if policy.notice == Notice::Poll => {
                if mechanism != Mechanism::SharedMemory {
                    return Err(unobeyed(policy, Unobeyed::NobodyHandles { mechanism }));
                }
            }
            _ => return Err(unobeyed(policy, Unobeyed::NoSuchProcessors)),
        }
        let polls_endpoint = matches!(policy.servers, Servers::Compute | Servers::Idle);
        if self.machine.interface.endpoints == Endpoints::Processor && !polls_endpoint {
            let machine = self.machine.name.clone();
            return Err(unobeyed(policy, Unobeyed::NoEndpoint { machine }));
        }
        Self::new(self.machine.under(policy.preset())).expect_prices(mechanism, policy, &[])
    }

    /// Insists that the machine, which is as the policy has it, gives a price for everything that a run charges whose protocols
    /// may make these `charges`.
    fn expect_prices(
        &self,
        mechanism: Mechanism,
        policy: &Policy,
        charges: &[Charge],
    ) -> Result<(), Refusal> {
        let keys = Needs { machine: &self.machine, policy, mechanism, charges }.missing();
        if keys.is_empty() {
            return Ok(());
        }
        Err(Refusal::Prices { policy: policy.clone(), machine: self.machine.name.clone(), keys })
    }

    /// Insists that the machine has what a mechanism needs.
    fn expect(&self, mechanism: Mechanism) -> Result<(), Refusal> {
        let can: Vec<_> = self.machine.can.iter().map(|capability| capability.name()).collect();
        mechanism.check(&self.machine.name, &can)
    }

    fn refusal(&self, launch: &Launch) -> Result<Split, Refusal> {
        let policy = &launch.policy;
        Size::expect_some(&[
            (launch.nodes, "nodes"),
            (launch.processors, "processors"),
            (launch.threads, "threads"),
        ])?;
        self.check(launch.mechanism, policy)?;
        let split = split(policy, launch.processors)?;
        if launch.nodes.checked_mul(split.computing + split.dedicated).is_none_or(|cores| cores > MAX_CORES) {
            let fewer = "--nodes or --processors";
            return Err(Refusal::Size(Size::TooMany { what: "processors", most: MAX_CORES, fewer }));
        }
        split
            .computing
            .checked_mul(launch.threads)
            .filter(|threads| threads.saturating_mul(launch.nodes) <= MAX_THREADS)
            .ok_or(Refusal::Size(Size::TooMany { what: "threads", most: MAX_THREADS, fewer: "--threads" }))?;
        Ok(split)
    }

    /// A policy as the machine obeys it: where every processor sends for itself, nobody injects for another.
    fn obeyed(&self, policy: &Policy) -> Policy {
        let mut obeyed = policy.clone();
        if policy.injector == Injector::Protocol && self.machine.can.contains(&Capability::SenderInjects) {
            obeyed.injector = Injector::Sender;
        }
        obeyed
    }

    /// Who there is, for a trace.
    fn cast(&self, shape: Shape, split: Split, any: &Resident, counters: Vec<Counter>) -> Cast {
        Cast {
            machine: self.machine.name.clone(),
            nodes: shape.nodes,
            computing: split.computing as u16,
            dedicated: split.dedicated as u16,
            threads: shape.threads,
            messages: any.node.message_names().collect(),
            counters,
        }
    }
}

/// A policy that the machine could have and the model cannot.
fn unobeyed(policy: &Policy, why: Unobeyed) -> Refusal {
    Refusal::Unobeyed { policy: policy.clone(), why }
}

/// The roles of a node's processors, those of its device among them.
fn split(policy: &Policy, processors: u32) -> Result<Split, Refusal> {
    let in_device = match policy.servers {
        Servers::Embedded => policy.count,
        Servers::Hardware => 1,
        _ => 0,
    };
    let split = policy.split(processors)?;
    Ok(Split { dedicated: split.dedicated + in_device, ..split })
}

/// The terms on which protocols talk; on machines that do not say, any number of requests, and a network that needs no
/// acknowledgements.
fn flow(machine: &Machine) -> Flow {
    let stated = machine.flow.as_ref();
    Flow {
        window: stated.map_or(u32::MAX, |flow| u32::try_from(flow.window).unwrap_or(u32::MAX)),
        acknowledge_every: stated.and_then(|flow| flow.acknowledge_every),
    }
}

/// The most modelled processors: their numbers and those of their continuations fit small integers.
const MAX_CORES: u32 = 1 << 20;

/// The most program threads: each has a stack.
const MAX_THREADS: u32 = 1 << 20;

impl World for Model {
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure> {
        // The software that runs on a machine differs with the policy, and its prices with it.
        let model = Self { machine: self.machine.under(launch.policy.preset()), lead: self.lead };
        let split = model.refusal(launch).map_err(Failure::Refused)?;
        let shape = Shape { nodes: launch.nodes, threads: split.computing * launch.threads };
        let config = dispatch::queue(&model.machine, &launch.policy, split);
        let mut residents = Vec::new();
        let mut queues = Vec::new();
        for node in 0..launch.nodes {
            let identity = DispatcherId::fresh();
            let settled =
                tempest::world::settle(&launch.job, NodeId(node), shape, flow(&model.machine), identity.id());
            residents.push(settled?);
            queues.push(EventQueue::<Event, Name>::new(identity, config));
        }
        if residents.iter().any(|resident| resident.node.memory().is_some()) {
            model.expect(Mechanism::SharedMemory).map_err(Failure::Refused)?;
        }
        if let Some(any) = residents.first() {
            let charges = any.node.charges();
            model.expect_prices(launch.mechanism, &launch.policy, charges).map_err(Failure::Refused)?;
        }
        let places = residents.iter().zip(queues).collect();
        let policy = model.obeyed(&launch.policy);
        let plan = Plan {
            machine: &model.machine,
            policy: &policy,
            split,
            shape,
            seed: launch.seed,
            stall_limit: launch.stall_limit,
            trace: launch.trace.as_ref(),
        };
        let mut cluster = plan.cluster(places);
        if let Some(lead) = model.lead {
            cluster.nodes.iter_mut().for_each(|node| node.memory.lead_by(lead));
        }
        if let Some(recorder) = &launch.trace {
            let counters = recorder.interval().map(|_| gauges::counters(&cluster)).unwrap_or_default();
            recorder.begin(model.cast(shape, split, &residents[0], counters));
        }
        let mut engine = Engine::new(cluster, &residents);
        engine.run()?;
        let mut outcome = outcome(&engine.state());
        outcome.report = report(&mut engine.state_mut(), &residents)?;
        Ok(outcome)
    }
}

/// The program's report, of all nodes together: nothing is left to happen.
fn report(state: &mut Cluster, residents: &[Resident]) -> Result<Report, Failure> {
    let mut report = Report::default();
    for (node, resident) in state.nodes.iter_mut().zip(residents) {
        let held = node.dispatch.events.try_hold(state.agenda.now(), DispatchKey::Sequential);
        let mut held = held.expect("nothing is unfinished at the end of a run");
        report.merge(resident.report(held.proof())?);
        node.dispatch.events.complete(state.agenda.now(), held);
    }
    Ok(report)
}

/// All but the program's report.
fn outcome(state: &Cluster) -> Outcome {
    let reading = gauges::reading(state);
    let name = |kind, part| gauges::name(state, kind, part);
    Outcome {
        time: state.agenda.now(),
        phases: state.measure.phases.records(&reading, name),
        counters: reading.counters,
        breakdown: reading.breakdown,
        utilization: reading.busy.since(None, name),
        protocol: reading.protocol,
        dispatching: dispatching(state),
        anatomy: stages(state),
        adjustments: state.measure.adjustments().to_vec(),
        events: Some(state.agenda.happened()),
        digest: state.measure.digest().map(|digest| digest.value()),
        report: Report::default(),
    }
}

/// What protocol events took, by the names of their messages.
fn stages(state: &Cluster) -> Vec<Stage> {
    let Some(node) = state.nodes.first() else { return Vec::new() };
    state.measure.anatomy.stages(node.waist.message_names().chain([Stage::ACCESS]))
}

fn dispatching(state: &Cluster) -> Dispatching {
    let (mut total, mut busy) = (Time::ZERO, Time::ZERO);
    let (mut events, mut waited_on_key) = (0, 0);
    for node in &state.nodes {
        let waits = node.dispatch.events.waits();
        total += waits.total;
        events += waits.events;
        busy += node.dispatch.events.busy(state.agenda.now());
        waited_on_key += node.dispatch.events.waited_on_key();
    }
    let mean = (events > 0).then(|| Time::from_femtoseconds(total.as_femtoseconds() / events));
    let all = (state.agenda.now() * state.nodes.len() as u64).as_seconds();
    let busy = (all > 0.0).then(|| busy.as_seconds() / all);
    Dispatching { waited_on_key, mean_wait: mean, busy }
}
