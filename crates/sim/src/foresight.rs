//! Prefetches into the host's caches the lines that the next events will touch, while the present one happens.
//!
//! On very many nodes each event touches some dozens of cache lines that lie in no near cache, most of them in the
//! node's parts and on the stack of its thread. Fetched one after the other they would take longer than all
//! computation. An event is foreseen several times: first the objects that it names and the parts of its node, then the
//! memory that these point to, then the memory behind that. The host takes only some requests at a time. So only lines
//! that an event of its kind touches are prefetched: a step of a network processor, for one, lets no fiber go on.
//!
//! This module must never change anything that a run can see.

use crate::cluster::Cluster;
use crate::cluster::node::Node;
use crate::dispatch::{Dispatch, Dispatcher};
use crate::fibers::Fibers;
use crate::happening::Happening;
use crate::processor::core::Activity;
use crate::prospect::FAR;

/// Distances, in events of the present one's delay, at which an event inside the network or at its ports is prefetched:
/// first the objects that it names, then the memory behind these, and so on. Prefetching takes the host little time.
const PASSAGES_AHEAD: [usize; 3] = [12, 8, 4];

/// Distances, in events of the present one's delay, at which an event of a node is prefetched. Events of other delays
/// come between them.
const USUAL_AHEAD: [usize; 4] = [1, 2, 3, 4];

/// The turns after the next that are prefetched for.
const TURNS_AHEAD: [usize; 5] = [0, 1, 2, 3, 4];

/// Maximum number of handlers of a node that are prefetched: most programs have few.
const HANDLERS: usize = 4;

/// The events of one queue, after the next, that are prefetched for.
const EVENTS_AHEAD: [usize; 4] = [1, 3, 5, 7];

/// The lines of a stack that are prefetched if stacks are near: below the place where it was left, and above.
const NEAR: (usize, usize) = (8, 8);

/// The line of a stack that is prefetched first if stacks are far. This brings the page into the host's TLB; the other
/// lines follow later.
const TOP: (usize, usize) = (0, 1);

/// The lines of a stack that a handler touches when it begins there: below the place where it was left, and above.
const HANDLER_BEGINS: (usize, usize) = (26, 12);

/// The lines of a stack that are touched when a handler goes on there, with the thread below it.
const HANDLER_GOES_ON: (usize, usize) = (8, 36);

/// The lines of a stack that a thread touches when it goes on there.
const THREAD_GOES_ON: (usize, usize) = (10, 12);

/// Prefetches for the next events.
#[cold]
pub(crate) fn ask(cluster: &Cluster, fibers: &Fibers) {
    if cluster.agenda.takes_turns() {
        ask_for_turns(cluster, fibers);
    } else if !cluster.agenda.is_usual() {
        ask_for_events(cluster, fibers, EVENTS_AHEAD, |ahead| cluster.agenda.event_ahead(ahead));
    } else if ask_for_passages(cluster) {
        return;
    } else {
        ask_for_events(cluster, fibers, USUAL_AHEAD, |ahead| cluster.agenda.usual_ahead(ahead));
    }
    if cluster.nodes.len() >= FAR {
        ask_for_far(cluster, fibers);
    }
}

/// Prefetches the lines of the next turns or events that are known late: the place of the next message, the second
/// event of a turn, the lists of events, the handlers, the state of the program, the stack. A prefetch this far ahead
/// pays only with very many nodes.
fn ask_for_far(cluster: &Cluster, fibers: &Fibers) {
    let Cluster { agenda, nodes, link, .. } = cluster;
    link.flights.ask_for_next();
    if !agenda.takes_turns() {
        return;
    }
    let [state, handlers, waiting, kinds, _] = TURNS_AHEAD.map(|ahead| agenda.turn_ahead(ahead));
    if let Some((node, _)) = kinds {
        nodes[node].dispatch.events.prefetch();
        fiber::prefetch_value(nodes[node].waist.kinds_memory());
    }
    if let Some((node, _)) = waiting {
        ask_for_waiting(cluster, &nodes[node]);
    }
    if let Some((node, _)) = handlers {
        nodes[node].waist.handlers_memory().take(HANDLERS).for_each(fiber::prefetch_value);
        agenda.event_of(node, 1).into_iter().for_each(|second| ask_for_subject(cluster, second));
    }
    if let Some((node, happening)) = state {
        nodes[node].waist.state_memory().into_iter().for_each(fiber::prefetch_value);
        fibers.ask_for_stack(node, depth(cluster, happening));
    }
}

/// Prefetches for the first events of the next turns. The node of a turn is known before its event.
fn ask_for_turns(cluster: &Cluster, fibers: &Fibers) {
    let agenda = &cluster.agenda;
    let [.., inside, parts] = TURNS_AHEAD.map(|ahead| agenda.turn_ahead(ahead));
    if let Some((node, happening)) = parts {
        agenda.ask_for_queue(node);
        ask_for_subject(cluster, happening);
        ask_for_parts(cluster, fibers, node, true);
    }
    if let Some((node, happening)) = inside {
        agenda.ask_inside_queue(node);
        ask_inside_parts(cluster, fibers, happening, node, reaches_fiber(cluster, happening));
    }
}

/// Prefetches for the next events in the order of all nodes, by their distance. The soonest is the first.
#[inline(always)]
fn ask_for_events(
    cluster: &Cluster,
    fibers: &Fibers,
    [deep, inside, parts, subject]: [usize; 4],
    event_ahead: impl Fn(usize) -> Option<Happening>,
) {
    if let Some(happening) = event_ahead(subject) {
        ask_for_subject(cluster, happening);
    }
    let with_node =
        |ahead: usize| event_ahead(ahead).and_then(|event| Some((event, node_of(cluster, event)?)));
    if let Some((happening, node)) = with_node(parts) {
        ask_for_parts(cluster, fibers, node, reaches_fiber(cluster, happening));
    }
    if let Some((happening, node)) = with_node(inside) {
        ask_inside_parts(cluster, fibers, happening, node, reaches_fiber(cluster, happening));
    }
    if cluster.nodes.len() >= FAR
        && let Some((happening, node)) = with_node(deep)
        && reaches_fiber(cluster, happening)
    {
        fibers.ask_for_stack(node, depth(cluster, happening));
    }
}

/// Prefetches for the next events with the present one's delay, inside the network or at its ports. Mostly the events
/// of a delay are of one kind. Returns whether they are such events.
#[cold]
pub(crate) fn ask_for_passages(cluster: &Cluster) -> bool {
    let [far, between, near] = PASSAGES_AHEAD;
    let Cluster { agenda, nodes, link, .. } = cluster;
    if let Some(event) = agenda.usual_inside_ahead(far) {
        link.routing.ask_for_message(event);
        if let Some(event) = agenda.usual_inside_ahead(between)
            && let Some((flight, node)) = link.routing.ask_for_channels(event)
        {
            fiber::prefetch_value(&link.flights[flight]);
            fiber::prefetch_value(&nodes[node].port);
        }
        return true;
    }
    match agenda.usual_ahead(far) {
        Some(Happening::Pass { flight }) => {
            let place_of = |flight| &nodes[link.flights[flight].to()];
            fiber::prefetch_value(&link.flights[flight]);
            if let Some(Happening::Pass { flight }) = agenda.usual_ahead(between) {
                let Node { port, dispatch, .. } = place_of(flight);
                fiber::prefetch_value(port);
                fiber::prefetch_value(dispatch);
            }
            if let Some(Happening::Pass { flight }) = agenda.usual_ahead(near) {
                ask_inside_dispatch(&place_of(flight).dispatch, !has_network_processors(cluster));
            }
        }
        _ => return false,
    }
    true
}

/// Prefetches the objects that an event names.
fn ask_for_subject(cluster: &Cluster, happening: Happening) {
    match happening {
        Happening::Arrive { flight }
        | Happening::LeavePair { flight }
        | Happening::Pass { flight }
        | Happening::Deliver { flight }
        | Happening::Forward { flight }
        | Happening::Overflow { flight, .. } => fiber::prefetch_value(&cluster.link.flights[flight]),
        Happening::Continue { core, .. } => fiber::prefetch_value(&cluster.cores[core as usize]),
        Happening::Network { .. }
        | Happening::Packet { .. }
        | Happening::Post { .. }
        | Happening::Look { .. }
        | Happening::Reach { .. } => {}
    }
}

/// The node of an event; `None` for an event inside the network.
fn node_of(cluster: &Cluster, happening: Happening) -> Option<usize> {
    match happening {
        Happening::LeavePair { flight } => Some(cluster.link.flights[flight].from()),
        Happening::Arrive { flight }
        | Happening::Pass { flight }
        | Happening::Deliver { flight }
        | Happening::Forward { flight }
        | Happening::Overflow { flight, .. } => Some(cluster.link.flights[flight].to()),
        Happening::Continue { core, .. } => Some(cluster.cores[core as usize].node()),
        Happening::Post { node } | Happening::Look { node } | Happening::Reach { node } => {
            Some(node as usize)
        }
        Happening::Network { .. } | Happening::Packet { .. } => None,
    }
}

/// Whether an event probably lets a fiber go on.
fn reaches_fiber(cluster: &Cluster, happening: Happening) -> bool {
    match happening {
        Happening::Continue { core, .. } => {
            let activity = cluster.cores[core as usize].activity();
            matches!(activity, Activity::Thread(_) | Activity::Handler | Activity::Idle { .. })
        }
        Happening::Forward { .. } => true,
        // A network processor takes messages in.
        _ => !has_network_processors(cluster),
    }
}

/// Whether the nodes have network processors. They are all alike.
fn has_network_processors(cluster: &Cluster) -> bool {
    cluster.nodes.first().is_some_and(|node| node.dispatch.network().is_some())
}

/// Prefetches the parts of a node that an event touches. If the event `reaches_fiber`, the threads and the places of
/// their stacks are among them.
fn ask_for_parts(cluster: &Cluster, fibers: &Fibers, node: usize, reaches_fiber: bool) {
    let place = &cluster.nodes[node];
    fiber::prefetch_value(&place.first_core);
    fiber::prefetch_value(&place.dispatch);
    fiber::prefetch_value(&place.port);
    if !reaches_fiber {
        return;
    }
    fiber::prefetch_value(&place.threads);
    if cluster.setting.machine.node_memory.is_some() {
        fiber::prefetch_value(&place.trains);
        fiber::prefetch_value(&place.memory);
    } else {
        place.memory.prefetch();
    }
    cluster.measure.digest_of(node).into_iter().for_each(fiber::prefetch_value);
    fibers.ask_for_places(node, place.first_core);
}

/// Prefetches the memory that the parts of a node point to, as far as an event touches it.
fn ask_inside_parts(
    cluster: &Cluster,
    fibers: &Fibers,
    happening: Happening,
    node: usize,
    reaches_fiber: bool,
) {
    let place = &cluster.nodes[node];
    ask_inside_dispatch(&place.dispatch, reaches_fiber);
    if !reaches_fiber {
        return;
    }
    // The processor of a continuation has been prefetched as the subject of the event.
    if !matches!(happening, Happening::Continue { .. }) {
        fiber::prefetch_value(&cluster.cores[place.first_core]);
    }
    fiber::prefetch_value(&*place.waist);
    place.dispatch.next_message().into_iter().for_each(fiber::prefetch_value);
    place.threads.prefetch();
    fibers.ask_for_stack(node, if cluster.nodes.len() < FAR { NEAR } else { TOP });
}

/// The lines of a stack, below the place where it was left and above, that an event touches if it lets the fiber go on.
fn depth(cluster: &Cluster, happening: Happening) -> (usize, usize) {
    match happening {
        Happening::Continue { core, .. } => {
            let core = &cluster.cores[core as usize];
            match core.activity() {
                Activity::Handler if !core.has_job() => HANDLER_GOES_ON,
                Activity::Handler => HANDLER_BEGINS,
                _ => THREAD_GOES_ON,
            }
        }
        _ => HANDLER_BEGINS,
    }
}

/// Prefetches the message that waits for its handler.
fn ask_for_waiting(cluster: &Cluster, place: &Node) {
    if let Some(message) = place.dispatch.next_message() {
        fiber::prefetch_value(&cluster.link.flights[message.flight]);
    }
}

/// Prefetches the network processors of a node, if it has some and `reaches_fiber` is false.
fn ask_inside_dispatch(dispatch: &Dispatcher, reaches_fiber: bool) {
    if let Dispatch::Network(network) = &dispatch.way
        && !reaches_fiber
    {
        fiber::prefetch_value(&**network);
    }
}
