//! A staging buffer: blocks for packets that go and come, and the tags of a cache controller for lines that stay.
//!
//! A block that stays is found by its tag, direct mapped on the block's number. Two things make the controller give one
//! up to memory: a packet needs a block and none is free (the least recently filled goes), or a block needs the tag that
//! another has. Knows no time and no bus.

/// A block of the buffer that somebody has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(usize);

/// Lines that the controller gives up: it alone has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evicted {
    pub(crate) block: u64,
    /// Bit for bit, which lines of the block.
    pub(crate) lines: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Free,
    /// A packet on its way.
    Passing,
    /// Lines that stay until somebody asks for them.
    Kept {
        block: u64,
        lines: u64,
        filled: u64,
    },
}

/// The buffer of an interface.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    lines_per_block: u64,
    blocks: Vec<Use>,
    /// Which of them a tag speaks for.
    tags: Vec<Option<usize>>,
    clock: u64,
}

impl Buffer {
    /// An empty buffer of so many blocks of so many lines (at most 64), with so many tags.
    pub(crate) fn new(blocks: usize, lines_per_block: u64, tags: usize) -> Self {
        Self { lines_per_block, blocks: vec![Use::Free; blocks], tags: vec![None; tags], clock: 0 }
    }

    /// Takes a block for a packet, from the lines that stay if none is free. `None`: packets have them all.
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
        let Use::Kept { block, lines, .. } = self.blocks[place] else {
            unreachable!("only what is kept is evicted");
        };
        self.free(place, block);
        Evicted { block, lines }
    }

    fn free(&mut self, place: usize, block: u64) {
        let tag = self.tag(block);
        self.tags[tag] = None;
        self.blocks[place] = Use::Free;
    }

    fn tag(&self, block: u64) -> usize {
        (block % self.tags.len() as u64) as usize
    }

    /// A packet has left its block.
    pub(crate) fn release(&mut self, slot: Slot) {
        self.blocks[slot.0] = Use::Free;
    }

    /// What a packet brought stays: so many lines of that block. What of the same block is here already joins it; another
    /// block with the same tag has to go.
    pub(crate) fn keep(&mut self, slot: Slot, block: u64, lines: u64) -> Option<Evicted> {
        let tag = self.tag(block);
        let (mut lines, mut evicted) = (lines, None);
        if let Some(place) = self.tags[tag] {
            let there = self.evict(place);
            if there.block == block { lines |= there.lines } else { evicted = Some(there) }
        }
        self.clock += 1;
        self.blocks[slot.0] = Use::Kept { block, lines, filled: self.clock };
        self.tags[tag] = Some(slot.0);
        evicted
    }

    /// Whether a line stays here.
    pub(crate) fn has(&self, line: u64) -> bool {
        self.find(line).is_some()
    }

    fn find(&self, line: u64) -> Option<usize> {
        let number = line / self.lines_per_block;
        let place = self.tags[self.tag(number)]?;
        match self.blocks[place] {
            Use::Kept { block, lines, .. } if block == number && lines & self.bit(line) != 0 => Some(place),
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

    /// The lines that are given up with a block.
    pub(crate) fn lines_of(&self, evicted: Evicted) -> impl Iterator<Item = u64> + use<> {
        let first = evicted.block * self.lines_per_block;
        (0..self.lines_per_block)
            .filter(move |index| evicted.lines >> index & 1 == 1)
            .map(move |index| first + index)
    }

    /// Gives up a line, if it is here; the block is free when all are gone.
    pub(crate) fn give_up(&mut self, line: u64) -> bool {
        let Some(place) = self.find(line) else { return false };
        let bit = self.bit(line);
        if let Use::Kept { block, lines, .. } = &mut self.blocks[place] {
            *lines &= !bit;
            if *lines == 0 {
                let block = *block;
                self.free(place, block);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_given_up_once_and_its_block_with_the_last() {
        let mut buffer = Buffer::new(1, 4, 8);
        let (slot, _) = buffer.take().unwrap();
        assert_eq!(buffer.keep(slot, 5, 0b0011), None);
        assert!(buffer.has(20) && buffer.has(21) && !buffer.has(22));
        assert!(buffer.give_up(20) && !buffer.give_up(20) && buffer.give_up(21));
        assert_eq!(buffer.take().unwrap().1, None, "the block is free again");
        assert_eq!(buffer.take(), None, "a packet has it now");
    }

    #[test]
    fn without_a_free_block_the_one_filled_first_goes() {
        let mut buffer = Buffer::new(2, 4, 8);
        for block in [3, 6] {
            let (slot, evicted) = buffer.take().unwrap();
            assert_eq!((evicted, buffer.keep(slot, block, 0b1111)), (None, None));
        }
        let (slot, evicted) = buffer.take().unwrap();
        assert_eq!(evicted, Some(Evicted { block: 3, lines: 0b1111 }));
        assert!(!buffer.has(12) && buffer.has(24));
        buffer.release(slot);
        assert_eq!(buffer.take().unwrap().1, None);
    }

    #[test]
    fn a_block_that_needs_the_tag_of_another_drives_it_out_and_its_own_lines_join() {
        let mut buffer = Buffer::new(4, 4, 8);
        let mut fill = |block, lines| {
            let (slot, _) = buffer.take().unwrap();
            buffer.keep(slot, block, lines)
        };
        assert_eq!(fill(1, 0b0001), None);
        assert_eq!(fill(1, 0b0010), None);
        // Blocks 1 and 9 share tag 1.
        let evicted = fill(9, 0b1000).unwrap();
        assert_eq!(evicted, Evicted { block: 1, lines: 0b0011 });
        assert_eq!(buffer.lines_of(evicted).collect::<Vec<_>>(), [4, 5]);
    }
}
