//! The tags and states of identical write-back caches, direct mapped or set associative with replacement of the least
//! recently used line. The caches of a node have room for the same sets, so the caller knows the [row](Spot) of a
//! line's set. The places of a set stand side by side, cache by cache: a transaction is shown to all caches that may
//! have its line.
//!
//! A cache holds no data. It keeps for each line the time from which the line is there, and computes with no time. It
//! must never know a bus, nor the client that asks for a line.

use units::Time;

use super::groups::Spot;
use super::moesi::{Answers, Packed, State};

/// A line at its place in a cache, in one word, so that a search touches little memory of the host: from the lowest bit up the state
/// (3 bits), the two marks (1 bit each), and the number of the line.
#[derive(Clone, Copy, Debug)]
struct Tag(u64);

/// A place of a cache: its line, and the time from which the line, and the right to it, is there. The two stand side by side, because
/// a cache of a large machine lies in no near memory of the host.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    tag: Tag,
    there: Time,
}

/// A mark of a line.
#[derive(Clone, Copy, Debug)]
enum Mark {
    /// A device has overwritten the line in memory since the line came in. Only caches that do not snoop have such lines.
    Stale = 1 << 3,
    /// Another client of the bus has wanted the line.
    Wanted = 1 << 4,
}

/// The bits of the state.
const STATE: u64 = 7;

/// The state of each value of these bits.
const STATES: [State; STATE as usize + 1] = {
    let mut states = [State::Invalid; STATE as usize + 1];
    let mut bits = 0;
    while bits < State::ALL.len() {
        states[bits] = State::ALL[bits];
        bits += 1;
    }
    states
};

/// The number of bits below the number of a line.
const BITS: u32 = 5;

impl Default for Tag {
    /// The tag of a place without a line: no line has its number.
    fn default() -> Self {
        Self(u64::MAX << BITS)
    }
}

impl Tag {
    /// A line that has just come in.
    fn new(line: u64, state: State, wanted: bool) -> Self {
        debug_assert!(line >> (u64::BITS - BITS) == 0, "line {line:#x} is beyond every address");
        Self(line << BITS).with_state(state).with(Mark::Wanted, wanted)
    }

    /// The number of the line.
    #[inline]
    fn line(self) -> u64 {
        self.0 >> BITS
    }

    #[inline]
    fn state(self) -> State {
        STATES[(self.0 & STATE) as usize]
    }

    #[inline]
    fn with_state(self, state: State) -> Self {
        Self(self.0 & !STATE | state as u64)
    }

    #[inline]
    fn has(self, mark: Mark) -> bool {
        self.0 & mark as u64 != 0
    }

    fn with(self, mark: Mark, has: bool) -> Self {
        Self(self.0 & !(mark as u64) | if has { mark as u64 } else { 0 })
    }

    #[inline]
    fn is_here(self) -> bool {
        self.0 & STATE != State::Invalid as u64
    }

    /// Whether this is the tag of a line that is here.
    #[inline]
    fn is_of(self, line: u64) -> bool {
        self.0 ^ line << BITS < 1 << BITS
    }
}

/// A line that a cache has, or has asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The state of the line; `Invalid` if the cache does not have it.
    pub state: State,
    /// Whether a device has overwritten the line in memory since the line came in.
    pub stale: bool,
    /// The time from which the line is there. Before this time it is on its way.
    pub there: Time,
}

/// A line that has left a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// The number of the line.
    pub line: u64,
    /// The state that the line had; never `Invalid`.
    pub state: State,
    /// Whether a device had overwritten the line in memory since the line came in.
    pub stale: bool,
    /// The time from which the line was there.
    pub there: Time,
}

/// The answers of several caches to a transaction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answered {
    /// All answers together.
    pub(super) answer: Packed,
    /// The bits below the line's number that all caches' tags had.
    marks: u64,
    /// The time from which the line is there at every cache that supplies it or gives it up.
    pub(super) there: Time,
    /// A bit for each cache that the line has left.
    pub(super) gone: u64,
}

impl Answered {
    /// The answers where no cache has been asked.
    pub(super) const NONE: Self = Self { answer: Packed::NONE, marks: u64::MAX, there: Time::ZERO, gone: 0 };

    /// Whether each cache that had the line had marked it as wanted by another client.
    #[inline]
    pub(super) fn was_wanted(self) -> bool {
        self.marks & Mark::Wanted as u64 != 0
    }

    /// Shows the transaction to a place of a cache. Returns whether a line leaves it, which `key` belongs to.
    #[inline]
    fn show(&mut self, place: &mut Place, key: u64, answers: &Answers) -> bool {
        match answers.take() {
            true => self.show_as::<true>(place, key, answers),
            false => self.show_as::<false>(place, key, answers),
        }
    }

    /// Shows the transaction to a place of a cache, where the answers are known to [take](Answers::take) the line from every cache, or
    /// from none. Returns whether a line leaves the place, which `key` belongs to.
    #[inline(always)]
    fn show_as<const TAKE: bool>(&mut self, place: &mut Place, key: u64, answers: &Answers) -> bool {
        // The number of another line leaves bits above the marks.
        let below = place.tag.0 ^ key;
        if below >= 1 << BITS {
            return false;
        }
        let answer = answers.in_state(below);
        self.answer = self.answer.or(answer);
        self.marks &= below;
        if TAKE || answer.is_awaited() {
            self.there = self.there.max(place.there);
        }
        place.tag = if TAKE { Tag::default() } else { Tag(place.tag.0 & !STATE | answer.next()) };
        TAKE
    }
}

/// The tags of some caches.
#[derive(Clone, Debug)]
pub(super) struct Tags {
    caches: usize,
    ways: usize,
    /// The places of all rows up to the last one in which a cache has had a line. The places of a row stand side by
    /// side, cache by cache.
    places: Vec<Place>,
    /// The last use of the line at each place; empty where a set has one place.
    used: Vec<u64>,
    clock: u64,
}

impl Tags {
    /// The tags of `caches` empty caches with sets of `ways` lines, at least 1.
    pub(super) fn new(caches: usize, ways: usize) -> Self {
        Self { caches, ways, places: Vec::new(), used: Vec::new(), clock: 0 }
    }

    /// Whether a set has one place in a cache.
    #[inline]
    pub(super) fn is_direct_mapped(&self) -> bool {
        self.ways == 1
    }

    /// The lines that a cache has of the set that a line belongs to.
    #[inline]
    pub(super) fn lines_beside(&self, who: usize, at: Spot) -> impl Iterator<Item = u64> + '_ {
        let first = self.first_place(who, at);
        let places = self.places.get(first..first + self.ways).into_iter().flatten();
        places.filter(|place| place.tag.is_here()).map(|place| place.tag.line())
    }

    /// The first place in a cache of the set that a line belongs to, which lies beyond all places if the set has none yet.
    #[inline]
    fn first_place(&self, who: usize, at: Spot) -> usize {
        (at.row * self.caches + who) * self.ways
    }

    /// The place of a line that is in a cache.
    #[inline]
    pub(super) fn find(&self, who: usize, at: Spot) -> Option<usize> {
        let here = |place: &Place| place.tag.is_of(at.line);
        let first = self.first_place(who, at);
        if self.ways == 1 {
            return self.places.get(first).is_some_and(here).then_some(first);
        }
        self.find_among(first, at.line)
    }

    /// The place of a line, if it is among a cache's places of a set, of which `first` is the first.
    #[inline(never)]
    fn find_among(&self, first: usize, line: u64) -> Option<usize> {
        let here = |place: &Place| place.tag.is_of(line);
        self.places.get(first..first + self.ways)?.iter().position(here).map(|way| first + way)
    }

    /// The time from which the line at a place is there.
    #[inline]
    pub(super) fn there(&self, place: usize) -> Time {
        self.places[place].there
    }

    /// Whether this cache alone has the line at a place.
    #[inline]
    pub(super) fn is_alone(&self, place: usize) -> bool {
        self.places[place].tag.state().is_alone()
    }

    /// Whether a device has overwritten the line at a place in memory since the line came in.
    #[inline]
    pub(super) fn is_stale(&self, place: usize) -> bool {
        self.places[place].tag.has(Mark::Stale)
    }

    /// The line at a place.
    #[inline]
    pub(super) fn found(&self, place: usize) -> Found {
        let Place { tag, there } = self.places[place];
        Found { state: tag.state(), stale: tag.has(Mark::Stale), there }
    }

    /// Records that the line at a place is used now.
    #[inline]
    pub(super) fn use_now(&mut self, place: usize) {
        if let Some(used) = self.used.get_mut(place) {
            self.clock += 1;
            *used = self.clock;
        }
    }

    /// Looks a line up, which does not count as a use.
    #[inline]
    pub(super) fn look_up(&self, who: usize, at: Spot) -> Found {
        self.find(who, at).map_or(Found::default(), |place| self.found(place))
    }

    /// Uses a line, if it is here. Returns whether it is.
    #[inline]
    pub(super) fn uses(&mut self, who: usize, at: Spot) -> bool {
        let place = self.find(who, at);
        place.into_iter().for_each(|place| self.use_now(place));
        place.is_some()
    }

    /// Looks a line up for a processor, which counts as a use.
    #[inline]
    pub(super) fn access(&mut self, who: usize, at: Spot) -> Found {
        let Some(place) = self.find(who, at) else { return Found::default() };
        self.use_now(place);
        self.found(place)
    }

    /// Changes the state of a line that is here.
    pub(super) fn change(&mut self, who: usize, at: Spot, state: State) {
        if let Some(place) = self.find(who, at) {
            self.change_at(place, state);
        }
    }

    /// Changes the state of the line at a place.
    #[inline]
    fn change_at(&mut self, place: usize, state: State) {
        let tag = &mut self.places[place].tag;
        *tag = tag.with_state(state);
    }

    /// Shows a transaction to caches, which change the states of their lines by their answers; a line that becomes `Invalid` leaves. A
    /// bit in `left` stands for each of them.
    #[inline]
    pub(super) fn show(&mut self, left: u64, at: Spot, answers: &Answers) -> Answered {
        if self.ways > 1 {
            return self.show_sets(left, at, answers);
        }
        let first = at.row * self.caches;
        match self.places.get_mut(first..first + self.caches) {
            Some(row) => Self::show_row(row, left, at.line << BITS, answers),
            None => Answered::NONE,
        }
    }

    /// Shows a transaction to caches that have one place each.
    #[inline]
    fn show_row(row: &mut [Place], left: u64, key: u64, answers: &Answers) -> Answered {
        match answers.take() {
            true => Self::show_row_as::<true>(row, left, key, answers),
            false => Self::show_row_as::<false>(row, left, key, answers),
        }
    }

    #[inline(always)]
    fn show_row_as<const TAKE: bool>(
        row: &mut [Place],
        mut left: u64,
        key: u64,
        answers: &Answers,
    ) -> Answered {
        let mut answered = Answered::NONE;
        while left != 0 {
            let Some(place) = row.get_mut(left.trailing_zeros() as usize) else { break };
            if answered.show_as::<TAKE>(place, key, answers) {
                answered.gone |= left & left.wrapping_neg();
            }
            left &= left - 1;
        }
        answered
    }

    /// Shows a transaction to caches that have several places.
    #[inline(never)]
    fn show_sets(&mut self, mut left: u64, at: Spot, answers: &Answers) -> Answered {
        let mut answered = Answered::NONE;
        while left != 0 {
            if let Some(place) = self.find(left.trailing_zeros() as usize, at)
                && answered.show(&mut self.places[place], at.line << BITS, answers)
            {
                answered.gone |= left & left.wrapping_neg();
                self.forget_use(place);
            }
            left &= left - 1;
        }
        answered
    }

    /// Shows a transaction to a cache without a bit of its own. Returns whether the line leaves it.
    pub(super) fn show_one(
        &mut self,
        who: usize,
        at: Spot,
        answers: &Answers,
        answered: &mut Answered,
    ) -> bool {
        let Some(place) = self.find(who, at) else { return false };
        let leaves = answered.show(&mut self.places[place], at.line << BITS, answers);
        if leaves {
            self.forget_use(place);
        }
        leaves
    }

    /// Records that there is no line at a place.
    #[inline]
    fn forget_use(&mut self, place: usize) {
        if let Some(used) = self.used.get_mut(place) {
            *used = 0;
        }
    }

    /// Stores to a line at `time`, if this cache alone has it. The line is not there for others before the store is done.
    #[inline]
    pub(super) fn store(&mut self, who: usize, at: Spot, time: Time) -> bool {
        let alone = |&place: &usize| self.places[place].tag.state().is_alone();
        let Some(place) = self.find(who, at).filter(alone) else { return false };
        self.use_now(place);
        self.store_at(place, time);
        true
    }

    /// Stores to a line at `time`, if this cache alone has it and no other client has wanted it. Returns whether that is so.
    #[inline]
    pub(super) fn store_private(&mut self, who: usize, at: Spot, time: Time) -> bool {
        let Some(place) = self.find(who, at).filter(|&place| self.is_private_at(place)) else { return false };
        self.use_now(place);
        self.store_at(place, time);
        true
    }

    /// Whether this cache alone has the line at a place, and no other client has wanted it.
    #[inline]
    fn is_private_at(&self, place: usize) -> bool {
        let tag = self.places[place].tag;
        tag.state().is_alone() && !tag.has(Mark::Wanted)
    }

    /// Stores to the line at a place, which this cache alone has, at `at`. The line is not there for others before the store is done.
    #[inline]
    pub(super) fn store_at(&mut self, place: usize, at: Time) {
        let Place { tag, there } = &mut self.places[place];
        (*tag, *there) = (tag.with_state(State::Modified), (*there).max(at));
    }

    /// Whether this cache alone has a line that no other client has wanted.
    #[inline]
    pub(super) fn is_private(&self, who: usize, at: Spot) -> bool {
        self.find(who, at).is_some_and(|place| self.is_private_at(place))
    }

    /// Gives a line that is here the right to be stored to, from `there` on. `wanted` says whether another client has
    /// wanted it.
    pub(super) fn raise(&mut self, who: usize, at: Spot, wanted: bool, there: Time) {
        if let Some(place) = self.find(who, at) {
            let tag = self.places[place].tag.with_state(State::Modified).with(Mark::Wanted, wanted);
            self.places[place] = Place { tag, there };
        }
    }

    /// Marks a line that a device has overwritten in memory, where no cache snooped.
    pub(super) fn age(&mut self, at: Spot) {
        for who in 0..self.caches {
            if let Some(place) = self.find(who, at) {
                let tag = &mut self.places[place].tag;
                *tag = tag.with(Mark::Stale, true);
            }
        }
    }

    /// Takes a line out.
    pub(super) fn remove(&mut self, who: usize, at: Spot) -> Option<Victim> {
        let place = self.find(who, at)?;
        let victim = self.victim(place);
        self.places[place].tag = Tag::default();
        self.forget_use(place);
        Some(victim)
    }

    fn victim(&self, place: usize) -> Victim {
        let Found { state, stale, there } = self.found(place);
        Victim { line: self.places[place].tag.line(), state, stale, there }
    }

    /// Makes places for the set that a line belongs to, which has a row.
    #[cold]
    fn make_places(&mut self, at: Spot) {
        let places = (at.row + 1) * self.caches * self.ways;
        self.places.resize(places, Place::default());
        if self.ways > 1 {
            self.used.resize(places, 0);
        }
    }

    /// The place that a line gets in a set of a cache that does not have it: a place without a line, or the place of
    /// the least recently used line. The places of the set begin at `first`.
    #[inline(never)]
    fn place_among(&self, first: usize) -> usize {
        // The last use of a place without a line is zero.
        let used = self.used.get(first..first + self.ways).unwrap_or_default();
        used.iter().enumerate().min_by_key(|&(_, used)| used).map_or(first, |(way, _)| first + way)
    }

    /// Puts a line into a cache that does not have it, whose set has a row, and that is there from `there` on. `wanted` says whether
    /// another client has wanted it. Returns the line that it replaces, if any.
    #[inline(always)]
    pub(super) fn insert(
        &mut self,
        (who, at): (usize, Spot),
        state: State,
        wanted: bool,
        there: Time,
    ) -> Option<Victim> {
        let first = self.first_place(who, at);
        if first >= self.places.len() {
            self.make_places(at);
        }
        let place = if self.ways == 1 { first } else { self.place_among(first) };
        let old = self.places[place].tag.is_here().then(|| self.victim(place));
        self.places[place] = Place { tag: Tag::new(at.line, state, wanted), there };
        self.use_now(place);
        old
    }
}
