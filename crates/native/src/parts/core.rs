//! The processor: its place in the world, and its parts.
//!
//! Each part owns its fields. A function that needs several of them stands in the module of its task, and borrows the processor. This
//! module must never know which thread runs when.

use std::fmt;
use std::sync::Arc;

use tempest::policy::Notice;
use tempest::world::PollInterval;
use tempest::{Failure, ThreadId};
use trace::Recorder;
use units::Time;

use crate::parts::burst::Bursts;
use crate::parts::duty::Duty;
use crate::parts::floor::{Floor, Speaker};
use crate::parts::gauge::Gauge;
use crate::parts::meter::Meter;
use crate::parts::node::Node;
use crate::parts::occupation::{Doing, Occupation};
use crate::parts::own_threads::OwnThreads;
use crate::parts::sending::Sending;
use crate::parts::service::Service;
use crate::parts::set_aside::Lowerings;
use crate::parts::taken::Taken;
use crate::parts::tracer::Tracer;
use crate::parts::world::World;

/// Target interval between a computing processor's looks for events (see [`Pace`](tempest::world::Pace)). Looks then take a twentieth of
/// the time, and a message waits for half an interval on average, about as long as its round trip takes.
pub const LOOKS_APART: Time = Time::from_microseconds(1);

/// A processor: an OS thread that runs program threads or handlers.
pub(crate) struct Processor {
    world: Arc<World>,
    node: Arc<Node>,
    /// Index among all processors.
    index: usize,
    /// Number on the node.
    number: usize,
    /// Whether this processor runs all threads and handlers of its node.
    alone: bool,
    /// The running thread and the ready ones.
    pub(crate) threads: OwnThreads,
    /// Present activity.
    pub(crate) occupation: Occupation,
    /// State between two services.
    pub(crate) service: Service,
    /// State for the node's dispatch queue, if there is one.
    pub(crate) duty: Duty,
    /// View of the floor of its node.
    pub(crate) speaker: Speaker,
    /// Sending state.
    pub(crate) sending: Sending,
    /// Streams that it sends and receives.
    pub(crate) bursts: Bursts,
    /// Means of measurement.
    pub(crate) meter: Meter,
    /// Recording of its own actions, in a traced run.
    pub(crate) tracer: Tracer,
}

impl Processor {
    /// Makes processor `index` of `world`. It has `threads_each` threads if it computes.
    pub(crate) fn new(
        world: Arc<World>,
        index: usize,
        threads_each: u32,
        recorder: Option<Recorder>,
    ) -> Self {
        let (node, number) = world.seat(index);
        let node = Arc::clone(&world.nodes[node]);
        let threads = if world.is_dedicated(index) { 0 } else { threads_each };
        let tracer = Tracer::new(recorder, Arc::clone(&world), index);
        let pass_turns = !tracer.records() && node.lowerings.is_none();
        Self {
            index,
            number,
            alone: world.is_one_per_node(),
            threads: OwnThreads::new(number, threads, threads_each, pass_turns),
            occupation: Occupation::default(),
            service: Service::new(node.take_serial()),
            duty: Duty::default(),
            speaker: Speaker::new(number),
            sending: Sending::over(Arc::clone(world.lanes_from(node.id))),
            bursts: Bursts::new(index),
            meter: Meter::new(Arc::clone(&world.gauges[index]), LOOKS_APART),
            tracer,
            node,
            world,
        }
    }

    /// The world of the processor.
    #[inline]
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// The node of the processor.
    #[inline]
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// Index among all processors.
    #[inline]
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Number on the node.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Whether this processor runs all threads and handlers of its node.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.alone
    }

    /// The processor's measurements of itself.
    #[inline]
    pub(crate) fn gauge(&self) -> &Gauge {
        self.meter.gauge()
    }

    /// The time stolen from it by the operating system.
    #[inline]
    pub(crate) fn taken(&self) -> &Taken {
        &self.world.taken[self.index]
    }

    /// The downgrades of its node, if it has shared memory.
    #[inline]
    pub(crate) fn lowerings(&self) -> Option<&Lowerings> {
        self.node().lowerings.as_deref()
    }

    /// The floor of its node, if it has one and no dedicated processors decide instead which ones serve.
    #[inline]
    pub(crate) fn floor(&self) -> Option<&Floor> {
        let node = self.node();
        let floor = node.floor.as_deref()?;
        let has_roles = node.adaptive.as_ref().is_some_and(|adaptive| adaptive.has_dedicated());
        (!has_roles).then_some(floor)
    }

    /// Takes the floor of its node, if it has one.
    #[inline]
    pub(crate) fn take_floor(&self) {
        if let Some(floor) = self.floor() {
            floor.take(&self.speaker);
        }
    }

    /// Whether the policy lets this processor run handlers.
    #[inline]
    pub(crate) fn serves(&self) -> bool {
        self.world.split.dedicated == 0 || self.world.is_dedicated(self.index)
    }

    /// Number among the servers of the node.
    pub(crate) fn server(&self) -> usize {
        self.number - self.world.servers(self.node().id).start % self.world.processors_per_node()
    }

    /// Whether this processor, when idle, leaves events to the dedicated processors.
    #[inline]
    pub(crate) fn leaves_events(&self) -> bool {
        self.node().adaptive.as_ref().is_some_and(|adaptive| adaptive.leaves_events(self.number))
    }

    /// Whether its next back-edge poll has to look for events, on behalf of the node. If so, the next such poll is another processor's.
    pub(crate) fn owns_poll(&self) -> bool {
        self.node().owns_poll(self.number, self.world.processors_per_node())
    }

    /// Whether it sleeps when it has no work, and is woken for a message.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.world.policy.notice != Notice::Poll && self.world.is_dedicated(self.index)
    }

    /// Whether it has a reason other than events not to sleep.
    #[inline]
    pub(crate) fn sees_own_work(&self) -> bool {
        !self.world.is_running() || !self.node().inboxes[self.number].is_empty()
    }

    /// Whether a thread is ready, or in the inbox.
    pub(crate) fn has_threads_to_run(&self) -> bool {
        self.threads.ready() > 0 || !self.node().inboxes[self.number].is_empty()
    }

    /// The interval at which a thread looks for messages, and, if there is shared memory, for requests to give up rights.
    pub(crate) fn poll_interval(&self) -> PollInterval {
        let policy = &self.world.policy;
        let looks = policy.poll_interval(1).max(self.lowerings().is_some().into());
        match policy.poll_every {
            None if looks > 0 => PollInterval::Paced,
            _ => PollInterval::every(looks),
        }
    }

    /// Pauses for a moment. If processors share cores, yields the core meanwhile.
    pub(crate) fn pause(&self) {
        if self.world.oversubscribed {
            self.world.courtesy.give_way(|| self.world.now_ns());
        } else {
            std::hint::spin_loop();
        }
    }

    /// Whether processors share cores and other programs have recently kept this one's core for long. Then sleeping is better than
    /// pausing.
    pub(crate) fn has_rivals(&self) -> bool {
        self.world.oversubscribed && self.world.courtesy.has_rivals(self.world.now_ns())
    }

    /// Ends the run with an error of the program.
    pub(crate) fn fail(&self, what: String) {
        self.world.fail(Failure::Program(what));
    }
}

/// Describes the present activity, for an error message. Also called in a signal handler: neither allocates nor takes a lock.
impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.node();
        match self.occupation.now() {
            Doing::Thread => ThreadId { node: node.id, index: self.threads.current() }.fmt(f),
            Doing::Handler(id) => {
                write!(f, "the handler of {} on {}", node.resident.node.message_name(id), node.id)
            }
        }
    }
}
