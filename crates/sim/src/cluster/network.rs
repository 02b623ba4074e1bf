//! The network processors of a node: carries out the decisions of [`network`](crate::dispatch::network).
//!
//! This module must never choose between processors, messages or steps: [`dispatch`](crate::dispatch) does.

use des::Order;
use machine::Cost;
use tempest::Primitive;
use units::Time;

use super::Cluster;
use super::node::Node;
use crate::dispatch::events::Arrived;
use crate::dispatch::network::{NetworkProcessors, NextStep, Outlook};
use crate::dispatch::{Dispatch, Dispatcher};
use crate::happening::Happening;
use crate::processor::core::{Activity, Job, Step};
use crate::processor::ledger::Bucket;

/// Finds work for `core`, which has nothing to do now, on a node with network processors.
pub(super) fn go_on(cluster: &mut Cluster, core: usize) {
    let is_loop = cluster.is_network_processor(core);
    let works = match is_loop {
        true => back_to_step(cluster, core) || go_on_with_pass(cluster, core),
        false => cluster.finds_work(core),
    };
    if works {
        return;
    }
    cluster.idle(core);
    if is_loop {
        let node = cluster.cores[core].node();
        cluster.nodes[node].memory.begin_polls(cluster.agenda.now());
        look_for_handed_over(cluster, core);
    } else {
        look_while_idle(cluster, cluster.cores[core].node());
    }
    await_room(cluster, cluster.cores[core].node());
}

/// Starts the next step of a network processor that idles or whose step has ended. Returns false if there is none.
pub(super) fn go_on_with_pass(cluster: &mut Cluster, core: usize) -> bool {
    let (now, own) = (cluster.agenda.now(), &cluster.cores[core]);
    let (node, number) = (own.node(), own.number());
    let Node { dispatch: Dispatcher { way, injection, .. }, port, .. } = &mut cluster.nodes[node];
    let Dispatch::Network(network) = way else { return false };
    let Some(place) = network.place(number.into()) else { return false };
    let handed_over = injection.shows(now);
    let room = handed_over
        && cluster.link.routing.has_room(node, port.queue(), now)
        && port.pairs_room_at(now) <= now;
    match network.next_step(place, Outlook { now, handed_over, room }) {
        None => {
            network.end_pass(place);
            return false;
        }
        Some(NextStep::Take) => {
            network.note_taken(place);
            let (joins, taken) = (network.joins_steps(), injection.take(place, now));
            if let Some(message) = taken {
                start_taking(cluster, core, message.flight, joins);
            }
        }
        Some(NextStep::Extract { index }) => {
            if let Some(message) = network.extract(place, index) {
                start_extraction(cluster, core, &message, None);
            }
        }
        Some(NextStep::Turn) => {
            let turn = network.turn;
            let takes = room && network.joins_all_steps() && !turn.is_zero() && !injection.has_starved();
            match takes.then(|| injection.take(place, now)).flatten() {
                Some(message) => {
                    network.end_pass(place);
                    network.note_taken(place);
                    start_turn_and_take(cluster, core, turn, message.flight);
                }
                None => start_step(cluster, core, Step::Turn, turn),
            }
        }
    }
    true
}

/// Continues the step that a message has interrupted. Returns false if there is none.
fn back_to_step(cluster: &mut Cluster, core: usize) -> bool {
    let (dispatch, number) = cluster.dispatch_of(core);
    let step = dispatch.network_at(number).and_then(|(network, place)| network.interrupted_step(place));
    let Some((step, left)) = step else { return false };
    cluster.cores[core].begin(Activity::Step(step));
    cluster.continue_at(core, cluster.agenda.now() + left);
    true
}

/// Lets the network processor of a node receive a message that interrupts its step. Returns false if the message must wait.
pub(super) fn takes_at_once(cluster: &mut Cluster, node: usize, message: &Arrived) -> bool {
    let (now, place) = (cluster.agenda.now(), &mut cluster.nodes[node]);
    let Dispatcher { way: Dispatch::Network(network), events, .. } = &mut place.dispatch else {
        return false;
    };
    let loops = network.numbers().map(|number| place.first_core + number);
    let steps = loops.enumerate().map(|(place, core)| (place, core, cluster.cores[core].activity()));
    let Some((place, core, step)) = interruptible(network, message, steps) else { return false };
    let left = cluster.cores[core].clock.left(now);
    let Some(job) = network.preempt((now, place), message, (step, left), events) else { return false };
    cluster.cores[core].clock.put_off();
    let cost = cluster.price(core, Primitive::Extract, message.class);
    cluster.at_work(core).spend(cost);
    start_job(cluster, core, job);
    true
}

/// The network processor whose step a message interrupts: its place, its processor and the step. `None` if one idles, or if the
/// message interrupts none. `all` lists the places, the processors and their activities.
fn interruptible(
    network: &NetworkProcessors,
    message: &Arrived,
    all: impl Iterator<Item = (usize, usize, Activity)>,
) -> Option<(usize, usize, Step)> {
    let mut found = None;
    for (place, core, activity) in all {
        match activity {
            Activity::Idle { .. } => return None,
            Activity::Step(step) if found.is_none() && network.may_interrupt(place, message) => {
                found = Some((place, core, step));
            }
            _ => {}
        }
    }
    found
}

fn start_job(cluster: &mut Cluster, core: usize, job: Job) {
    cluster.cores[core].begin(Activity::Handler);
    cluster.cores[core].give(job);
    cluster.continue_now(core, Time::ZERO);
}

/// Lets the network processors of a node see the message that was handed over last, from a later time on. A busy network processor
/// that is the only one looks by itself when it has done its step, and needs no event for that. Several network processors share
/// their looks: a processor that idles until the interface has room sees that room at the look of another.
pub(super) fn show_later(cluster: &mut Cluster, node: usize, visible_at: Time) {
    let place = &cluster.nodes[node];
    let only = place.dispatch.network().and_then(NetworkProcessors::only);
    match only.filter(|&number| !cluster.cores[place.first_core + number].is_idle()) {
        Some(_) => {
            let look = cluster.agenda.keep_place(node, visible_at);
            cluster.nodes[node].dispatch.injection.keep_look(look);
        }
        None => cluster.look_at(node, visible_at),
    }
}

/// Plans the looks of a network processor that idles for the messages that it cannot see yet.
fn look_for_handed_over(cluster: &mut Cluster, core: usize) {
    let Cluster { agenda, nodes, cores, .. } = cluster;
    let (now, node, number) = (agenda.now(), cores[core].node(), cores[core].number());
    let dispatch = &mut nodes[node].dispatch;
    if !dispatch.is_network_processor(number.into()) {
        return;
    }
    let looks = dispatch.injection.looks_after(now);
    looks.for_each(|look| agenda.push_to(look, node, Happening::Look { node: node as u32 }));
}

/// Lets one idle computing processor of a node look for messages, under the lock, in an interface that it shares with a network
/// processor: the last to become idle. The network processor looks at a register, and takes the lock only for a message.
pub(super) fn look_while_idle(cluster: &mut Cluster, node: usize) {
    let place = &cluster.nodes[node];
    if !place.dispatch.shares_interface() {
        return;
    }
    let (now, look) = (cluster.agenda.now(), cluster.setting.machine.processor.poll);
    let Some(number) = place.dispatch.idle_looker(&cluster.cores[place.all()]) else { return };
    let core = place.first_core + number;
    cluster.nodes[node].port.look(now, core, look);
}

/// Lets another idle computing processor of a node look, where a processor has ceased to.
#[inline]
pub(super) fn pass_look_on(cluster: &mut Cluster, node: usize) {
    let place = &cluster.nodes[node];
    if place.dispatch.shares_interface() && !place.port.is_looked_at() {
        look_while_idle(cluster, node);
    }
}

/// Plans looks of network processors that idle because the interface has no room for a message that was handed over.
#[inline(always)]
pub(super) fn await_room(cluster: &mut Cluster, node: usize) {
    let dispatch = &cluster.nodes[node].dispatch;
    if dispatch.a_loop_idles() && dispatch.asks_for_room(cluster.agenda.now()) {
        plan_looks_for_room(cluster, node);
    }
}

fn plan_looks_for_room(cluster: &mut Cluster, node: usize) {
    let place = &cluster.nodes[node];
    let (now, first) = (cluster.agenda.now(), place.first_core);
    let Some(network) = place.dispatch.network() else { return };
    for number in network.numbers() {
        let idles = cluster.cores[first + number].is_idle();
        if !idles || !cluster.nodes[node].dispatch.waits_for_room(number, now) {
            continue;
        }
        let at = cluster.interface_room_at(node, now);
        if let Some((network, place)) = cluster.nodes[node].dispatch.network_at(number) {
            network.look_at(place, at);
        }
        cluster.look_at(node, at);
    }
}

/// Lets a network processor, which has taken a message that was handed over, spend the time of that. If it `joins` steps, it puts
/// the message into the interface in the same step. After a step that takes no time other parts may act at the same instant, so such
/// a step stands alone.
fn start_taking(cluster: &mut Cluster, core: usize, flight: u32, joins: bool) {
    cluster.end_idling(core);
    cluster.wake_starved(cluster.cores[core].node());
    let cost = cluster.price(core, Primitive::Take, cluster.link.flights[flight].class());
    let (now, begun) = (cluster.agenda.now(), cluster.cores[core].clock.ahead());
    cluster.at_work(core).spend(cost);
    if !joins {
        return start_booked_step(cluster, core, Step::Take);
    }
    if cost.path.is_zero() {
        return start_joined_step(cluster, core, now + begun, Step::Take);
    }
    let taken = cluster.cores[core].clock.at(now);
    cluster.spend_injection(core, flight);
    start_joined_step(cluster, core, taken, Step::Inject);
}

/// Lets a network processor begin another pass with a message that was handed over. The message is visible already,
/// there is room for it, and no other processor takes either. A thread that comes to wait for the queue of such
/// messages meanwhile gets an event.
fn start_turn_and_take(cluster: &mut Cluster, core: usize, turn: Time, flight: u32) {
    let Cluster { agenda, nodes, cores, .. } = cluster;
    let own = &mut cores[core];
    own.spend(Bucket::Overhead, turn);
    let place = agenda.keep_place(own.node(), own.clock.at(agenda.now()));
    if let Some(network) = nodes[own.node()].dispatch.network_mut() {
        network.ahead.take_at(place);
    }
    start_taking(cluster, core, flight, true);
}

/// Lets a network processor spend the occupancy that follows an injection. If a message waits in the interface then,
/// the processor reads it afterwards, regardless of later events.
fn settle_injection(cluster: &mut Cluster, core: usize) {
    let Cluster { agenda, nodes, cores, link, .. } = cluster;
    let (now, own) = (agenda.now(), &mut cores[core]);
    let (node, number, tail) = (own.node(), own.number(), own.clock.take_tail());
    if tail.is_zero() {
        return cluster.free(core);
    }
    own.spend(Bucket::Overhead, tail);
    // A message that is kept out now may be let in while the processor settles.
    let joins = link.routing.blocked_at(node).is_none();
    let network = nodes[node].dispatch.network_at(number.into()).filter(|_| joins);
    let next = network.and_then(|(network, place)| network.read_after_injection(place, now));
    let Some(message) = next else { return start_booked_step(cluster, core, Step::Settle) };
    let place = agenda.keep_place(node, own.clock.at(now));
    start_extraction(cluster, core, &message, Some(place));
}

/// Lets a thread that waits until a message is taken see the take that a network processor made ahead.
pub(super) fn await_take(cluster: &mut Cluster, node: usize) {
    let Cluster { agenda, nodes, .. } = cluster;
    let Some(network) = nodes[node].dispatch.network_mut() else { return };
    if let Some(place) = network.ahead.takes().filter(|&place| !agenda.is_past(node, place))
        && network.ahead.await_take()
    {
        agenda.push_to(place, node, Happening::Reach { node: node as u32 });
    }
}

/// Lets a message that was kept out of the interface in when a network processor has read a message that left the interface ahead.
pub(super) fn admit_later(cluster: &mut Cluster, node: usize) {
    let Cluster { agenda, nodes, .. } = cluster;
    let reads = nodes[node].dispatch.network().and_then(|network| network.ahead.reads());
    if let Some((place, read)) = reads.filter(|&(place, _)| !agenda.is_past(node, place)) {
        agenda.push_since(place.at, node, read, Happening::Reach { node: node as u32 });
    }
}

/// Lets other parts see the effects that they wait for at this instant within the joined steps of a network processor.
pub(crate) fn reach(cluster: &mut Cluster, node: usize) {
    let now = cluster.agenda.now();
    let Some(&ahead) = cluster.nodes[node].dispatch.network().map(|network| &network.ahead) else { return };
    if ahead.takes().is_some_and(|place| place.at == now) {
        cluster.wake_starved(node);
    }
    if ahead.reads().is_some_and(|(_, read)| read == now) {
        cluster.admit_next(node);
    }
}

/// The number of messages that a network processor has taken ahead, and that count as handed over until now.
pub(super) fn still_handed_over(cluster: &Cluster, node: usize) -> usize {
    let takes = cluster.nodes[node].dispatch.network().and_then(|network| network.ahead.takes());
    usize::from(takes.is_some_and(|place| !cluster.agenda.is_past(node, place)))
}

/// The number of messages that have left the interface ahead, and that count as in it until now.
pub(crate) fn still_in_interface(cluster: &Cluster, node: usize) -> usize {
    let reads = cluster.nodes[node].dispatch.network().and_then(|network| network.ahead.reads());
    usize::from(reads.is_some_and(|(place, _)| !cluster.agenda.is_past(node, place)))
}

/// Lets a network processor read a message out of the interface. `place` is given if that begins later, and joins the present step.
fn start_extraction(cluster: &mut Cluster, core: usize, message: &Arrived, place: Option<Order>) {
    let cost = cluster.price(core, Primitive::Extract, message.class);
    let wait = cluster.wait_for_interface(core, cost.path);
    cluster.end_idling(core);
    cluster.cores[core].spend(Bucket::Memory, wait);
    cluster.at_work(core).spend(cost);
    if let Some(place) = place {
        let own = &cluster.cores[core];
        let read = own.clock.at(cluster.agenda.now());
        if let Some(network) = cluster.nodes[own.node()].dispatch.network_mut() {
            network.ahead.read_at(place, read);
        }
    }
    let next = cluster.price(core, Primitive::HandOver, message.class);
    let step = Step::Extract { flight: message.flight };
    if !next.path.is_zero() && only_hands_over(cluster, core, message) {
        hand_over(cluster, core, message.flight, &next);
    } else if let Some(place) = place {
        start_joined_step(cluster, core, place.at, step);
    } else {
        start_booked_step(cluster, core, step);
    }
}

/// Whether a network processor that reads a message out of the interface then hands it over, and no other part sees the instant
/// between the two steps.
fn only_hands_over(cluster: &Cluster, core: usize, message: &Arrived) -> bool {
    let node = cluster.cores[core].node();
    let network = cluster.nodes[node].dispatch.network();
    // A message that is kept out now would be let in at that instant. A later message is let in as soon as it comes.
    network.is_some_and(|network| network.only_hands_over(message))
        && cluster.link.routing.blocked_at(node).is_none()
}

/// Lets a network processor, which reads a message out of the interface, hand it over as well and release its place in the queue.
fn hand_over(cluster: &mut Cluster, core: usize, flight: u32, cost: &Cost) {
    let (now, state) = (cluster.agenda.now(), &mut cluster.cores[core]);
    let read = state.clock.at(now);
    state.clock.owe_time(cost.occupancy);
    state.spend(Bucket::Overhead, cost.path);
    let written = state.clock.at(now);
    let tail = state.clock.take_tail();
    state.spend(Bucket::Overhead, tail);
    let (node, seen) = (state.node(), written + cluster.setting.prices.hand_over_delay());
    cluster.agenda.push_since(written, node, seen, Happening::Forward { flight });
    let last = if tail.is_zero() { read } else { written };
    start_joined_step(cluster, core, last, Step::Settle);
}

/// Occupies a network processor for the time that it has spent on several steps, of which the last one, `step`, begins at `since`.
/// That step then takes effect.
fn start_joined_step(cluster: &mut Cluster, core: usize, since: Time, step: Step) {
    let state = &mut cluster.cores[core];
    let at = cluster.agenda.now() + state.clock.take_ahead();
    state.begin(Activity::Step(step));
    cluster.continue_since(since, core, at);
}

/// Occupies a network processor for `time`. Then the step takes effect.
fn start_step(cluster: &mut Cluster, core: usize, step: Step, time: Time) {
    cluster.cores[core].spend(Bucket::Overhead, time);
    start_booked_step(cluster, core, step);
}

/// Occupies a network processor for the time that it has spent. Then the step takes effect.
fn start_booked_step(cluster: &mut Cluster, core: usize, step: Step) {
    if cluster.cores[core].clock.pends() {
        cluster.at_work(core).make_at_once();
    }
    let state = &mut cluster.cores[core];
    let at = cluster.agenda.now() + state.clock.take_ahead();
    state.begin(Activity::Step(step));
    cluster.continue_at(core, at);
}

/// Ends a step of a network processor: applies its effect, and starts the next step.
pub(crate) fn finish_step(cluster: &mut Cluster, core: usize, step: Step) {
    match step {
        Step::Take => start_injection(cluster, core),
        Step::Inject => {
            let message = cluster.release_in_hand(core);
            cluster.inject(core, message.flight);
            settle_injection(cluster, core);
            let_others_take(cluster, core);
        }
        Step::Extract { flight } => finish_extraction(cluster, core, flight),
        Step::HandOver { flight } => {
            let at = cluster.agenda.now() + cluster.setting.prices.hand_over_delay();
            cluster.agenda.push(cluster.cores[core].node(), at, Happening::Forward { flight });
            let (dispatch, number) = cluster.dispatch_of(core);
            if let Some((network, place)) = dispatch.network_at(number) {
                network.note_handed_over(place);
            }
            settle_step(cluster, core);
            let_others_take(cluster, core);
        }
        Step::Settle => cluster.free(core),
        Step::Turn => {
            let (dispatch, number) = cluster.dispatch_of(core);
            if let Some((network, place)) = dispatch.network_at(number) {
                network.end_pass(place);
            }
            cluster.free(core);
        }
    }
}

/// Lets other network processors of a node take a message that has waited for the message which `core` had in hand.
fn let_others_take(cluster: &mut Cluster, core: usize) {
    let node = cluster.cores[core].node();
    let network = cluster.nodes[node].dispatch.network();
    if network.is_some_and(|network| network.only().is_none()) {
        cluster.notify(node);
    }
}

fn start_injection(cluster: &mut Cluster, core: usize) {
    let (dispatch, number) = cluster.dispatch_of(core);
    let flight = dispatch.in_hand(number).expect("a processor that injects has a message in hand").flight;
    cluster.spend_injection(core, flight);
    start_booked_step(cluster, core, Step::Inject);
}

/// Spends the occupancy that follows the effect of a step.
fn settle_step(cluster: &mut Cluster, core: usize) {
    let tail = cluster.cores[core].clock.take_tail();
    if tail.is_zero() {
        cluster.free(core);
    } else {
        start_step(cluster, core, Step::Settle, tail);
    }
}

/// Ends the reading of a message. Its handler runs here, or the message goes to the computing processors.
fn finish_extraction(cluster: &mut Cluster, core: usize, flight: u32) {
    let (now, node) = (cluster.agenda.now(), cluster.cores[core].node());
    let message = cluster.arrived(flight);
    let number = cluster.cores[core].number().into();
    let Dispatcher { way, events, .. } = &mut cluster.nodes[node].dispatch;
    let Dispatch::Network(network) = way else { return };
    let Some(place) = network.place(number) else { return };
    match network.hold_for((now, place), &message, events) {
        Some(job) => start_job(cluster, core, job),
        None => {
            let cost = cluster.price(core, Primitive::HandOver, message.class);
            cluster.cores[core].clock.owe_time(cost.occupancy);
            start_step(cluster, core, Step::HandOver { flight }, cost.path);
        }
    }
    // This comes last: a message that is let in may interrupt the step that has just begun, not the step that is over.
    cluster.admit_next(node);
}

/// Records that a handler or a thread on `core` has sent a message, which ends a network processor's pass early.
pub(crate) fn note_answer(cluster: &mut Cluster, core: usize) {
    let (dispatch, number) = cluster.dispatch_of(core);
    if let Some((network, place)) = dispatch.network_at(number) {
        network.note_answer(place);
    }
}
