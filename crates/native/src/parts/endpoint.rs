//! The endpoint of a processor: its place in the world, and the state that links, memory and waits of threads use. It is all of a
//! processor but its state of dispatch.
//!
//! This module must never know which thread runs when.

use std::fmt;
use std::sync::Arc;

use tempest::ThreadId;
use tempest::outcome::Failure;
use tempest::policy::Notice;
use tempest::world::PollInterval;
use trace::Recorder;

use crate::parts::contention::{ContentionHint, HintView};
use crate::parts::gauge::Gauge;
use crate::parts::node::Node;
use crate::parts::own_threads::{Doing, OwnThreads};
use crate::parts::parker::Parker;
use crate::parts::sending::Sending;
use crate::parts::set_aside::Downgrades;
use crate::parts::stolen_time::StolenTime;
use crate::parts::tracer::Tracer;
use crate::parts::world::World;

/// A processor's endpoint.
pub(crate) struct Endpoint {
    world: Arc<World>,
    node: Arc<Node>,
    gauge: Arc<Gauge>,
    /// Index among all processors.
    index: usize,
    /// Number on the node.
    number: usize,
    /// Whether this processor runs all threads and handlers of its node.
    alone: bool,
    /// View of the contention hint of its node.
    pub(crate) hint_view: HintView,
    /// Recording of its own actions, in a traced run.
    pub(crate) tracer: Tracer,
    /// Sending state.
    pub(crate) sending: Sending,
    /// The running thread and the ready ones.
    pub(crate) threads: OwnThreads,
}

impl Endpoint {
    /// The endpoint of processor `index` of `world`. It has `threads_each` threads if it computes.
    pub(crate) fn new(
        world: Arc<World>,
        index: usize,
        threads_each: u32,
        recorder: Option<Recorder>,
    ) -> Self {
        let threads = if world.seating.is_dedicated(index) { 0 } else { threads_each };
        let (node, number) = world.seating.seat(index);
        let (node, gauge) = (Arc::clone(world.own_node(node)), Arc::clone(&world.gauges[index]));
        let own = (Arc::clone(&node), Arc::clone(&gauge));
        let tracer = Tracer::new(recorder, Arc::clone(&world), own, index);
        let sending = Sending::new(Arc::clone(node.links.outgoing()), index);
        let pass_turns = !tracer.records() && node.downgrades.is_none();
        Self {
            index,
            number,
            alone: world.seating.is_one_per_node(),
            hint_view: HintView::new(number),
            tracer,
            sending,
            threads: OwnThreads::new(number, threads, threads_each, pass_turns),
            node,
            gauge,
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
        &self.gauge
    }

    /// The parker of the processor.
    #[inline]
    pub(crate) fn parker(&self) -> &Parker {
        &self.world.parkers[self.index]
    }

    /// The time stolen from it by the operating system.
    #[inline]
    pub(crate) fn stolen(&self) -> &StolenTime {
        &self.world.stolen[self.index]
    }

    /// The downgrades of its node, if it has shared memory.
    #[inline]
    pub(crate) fn downgrades(&self) -> Option<&Downgrades> {
        self.node().downgrades.as_deref()
    }

    /// The contention hint of its node, if it has one and no dedicated processors decide instead which ones serve.
    #[inline]
    pub(crate) fn hint(&self) -> Option<&ContentionHint> {
        let node = self.node();
        let hint = node.hint.as_deref()?;
        let has_roles = node.adaptive.as_ref().is_some_and(|adaptive| adaptive.has_dedicated());
        (!has_roles).then_some(hint)
    }

    /// Takes the contention hint of its node, if it has one.
    #[inline]
    pub(crate) fn take_hint(&self) {
        if let Some(hint) = self.hint() {
            hint.take(&self.hint_view);
        }
    }

    /// Whether the policy lets this processor run handlers.
    #[inline]
    pub(crate) fn serves(&self) -> bool {
        self.world.split.dedicated == 0 || self.world.seating.is_dedicated(self.index)
    }

    /// Number among the servers of the node.
    pub(crate) fn server(&self) -> usize {
        self.number - self.world.seating.servers(self.node().id).start % self.world.seating.per_node()
    }

    /// Whether this processor, when idle, leaves events to the dedicated processors.
    #[inline]
    pub(crate) fn leaves_events(&self) -> bool {
        self.node().adaptive.as_ref().is_some_and(|adaptive| adaptive.leaves_events(self.number))
    }

    /// Whether its next back-edge poll has to look for events, on behalf of the node. If so, the next such poll is another processor's.
    pub(crate) fn owns_poll(&self) -> bool {
        self.node().owns_poll(self.number, self.world.seating.per_node())
    }

    /// Whether it sleeps when it has no work, and is woken for a message.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.world.policy.notice != Notice::Poll && self.world.seating.is_dedicated(self.index)
    }

    /// Whether other processors have woken threads of it that are in its inbox.
    #[inline]
    pub(crate) fn has_inbox(&self) -> bool {
        !self.node().inboxes[self.number].is_empty()
    }

    /// Whether it has a reason other than events not to sleep.
    #[inline]
    pub(crate) fn sees_own_work(&self) -> bool {
        !self.world.is_running() || self.has_inbox()
    }

    /// Whether a thread is ready, or in the inbox.
    pub(crate) fn has_threads_to_run(&self) -> bool {
        self.threads.ready() > 0 || self.has_inbox()
    }

    /// The interval at which a thread looks for messages, and, if there is shared memory, for requests to give up rights.
    pub(crate) fn poll_interval(&self) -> PollInterval {
        let policy = &self.world.policy;
        let looks = policy.poll_interval(1).max(self.downgrades().is_some().into());
        match policy.poll_every {
            None if looks > 0 => PollInterval::Paced,
            _ => PollInterval::every(looks),
        }
    }

    /// Pauses for a moment. If processors share cores, yields the core meanwhile.
    pub(crate) fn pause(&self) {
        if self.world.oversubscribed {
            self.world.backoff.give_way(|| self.world.now_ns());
        } else {
            std::hint::spin_loop();
        }
    }

    /// Whether processors share cores and other programs have recently kept this one's core for long. Then sleeping is better than
    /// pausing.
    pub(crate) fn has_rivals(&self) -> bool {
        self.world.oversubscribed && self.world.backoff.has_rivals(self.world.now_ns())
    }

    /// Ends the run with an error of the program.
    pub(crate) fn fail(&self, what: String) {
        self.world.fail(Failure::Program(what));
    }
}

/// Describes the present activity, for an error message. Also called in a signal handler: neither allocates nor takes a lock.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.node();
        match self.threads.occupation.now() {
            Doing::Thread => ThreadId { node: node.id, index: self.threads.current() }.fmt(f),
            Doing::Handler(id) => {
                write!(f, "the handler of {} on {}", node.resident.node.message_name(id), node.id)
            }
        }
    }
}
