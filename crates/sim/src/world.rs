//! The world of a modelled machine: the jobs that it refuses, how it runs a job, and its reports.

use std::rc::Rc;

use hardware::EventQueue;
use machine::{Capability, Endpoints, Machine};
use pdq::DispatcherId;
use tempest::message::Flow;
use tempest::outcome::{Adjustment, Dispatching, Failure, Outcome, Refusal, Size, Stage, Unobeyed};
use tempest::policy::{Injector, Notice, Servers, Split};
use tempest::world::{Charge, DispatchKey, Name, Resident};
use tempest::world::{Launch, MemorySource, World, settle};
use tempest::{Mechanism, NodeId, Policy, Report, Shape};
use trace::{Cast, Counter};
use units::{Time, TotalTime};

use crate::cluster::making::Plan;
use crate::cluster::{Cluster, gauges};
use crate::dispatch;
use crate::engine::Engine;
use crate::needs::Needs;
use crate::processor::core::Event;
use crate::setting;

/// A modelled machine, as a world that runs programs.
#[derive(Clone, Debug)]
pub struct Model {
    machine: Machine,
    /// The time by which loads of shared memory may run ahead of engine time; `None` for one transaction of the
    /// machine.
    lead: Option<Time>,
    /// Whether all events happen in global order, though lookahead would allow nodes to run ahead.
    in_global_order: bool,
}

impl Model {
    /// The world of a machine.
    pub fn new(machine: Machine) -> Self {
        Self { machine, lead: None, in_global_order: false }
    }

    /// Bounds the time by which loads of shared memory run ahead of engine time. With a bound of zero every
    /// access happens exactly at its time, and the run takes the host longer. Without this call the bound is the
    /// time of one transaction of the machine.
    pub fn with_lead(self, lead: Time) -> Self {
        Self { lead: Some(lead), ..self }
    }

    /// Lets all events of a run happen in global order, one after the other. The result is the same to the bit. Without this call
    /// nodes run ahead of each other where the network allows it, and the run takes the host less time.
    pub fn in_global_order(self) -> Self {
        Self { in_global_order: true, ..self }
    }

    /// Checks that the machine has the capabilities that a mechanism and a policy need, and that this simulator models
    /// them.
    ///
    /// # Errors
    /// Names the missing capability.
    pub fn check(&self, mechanism: Mechanism, policy: &Policy) -> Result<(), Refusal> {
        self.expect(mechanism)?;
        let can: Vec<_> = self.machine.can.iter().map(|capability| capability.name()).collect();
        policy.check(&self.machine.name, &can)?;
        match policy.servers {
            Servers::Alone
            | Servers::Compute
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
        let has_endpoints = self.machine.interface.endpoints == Endpoints::Processor;
        if has_endpoints && !dispatch::fits_endpoints(policy) {
            let machine = self.machine.name.clone();
            return Err(unobeyed(policy, Unobeyed::NoEndpoint { machine }));
        }
        Self::new(self.machine.under(policy.preset())).expect_prices(mechanism, policy, &[])
    }

    /// Checks that the machine, under its policy, has a price for everything that the run may charge. `charges`
    /// lists the primitives that the program's protocols may charge.
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

    /// Checks that the machine has the capabilities that a mechanism needs.
    fn expect(&self, mechanism: Mechanism) -> Result<(), Refusal> {
        let can: Vec<_> = self.machine.can.iter().map(|capability| capability.name()).collect();
        mechanism.check(&self.machine.name, &can)
    }

    /// Checks that a coherence block of `block` bytes has a tag of its own.
    fn check_tags(&self, block: u32) -> Result<(), Refusal> {
        let tag = self.machine.memory.tag.map_or(0, |tag| tag.get());
        if tag <= block.into() {
            return Ok(());
        }
        Err(Refusal::Tags { machine: self.machine.name.clone(), block, tag })
    }

    fn refusal(&self, launch: &Launch) -> Result<Split, Refusal> {
        self.check(launch.mechanism, &launch.policy)?;
        self.check_size(&launch.policy, launch.nodes, launch.processors, launch.threads)
    }

    /// Checks that a run can have this number of nodes, of processors per node, and of threads per computing processor.
    ///
    /// # Errors
    /// Names the missing or excessive number.
    pub fn check_size(
        &self,
        policy: &Policy,
        nodes: u32,
        processors: u32,
        threads: u32,
    ) -> Result<Split, Refusal> {
        Size::expect_some(&[(nodes, "nodes"), (processors, "processors"), (threads, "threads")])?;
        self.check_nodes(nodes)?;
        let split = split(policy, processors)?;
        let in_network =
            u32::try_from(dispatch::network_processors(&self.machine, policy)).unwrap_or(u32::MAX);
        let cores = split.computing.saturating_add(split.dedicated).saturating_add(in_network);
        if cores > 1 && !setting::is_coherent(&self.machine) {
            let machine = self.machine.name.clone();
            return Err(Refusal::Incoherent { policy: policy.clone(), machine, processors: cores });
        }
        if cores > MAX_CORES_OF_NODE {
            let (what, most) = ("processors on one node", MAX_CORES_OF_NODE);
            return Err(Refusal::Size(Size::TooMany { what, most, fewer: "--processors" }));
        }
        if nodes.checked_mul(cores).is_none_or(|cores| cores > MAX_CORES) {
            let fewer = "--nodes or --processors";
            return Err(Refusal::Size(Size::TooMany { what: "processors", most: MAX_CORES, fewer }));
        }
        split
            .computing
            .checked_mul(threads)
            .filter(|threads| threads.saturating_mul(nodes) <= MAX_THREADS)
            .ok_or(Refusal::Size(Size::TooMany { what: "threads", most: MAX_THREADS, fewer: "--threads" }))?;
        Ok(split)
    }

    /// Checks that a grid that the command line gives has as many places as a run has nodes.
    ///
    /// # Errors
    /// Says how many nodes the run must have.
    pub fn check_nodes(&self, nodes: u32) -> Result<(), Refusal> {
        let Some(sides) = self.machine.given_sides() else { return Ok(()) };
        let places = sides.iter().try_fold(1_u32, |places, &side| places.checked_mul(side));
        if places == Some(nodes) {
            return Ok(());
        }
        Err(Refusal::Size(Size::Places { sides: sides.to_vec(), nodes }))
    }

    /// Divides the `processors` processors of a node: some compute, the rest are dedicated, inside the network device,
    /// or network processors. A state machine is no processor.
    ///
    /// # Errors
    /// [`Refusal::NoneComputes`] if none would be left to compute.
    pub fn at_work(&self, policy: &Policy, processors: u32) -> Result<Split, Refusal> {
        let Split { computing, dedicated } = policy.split(processors)?;
        let in_device = if policy.servers == Servers::Embedded { policy.count } else { 0 };
        let machine = self.machine.under(policy.preset());
        let in_network = u32::try_from(dispatch::network_processors(&machine, policy)).unwrap_or(u32::MAX);
        Ok(Split { computing, dedicated: dedicated.saturating_add(in_device).saturating_add(in_network) })
    }

    /// The policy as nodes of `processors` processors carry it out. Where every processor sends for itself, no
    /// processor injects for another.
    fn obeyed(&self, policy: &Policy, processors: u32) -> Policy {
        let mut obeyed = policy.canonical(processors);
        if obeyed.injector == Injector::Protocol && self.machine.can.contains(&Capability::SenderInjects) {
            obeyed.injector = Injector::Sender;
        }
        obeyed
    }

    /// The nodes, processors, threads and counters of a run, for a trace.
    fn cast(&self, launch: &Launch, split: Split, any: &Resident, counters: Vec<Counter>) -> Cast {
        let in_network = dispatch::network_processors(&self.machine, &launch.policy);
        Cast {
            machine: self.machine.name.clone(),
            nodes: launch.nodes,
            computing: split.computing as u16,
            dedicated: (split.dedicated as usize + in_network) as u16,
            threads: split.computing * launch.threads,
            messages: any.node.message_names().collect(),
            counters,
        }
    }
}

/// The refusal of a policy that such a machine could carry out and this simulator cannot model.
fn unobeyed(policy: &Policy, why: Unobeyed) -> Refusal {
    Refusal::Unobeyed { policy: policy.clone(), why }
}

/// The roles of a node's processors, those inside its network device among them.
fn split(policy: &Policy, processors: u32) -> Result<Split, Refusal> {
    let in_device = match policy.servers {
        Servers::Embedded => policy.count,
        Servers::Hardware => 1,
        _ => 0,
    };
    let split = policy.split(processors)?;
    Ok(Split { dedicated: split.dedicated.saturating_add(in_device), ..split })
}

/// The flow control that protocols use. A machine file that does not state it allows any number of requests, and
/// its network needs no acknowledgements.
fn flow(machine: &Machine) -> Flow {
    let stated = machine.flow.as_ref();
    Flow {
        window: stated.map_or(u32::MAX, |flow| u32::try_from(flow.window).unwrap_or(u32::MAX)),
        acknowledge_every: stated.and_then(|flow| flow.acknowledge_every),
    }
}

/// The largest number of modelled processors: as many nodes as there may be threads, of a few processors each. The numbers of
/// processors and of their continuations then fit small integers.
const MAX_CORES: u32 = 1 << 22;

/// The largest number of modelled processors of one node: each has a number of 16 bits there.
const MAX_CORES_OF_NODE: u32 = u16::MAX as u32;

/// The largest number of program threads, each of which has a stack.
const MAX_THREADS: u32 = 1 << 20;

impl World for Model {
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure> {
        // The software of a machine depends on the policy, and so do its prices.
        let model = Self { machine: self.machine.under(launch.policy.preset()), ..*self };
        let split = model.refusal(launch).map_err(Failure::Refused)?;
        let shape = Shape { nodes: launch.nodes, threads: split.computing * launch.threads };
        let policy = model.obeyed(&launch.policy, launch.processors);
        let config = dispatch::queue(&model.machine, &policy, split);
        let mut residents = Vec::new();
        let mut queues = Vec::new();
        for node in 0..launch.nodes {
            let identity = DispatcherId::fresh();
            let first = residents.first().map(|first: &Resident| &*first.node);
            let (id, flow) = (NodeId(node), flow(&model.machine));
            let memory = MemorySource::Private;
            let resident = settle(&launch.job, id, shape, flow, identity.id(), &memory, first)?;
            first.map_or(Ok(()), |first| resident.node.expect_like(first)).map_err(Failure::Refused)?;
            residents.push(resident);
            queues.push(EventQueue::<Event, Name>::new(identity, config));
        }
        let disposal = residents[0].node.disposal().clone();
        disposal.judge(model.run_on(launch, (&policy, split), residents, queues))
    }
}

impl Model {
    /// Runs a job under a policy as the machine carries it out. The job is installed on its nodes, each of which has a queue.
    fn run_on(
        &self,
        launch: &Launch,
        (policy, split): (&Policy, Split),
        residents: Vec<Resident>,
        queues: Vec<EventQueue<Event, Name>>,
    ) -> Result<Outcome, Failure> {
        if let Some(memory) = residents.iter().find_map(|resident| resident.node.memory()) {
            self.expect(Mechanism::SharedMemory).map_err(Failure::Refused)?;
            self.check_tags(memory.layout().block_bytes()).map_err(Failure::Refused)?;
        }
        if let Some(any) = residents.first() {
            if any.node.needs_handlers() && launch.policy.servers == Servers::Hardware {
                let why = Unobeyed::NobodyHandlesBeside;
                return Err(Failure::Refused(unobeyed(&launch.policy, why)));
            }
            let charges = any.node.charges();
            self.expect_prices(launch.mechanism, &launch.policy, charges).map_err(Failure::Refused)?;
        }
        let places = residents.iter().zip(queues).collect();
        let plan = Plan {
            machine: &self.machine,
            policy,
            split,
            shape: residents[0].node.shape(),
            seed: launch.seed,
            stall_limit: launch.stall_limit,
            progress: launch.progress.clone().unwrap_or_default(),
            trace: launch.trace.as_ref(),
            runs_ahead: !self.in_global_order,
        };
        let mut cluster = plan.cluster(places);
        if let Some(lead) = self.lead {
            cluster.nodes.iter_mut().for_each(|node| node.memory.lead_by(lead));
        }
        if let Some(recorder) = &launch.trace {
            let counters = recorder.interval().map(|_| gauges::counters(&cluster)).unwrap_or_default();
            recorder.begin(self.cast(launch, split, &residents[0], counters));
        }
        let residents: Rc<[Resident]> = residents.into();
        let mut engine = Engine::new(cluster, Rc::clone(&residents));
        engine.run()?;
        let mut outcome = outcome(&engine.state());
        outcome.report = report(&mut engine.state_mut(), &residents)?;
        Ok(outcome)
    }
}

/// The program's report over all nodes, at the end of a run.
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

/// The outcome of a run, without the program's report.
fn outcome(state: &Cluster) -> Outcome {
    let reading = gauges::reading(state);
    let name = |kind, part| gauges::name(state, kind, part);
    Outcome {
        time: state.agenda.now(),
        phases: state.measure.phases.records(&reading, name),
        counters: reading.counters,
        breakdown: reading.breakdown(),
        utilization: reading.busy.since(None, name),
        protocol: reading.protocol,
        dispatching: dispatching(state),
        anatomy: stages(state),
        adjustments: adjustments(state),
        events: Some(state.agenda.happened()),
        digest: state.measure.digest().map(|digest| digest.value()),
        report: Report::default(),
    }
}

/// The changes of roles, in the order of time.
fn adjustments(state: &Cluster) -> Vec<Adjustment> {
    let mut all = state.measure.adjustments().to_vec();
    all.sort_by_key(|made| (made.at, state.agenda.rank(made.node.0 as usize)));
    all
}

/// The costs of protocol events, by the names of their messages.
fn stages(state: &Cluster) -> Vec<Stage> {
    let Some(node) = state.nodes.first() else { return Vec::new() };
    state.measure.anatomy.stages(node.waist.message_names().chain([Stage::ACCESS]))
}

fn dispatching(state: &Cluster) -> Dispatching {
    let (mut total, mut busy) = (TotalTime::ZERO, TotalTime::ZERO);
    let (mut events, mut waited_on_key, mut spilled) = (0, 0, 0);
    for node in &state.nodes {
        let waits = node.dispatch.events.waits();
        total += waits.total;
        events += waits.events;
        busy += node.dispatch.events.busy(state.agenda.now());
        waited_on_key += node.dispatch.events.waited_on_key();
        spilled += node.dispatch.events.spilled();
    }
    let all = (TotalTime::from(state.agenda.now()) * state.nodes.len() as u64).as_seconds();
    let busy = (all > 0.0).then(|| busy.as_seconds() / all);
    Dispatching { waited_on_key, spilled, mean_wait: total.mean(events), busy }
}
