//! The coherence protocol of the bus: the reaction of a cache that snoops a transaction, and the state in which a line
//! comes in.
//!
//! MOESI, after P. Sweazey and A. J. Smith, *A Class of Compatible Cache Consistency Protocols and Their Support by the
//! IEEE Futurebus*, ISCA 1986. A staging buffer is a client that holds lines in state `Modified` and gives them up to
//! every processor that asks. The functions are pure. They must never know time or place.

/// The state of a line in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// The cache does not have the line.
    #[default]
    Invalid,
    /// The line is as its owner has it, which may be memory. Others may have it too.
    Shared,
    /// The line is as memory has it, and no other cache has it.
    Exclusive,
    /// The line is newer than memory's. Others may have it too, and this cache answers for it.
    Owned,
    /// The line is newer than memory's, and no other cache has it.
    Modified,
}

impl State {
    /// Every state, in the order of declaration.
    pub(super) const ALL: [Self; 5] =
        [Self::Invalid, Self::Shared, Self::Exclusive, Self::Owned, Self::Modified];

    /// Whether no other cache has the line.
    #[inline]
    pub(crate) fn is_alone(self) -> bool {
        matches!(self, State::Exclusive | State::Modified)
    }

    /// Whether memory has older words of the line.
    pub const fn is_dirty(self) -> bool {
        matches!(self, State::Owned | State::Modified)
    }
}

/// A transaction, as it is seen by all clients except the requester.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Request {
    /// A client asks for a line to load from.
    Read,
    /// A client asks for a line to store to.
    ReadOwned,
    /// A client that has the line asks for the right to store to it.
    Upgrade,
    /// A device asks for the words of a line as they are now, and keeps no copy.
    Snapshot,
    /// A device replaces all words of a line.
    Overwrite,
}

/// The answer of a cache to a transaction that it snoops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The state of the line after the transaction.
    pub(crate) next: State,
    /// Whether the cache supplies the line in place of memory.
    pub(crate) supplies: bool,
    /// Whether the cache still has the line after the transaction.
    pub(crate) keeps: bool,
}

impl Request {
    /// Every request, in the order of declaration.
    const ALL: [Self; 5] = [Self::Read, Self::ReadOwned, Self::Upgrade, Self::Snapshot, Self::Overwrite];
}

/// The answers of a cache to a request, by the state in which it has the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers([Packed; STATES]);

/// The number of values of a state's bits.
const STATES: usize = 8;

/// An answer in one byte: the state after the transaction in the lowest bits, and the marks above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed(u8);

impl Packed {
    /// The answer of a cache that does not have the line.
    pub(crate) const NONE: Self = Self(0);

    const NEXT: u8 = 7;
    /// The cache supplies the line.
    const SUPPLIES: u8 = 1 << 3;
    /// The cache keeps the line.
    const KEEPS: u8 = 1 << 4;
    /// The line has to be there before the transaction: the cache supplies it or gives it up.
    const AWAITED: u8 = 1 << 5;
    /// The cache has the line, in any state that follows.
    const HAS: u8 = 1 << 6;
    const PASSES: u8 = 1 << 7;

    /// The answer of a staging buffer that gives the line up.
    pub(crate) const PASSED: Self = Self(Self::PASSES);

    const fn of(Answer { next, supplies, keeps }: Answer) -> Self {
        let mut bits = next as u8 | Self::HAS;
        if supplies {
            bits |= Self::SUPPLIES;
        }
        if keeps {
            bits |= Self::KEEPS;
        }
        if supplies || !keeps {
            bits |= Self::AWAITED;
        }
        Self(bits)
    }

    /// The bits of the state after the transaction.
    #[inline]
    pub(crate) fn next(self) -> u64 {
        u64::from(self.0 & Self::NEXT)
    }

    /// Whether a cache supplies the line.
    #[inline]
    pub(crate) fn supplies(self) -> bool {
        self.0 & Self::SUPPLIES != 0
    }

    /// Whether a cache keeps the line.
    #[inline]
    pub(crate) fn keeps(self) -> bool {
        self.0 & Self::KEEPS != 0
    }

    /// Whether the line has to be there before the transaction.
    #[inline]
    pub(crate) fn is_awaited(self) -> bool {
        self.0 & Self::AWAITED != 0
    }

    /// Whether a cache has the line.
    #[inline]
    pub(crate) fn has(self) -> bool {
        self.0 & Self::HAS != 0
    }

    /// Whether a staging buffer gives the line up.
    #[inline]
    pub(crate) fn passes(self) -> bool {
        self.0 & Self::PASSES != 0
    }

    /// The answers of two clients together, whose states after the transaction are forgotten.
    #[inline]
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Answers {
    /// The answers to a request.
    #[inline]
    pub(crate) fn to(request: Request) -> &'static Self {
        &ANSWERS[request as usize]
    }

    /// Whether every cache that has the line gives it up. Otherwise every one keeps it.
    #[inline]
    pub(crate) fn take(&self) -> bool {
        !self.0[State::Shared as usize].keeps()
    }

    /// The answer of a cache that has the line in a state of these bits, the lowest of a word.
    #[inline]
    pub(crate) fn in_state(&self, word: u64) -> Packed {
        self.0[word as usize % STATES]
    }
}

/// The answers to each request in each state.
static ANSWERS: [Answers; Request::ALL.len()] = {
    let mut answers = [Answers([Packed::NONE; STATES]); Request::ALL.len()];
    let mut place = 0;
    while place < State::ALL.len() * Request::ALL.len() {
        let (request, state) = (place / State::ALL.len(), place % State::ALL.len());
        answers[request].0[state] = Packed::of(snoop(State::ALL[state], Request::ALL[request]));
        place += 1;
    }
    answers
};

/// The answer of a cache that has a line in `state` when another client asks for `request`.
pub(crate) const fn snoop(state: State, request: Request) -> Answer {
    let next = match request {
        Request::Snapshot => state,
        Request::Read => match state {
            State::Modified => State::Owned,
            State::Exclusive => State::Shared,
            other => other,
        },
        Request::ReadOwned | Request::Upgrade | Request::Overwrite => State::Invalid,
    };
    let wants_data = matches!(request, Request::Read | Request::ReadOwned | Request::Snapshot);
    let keeps = !matches!(next, State::Invalid);
    Answer { next, supplies: wants_data && state.is_dirty(), keeps }
}

/// The state in which a line comes into the cache that asked. `shared`: another cache keeps it. `passed`: a staging buffer
/// gave it up.
pub(crate) fn filled(request: Request, shared: bool, passed: bool) -> State {
    match request {
        Request::Read if passed => State::Modified,
        Request::Read if shared => State::Shared,
        Request::Read => State::Exclusive,
        _ => State::Modified,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A line in a world of three caches, a staging buffer and memory. A value is only known as the newest or not.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    struct World {
        caches: [(State, bool); 3],
        /// Whether the buffer has the line, and the newest.
        buffer: Option<bool>,
        memory: bool,
    }

    impl World {
        /// A transaction of `who` (a cache, or a device): returns whether the supplied value is the newest, and the
        /// state in which the line comes in.
        fn transact(&mut self, who: Option<usize>, request: Request) -> (bool, State) {
            let (mut data, mut shared, mut passed) = (None, false, false);
            for (index, cache) in self.caches.iter_mut().enumerate() {
                if Some(index) == who || cache.0 == State::Invalid {
                    continue;
                }
                let answer = snoop(cache.0, request);
                if answer.supplies {
                    assert_eq!(data, None, "two suppliers");
                    data = Some(cache.1);
                }
                cache.0 = answer.next;
                shared |= answer.keeps;
            }
            if let Some(newest) = self.buffer {
                let takes = matches!(request, Request::Read | Request::ReadOwned);
                if takes || request == Request::Snapshot {
                    assert_eq!(data, None, "two suppliers");
                    data = Some(newest);
                }
                passed = takes;
                if request != Request::Snapshot {
                    self.buffer = None;
                }
            }
            (data.unwrap_or(self.memory), filled(request, shared, passed))
        }

        /// Makes every other copy stale: a store has made a newer one.
        fn age(&mut self) {
            self.caches.iter_mut().for_each(|cache| cache.1 = false);
            self.buffer = self.buffer.map(|_| false);
            self.memory = false;
        }

        fn load(mut self, who: usize) -> Self {
            if self.caches[who].0 == State::Invalid {
                let (newest, state) = self.transact(Some(who), Request::Read);
                self.caches[who] = (state, newest);
            }
            assert!(self.caches[who].1, "a stale load: {self:?}");
            self
        }

        fn store(mut self, who: usize) -> Self {
            match self.caches[who].0 {
                State::Modified | State::Exclusive => {}
                State::Invalid => {
                    let (newest, _) = self.transact(Some(who), Request::ReadOwned);
                    assert!(newest, "a store into a stale line: {self:?}");
                }
                State::Shared | State::Owned => {
                    self.transact(Some(who), Request::Upgrade);
                }
            }
            self.age();
            self.caches[who] = (State::Modified, true);
            self
        }

        fn evict(mut self, who: usize) -> Self {
            let (state, newest) = self.caches[who];
            if state.is_dirty() {
                self.memory = newest;
            }
            self.caches[who].0 = State::Invalid;
            self
        }

        fn steps(self) -> Vec<Self> {
            let mut steps = Vec::new();
            for who in 0..3 {
                steps.extend([self.load(who), self.store(who), self.evict(who)]);
            }
            // A device reads, deposits in memory, takes a partly covered line over, keeps a message; the buffer evicts.
            let mut read = self;
            assert!(read.transact(None, Request::Snapshot).0, "a stale send: {self:?}");
            assert_eq!(read, self);
            let mut deposited = self;
            deposited.transact(None, Request::Overwrite);
            deposited.age();
            deposited.memory = true;
            let mut merged = self;
            assert!(merged.transact(None, Request::ReadOwned).0, "a stale merge: {self:?}");
            let mut kept = deposited;
            kept.memory = false;
            kept.buffer = Some(true);
            let mut written = self;
            if let Some(newest) = written.buffer.take() {
                written.memory = newest;
            }
            merged.age();
            merged.buffer = Some(true);
            steps.extend([deposited, merged, kept, written]);
            steps
        }

        fn check(self) {
            let valid = self.caches.iter().filter(|cache| cache.0 != State::Invalid);
            let copies = valid.clone().count() + usize::from(self.buffer.is_some());
            assert!(valid.clone().all(|cache| cache.1), "a stale copy: {self:?}");
            let alone = |cache: &&(State, bool)| matches!(cache.0, State::Modified | State::Exclusive);
            assert!(valid.clone().filter(alone).count() == 0 || copies == 1, "two writers: {self:?}");
            assert!(self.buffer.is_none() || copies == 1, "the buffer shares: {self:?}");
            let dirty = valid.clone().filter(|cache| cache.0.is_dirty()).count();
            assert!(dirty <= 1, "two owners: {self:?}");
            assert!(self.memory || dirty == 1 || self.buffer.is_some(), "the newest is lost: {self:?}");
        }
    }

    #[test]
    fn a_packed_answer_says_what_the_answer_does() {
        for (request, state) in
            Request::ALL.into_iter().flat_map(|request| State::ALL.map(|state| (request, state)))
        {
            let (packed, answer) = (Answers::to(request).in_state(state as u64), snoop(state, request));
            let found = (packed.next(), packed.supplies(), packed.keeps(), packed.is_awaited(), packed.has());
            let is_awaited = answer.supplies || !answer.keeps;
            assert_eq!(found, (answer.next as u64, answer.supplies, answer.keeps, is_awaited, true));
        }
    }

    #[test]
    fn every_reachable_state_has_one_writer_and_no_stale_copy() {
        let start = World { memory: true, ..World::default() };
        let (mut seen, mut todo) = (HashSet::from([start]), vec![start]);
        while let Some(world) = todo.pop() {
            for next in world.steps() {
                next.check();
                if seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        // Without staleness and invalid flags: none; a single copy in E or M (3 + 3), in the buffer; S in one to three
        // caches, memory current; O in one cache with S in any of the others. Flags of invalid copies multiply these.
        let distinct: HashSet<_> =
            seen.iter().map(|world| (world.caches.map(|cache| cache.0), world.buffer)).collect();
        assert_eq!(distinct.len(), 1 + 6 + 1 + 7 + 12);
    }
}
