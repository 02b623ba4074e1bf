//! What an interface with a staging buffer does on the bus: it reads what is sent, puts what arrives in memory, or takes
//! lines over and answers for them.

use units::Time;

use super::buffer::{Buffer, Evicted, Slot};
use super::moesi::Request;
use super::node::NodeMemory;

impl NodeMemory {
    /// The lines of `bytes` bytes from an address on, each with whether all of it is among them.
    pub fn lines(&self, address: u64, bytes: u64) -> impl Iterator<Item = (u64, bool)> + use<> {
        let (line, end) = (self.line.get(), address + bytes);
        (address / line..end.div_ceil(line))
            .map(move |number| (number, number * line >= address && (number + 1) * line <= end))
    }

    fn staging(&self) -> &machine::Staging {
        self.costs.staging.as_ref().expect("only an interface with a staging buffer acts on the bus")
    }

    /// From the last word of a line on the bus to its being in the buffer.
    fn time_to_buffer(&self) -> Time {
        self.staging().store + self.staging().port.transfer_time(self.line)
    }

    fn buffer(&mut self) -> &mut Buffer {
        self.buffer.as_mut().expect("only an interface with a staging buffer acts on the bus")
    }

    /// Takes a block of the buffer for a packet: from when on it can be filled. `None`: packets have them all.
    pub fn take_block(&mut self, now: Time) -> Option<(Slot, Time)> {
        self.bus.forget(now);
        let (slot, evicted) = self.buffer().take()?;
        let Some(evicted) = evicted else { return Some((slot, now)) };
        self.counts.capacity_evictions += u64::from(evicted.lines.count_ones());
        Some((slot, self.write_out(evicted, now)))
    }

    /// A packet has left its block.
    pub fn release_block(&mut self, slot: Slot) {
        self.buffer().release(slot);
    }

    /// Reads lines into the buffer, by coherent reads where there are such: when all are there.
    pub fn stage(&mut self, lines: impl Iterator<Item = u64>, now: Time) -> Time {
        self.bus.forget(now);
        let (every, store) = (self.staging().read_every, self.time_to_buffer());
        let mut done = now;
        for line in lines {
            let begun = self.reader.acquire(now, every);
            // What has stayed in the buffer itself needs no bus.
            if !self.buffer().has(line) {
                self.note_stale_send(line);
                done = done.max(self.fetch(None, line, begun, Request::Snapshot).end + store);
            }
        }
        done
    }

    fn note_stale_send(&mut self, line: u64) {
        let is_dirty = |client: &super::node::Client| client.cache.state(line).is_dirty();
        if !self.costs.cache.coherent && self.processors.iter().any(is_dirty) {
            self.counts.stale_sends += 1;
        }
    }

    /// Puts a line that has arrived in memory, or the part of it that has: when memory has it.
    pub fn deposit(&mut self, line: u64, whole: bool, now: Time) -> Time {
        self.bus.forget(now);
        let now = if whole { now } else { self.merge(line, now) };
        if self.costs.cache.coherent {
            self.snoop(None, line, Request::Overwrite);
        } else {
            self.processors.iter_mut().for_each(|client| client.cache.age(line));
        }
        let open = self.banks.open(line);
        self.write(line, now, open).1
    }

    /// Takes over the lines of a block that has arrived, and answers for them from then on: when it does. Each further
    /// line asks while the one before is answered.
    pub fn own(&mut self, slot: Slot, lines: &[(u64, bool)], now: Time) -> Time {
        self.bus.forget(now);
        let Some(&(first, _)) = lines.first() else { return now };
        let (arbitration, snoop) = (self.bus.arbitration(), self.costs.bus.snoop.unwrap_or_default());
        let (mut ask, mut owned, mut bits) = (now, now, 0);
        for &(line, whole) in lines {
            bits |= self.buffer().bit(line);
            let was_here = self.buffer().give_up(line);
            owned = if was_here {
                // Its own already: the new words replace the old ones in the buffer.
                owned.max(ask)
            } else if whole {
                self.snoop(None, line, Request::Overwrite);
                self.bus.request(ask) + snoop
            } else {
                self.merge(line, ask)
            };
            ask = now.max(owned.saturating_sub(arbitration));
        }
        self.counts.kept_blocks += 1;
        self.counts.kept_lines += lines.len() as u64;
        let block = self.buffer().block_of(first);
        if let Some(evicted) = self.buffer().keep(slot, block, bits) {
            self.counts.conflict_evictions += u64::from(evicted.lines.count_ones());
            self.write_out(evicted, owned);
        }
        owned
    }

    /// Fetches a line of which a message covers only a part, and the right to it.
    fn merge(&mut self, line: u64, now: Time) -> Time {
        self.counts.merges += 1;
        self.fetch(None, line, now, Request::ReadOwned).end + self.time_to_buffer()
    }

    /// Writes lines of the buffer to memory: when the last has left.
    fn write_out(&mut self, evicted: Evicted, now: Time) -> Time {
        let mut left = now;
        for line in self.buffer().lines_of(evicted) {
            let open = self.banks.open(line).max(left);
            let ((_, end), _) = self.write(line, now, open);
            left = end;
        }
        left
    }
}
