//! The costs of protocol events, kind by kind and step by step.
//!
//! A kind is a message, by its number; the last kind is the threads' own work. This module must never know the meaning
//! of a message.

use std::num::NonZeroU8;

use tempest::Primitive;
use tempest::outcome::{Stage, Step};
use units::{Time, TotalTime};

/// A step of a protocol event: its number within a kind, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken(NonZeroU8);

const PRIMITIVES: usize = Primitive::Defer as usize + 1;
const STEPS: usize = PRIMITIVES + 5;

impl Taken {
    /// Reading a word of a message.
    pub(crate) const RECEIVE_WORD: Self = Self::behind(PRIMITIVES);
    /// Waiting for a line of the handlers' tables that the processor's cache does not have.
    pub(crate) const STATE: Self = Self::behind(PRIMITIVES + 1);
    /// An access that faulted is repeated.
    pub(crate) const COMPLETE: Self = Self::behind(PRIMITIVES + 2);
    /// An access misses the processor's cache.
    pub(crate) const MISS: Self = Self::behind(PRIMITIVES + 3);
    /// The occupancy that follows a handler, before its processor is free.
    pub(crate) const COMPLETION: Self = Self::behind(PRIMITIVES + 4);

    /// The step behind `others` other steps.
    const fn behind(others: usize) -> Self {
        Self(NonZeroU8::MIN.saturating_add(others as u8))
    }

    /// A primitive that protocols charge.
    #[inline]
    pub(crate) const fn primitive(primitive: Primitive) -> Self {
        Self::behind(primitive as usize)
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0.get() - 1)
    }
}

/// The counts of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    events: u64,
    travel: TotalTime,
    wait: TotalTime,
    steps: [Step; STEPS],
}

/// The counts of a run.
#[derive(Debug)]
pub(crate) struct Anatomy(Vec<Kind>);

impl Anatomy {
    /// Empty counts for a program of `messages` messages.
    pub(crate) fn new(messages: usize) -> Self {
        let never = Step { name: "", times: 0, time: TotalTime::ZERO };
        let none = Kind { events: 0, travel: TotalTime::ZERO, wait: TotalTime::ZERO, steps: [never; STEPS] };
        Self(vec![none; messages + 1])
    }

    /// The kind that stands for threads.
    pub(crate) fn threads(&self) -> u16 {
        (self.0.len() - 1) as u16
    }

    /// Counts an access of a thread to shared memory.
    #[inline]
    pub(crate) fn count_access(&mut self) {
        if let Some(threads) = self.0.last_mut() {
            threads.events += 1;
        }
    }

    /// The counts of a kind, for several additions.
    #[inline]
    pub(crate) fn of(&mut self, kind: u16) -> &mut Kind {
        &mut self.0[usize::from(kind)]
    }

    /// Counts a step of an event: how often it was taken, and in how much time.
    #[inline]
    pub(crate) fn count_step(
        &mut self,
        kind: u16,
        taken: Taken,
        (name, times): (&'static str, u64),
        time: Time,
    ) {
        self.of(kind).count_step(taken, (name, times), time);
    }

    /// Counts a send under a kind: its header, and its words. Each has the name of its primitive, a number and a time.
    #[inline]
    pub(crate) fn count_send(
        &mut self,
        kind: u16,
        header: (&'static str, u64, Time),
        words: (&'static str, u64, Time),
    ) {
        let steps = &mut self.0[usize::from(kind)].steps;
        for (primitive, (name, times, time)) in
            [(Primitive::SendHeader, header), (Primitive::SendWord, words)]
        {
            add(&mut steps[primitive as usize], name, times, time);
        }
    }

    /// The counts of all kinds that occurred. `names` are the names of all kinds, in order.
    pub(crate) fn stages(&self, names: impl Iterator<Item = &'static str>) -> Vec<Stage> {
        let kinds = self.0.iter().zip(names).filter(|(kind, _)| kind.events > 0);
        kinds.map(|(kind, name)| stage(kind, name)).collect()
    }

    /// Adds a wait to a step that has been counted.
    pub(crate) fn count_wait(&mut self, kind: u16, taken: Taken, time: Time) {
        self.0[usize::from(kind)].steps[taken.index()].time += time;
    }
}

impl Kind {
    /// Counts an event, its time in the network, and its time of waiting.
    #[inline]
    pub(crate) fn count_event(&mut self, travel: Time, wait: Time) {
        self.events += 1;
        self.travel += travel;
        self.wait += wait;
    }

    /// Counts a step of an event: how often it was taken, and in how much time.
    #[inline]
    pub(crate) fn count_step(&mut self, taken: Taken, (name, times): (&'static str, u64), time: Time) {
        add(&mut self.steps[taken.index()], name, times, time);
    }
}

fn add(step: &mut Step, name: &'static str, times: u64, time: Time) {
    step.name = name;
    step.times += times;
    step.time += time;
}

fn stage(kind: &Kind, name: &'static str) -> Stage {
    let steps = kind.steps.iter().copied().filter(|step| step.times > 0).collect();
    Stage { kind: name, events: kind.events, travel: kind.travel, wait: kind.wait, steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_without_events_and_steps_not_taken_are_left_out() {
        let ns = Time::from_nanoseconds;
        let mut anatomy = Anatomy::new(2);
        anatomy.of(1).count_event(ns(5), ns(2));
        anatomy.of(1).count_event(ns(7), ns(0));
        anatomy.count_step(1, Taken::RECEIVE_WORD, ("receive_word", 3), ns(6));
        anatomy.count_wait(1, Taken::RECEIVE_WORD, ns(1));
        anatomy.count_access();
        assert_eq!(anatomy.threads(), 2);
        let stages = anatomy.stages(["a", "b", "access"].into_iter());
        let events: Vec<_> = stages.iter().map(|stage| (stage.kind, stage.events)).collect();
        assert_eq!(events, [("b", 2), ("access", 1)]);
        assert_eq!((stages[0].travel, stages[0].wait), (ns(12).into(), ns(2).into()));
        let [step] = stages[0].steps.as_slice() else { panic!("one step was taken") };
        assert_eq!((step.name, step.times, step.time), ("receive_word", 3, ns(7).into()));
    }
}
