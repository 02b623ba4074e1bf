//! The fabric of a routed network: worms on channels, as a state machine over the caller's clock.
//!
//! The caller keeps the agenda. Each call may add events to it, through `later`. The caller hands each event back to
//! [`Fabric::step`] at its time, and orders simultaneous ones. There is no hash table, and nothing depends on the host: equal
//! calls have equal effects.
//!
//! The model is exact but for two approximations, both stated where they are made. A port slower than the links sets the pace
//! from end to end. A lane's wire is booked for a whole passage at once. A channel has room for its buffer and for the bytes
//! that its wire carries during its delay, because a wire that is stopped keeps the bytes on it.
//!
//! The link into a shallow buffer sends by credits. Its channel has room for the buffer alone, and learns a hop after a message has
//! left the buffer that there is room. A message longer than the buffer passes at the pace of the credits.

use units::{Bandwidth, Bytes, Time};

use super::channel::{Channel, NONE, known};
use super::credits::Credits;
use super::cross_traffic::CrossTraffic;
use super::event::{Event, Parcel};
use super::wiring::Wiring;
use super::worm::{Body, Cleared, Length, Stage, Worm};

/// The bytes that a link carries during a delay.
fn carried(link: Bandwidth, delay: Time) -> u64 {
    let second = u128::from(Time::from_microseconds(1_000_000).as_femtoseconds());
    let bytes = u128::from(link.as_bytes_per_second()) * u128::from(delay.as_femtoseconds()) / second;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Routers and links, and the messages on them.
#[derive(Clone, Debug)]
pub struct Fabric {
    wiring: Wiring,
    /// The time from a port out to the first router, and from the last router to a port in.
    latency: Time,
    hop: Time,
    /// The least time from the beginning of one message at a port to the beginning of the next.
    gap: Time,
    routers: machine::Routers,
    /// The bytes of a router's buffer, capped at `u32::MAX`: no message is longer.
    buffer: u32,
    /// The credits that return to links into shallow buffers; `None` where buffers are deep.
    credits: Option<Box<Credits>>,
    channels: Vec<Channel>,
    /// The time from which each wire that lanes share is free.
    wires: Vec<Time>,
    worms: Vec<Worm>,
    /// The bodies of the long messages among `worms`, by the same numbers. There is none behind the last long message.
    bodies: Vec<Body>,
    free: Vec<u32>,
    /// Two lengths, each with the bytes and the passage that it follows from, the one used last first. Most messages of a
    /// program are requests of one size and replies of another.
    lengths: [(u64, Time, Length); 2],
    /// The number of messages that wait for the port out of each node.
    leaving: Vec<u32>,
    /// The worm whose head is at the port in of each node and has not been let in.
    blocked_at: Vec<u32>,
    /// The number of nodes' messages inside the network.
    inside: usize,
    cross_traffic: Option<CrossTraffic>,
    /// The number of cross traffic's events to come.
    ambient: usize,
}

impl Fabric {
    /// An idle network, large enough for `nodes` nodes.
    pub(super) fn new(latency: Time, gap: Time, routers: &machine::Routers, nodes: u32) -> Self {
        let &machine::Routers { ref topology, link, hop, buffer, ref cross_traffic } = routers;
        let wiring = Wiring::new(topology, nodes);
        let (rows, ports) = (wiring.rows(), wiring.channels());
        let claimable = u32::try_from(buffer.get()).unwrap_or(u32::MAX);
        let cross_traffic = cross_traffic.as_ref().map(|traffic| {
            let passage = routers.passage(traffic.message);
            let length = Length::new(traffic.message.get(), passage, claimable);
            CrossTraffic::new(traffic, length, rows, ports)
        });
        let more = cross_traffic.as_ref().map_or(0, |_| CrossTraffic::channels(rows));
        // Ports in have no buffer. A source of cross traffic is as far from its router as a node is.
        let inside = 2 * nodes..ports;
        let credits = routers.is_shallow().then(|| Box::new(Credits::new(inside.clone())));
        let room = |channel| match inside.contains(&channel) {
            true if credits.is_some() => buffer.get(),
            true => buffer.get().saturating_add(carried(link, hop)),
            false => buffer.get().saturating_add(carried(link, latency)),
        };
        Self {
            latency,
            hop,
            gap,
            routers: routers.clone(),
            buffer: claimable,
            channels: (0..ports + more).map(|channel| Channel::idle(room(channel))).collect(),
            credits,
            wires: vec![Time::ZERO; wiring.wires() as usize],
            worms: Vec::new(),
            bodies: Vec::new(),
            free: Vec::new(),
            lengths: [(0, Time::ZERO, Length::new(0, Time::ZERO, claimable)); 2],
            leaving: vec![0; nodes as usize],
            blocked_at: vec![NONE; nodes as usize],
            inside: 0,
            cross_traffic,
            ambient: 0,
            wiring,
        }
    }

    /// Starts cross traffic, if there is any. The caller does this once, before anything else.
    pub fn start(&mut self, mut later: impl FnMut(Time, u32, Event)) {
        for (source, at) in self.cross_traffic.iter().flat_map(CrossTraffic::starts) {
            self.ambient += 1;
            later(at, NONE, Event::source(source));
        }
    }

    /// Launches a message from its node. Its first byte leaves as soon as the port out is free.
    pub fn launch(&mut self, now: Time, parcel: Parcel, mut later: impl FnMut(Time, u32, Event)) {
        let Parcel { cargo, tie, from, to, bytes, passage } = parcel;
        let length = self.length(bytes, passage);
        let way = (self.wiring.first_run(from, to), to);
        let number = self.add(Worm::new((cargo, tie), &length, self.wiring.port_out(from), way), &length);
        self.inside += 1;
        self.proceed(now, number, &mut later);
    }

    /// The length of a message of `bytes` that takes `passage` through the slower of the two ports.
    fn length(&mut self, bytes: u64, passage: Time) -> Length {
        if let Some(place) = self.lengths.iter().position(|known| (known.0, known.1) == (bytes, passage)) {
            return self.lengths[place].2;
        }
        let slowest = passage.max(self.routers.passage(Bytes::new(bytes)));
        let length = Length::new(bytes, slowest, self.buffer);
        self.lengths = [(bytes, passage, length), self.lengths[0]];
        length
    }

    /// Takes an event whose time has come. Returns the cargo of a message whose head is at the port in of its destination from
    /// now on. The caller [accepts](Self::accept) it now, or when the destination has room.
    pub fn step(&mut self, now: Time, event: Event, mut later: impl FnMut(Time, u32, Event)) -> Option<u32> {
        if event.is_apart() {
            self.step_apart(now, event, &mut later);
            return None;
        }
        if self.worms[event.number() as usize].is_ambient {
            self.ambient -= 1;
        }
        self.proceed(now, event.number(), &mut later)
    }

    /// Takes an event that is about no worm: a source launches, or a credit returns.
    #[inline(never)]
    fn step_apart(&mut self, now: Time, event: Event, later: &mut impl FnMut(Time, u32, Event)) {
        if let Some(source) = event.as_source() {
            self.ambient -= 1;
            self.launch_across(now, source, later);
        }
        let credits = self.credits.as_mut();
        if let Some((credits, channel)) = credits.zip(event.as_credit()) {
            self.ambient -= usize::from(self.cross_traffic.is_some());
            let bytes = credits.arrive(channel);
            self.make_room(now, channel, bytes, later);
        }
    }

    /// The memory of the message that an event is about, for a caller that prefetches it.
    pub fn message_of(&self, event: Event) -> Option<&impl Sized> {
        self.worms.get(event.number() as usize)
    }

    /// The memory of the channels that an event's step touches, for a caller that prefetches it.
    pub fn channels_of(&self, event: Event) -> impl Iterator<Item = &impl Sized> {
        let worm = self.worms.get(event.number() as usize);
        let channels = worm.into_iter().flat_map(|worm| [worm.wants, worm.holds]);
        channels.filter_map(|one| self.channels.get(one as usize))
    }

    /// The cargo of a message that an event brings to its port in, unless the message then has to wait for the port, and the
    /// port's node.
    pub fn arrival_of(&self, event: Event) -> Option<(u32, u32)> {
        let worm = self.worms.get(event.number() as usize)?;
        (worm.arrives && !worm.is_ambient).then_some((worm.cargo, worm.goal))
    }

    /// Lets in the message whose head is at the port in of `node`, if there is one. It holds the port until its last byte has
    /// passed. Returns the message's cargo: its first byte passes now.
    pub fn accept(&mut self, now: Time, node: u32, mut later: impl FnMut(Time, u32, Event)) -> Option<u32> {
        let number = std::mem::replace(&mut self.blocked_at[node as usize], NONE);
        if number == NONE {
            return None;
        }
        self.inside -= 1;
        self.come_out(now, number, &mut later);
        Some(self.worms[number as usize].cargo)
    }

    /// The cargo of the message whose head is at the port in of `node` and has not been let in.
    pub fn blocked_at(&self, node: u32) -> Option<u32> {
        let number = self.blocked_at[node as usize];
        (number != NONE).then(|| self.worms[number as usize].cargo)
    }

    /// The number of messages that wait for the port out of a node.
    pub fn leaving(&self, node: u32) -> usize {
        self.leaving[node as usize] as usize
    }

    /// Whether no node's message is inside, there is cross traffic, and all `pending` events to come, including the
    /// fabric's, are cross traffic's. Then no relevant event is left.
    #[inline]
    pub fn is_quiet(&self, pending: impl FnOnce() -> usize) -> bool {
        self.inside == 0 && self.ambient > 0 && pending() == self.ambient
    }

    /// The time up to `now` for which the port out and the port in of each node have been busy.
    pub fn ports_busy_at(&self, now: Time) -> impl Iterator<Item = (Time, Time)> + '_ {
        let busy = move |port: u32| self.channels[port as usize].busy_at(now);
        let nodes = 0..self.leaving.len() as u32;
        nodes.map(move |node| (busy(self.wiring.port_out(node)), busy(self.wiring.port_in(node))))
    }

    /// The time up to `now` for which each link between two routers has been busy, all its lanes together.
    pub fn links_busy_at(&self, now: Time) -> impl Iterator<Item = Time> + '_ {
        self.wiring.links().map(move |lanes| {
            lanes.map(|lane| self.channels[lane as usize].busy_at(now)).fold(Time::ZERO, |all, one| all + one)
        })
    }

    /// The name of the link at place `index` of [`links_busy_at`](Self::links_busy_at). For a grid it is the places of the two
    /// routers, `3→4`. For a tree it is the direction, the number and the subtree, `up 2 from 4-7`.
    pub fn link_name(&self, index: usize) -> String {
        self.wiring.links().nth(index).map_or_else(String::new, |mut lanes| {
            self.wiring.link_name(lanes.next().expect("a link has a lane"))
        })
    }

    /// Adds a worm. Returns its number.
    fn add(&mut self, worm: Worm, length: &Length) -> u32 {
        let number = match self.free.pop() {
            Some(number) => {
                self.worms[number as usize] = worm;
                number
            }
            None => {
                self.worms.push(worm);
                (self.worms.len() - 1) as u32
            }
        };
        if worm.is_long() {
            self.add_body(number, length);
        }
        number
    }

    #[cold]
    fn add_body(&mut self, number: u32, length: &Length) {
        if self.bodies.len() <= number as usize {
            self.bodies.resize_with(number as usize + 1, Body::default);
        }
        self.bodies[number as usize].become_message(length);
    }

    /// Lets a source launch a message across its row.
    fn launch_across(&mut self, now: Time, source: u32, later: &mut impl FnMut(Time, u32, Event)) {
        let traffic = self.cross_traffic.as_mut().expect("only cross traffic has sources");
        traffic.launch(now, source);
        let (length, port) = (traffic.length, traffic.port_out(source));
        let (from, goal) = CrossTraffic::ends(source, &self.wiring);
        let way = (self.wiring.first_run(from, goal), goal);
        let mut worm = Worm::new((source, NONE), &length, port, way);
        worm.is_ambient = true;
        let number = self.add(worm, &length);
        self.proceed(now, number, later);
    }

    /// Takes a worm's next step: its head asks for the channel that it wants, or gets that after a wait, or finds the wire
    /// free.
    fn proceed(&mut self, now: Time, number: u32, later: &mut impl FnMut(Time, u32, Event)) -> Option<u32> {
        let worm = &mut self.worms[number as usize];
        let wanted = worm.wants;
        let stage = std::mem::replace(&mut worm.stage, Stage::Comes);
        if stage != Stage::Comes {
            return self.proceed_past(now, number, stage, later);
        }
        let channel = &mut self.channels[wanted as usize];
        if !channel.take(now, worm.claim()) {
            self.enqueue(wanted, number, later);
            return None;
        }
        if worm.arrives || !self.wires.is_empty() {
            return self.proceed_past(now, number, stage, later);
        }
        if worm.is_plain() {
            self.go_straight_on(now, number, later);
        } else {
            self.go_on(now, number, later);
        }
        None
    }

    /// Lets a node's message of one buffer enter the channel that it has just taken, for which no other message waits.
    /// The effect is that of [`go_on`](Self::go_on), with one look-up of the message and the channel.
    #[inline(always)]
    fn go_straight_on(&mut self, now: Time, number: u32, later: &mut impl FnMut(Time, u32, Event)) {
        let worm = &mut self.worms[number as usize];
        let channel = &mut self.channels[worm.wants as usize];
        let (delay, gap) = if worm.leaves() { (self.latency, self.gap) } else { (self.hop, Time::ZERO) };
        let (reaches, ends, tie) = (now + delay, now + worm.passage, worm.tie);
        worm.reaches = reaches;
        channel.free_at = channel.carry(now, worm.passage.max(gap));
        let cleared_at = std::mem::replace(&mut channel.cleared_at, Time::MAX);
        let before = (channel.newest, channel.place);
        (channel.newest, channel.place) = (number, 0);
        let cleared = worm.enter();
        if let Some(next) = worm.run.next() {
            worm.wants = next;
        } else {
            self.turn(number);
        }
        if cleared_at == Time::MAX {
            self.follow(before, number);
        } else {
            later(reaches.max(cleared_at), tie, Event::worm(number));
        }
        if let Some(cleared) = cleared {
            self.clear(now, ends, cleared, later);
        }
    }

    /// Lets a worm go on from a stage where it has the channel that it wants, or is to get it now: into the network's last channel,
    /// or over a wire that lanes share.
    #[inline(never)]
    fn proceed_past(
        &mut self,
        now: Time,
        number: u32,
        stage: Stage,
        later: &mut impl FnMut(Time, u32, Event),
    ) -> Option<u32> {
        let wanted = self.worms[number as usize].wants;
        if stage == Stage::Waits {
            self.dequeue(wanted);
        }
        let worm = &mut self.worms[number as usize];
        if worm.arrives {
            if worm.is_ambient {
                self.come_out(now, number, later);
                return None;
            }
            self.blocked_at[worm.goal as usize] = number;
            return Some(worm.cargo);
        }
        let passage = worm.passage;
        let start = if stage == Stage::Booked { now } else { self.book(now, wanted, passage) };
        if start > now {
            self.worms[number as usize].stage = Stage::Booked;
            self.put(start, number, later);
        } else {
            self.go_on(now, number, later);
        }
        None
    }

    /// Lets a worm's head enter the channel that it was given. The head reaches the channel's end after the channel's delay. It
    /// asks for the next channel then, or when the worm before it in the buffer has left.
    #[inline(never)]
    fn go_on(&mut self, now: Time, number: u32, later: &mut impl FnMut(Time, u32, Event)) {
        let worm = &mut self.worms[number as usize];
        let (entered, leaves, is_ambient) = (worm.wants, worm.leaves(), worm.is_ambient);
        let reaches = now + if leaves { self.latency } else { self.hop };
        worm.reaches = reaches;
        let tie = worm.tie;
        let place = if worm.is_long() { self.bodies[number as usize].entered() } else { 0 };
        let channel = &mut self.channels[entered as usize];
        let cleared_at = std::mem::replace(&mut channel.cleared_at, Time::MAX);
        let before = (channel.newest, channel.place);
        (channel.newest, channel.place) = (number, place);
        if cleared_at == Time::MAX {
            self.follow(before, number);
        } else {
            self.ambient += usize::from(is_ambient);
            later(reaches.max(cleared_at), tie, Event::worm(number));
        }
        self.enter(now, number, later);
        let worm = &mut self.worms[number as usize];
        if let Some(next) = worm.run.next() {
            worm.wants = next;
        } else {
            self.turn(number);
        }
        if leaves && is_ambient {
            self.launch_again(now, self.worms[number as usize].cargo, later);
        }
    }

    /// Finds the channel that a worm's head wants behind the last channel of a straight run, which it has entered.
    #[inline(never)]
    fn turn(&mut self, number: u32) {
        let worm = &mut self.worms[number as usize];
        if worm.run.is_passed() {
            worm.run = self.wiring.next_run(worm.holds, worm.goal);
        }
        worm.wants = worm.run.next().unwrap_or_else(|| {
            worm.arrives = true;
            match &self.cross_traffic {
                Some(traffic) if worm.is_ambient => traffic.port_in(worm.cargo),
                _ => self.wiring.port_in(worm.goal),
            }
        });
    }

    /// Records that a worm has entered a buffer behind the worm `before`, to which the buffer's channel has the number `place`.
    fn follow(&mut self, (before, place): (u32, u32), follower: u32) {
        let worm = &mut self.worms[before as usize];
        if worm.is_long() {
            self.bodies[before as usize].is_followed(place, follower);
        } else {
            worm.follower = follower;
        }
    }

    /// Books the wire of a channel that a worm was just given. Returns the time at which the worm's first byte is on
    /// it. On a wire that lanes share, the worm comes behind all bookings there. A worm that is blocked later keeps its
    /// booking, and uses the wire again without another.
    fn book(&mut self, now: Time, channel: u32, passage: Time) -> Time {
        let Some(wire) = self.wiring.wire(channel) else { return now };
        let free_at = &mut self.wires[wire as usize];
        let start = now.max(*free_at);
        *free_at = start + passage;
        start
    }

    /// Plans the next launch of a source whose message has begun to leave.
    fn launch_again(&mut self, leaves: Time, source: u32, later: &mut impl FnMut(Time, u32, Event)) {
        let traffic = self.cross_traffic.as_ref().expect("only cross traffic has sources");
        self.ambient += 1;
        later(traffic.next_launch(source, leaves), NONE, Event::source(source));
    }

    /// Lets a worm's head leave the network. The tail follows without a pause.
    fn come_out(&mut self, now: Time, number: u32, later: &mut impl FnMut(Time, u32, Event)) {
        self.enter(now, number, later);
        self.free.push(number);
    }

    /// Lets a worm's head enter the channel that it was given. The times at which the tail leaves channels become known.
    fn enter(&mut self, now: Time, number: u32, later: &mut impl FnMut(Time, u32, Event)) {
        let worm = &mut self.worms[number as usize];
        let (entered, passage) = (worm.wants, worm.passage);
        // Cross traffic has ports of its own, as fast as links and without a gap.
        let is_port = !worm.is_ambient && (worm.leaves() || worm.arrives);
        let gap = if is_port { self.gap } else { Time::ZERO };
        let channel = &mut self.channels[entered as usize];
        let carried_until = channel.carry(now, passage.max(gap));
        if worm.is_long() {
            let whole = worm.arrives;
            worm.holds = entered;
            self.bodies[number as usize].enter(entered, now, passage, gap);
            return self.release(now, number, (whole, gap), later);
        }
        channel.free_at = carried_until;
        let (awaited, cleared) = (channel.first != NONE, worm.enter());
        if awaited {
            self.wake(now, entered, 0, later);
        }
        if let Some(cleared) = cleared {
            self.clear(now, now + passage, cleared, later);
        }
    }

    /// Frees the channels behind the head of a long message whose times have become known. `whole` says whether the head has
    /// entered the port in, and `gap` the least time that the message occupies that port.
    #[inline(never)]
    fn release(
        &mut self,
        now: Time,
        number: u32,
        (whole, gap): (bool, Time),
        later: &mut impl FnMut(Time, u32, Event),
    ) {
        while let Some(released) = self.bodies[number as usize].release(whole) {
            let ends = released.ends;
            let spaced = if released.is_port_in { now + gap } else { released.spaced };
            let channel = &mut self.channels[released.channel as usize];
            channel.free_at = known(ends.max(spaced));
            if channel.first != NONE {
                self.wake(now, released.channel, 0, later);
            }
            if let Some(cleared) = released.cleared {
                self.let_follow(ends, cleared, later);
                // The pace of a message longer than the buffer counts with the return of credits.
                self.make_room(now, cleared.channel, cleared.bytes, later);
            }
        }
    }

    /// Frees a buffer that a worm leaves without a pause: other worms have room, and the worm behind may go when the tail has
    /// left.
    #[inline(always)]
    fn clear(&mut self, now: Time, ends: Time, cleared: Cleared, later: &mut impl FnMut(Time, u32, Event)) {
        self.let_follow(ends, cleared, later);
        if let Some(credits) = &mut self.credits
            && credits.leave(cleared.channel, cleared.bytes)
        {
            self.ambient += usize::from(self.cross_traffic.is_some());
            later(now + self.hop, NONE, Event::credit(cleared.channel));
            return;
        }
        self.make_room(now, cleared.channel, cleared.bytes, later);
    }

    /// Lets the worm behind a worm that leaves a buffer without a pause go on when the tail has left, at `ends`.
    #[inline(always)]
    fn let_follow(&mut self, ends: Time, cleared: Cleared, later: &mut impl FnMut(Time, u32, Event)) {
        let Cleared { channel, follower, .. } = cleared;
        if follower == NONE {
            self.channels[channel as usize].cleared_at = known(ends);
        } else {
            let reaches = self.worms[follower as usize].reaches;
            self.put(reaches.max(ends), follower, later);
        }
    }

    /// Gives a channel `bytes` of room.
    #[inline(always)]
    fn make_room(&mut self, now: Time, channel: u32, bytes: u64, later: &mut impl FnMut(Time, u32, Event)) {
        let place = &mut self.channels[channel as usize];
        place.room += bytes;
        if place.first != NONE && bytes > 0 {
            self.wake(now, channel, bytes, later);
        }
    }

    /// Plans the entry of the first worm that waits for a channel, if its time has just become known. Either `freed` bytes have
    /// become free, or `freed` is 0 and the end of the wire's occupation has become known.
    #[inline(never)]
    fn wake(&mut self, now: Time, channel: u32, freed: u64, later: &mut impl FnMut(Time, u32, Event)) {
        let place = &self.channels[channel as usize];
        let (first, at) = (place.first, place.free_at.max(now));
        let claim = self.worms[first as usize].claim();
        let had_room = freed > 0 && place.room - freed >= claim;
        if place.will_take(claim) && !had_room {
            self.put(at, first, later);
        }
    }

    /// Plans the next event of a worm.
    #[inline]
    fn put(&mut self, at: Time, number: u32, later: &mut impl FnMut(Time, u32, Event)) {
        let worm = &self.worms[number as usize];
        self.ambient += usize::from(worm.is_ambient);
        later(at, worm.tie, Event::worm(number));
    }

    /// Lets a worm wait for a channel, behind all others that wait.
    fn enqueue(&mut self, wanted: u32, number: u32, later: &mut impl FnMut(Time, u32, Event)) {
        let worm = &mut self.worms[number as usize];
        (worm.stage, worm.behind) = (Stage::Waits, NONE);
        let claim = worm.claim();
        if let Some(leaving) = self.leaving.get_mut(wanted as usize) {
            *leaving += 1;
        }
        let channel = &mut self.channels[wanted as usize];
        let last = std::mem::replace(&mut channel.last, number);
        if last != NONE {
            self.worms[last as usize].behind = number;
            return;
        }
        channel.first = number;
        if channel.will_take(claim) {
            let free_at = channel.free_at;
            self.put(free_at, number, later);
        }
    }

    /// Removes the first worm that waits for a channel from the queue.
    fn dequeue(&mut self, wanted: u32) {
        let channel = &mut self.channels[wanted as usize];
        let worm = &mut self.worms[channel.first as usize];
        channel.occupy(worm.claim());
        channel.first = std::mem::replace(&mut worm.behind, NONE);
        if channel.first == NONE {
            channel.last = NONE;
        }
        if let Some(leaving) = self.leaving.get_mut(wanted as usize) {
            *leaving -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
