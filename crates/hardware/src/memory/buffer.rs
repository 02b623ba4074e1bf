//! A staging buffer: blocks for packets that leave and arrive, and the tags of a cache controller for lines that stay.
//!
//! The controller finds a block that stays by its tag, direct mapped on the block's number. It gives a block up to memory
//! in two cases: a packet needs a block and none is free (the block filled longest ago goes), or a block needs the tag
//! that another block has.
//!
//! The buffer keeps for each block the time from which its lines are there, and computes with no time. It must never know a
//! bus.

use units::Time;

/// A block of the buffer that a packet has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(usize);

/// Lines that the controller gives up to memory. No cache has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evicted {
    pub(crate) block: u64,
    /// The lines of the block, one bit each.
    pub(crate) lines: u64,
    /// The time from which the lines are there.
    pub(crate) there: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Free,
    /// The block holds a packet that leaves or arrives.
    Passing,
    /// The block holds lines that stay until a client asks for them.
    Kept {
        block: u64,
        lines: u64,
        there: Time,
        filled: u64,
    },
}

/// The buffer of an interface.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    lines_per_block: u64,
    blocks: Vec<Use>,
    /// For each tag the place of the block that has it.
    tags: Vec<Option<usize>>,
    clock: u64,
}

impl Buffer {
    /// Makes an empty buffer of `blocks` blocks of `lines_per_block` lines each (at most 64), with `tags` tags.
    pub(crate) fn new(blocks: usize, lines_per_block: u64, tags: usize) -> Self {
        Self { lines_per_block, blocks: vec![Use::Free; blocks], tags: vec![None; tags], clock: 0 }
    }

    /// Takes a block for a packet. If no block is free, lines that stay are given up. `None`: packets have all blocks.
    pub(crate) fn take(&mut self) -> Option<(Slot, Option<Evicted>)> {
        let free = self.blocks.iter().position(|block| *block == Use::Free);
        let (place, evicted) = match free {
            Some(place) => (place, None),
            None => {
                let oldest = self.oldest()?;
                (oldest, Some(self.evict(oldest)))
            }
        };
        self.blocks[place] = Use::Passing;
        Some((Slot(place), evicted))
    }

    fn oldest(&self) -> Option<usize> {
        let filled = |place: usize| match self.blocks[place] {
            Use::Kept { filled, .. } => Some((filled, place)),
            _ => None,
        };
        (0..self.blocks.len()).filter_map(filled).min().map(|(_, place)| place)
    }

    fn evict(&mut self, place: usize) -> Evicted {
        let Use::Kept { block, lines, there, .. } = self.blocks[place] else {
            unreachable!("only a block with lines that stay is evicted");
        };
        self.free(place, block);
        Evicted { block, lines, there }
    }

    fn free(&mut self, place: usize, block: u64) {
        let tag = self.tag(block);
        self.tags[tag] = None;
        self.blocks[place] = Use::Free;
    }

    fn tag(&self, block: u64) -> usize {
        (block % self.tags.len() as u64) as usize
    }

    /// Frees the block of a packet that has left it.
    pub(crate) fn release(&mut self, slot: Slot) {
        self.blocks[slot.0] = Use::Free;
    }

    /// Keeps the lines that a packet brought; they are there from `there` on. Lines of the same block that are here already
    /// join them. Returns the lines of another block with the same tag, which must be given up.
    pub(crate) fn keep(&mut self, slot: Slot, block: u64, lines: u64, there: Time) -> Option<Evicted> {
        let tag = self.tag(block);
        let (mut lines, mut there, mut evicted) = (lines, there, None);
        if let Some(place) = self.tags[tag] {
            let old = self.evict(place);
            if old.block == block {
                lines |= old.lines;
                there = there.max(old.there);
            } else {
                evicted = Some(old);
            }
        }
        self.clock += 1;
        self.blocks[slot.0] = Use::Kept { block, lines, there, filled: self.clock };
        self.tags[tag] = Some(slot.0);
        evicted
    }

    /// The time from which a line is there. `None`: the buffer does not have it.
    pub(crate) fn there(&self, line: u64) -> Option<Time> {
        self.find(line).map(|(_, there)| there)
    }

    fn find(&self, line: u64) -> Option<(usize, Time)> {
        let number = line / self.lines_per_block;
        let place = self.tags[self.tag(number)]?;
        match self.blocks[place] {
            Use::Kept { block, lines, there, .. } if block == number && lines & self.bit(line) != 0 => {
                Some((place, there))
            }
            _ => None,
        }
    }

    /// The bit of a line in its block.
    pub(crate) fn bit(&self, line: u64) -> u64 {
        1 << (line % self.lines_per_block)
    }

    /// The block of a line.
    pub(crate) fn block_of(&self, line: u64) -> u64 {
        line / self.lines_per_block
    }

    /// The numbers of the lines that are given up with a block.
    pub(crate) fn lines_of(&self, evicted: Evicted) -> impl Iterator<Item = u64> + use<> {
        let first = evicted.block * self.lines_per_block;
        (0..self.lines_per_block)
            .filter(move |index| evicted.lines >> index & 1 == 1)
            .map(move |index| first + index)
    }

    /// Gives up a line, and frees its block with the last line. Returns the time from which the line is there; `None`: the
    /// buffer does not have it.
    pub(crate) fn give_up(&mut self, line: u64) -> Option<Time> {
        let (place, there) = self.find(line)?;
        let bit = self.bit(line);
        if let Use::Kept { block, lines, .. } = &mut self.blocks[place] {
            *lines &= !bit;
            if *lines == 0 {
                let block = *block;
                self.free(place, block);
            }
        }
        Some(there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::ZERO;

    fn ns(n: u64) -> Time {
        Time::from_nanoseconds(n)
    }

    #[test]
    fn a_line_is_given_up_once_and_its_block_with_the_last() {
        let mut buffer = Buffer::new(1, 4, 8);
        let (slot, _) = buffer.take().unwrap();
        assert_eq!(buffer.keep(slot, 5, 0b0011, ns(7)), None);
        assert_eq!([20, 21, 22].map(|line| buffer.there(line)), [Some(ns(7)), Some(ns(7)), None]);
        assert_eq!([20, 20, 21].map(|line| buffer.give_up(line)), [Some(ns(7)), None, Some(ns(7))]);
        assert_eq!(buffer.take().unwrap().1, None, "the block is free again");
        assert_eq!(buffer.take(), None, "a packet has it now");
    }

    #[test]
    fn without_a_free_block_the_one_filled_first_goes() {
        let mut buffer = Buffer::new(2, 4, 8);
        for block in [3, 6] {
            let (slot, evicted) = buffer.take().unwrap();
            assert_eq!((evicted, buffer.keep(slot, block, 0b1111, NOW)), (None, None));
        }
        let (slot, evicted) = buffer.take().unwrap();
        assert_eq!(evicted, Some(Evicted { block: 3, lines: 0b1111, there: NOW }));
        assert_eq!((buffer.there(12), buffer.there(24)), (None, Some(NOW)));
        buffer.release(slot);
        assert_eq!(buffer.take().unwrap().1, None);
    }

    #[test]
    fn a_block_that_needs_the_tag_of_another_drives_it_out_and_its_own_lines_join() {
        let mut buffer = Buffer::new(4, 4, 8);
        let mut fill = |block, lines, there| {
            let (slot, _) = buffer.take().unwrap();
            buffer.keep(slot, block, lines, there)
        };
        assert_eq!(fill(1, 0b0001, ns(9)), None);
        assert_eq!(fill(1, 0b0010, ns(4)), None);
        // Blocks 1 and 9 share tag 1.
        let evicted = fill(9, 0b1000, ns(5)).unwrap();
        assert_eq!(evicted, Evicted { block: 1, lines: 0b0011, there: ns(9) }, "when the last of them is");
        assert_eq!(buffer.lines_of(evicted).collect::<Vec<_>>(), [4, 5]);
    }
}
