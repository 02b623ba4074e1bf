//! The memory system of a node: loads and stores of its processors, and the way of a line to the client that asks for it.
//!
//! A line is there from the end of its transaction on; until then it is on its way. A client that asks for a line that is
//! on its way elsewhere waits: its transaction is asked for when the line is there. So a line that several clients fight
//! for moves at most once in the time of one whole transaction.
//!
//! This module must never know programs, messages or engine events.

use std::ops::Range;
use std::sync::Arc;

use des::Server;
use units::{Bytes, Time};

use super::banks::Banks;
use super::buffer::Buffer;
use super::bus::Bus;
use super::cache::Cache;
use super::counts::Counts;
use super::first_level::FirstLevel;
use super::groups::{Groups, Spot};
use super::holders::{Class, Holders, Others};
use super::moesi::{self, Answers, Packed, Request, State};
use super::plain;
use super::snooped::{Fetched, Snooped, Supplier};
use super::tags::{Answered, Tags, Victim};
use super::wanted::Wanted;
use super::write_backs::WriteBacks;
use crate::Divisor;

/// The memory system of a node. A line is known by its number: an address divided by the [size of a
/// line](Self::line_of). A clone shares the constant parts: the nodes of a machine are clones of one.
///
/// An operation of a processor begins when its instruction has been issued. The issue is work like any other. The result is
/// the time at which the next instruction can begin.
#[derive(Clone, Debug)]
pub struct NodeMemory {
    pub(super) costs: Arc<machine::NodeMemory>,
    pub(super) line: Bytes,
    /// The bytes of a line, by which addresses are divided.
    by_line: Divisor,
    pub(super) processors: Vec<Client>,
    /// The sets of the processors' caches.
    pub(super) sets: Groups,
    /// These caches, in the order of the processors.
    pub(super) caches: Tags,
    /// The processors inside a device of the node, if there are some.
    pub(super) group: Option<DeviceGroup>,
    /// The processors that have lines, by set.
    pub(super) holders: Holders,
    pub(super) bus: Bus,
    pub(super) banks: Banks,
    pub(super) buffer: Option<Box<Buffer>>,
    /// The receive slots that the engine of the device with the buffer has at hand, any slot in any place; `None` where it has all.
    pub(super) slots: Option<Box<Cache>>,
    /// The bus interface of the device that has the buffer.
    pub(super) reader: Server,
    pub(super) counts: Counts,
    /// The time from which memory has all lines that were written back.
    written: Time,
    /// The lines that a client has wanted while another one had them, or that a device has wanted.
    pub(super) wanted: Wanted,
}

/// Accesses of a processor to words of one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hits {
    /// The kind of all of them.
    pub kind: Hit,
    /// The time that the processor takes to issue one.
    pub issue: Time,
    /// Number of accesses, at least 1.
    pub count: u64,
}

/// A kind of access that may need no bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hit {
    /// A load whose value the next instruction uses.
    Used,
    /// A load that no instruction waits for.
    Ignored,
    /// A store.
    Stored,
}

/// A processor as a client of the bus.
#[derive(Clone, Debug)]
pub(super) struct Client {
    /// The cache between the processor and its cache, where there is one.
    pub(super) first: Option<Box<FirstLevel>>,
    /// For each outstanding miss the time at which its line can be used.
    misses: Vec<Time>,
    pub(super) write_backs: WriteBacks,
    /// The time at which the tags have been looked up for the last flush or purge.
    tags: Time,
}

impl Client {
    fn new(costs: &machine::Cache, line: Bytes) -> Self {
        Self {
            first: costs.first.as_ref().map(|first| Box::new(FirstLevel::new(first, line.get()))),
            misses: Vec::new(),
            write_backs: WriteBacks::new(costs.write_backs),
            tags: Time::ZERO,
        }
    }

    /// The time at which a further miss may begin that is wanted at `now`, where at most `most` are outstanding.
    fn miss_at(&mut self, now: Time, most: usize) -> Time {
        self.misses.retain(|&ready| ready > now);
        if self.misses.len() < most {
            return now;
        }
        let first = self.misses.iter().copied().min().unwrap_or(now);
        self.misses.retain(|&ready| ready > first);
        first
    }
}

/// The processors of a node that are inside a device on the bus. Each has a cache, which snoops the bus as every other
/// cache does. A line that only one of them has comes to another of them over wires of the device, and the bus does not
/// see that.
#[derive(Clone, Debug)]
pub(super) struct DeviceGroup {
    /// Indices of the processors among the clients of the bus.
    pub(super) members: Range<usize>,
    /// The time of a line from the cache of a member to the cache of another.
    pub(super) supply: Time,
}

impl NodeMemory {
    /// Makes an idle memory system with empty caches for `processors` processors, with lines of the size `line`.
    pub fn new(costs: &machine::NodeMemory, line: Bytes, processors: usize) -> Self {
        let buffer = costs.staging.as_ref().map(|staging| {
            let blocks = (staging.size.get() / staging.block.get()) as usize;
            Box::new(Buffer::new(blocks, staging.block.get() / line.get(), staging.tags))
        });
        let slots = costs.staging.as_ref().and_then(|staging| staging.slots);
        let bus = Bus::new(&costs.bus, line, plain::usages(costs, line));
        let client = Client::new(&costs.cache, line);
        let sets = Groups::new((costs.cache.size.get() / line.get()) as usize / costs.cache.ways);
        Self {
            line,
            by_line: Divisor::new(line.get()),
            holders: Holders::new(sets.sets(), processors),
            sets,
            caches: Tags::new(processors, costs.cache.ways),
            processors: vec![client; processors],
            group: None,
            bus,
            banks: Banks::new(&costs.banks),
            buffer,
            slots: slots.map(|slots| Box::new(Cache::new(slots, slots))),
            reader: Server::default(),
            counts: Counts::default(),
            written: Time::ZERO,
            wanted: Wanted::default(),
            costs: Arc::new(costs.clone()),
        }
    }

    /// Whether a processor has a cache on the bus.
    #[inline]
    pub fn has_cache(&self, processor: usize) -> bool {
        processor < self.processors.len()
    }

    /// The bytes of a line.
    pub fn line(&self) -> u64 {
        self.line.get()
    }

    /// The number of the line of an address.
    #[inline]
    pub fn line_of(&self, address: u64) -> u64 {
        self.by_line.quotient(address)
    }

    /// The bytes from an address on to the end of its line.
    #[inline]
    pub fn rest_of_line(&self, address: u64) -> u64 {
        self.line.get() - self.by_line.remainder(address)
    }

    /// The counts since the start.
    pub fn counts(&self) -> Counts {
        let (transactions, bus_bytes) = self.bus.transactions();
        let Banks { reads: memory_reads, writes: memory_writes, .. } = self.banks;
        Counts { transactions, bus_bytes, memory_reads, memory_writes, ..self.counts }
    }

    /// The time up to `now` for which the bus has been busy: its address wires, and its data wires where they are
    /// separate.
    pub fn bus_busy_at(&self, now: Time) -> (Time, Option<Time>) {
        self.bus.busy_at(now)
    }

    /// The time up to `now` for which each bank of memory has been busy.
    pub fn banks_busy_at(&self, now: Time) -> impl Iterator<Item = Time> + '_ {
        self.banks.busy_at(now)
    }

    /// The time for which the bus has been in use: addresses and data together. Where the two have wires of their own, it may
    /// exceed the time that has passed. Polls count up to the last request of another client.
    pub fn bus_busy(&self) -> Time {
        self.bus.busy()
    }

    /// Loads a word of a line. `used` says whether the next instruction uses the value.
    pub fn load(&mut self, who: usize, line: u64, now: Time, used: bool) -> Time {
        self.bus.forget(now);
        let found = self.caches.access(who, self.sets.spot(line));
        if found.state != State::Invalid {
            self.counts.stale_loads += u64::from(found.stale);
            let wait = self.first_level(who, line);
            let ready = found.there.max(now + self.costs.cache.load_use + wait);
            return if used { ready } else { now };
        }
        let (begun, ready) = self.miss(who, line, now, Request::Read);
        self.first_level(who, line);
        if used { ready } else { begun }
    }

    /// Loads a word of a line that is in a processor's cache into its first-level cache. Returns the extra time of the
    /// load over a hit there; zero where there is no such cache.
    #[inline]
    pub fn first_level(&mut self, who: usize, line: u64) -> Time {
        if self.costs.cache.first.is_none() { Time::ZERO } else { self.load_first_level(who, line) }
    }

    #[inline(never)]
    fn load_first_level(&mut self, who: usize, line: u64) -> Time {
        let Some(first) = &mut self.processors[who].first else { return Time::ZERO };
        let wait = first.wait(line);
        first.load(line);
        wait
    }

    /// Stores to a line. The processor goes on at once unless it has as many misses outstanding as it may have.
    pub fn store(&mut self, who: usize, line: u64, now: Time) -> Time {
        self.bus.forget(now);
        let coherent = self.costs.cache.coherent;
        let at = self.sets.spot(line);
        match self.caches.access(who, at).state {
            State::Invalid => self.miss(who, line, now, Request::ReadOwned).0,
            State::Shared | State::Owned if coherent => self.upgrade(who, line, now),
            _ => {
                self.caches.change(who, at, State::Modified);
                now
            }
        }
    }

    /// Makes `count` accesses to words of one line, one after the other from `now` on, if none of them needs the bus
    /// and the last one is done before `until`. Each takes its issue of the length `issue`; a load is `used` by the
    /// next instruction or not. Returns the time at which the last access is done. The effect equals as many calls of
    /// [`load`](Self::load) or [`store`](Self::store), each at the end of its issue.
    #[inline(always)]
    pub fn hit(&mut self, who: usize, line: u64, hits: Hits, now: Time, until: Time) -> Option<Time> {
        let Hits { kind, issue, count } = hits;
        let (cache, first_level) = (&mut self.caches, &mut self.processors[who].first);
        let costs = &self.costs.cache;
        let place = cache.find(who, self.sets.spot(line))?;
        let done = match kind {
            Hit::Used => {
                let each = issue + costs.load_use;
                let wait = first_level.as_ref().map_or(Time::ZERO, |first| first.wait(line));
                let first = cache.there(place).max(now + each + wait);
                if count == 1 { first } else { first + each * (count - 1) }
            }
            Hit::Ignored => now + issue * count,
            Hit::Stored if costs.coherent && !cache.is_alone(place) => return None,
            Hit::Stored => now + issue * count,
        };
        if done >= until {
            return None;
        }
        cache.use_now(place);
        if kind == Hit::Stored {
            cache.store_at(place, done);
        } else {
            self.counts.stale_loads += u64::from(cache.is_stale(place)) * count;
            if let Some(first) = first_level {
                first.load(line);
            }
        }
        Some(done)
    }

    /// Takes a line out of the cache, and writes it to memory if it is dirty. The processor waits only for room in the queue
    /// of write-backs.
    pub fn flush(&mut self, who: usize, line: u64, now: Time) -> Time {
        self.bus.forget(now);
        let at = self.look_up(who, line, now);
        let Some(victim) = self.take_out(who, line) else { return now };
        let queued = self.dispose(who, victim, at);
        self.processors[who].tags = queued;
        // The processor does not wait for its tags, but for room.
        now + (queued - at)
    }

    /// Takes a line out of the cache and drops its data.
    pub fn purge(&mut self, who: usize, line: u64, now: Time) -> Time {
        self.look_up(who, line, now);
        self.take_out(who, line);
        now
    }

    /// This memory system with processors inside a device. `members` are their numbers; a line that only one of them
    /// has takes `supply` to another one.
    #[must_use]
    pub fn with_device_group(mut self, members: Range<usize>, supply: Time) -> Self {
        self.group = Some(DeviceGroup { members, supply });
        self
    }

    /// Takes a line out of a cache, if the cache has it.
    pub(super) fn take_out(&mut self, who: usize, line: u64) -> Option<Victim> {
        let at = self.sets.spot(line);
        let victim = self.caches.remove(who, at)?;
        self.note_left(who, at);
        Some(victim)
    }

    /// Whether a processor's cache, which a line has just left, has another line of the same class.
    #[inline]
    fn has_beside(&self, who: usize, at: Spot, class: Class) -> bool {
        let is_like = |line| self.holders.class_of(Spot { line, ..at }) == class;
        !self.caches.is_direct_mapped() && self.caches.lines_beside(who, at).any(is_like)
    }

    /// Waits until all flushed lines are in memory.
    pub fn sync(&mut self, who: usize, now: Time) -> Time {
        let client = &self.processors[who];
        now.max(client.tags).max(client.write_backs.done()) + self.costs.cache.sync
    }

    /// The time at which the tags are looked up for a flush or purge: in order, and not before the line is there.
    fn look_up(&mut self, who: usize, line: u64, now: Time) -> Time {
        let client = &mut self.processors[who];
        let at = (now + self.costs.cache.tag_delay).max(client.tags);
        let at = at.max(self.caches.look_up(who, self.sets.spot(line)).there);
        client.tags = at;
        at
    }

    /// Makes a miss that is wanted at `now`. Returns the time at which it begins, and the time at which its critical word can
    /// be used.
    fn miss(&mut self, who: usize, line: u64, now: Time, request: Request) -> (Time, Time) {
        self.counts.misses += 1;
        let begun = self.processors[who].miss_at(now, self.costs.cache.misses);
        let at = self.sets.spot(line);
        let fetched = self.fetch(Some(who), at, begun, request);
        let ready = fetched.first + self.costs.cache.refill;
        self.processors[who].misses.push(ready);
        self.fill(who, at, (fetched.state, fetched.met), (begun, ready.max(fetched.end)));
        (begun, ready)
    }

    /// Puts a line into a cache that has asked for it at `asked` and has it from `there` on, and writes the line that it
    /// replaces back. `met` says whether another cache had the line. Returns whether the line replaces one.
    #[inline(always)]
    pub(super) fn fill(
        &mut self,
        who: usize,
        at: Spot,
        (state, met): (State, bool),
        (asked, there): (Time, Time),
    ) -> bool {
        let wanted = met || self.wanted.contains(at.line);
        let at = self.sets.with_row(at);
        let victim = self.caches.insert((who, at), state, wanted, there);
        if let Some(victim) = victim {
            self.note_left(who, Spot { line: victim.line, ..at });
            self.dispose(who, victim, asked);
        }
        self.holders.add(self.holders.class_of(at), who);
        victim.is_some()
    }

    fn upgrade(&mut self, who: usize, line: u64, now: Time) -> Time {
        let begun = self.processors[who].miss_at(now, self.costs.cache.misses);
        let at = self.sets.spot(line);
        let from = begun.max(self.caches.look_up(who, at).there);
        let there = self.raise(who, at, from);
        self.processors[who].misses.push(there);
        begun
    }

    /// Asks at `now` for the right to store to a line that a cache has. Returns the time from which the right is there.
    pub(super) fn raise(&mut self, who: usize, at: Spot, now: Time) -> Time {
        let there = self.invalidate(Some(who), at, Request::Upgrade, now);
        self.caches.raise(who, at, self.wanted.contains(at.line), there);
        there
    }

    /// Writes a line that has left a cache at `at` back, if memory has an older one. Returns the time at which the line has
    /// found room in the queue.
    pub(super) fn dispose(&mut self, who: usize, victim: Victim, at: Time) -> Time {
        if !victim.state.is_dirty() {
            return at;
        }
        self.counts.write_backs += 1;
        self.counts.overwritten += u64::from(victim.stale);
        let line = victim.line;
        let queue = &mut self.processors[who].write_backs;
        let room = queue.room_at(at.max(victim.there));
        let open = self.banks.open(line).max(queue.last());
        let (phase, accepted) = self.write(line, room, open);
        let done = accepted + self.costs.cache.acknowledge;
        self.processors[who].write_backs.push(line, phase, accepted, done);
        self.written = self.written.max(accepted);
        room
    }

    /// Writes a line to memory. The bus is asked for at `now`, and the bank takes the line from `open` on. Returns the start
    /// and end of the data phase, and the time from which memory has the line.
    pub(super) fn write(&mut self, line: u64, now: Time, open: Time) -> ((Time, Time), Time) {
        let phase = self.bus.write(now, open, self.line);
        let data = (phase.start, phase.end);
        // A coherent bank does not begin before it knows that no cache objects.
        let held = if self.costs.cache.coherent { self.costs.bus.snoop } else { None };
        (data, self.banks.write(line, data, held.unwrap_or_default()))
    }

    /// Brings a line over the bus to processor `who`, or to a device where `who` is `None`.
    #[inline(never)]
    pub(super) fn fetch(&mut self, who: Option<usize>, at: Spot, now: Time, request: Request) -> Fetched {
        self.fetch_here(who, at, now, request)
    }

    /// [Brings](Self::fetch) a line over the bus, inlined.
    #[inline(always)]
    pub(super) fn fetch_here(
        &mut self,
        who: Option<usize>,
        at: Spot,
        now: Time,
        request: Request,
    ) -> Fetched {
        let (ready, answer) = self.ask(who, at, now, request);
        let phase = self.bus.reply(ready, self.line);
        let state = moesi::filled(request, answer.keeps(), answer.passes());
        Fetched { first: phase.first, end: phase.end, state, met: answer.has() }
    }

    /// Asks for a line. Returns the time at which the line is ready to come over the bus, and the answer of the others.
    #[inline(always)]
    fn ask(&mut self, who: Option<usize>, at: Spot, now: Time, request: Request) -> (Time, Packed) {
        let earliest = if self.written <= now { now } else { now.max(self.written(at.line, now)) };
        let snooped = self.snoop(who, at, request);
        let asked = self.bus.request(earliest.max(snooped.there));
        let cache = &self.costs.cache;
        let delay = if cache.coherent { self.costs.bus.snoop.unwrap_or_default() } else { Time::ZERO };
        let answered = asked + delay;
        let ready = match snooped.supplier() {
            Supplier::Cache => answered + cache.supply.unwrap_or_default(),
            Supplier::Buffer => answered,
            Supplier::Memory => self.banks.read(at.line, answered),
        };
        (ready, snooped.answer)
    }

    /// The time from which memory has a line that was written back; zero if it has the line at `now`.
    #[inline(never)]
    fn written(&self, line: u64, now: Time) -> Time {
        let queues = self.processors.iter().map(|client| &client.write_backs);
        queues.filter_map(|queue| queue.accepted(line, now)).max().unwrap_or_default()
    }

    /// Makes a transaction of an address alone. Returns the time at which all other caches have let the line go.
    pub(super) fn invalidate(&mut self, who: Option<usize>, at: Spot, request: Request, now: Time) -> Time {
        let there = self.snoop(who, at, request).there;
        self.bus.request(now.max(there)) + self.costs.bus.snoop.unwrap_or_default()
    }

    /// Shows a transaction to all other clients, which change the states of their lines at once: from this call on
    /// another client's access does not find the lines that the transaction takes away.
    #[inline(always)]
    pub(super) fn snoop(&mut self, who: Option<usize>, at: Spot, request: Request) -> Snooped {
        if !self.costs.cache.coherent {
            return Snooped::NOBODY;
        }
        let others = self.holders.others(self.holders.class_of(at), who);
        let mut snooped = Snooped::NOBODY;
        if !others.is_empty() {
            snooped = self.snoop_caches(others, at, request, who);
        }
        if self.buffer.is_some() && who.is_some() {
            snooped = self.snoop_buffer(at.line, snooped);
        }
        snooped
    }

    /// Shows a processor's transaction, which the caches have answered, to the staging buffer, which gives the line up if it has it.
    #[inline(never)]
    fn snoop_buffer(&mut self, line: u64, snooped: Snooped) -> Snooped {
        let Some(there) = self.buffer.as_mut().and_then(|buffer| buffer.give_up(line)) else {
            return snooped;
        };
        self.counts.buffer_supplies += 1;
        Snooped { answer: snooped.answer.or(Packed::PASSED), there: snooped.there.max(there) }
    }

    /// Shows a transaction to the caches of other processors.
    #[inline(never)]
    fn snoop_caches(&mut self, others: Others, at: Spot, request: Request, who: Option<usize>) -> Snooped {
        let mut answered = self.caches.show(others.named(), at, Answers::to(request));
        if answered.gone != 0 {
            self.note_all_left(answered.gone, at);
        }
        if others.are_shared() {
            answered = self.show_to_sharing((who, at), request, answered);
        }
        let Answered { answer, there, .. } = answered;
        if answer.supplies() {
            self.counts.cache_supplies += 1;
        }
        // A marked line is among the wanted ones.
        if answer.has() && !answered.was_wanted() {
            self.wanted.insert(at.line);
        }
        Snooped { answer, there }
    }

    /// Shows a transaction to the caches of processors that share a bit among the holders of lines.
    #[cold]
    #[inline(never)]
    fn show_to_sharing(
        &mut self,
        (who, at): (Option<usize>, Spot),
        request: Request,
        mut answered: Answered,
    ) -> Answered {
        for index in Others::sharing(self.processors.len(), who) {
            if self.caches.show_one(index, at, Answers::to(request), &mut answered) {
                self.note_left(index, at);
            }
        }
        answered
    }

    /// Records that a line has just left the caches of processors that are given by bits.
    #[inline]
    fn note_all_left(&mut self, gone: u64, at: Spot) {
        match self.forgets_at_once() {
            true => self.holders.remove_all(self.holders.class_of(at), gone),
            false => self.note_each_left(gone, at),
        }
    }

    #[inline(never)]
    fn note_each_left(&mut self, mut gone: u64, at: Spot) {
        while gone != 0 {
            self.note_left(gone.trailing_zeros() as usize, at);
            gone &= gone - 1;
        }
    }

    /// Whether a line that leaves a cache leaves no other part behind than the caches' tags, and no other line of its class.
    #[inline]
    fn forgets_at_once(&self) -> bool {
        self.caches.is_direct_mapped() && self.costs.cache.first.is_none()
    }

    /// Records that a line has just left the cache of a processor. A line that takes the only place of its set is recorded
    /// afterwards.
    #[inline]
    pub(super) fn note_left(&mut self, who: usize, at: Spot) {
        if self.forgets_at_once() {
            self.holders.remove(self.holders.class_of(at), who);
        } else {
            self.note_left_of_all(who, at);
        }
    }

    #[inline(never)]
    fn note_left_of_all(&mut self, who: usize, at: Spot) {
        if let Some(first) = &mut self.processors[who].first {
            first.remove(at.line);
        }
        let class = self.holders.class_of(at);
        if !self.has_beside(who, at, class) {
            self.holders.remove(class, who);
        }
    }
}
