//! The busy time of each part of the machine, and its share of a span of time.
//!
//! This module must never know where a part stands: its times are handed in, and a caller names it.

use tempest::outcome::{Resource, Utilization};
use units::Time;

/// The busy time of every part up to an instant, kind by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct BusyTimes(Vec<Kind>);

/// All parts of one kind.
#[derive(Clone, Debug)]
struct Kind {
    resource: Resource,
    /// The number of parts.
    count: usize,
    /// The busy time of each part.
    busy: Times,
    /// The time for which each part was of this kind.
    there: Times,
}

impl Kind {
    /// The busy time of a part, and the time for which it was of this kind.
    fn part(&self, part: usize) -> (Time, Time) {
        (self.busy.of(part), self.there.of(part))
    }
}

/// A time of each part of a kind. They take no room if they are alike, as at the beginning of a run: a large machine has many parts.
#[derive(Clone, Debug)]
enum Times {
    Alike(Time),
    Each(Vec<Time>),
}

impl Times {
    fn new(times: Vec<Time>) -> Self {
        match times.first() {
            Some(&first) if times.iter().all(|&time| time == first) => Self::Alike(first),
            _ => Self::Each(times),
        }
    }

    fn of(&self, part: usize) -> Time {
        match self {
            Self::Alike(time) => *time,
            Self::Each(times) => times[part],
        }
    }
}

impl BusyTimes {
    /// Adds the parts of a kind that existed from the beginning up to `now`, each with its busy time.
    pub(crate) fn add(&mut self, resource: Resource, now: Time, busy: impl IntoIterator<Item = Time>) {
        let busy: Vec<Time> = busy.into_iter().collect();
        self.0.push(Kind { resource, count: busy.len(), busy: Times::new(busy), there: Times::Alike(now) });
    }

    /// Adds the parts of a kind, each with its busy time and the time for which it was of this kind.
    pub(crate) fn add_some(&mut self, resource: Resource, parts: impl IntoIterator<Item = (Time, Time)>) {
        let (busy, there): (Vec<Time>, Vec<Time>) = parts.into_iter().unzip();
        self.0.push(Kind { resource, count: busy.len(), busy: Times::new(busy), there: Times::new(there) });
    }

    /// The utilization since an earlier instant, or since the beginning, in the order of kinds. `name` names a part of a kind
    /// by its place.
    pub(crate) fn since(
        &self,
        earlier: Option<&Self>,
        name: impl Fn(Resource, usize) -> String,
    ) -> Vec<Utilization> {
        let entry = |kind: &Kind| {
            let earlier = earlier.and_then(|earlier| earlier.of(kind.resource));
            let parts = (0..kind.count).map(|part| {
                let (busy, there) = kind.part(part);
                let before = earlier.map_or((Time::ZERO, Time::ZERO), |earlier| earlier.part(part));
                (busy.saturating_sub(before.0), there.saturating_sub(before.1))
            });
            Utilization::of(kind.resource, parts, |part| name(kind.resource, part))
        };
        let mut entries: Vec<_> = self.0.iter().filter_map(entry).collect();
        entries.sort_by_key(|entry| entry.resource);
        entries
    }

    /// Every part: its kind, its place in that kind, and its busy time.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Resource, usize, Time)> {
        self.0.iter().flat_map(|kind| (0..kind.count).map(|part| (kind.resource, part, kind.busy.of(part))))
    }

    fn of(&self, resource: Resource) -> Option<&Kind> {
        self.0.iter().find(|kind| kind.resource == resource)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_counts_what_was_busy_in_it() {
        let us = Time::from_microseconds;
        let mut start = BusyTimes::default();
        start.add(Resource::Link, us(10), [us(5), us(0)]);
        start.add_some(Resource::DedicatedProcessor, [(us(1), us(4))]);
        let mut end = BusyTimes::default();
        end.add(Resource::Link, us(30), [us(10), us(15)]);
        end.add_some(Resource::DedicatedProcessor, [(us(1), us(4))]);
        let name = |_, part: usize| format!("number {part}");
        let [link] = &end.since(Some(&start), name)[..] else { panic!("nobody was dedicated in the region") };
        assert_eq!((link.mean, link.most, &*link.busiest), (0.5, 0.75, "number 1"));
        let all = end.since(None, name);
        let kinds: Vec<_> = all.iter().map(|entry| (entry.resource, entry.mean)).collect();
        assert_eq!(kinds, [(Resource::DedicatedProcessor, 0.25), (Resource::Link, 25.0 / 60.0)]);
    }
}
