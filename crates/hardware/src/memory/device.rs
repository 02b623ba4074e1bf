//! An interface with a staging buffer as a client of the bus: it reads lines that are sent, puts lines that arrive in memory or
//! into a processor's cache, or takes them over and answers for them.
//!
//! This module must never know packets, routes or programs.

use machine::Placement;
use units::{Bytes, Time};

use super::buffer::{Buffer, Evicted, Slot};
use super::moesi::{Request, State};
use super::node::NodeMemory;

impl NodeMemory {
    /// The lines of `bytes` bytes from an address on, each with whether the bytes cover all of it.
    pub fn lines(&self, address: u64, bytes: u64) -> impl Iterator<Item = (u64, bool)> + use<> {
        let (line, end) = (self.line.get(), address + bytes);
        (address / line..end.div_ceil(line))
            .map(move |number| (number, number * line >= address && (number + 1) * line <= end))
    }

    fn staging(&self) -> &machine::Staging {
        self.costs.staging.as_ref().expect("only an interface with a staging buffer acts on the bus")
    }

    /// The time from the last word of a line on the bus until the line is in the buffer.
    fn time_to_buffer(&self) -> Time {
        self.staging().store + self.staging().port.transfer_time(self.line)
    }

    fn buffer(&mut self) -> &mut Buffer {
        self.buffer.as_mut().expect("only an interface with a staging buffer acts on the bus")
    }

    /// Takes a block of the buffer for a packet. Returns it with the time from which it can be filled. `None`: packets have
    /// all blocks.
    pub fn take_block(&mut self, now: Time) -> Option<(Slot, Time)> {
        self.bus.forget(now);
        let (slot, evicted) = self.buffer().take()?;
        let Some(evicted) = evicted else { return Some((slot, now)) };
        self.counts.capacity_evictions += u64::from(evicted.lines.count_ones());
        Some((slot, self.write_out(evicted, now)))
    }

    /// Frees the block of a packet that has left it.
    pub fn release_block(&mut self, slot: Slot) {
        self.buffer().release(slot);
    }

    /// Reads lines into the buffer, by coherent reads where caches snoop. Returns the time at which all are there.
    pub fn stage(&mut self, lines: impl Iterator<Item = u64>, now: Time) -> Time {
        self.bus.forget(now);
        let (every, store) = (self.staging().read_every, self.time_to_buffer());
        let mut done = now;
        for line in lines {
            let begun = self.reader.acquire(now, every);
            // A line that has stayed in the buffer itself needs no bus.
            let there = self.buffer().there(line).unwrap_or_else(|| {
                self.note_stale_send(line);
                self.fetch(None, self.sets.spot(line), begun, Request::Snapshot).end + store
            });
            done = done.max(there);
        }
        done
    }

    /// Takes words into the buffer that a processor has written into the interface. Returns the time at which all are there.
    pub fn take_in(&self, bytes: u64, now: Time) -> Time {
        now + self.staging().store + self.staging().port.transfer_time(Bytes::new(bytes))
    }

    fn note_stale_send(&mut self, line: u64) {
        let at = self.sets.spot(line);
        let is_dirty = |who| self.caches.look_up(who, at).state.is_dirty();
        if !self.costs.cache.coherent && (0..self.processors.len()).any(is_dirty) {
            self.counts.stale_sends += 1;
        }
    }

    /// Puts a line that has arrived in memory, or the part of it that has. Returns the time from which memory has it.
    pub fn deposit(&mut self, line: u64, whole: bool, now: Time) -> Time {
        self.bus.forget(now);
        let now = if whole { now } else { self.merge(line, now) };
        // A line that is on its way to a cache is overwritten when it is there.
        let now = now.max(self.snoop(None, self.sets.spot(line), Request::Overwrite).there);
        self.age(line);
        let open = self.banks.open(line);
        self.write(line, now, open).1
    }

    /// Removes a line that a device has brought from all caches. Non-snooping caches keep it, and their copy is stale.
    /// The device still has to [write](Self::write_line) the line.
    pub fn overwrite(&mut self, line: u64) {
        self.wanted.insert(line);
        self.snoop(None, self.sets.spot(line), Request::Overwrite);
        self.age(line);
    }

    /// Marks the copies of a line in non-snooping caches as older than memory.
    fn age(&mut self, line: u64) {
        if !self.costs.cache.coherent {
            let at = self.sets.spot(line);
            self.caches.age(at);
        }
    }

    /// Takes over the lines of a block that has arrived, except the lines that belong into a cache, which are put
    /// there. Returns the time from which the buffer, or a cache, has each of them and answers for it. Each further
    /// line is asked for while the one before is answered.
    pub fn own(&mut self, slot: Slot, lines: &[(u64, bool)], now: Time) -> Time {
        self.bus.forget(now);
        let arbitration = self.bus.arbitration();
        let (mut ask, mut owned, mut kept) = (now, now, 0);
        for &(line, whole) in lines {
            if let Some(who) = self.cache_for(line) {
                owned = owned.max(self.push(who, (line, whole), ask));
                continue;
            }
            kept |= self.buffer().bit(line);
            owned = if let Some(there) = self.buffer().give_up(line) {
                // The buffer has the line already: the new words replace the old words in it.
                owned.max(ask).max(there)
            } else if whole {
                self.invalidate(None, self.sets.spot(line), Request::Overwrite, ask)
            } else {
                self.merge(line, ask)
            };
            ask = now.max(owned.before(arbitration));
        }
        match lines.first() {
            Some(&(first, _)) if kept != 0 => self.keep(slot, (first, kept), owned),
            _ => self.release_block(slot),
        }
        owned
    }

    /// Keeps lines in a block of the buffer, which has them from `owned` on: those with a bit in `kept`, of the block of `first`.
    fn keep(&mut self, slot: Slot, (first, kept): (u64, u64), owned: Time) {
        self.counts.kept_blocks += 1;
        self.counts.kept_lines += u64::from(kept.count_ones());
        let block = self.buffer().block_of(first);
        if let Some(evicted) = self.buffer().keep(slot, block, kept, owned) {
            self.counts.conflict_evictions += u64::from(evicted.lines.count_ones());
            self.write_out(evicted, owned);
        }
    }

    /// The processor into whose cache a line that arrives is put; `None` if the buffer keeps the line.
    fn cache_for(&self, line: u64) -> Option<usize> {
        let at = self.sets.spot(line);
        let has = |&who: &usize| self.caches.look_up(who, at).state != State::Invalid;
        let holder = || (0..self.processors.len()).find(has);
        match self.staging().deposit {
            Placement::Memory | Placement::Buffer => None,
            Placement::Update => holder(),
            Placement::Cache => holder().or((!self.processors.is_empty()).then_some(0)),
        }
    }

    /// Puts a line that has arrived, or the part of it that has, into the cache of a processor, which has not asked for it. All other
    /// copies go. Returns the time from which the cache has the line.
    fn push(&mut self, who: usize, (line, whole): (u64, bool), now: Time) -> Time {
        let now = match self.buffer().give_up(line) {
            // The buffer has the line already: the new words replace the old words in it.
            Some(there) => now.max(there),
            None if whole => now,
            None => self.merge(line, now),
        };
        let now = now.max(self.snoop(None, self.sets.spot(line), Request::Overwrite).there);
        self.wanted.insert(line);
        let phase = self.bus.write(now, Time::ZERO, self.line);
        let there = phase.end + self.costs.cache.refill;
        self.counts.pushes += 1;
        self.counts.displaced +=
            u64::from(self.fill(who, self.sets.spot(line), (State::Modified, true), (now, there)));
        there
    }

    /// Fetches a line of which a message covers only a part, and the right to it. Returns the time at which the line is in
    /// the buffer.
    fn merge(&mut self, line: u64, now: Time) -> Time {
        self.counts.merges += 1;
        self.fetch(None, self.sets.spot(line), now, Request::ReadOwned).end + self.time_to_buffer()
    }

    /// Writes lines of the buffer to memory. Returns the time at which the last has left.
    fn write_out(&mut self, evicted: Evicted, now: Time) -> Time {
        let now = now.max(evicted.there);
        let mut left = now;
        for line in self.buffer().lines_of(evicted) {
            let open = self.banks.open(line).max(left);
            let ((_, end), _) = self.write(line, now, open);
            left = end;
        }
        left
    }
}
