//! What the processors of a node do to its memory, and how a line comes to whoever asks.

use des::Server;
use units::{Bytes, Time};

use super::banks::Banks;
use super::buffer::Buffer;
use super::bus::Bus;
use super::cache::{Cache, Victim};
use super::counts::Counts;
use super::moesi::{self, Request, State};
use super::write_backs::WriteBacks;

/// The memory system of a node. Lines are numbered: an address divided by the [line](Self::line_of).
///
/// What a processor does begins when its instruction has been issued, which is work like any other; what comes back is
/// when the next instruction can be.
#[derive(Clone, Debug)]
pub struct NodeMemory {
    pub(super) costs: machine::NodeMemory,
    pub(super) line: Bytes,
    pub(super) processors: Vec<Client>,
    pub(super) bus: Bus,
    pub(super) banks: Banks,
    pub(super) buffer: Option<Buffer>,
    /// The bus interface of the device that has the buffer.
    pub(super) reader: Server,
    pub(super) counts: Counts,
}

/// A processor as a client of the bus.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) cache: Cache,
    /// Lines that are on their way here, and when they can be used.
    misses: Vec<(u64, Time)>,
    pub(super) write_backs: WriteBacks,
    /// When the tags have been looked up for the last flush or purge.
    tags: Time,
}

/// A line on its way to whoever asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetched {
    /// The critical word has passed the bus.
    pub(super) first: Time,
    /// All of it has.
    pub(super) end: Time,
    pub(super) state: State,
}

/// Who answers for a line.
pub(super) enum Supplier {
    Cache,
    Buffer,
    Memory,
}

impl Client {
    fn new(costs: &machine::Cache, line: Bytes) -> Self {
        Self {
            cache: Cache::new((costs.size.get() / line.get()) as usize, costs.ways),
            misses: Vec::with_capacity(costs.misses),
            write_backs: WriteBacks::new(costs.write_backs),
            tags: Time::ZERO,
        }
    }

    /// When a line that is on its way can be used.
    fn on_its_way(&self, line: u64) -> Option<Time> {
        self.misses.iter().find(|miss| miss.0 == line).map(|miss| miss.1)
    }

    /// When a further miss may begin that comes up at `now`.
    fn miss_at(&mut self, now: Time, most: usize) -> Time {
        self.misses.retain(|miss| miss.1 > now);
        if self.misses.len() < most {
            return now;
        }
        let first = self.misses.iter().map(|miss| miss.1).min().unwrap_or(now);
        self.misses.retain(|miss| miss.1 > first);
        first
    }
}

impl NodeMemory {
    /// An idle memory system with empty caches, for so many processors, in lines of `line`.
    pub fn new(costs: &machine::NodeMemory, line: Bytes, processors: usize) -> Self {
        let buffer = costs.staging.as_ref().map(|staging| {
            let blocks = (staging.size.get() / staging.block.get()) as usize;
            Buffer::new(blocks, staging.block.get() / line.get(), staging.tags)
        });
        Self {
            line,
            processors: vec![Client::new(&costs.cache, line); processors],
            bus: Bus::new(&costs.bus),
            banks: Banks::new(&costs.banks),
            buffer,
            reader: Server::default(),
            counts: Counts::default(),
            costs: costs.clone(),
        }
    }

    /// The line of an address.
    pub fn line_of(&self, address: u64) -> u64 {
        address / self.line.get()
    }

    /// What has been counted so far.
    pub fn counts(&self) -> Counts {
        let (bus, banks) = (&self.bus, &self.banks);
        Counts {
            transactions: bus.transactions,
            bus_bytes: bus.bytes,
            memory_reads: banks.reads,
            memory_writes: banks.writes,
            ..self.counts
        }
    }

    /// The time up to `now` for which the wires of the bus have been busy: those of addresses, and those of data where
    /// they have wires of their own.
    pub fn bus_busy_at(&self, now: Time) -> (Time, Option<Time>) {
        self.bus.busy_at(now)
    }

    /// The time up to `now` for which each bank of memory has been busy.
    pub fn banks_busy_at(&self, now: Time) -> impl Iterator<Item = Time> + '_ {
        self.banks.busy_at(now)
    }

    /// How long the bus has been in use.
    pub fn bus_busy(&self) -> Time {
        self.bus.busy()
    }

    /// A load; the next instruction uses its value, or does not.
    pub fn load(&mut self, who: usize, line: u64, now: Time, used: bool) -> Time {
        self.bus.forget(now);
        let client = &mut self.processors[who];
        let (state, stale) = client.cache.access(line);
        if state != State::Invalid {
            self.counts.stale_loads += u64::from(stale);
            let ready = client.on_its_way(line).unwrap_or(now).max(now + self.costs.cache.load_use);
            return if used { ready } else { now };
        }
        let (begun, ready) = self.miss(who, line, now, Request::Read);
        if used { ready } else { begun }
    }

    /// A store: the processor goes on at once unless all its misses are out.
    pub fn store(&mut self, who: usize, line: u64, now: Time) -> Time {
        self.bus.forget(now);
        let coherent = self.costs.cache.coherent;
        let client = &mut self.processors[who];
        match client.cache.access(line).0 {
            State::Invalid => self.miss(who, line, now, Request::ReadOwned).0,
            State::Shared | State::Owned if coherent => self.upgrade(who, line, now),
            _ => {
                client.cache.change(line, State::Modified);
                now
            }
        }
    }

    /// Takes a line out of the cache, and to memory if it is dirty. The processor waits only for room in the queue.
    pub fn flush(&mut self, who: usize, line: u64, now: Time) -> Time {
        self.bus.forget(now);
        let at = self.look_up(who, line, now);
        let Some(victim) = self.processors[who].cache.remove(line) else { return now };
        let queued = self.dispose(who, victim, at);
        self.processors[who].tags = queued;
        // What it waits beyond the tags it waits for room.
        now + (queued - at)
    }

    /// Takes a line out of the cache, whatever it holds.
    pub fn purge(&mut self, who: usize, line: u64, now: Time) -> Time {
        self.look_up(who, line, now);
        self.processors[who].cache.remove(line);
        now
    }

    /// Waits until all that was flushed is in memory.
    pub fn sync(&mut self, who: usize, now: Time) -> Time {
        let client = &self.processors[who];
        now.max(client.tags).max(client.write_backs.done()) + self.costs.cache.sync
    }

    /// When the tags are looked up for a flush or purge: in order, and not before the line has come in.
    fn look_up(&mut self, who: usize, line: u64, now: Time) -> Time {
        let client = &mut self.processors[who];
        let at = (now + self.costs.cache.tag_delay).max(client.tags);
        let at = at.max(client.on_its_way(line).unwrap_or_default());
        client.tags = at;
        at
    }

    /// A miss that comes up at `now`: when it begins, and when its critical word can be used.
    fn miss(&mut self, who: usize, line: u64, now: Time, request: Request) -> (Time, Time) {
        self.counts.misses += 1;
        let begun = self.processors[who].miss_at(now, self.costs.cache.misses);
        let fetched = self.fetch(Some(who), line, begun, request);
        let ready = fetched.first + self.costs.cache.refill;
        self.processors[who].misses.push((line, ready));
        if let Some(victim) = self.processors[who].cache.insert(line, fetched.state) {
            self.dispose(who, victim, begun);
        }
        (begun, ready)
    }

    fn upgrade(&mut self, who: usize, line: u64, now: Time) -> Time {
        let begun = self.processors[who].miss_at(now, self.costs.cache.misses);
        let asked = self.bus.request(begun);
        self.snoop(Some(who), line, Request::Upgrade);
        let client = &mut self.processors[who];
        client.misses.push((line, asked + self.costs.bus.snoop.unwrap_or_default()));
        client.cache.change(line, State::Modified);
        begun
    }

    /// A line has left a cache: writes it back if memory's is older. When it has found room in the queue.
    pub(super) fn dispose(&mut self, who: usize, victim: Victim, at: Time) -> Time {
        if !victim.state.is_dirty() {
            return at;
        }
        self.counts.write_backs += 1;
        self.counts.overwritten += u64::from(victim.stale);
        let line = victim.line;
        let queue = &mut self.processors[who].write_backs;
        let room = queue.room_at(at);
        let open = self.banks.open(line).max(queue.last());
        let (phase, accepted) = self.write(line, room, open);
        let done = accepted + self.costs.cache.acknowledge;
        self.processors[who].write_backs.push(line, phase, accepted, done);
        room
    }

    /// Writes a line to memory, which is asked for at `now` and takes it from `open` on: its data phase, and when memory
    /// has it.
    pub(super) fn write(&mut self, line: u64, now: Time, open: Time) -> ((Time, Time), Time) {
        let phase = self.bus.write(now, open, self.line);
        let data = (phase.start, phase.end);
        // A coherent bank does not begin before it knows that no cache objects.
        let held = if self.costs.cache.coherent { self.costs.bus.snoop } else { None };
        (data, self.banks.write(line, data, held.unwrap_or_default()))
    }

    /// A line comes over the bus to a processor, or to a device that is none.
    pub(super) fn fetch(&mut self, who: Option<usize>, line: u64, now: Time, request: Request) -> Fetched {
        let (ready, state) = self.ask(who, line, now, request);
        let phase = self.bus.reply(ready, self.line);
        Fetched { first: phase.first, end: phase.end, state }
    }

    /// A line is asked for: when it is ready to come over the bus, and in what state it comes.
    pub(super) fn ask(
        &mut self,
        who: Option<usize>,
        line: u64,
        now: Time,
        request: Request,
    ) -> (Time, State) {
        let written = self.processors.iter().filter_map(|client| client.write_backs.accepted(line)).max();
        let asked = self.bus.request(now.max(written.unwrap_or_default()));
        let (supplier, shared) = self.snoop(who, line, request);
        let cache = &self.costs.cache;
        let snooped = if cache.coherent { self.costs.bus.snoop.unwrap_or_default() } else { Time::ZERO };
        let answered = asked + snooped;
        let ready = match supplier {
            Supplier::Cache => answered + cache.supply.unwrap_or_default(),
            Supplier::Buffer => answered,
            Supplier::Memory => self.banks.read(line, answered),
        };
        (ready, moesi::filled(request, shared, matches!(supplier, Supplier::Buffer)))
    }

    /// All others see a transaction: who supplies the line, and whether another cache keeps it.
    pub(super) fn snoop(&mut self, who: Option<usize>, line: u64, request: Request) -> (Supplier, bool) {
        let (mut supplier, mut shared) = (Supplier::Memory, false);
        if !self.costs.cache.coherent {
            return (supplier, shared);
        }
        for (index, client) in self.processors.iter_mut().enumerate() {
            let state = client.cache.state(line);
            if Some(index) == who || state == State::Invalid {
                continue;
            }
            let answer = moesi::snoop(state, request);
            if answer.next == State::Invalid {
                client.cache.remove(line);
            } else {
                client.cache.change(line, answer.next);
            }
            shared |= answer.keeps;
            if answer.supplies {
                self.counts.cache_supplies += 1;
                supplier = Supplier::Cache;
            }
        }
        if who.is_some() && self.buffer.as_mut().is_some_and(|buffer| buffer.give_up(line)) {
            self.counts.buffer_supplies += 1;
            supplier = Supplier::Buffer;
        }
        (supplier, shared)
    }
}
