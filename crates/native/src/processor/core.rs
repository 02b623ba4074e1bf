//! One processor: its place in the world, and its parts.
//!
//! Each part owns its fields. What needs several of them stands in the module that it is the work of, as a function that is lent
//! the processor. This module must never know who runs when.

use std::fmt;
use std::sync::Arc;

use tempest::policy::Notice;
use tempest::world::PollInterval;
use tempest::{Failure, ThreadId};
use trace::Recorder;
use units::Time;

use crate::cluster::node::Node;
use crate::cluster::world::World;
use crate::dispatch::duty::Duty;
use crate::dispatch::floor::{Floor, Speaker};
use crate::dispatch::service::Service;
use crate::link::burst::Bursts;
use crate::link::sending::Sending;
use crate::measure::gauge::Gauge;
use crate::measure::meter::Meter;
use crate::measure::taken::Taken;
use crate::measure::tracer::Tracer;
use crate::memory::set_aside::Lowerings;
use crate::processor::occupation::{Doing, Occupation};
use crate::processor::own_threads::OwnThreads;

/// So far apart this world wants a computing processor's looks for events to be (how that comes about:
/// [`Pace`](tempest::world::Pace)): a twentieth of the time goes into looking then, and a message waits half of it on the average,
/// which is what it takes to come and go.
pub const LOOKS_APART: Time = Time::from_microseconds(1);

/// One processor.
pub(crate) struct Processor {
    world: Arc<World>,
    node: Arc<Node>,
    /// Its number among all processors.
    index: usize,
    /// Its number on the node.
    number: usize,
    /// Whether all that runs on this node runs on this processor.
    alone: bool,
    /// Its threads: which runs, which are ready.
    pub(crate) threads: OwnThreads,
    /// What it is at.
    pub(crate) occupation: Occupation,
    /// What it keeps from one service to the next.
    pub(crate) service: Service,
    /// Its part in the node's dispatch queue, where there is one.
    pub(crate) duty: Duty,
    /// What it knows of the floor of its node.
    pub(crate) speaker: Speaker,
    /// How it sends.
    pub(crate) sending: Sending,
    /// The streams that it sends and receives.
    pub(crate) bursts: Bursts,
    /// How it measures.
    pub(crate) meter: Meter,
    /// What it records of its own doings.
    pub(crate) tracer: Tracer,
}

impl Processor {
    /// Processor `index` of `world`, with so many threads if it computes, as every processor that does.
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

    /// The world that it belongs to.
    #[inline]
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// The node that it belongs to.
    #[inline]
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// Its number among all processors.
    #[inline]
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Its number on the node.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Whether all that runs on this node runs on this processor.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.alone
    }

    /// What it measures of itself.
    #[inline]
    pub(crate) fn gauge(&self) -> &Gauge {
        self.meter.gauge()
    }

    /// What the operating system takes from it.
    #[inline]
    pub(crate) fn taken(&self) -> &Taken {
        &self.world.taken[self.index]
    }

    /// The lowerings of its node, where that has shared memory.
    #[inline]
    pub(crate) fn lowerings(&self) -> Option<&Lowerings> {
        self.node().lowerings.as_deref()
    }

    /// The floor of its node, where there is one, and no roles say instead who serves.
    #[inline]
    pub(crate) fn floor(&self) -> Option<&Floor> {
        let node = self.node();
        let floor = node.floor.as_deref()?;
        let has_roles = node.adaptive.as_ref().is_some_and(|adaptive| adaptive.has_dedicated());
        (!has_roles).then_some(floor)
    }

    /// Takes the floor of its node, where there is one.
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

    /// Its number among the servers of the node.
    pub(crate) fn server(&self) -> usize {
        self.number - self.world.servers(self.node().id).start % self.world.processors_per_node()
    }

    /// Whether this processor, which idles, is to leave events to those that are dedicated.
    #[inline]
    pub(crate) fn leaves_events(&self) -> bool {
        self.node().adaptive.as_ref().is_some_and(|adaptive| adaptive.leaves_events(self.number))
    }

    /// Whether its next back-edge poll is the one of its node that looks. Passes that on if so.
    pub(crate) fn owns_poll(&self) -> bool {
        self.node().owns_poll(self.number, self.world.processors_per_node())
    }

    /// Whether it sleeps when it has nothing to do, and is woken for a message.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.world.policy.notice != Notice::Poll && self.world.is_dedicated(self.index)
    }

    /// Whether there is a reason other than events not to sleep.
    #[inline]
    pub(crate) fn sees_own_work(&self) -> bool {
        !self.world.is_running() || !self.node().inboxes[self.number].is_empty()
    }

    /// Whether a thread is ready, or on its way here.
    pub(crate) fn has_threads_to_run(&self) -> bool {
        self.threads.ready() > 0 || !self.node().inboxes[self.number].is_empty()
    }

    /// The interval at which a thread looks for messages; where there is shared memory, also to be asked for a right.
    pub(crate) fn poll_interval(&self) -> PollInterval {
        let policy = &self.world.policy;
        let looks = policy.poll_interval(1).max(self.lowerings().is_some().into());
        match policy.poll_every {
            None if looks > 0 => PollInterval::Paced,
            _ => PollInterval::every(looks),
        }
    }

    /// Lets a moment pass. Where processors share cores, others get this one's core meanwhile.
    pub(crate) fn pause(&self) {
        if self.world.oversubscribed {
            self.world.courtesy.give_way(|| self.world.now_ns());
        } else {
            std::hint::spin_loop();
        }
    }

    /// Whether processors share cores, and strangers have kept this one's core for long of late. Then it does better to sleep
    /// than to pause.
    pub(crate) fn has_rivals(&self) -> bool {
        self.world.oversubscribed && self.world.courtesy.has_rivals(self.world.now_ns())
    }

    /// Ends the run: the program broke a promise.
    pub(crate) fn fail(&self, what: String) {
        self.world.fail(Failure::Program(what));
    }
}

/// What it is at, for people. Also in a signal's handler: neither allocates nor takes a lock.
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
