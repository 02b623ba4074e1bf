//! Samples of counters for a trace, taken in modelled time: the busy share of each part since the last sample, and the number
//! of waiting events.
//!
//! This module must never know the meaning of a counter, and never change an event.

use trace::{Recorder, Sample};
use units::Time;

/// The sampler of a traced run.
#[derive(Debug)]
pub(crate) struct Sampler {
    recorder: Recorder,
    interval: Time,
    /// The instant of the last sample, and the busy time of each part by then.
    last: (Time, Vec<Time>),
    /// The last value recorded of each counter.
    told: Vec<Option<f64>>,
}

impl Sampler {
    /// A sampler for a recorder that wants samples at such an interval.
    pub(crate) fn new(recorder: Recorder, interval: Time) -> Self {
        Self { recorder, interval, last: (Time::ZERO, Vec::new()), told: Vec::new() }
    }

    /// The instant at which the next sample is due.
    pub(crate) fn due_at(&self) -> Time {
        self.last.0 + self.interval
    }

    /// Takes a sample at `now`. `busy` has the busy time of each part, and `waiting` the numbers of waiting events. The first
    /// counters are shares of the time since the last sample, in percent, recorded as of that sample. The rest are the numbers
    /// at `now`. Unchanged values are not recorded again.
    pub(crate) fn take(&mut self, now: Time, busy: Vec<Time>, waiting: &[u64]) {
        let (from, before) = std::mem::replace(&mut self.last, (now, busy));
        let length = now.saturating_sub(from).as_femtoseconds() as f64;
        let before = before.into_iter().chain(std::iter::repeat(Time::ZERO));
        let share = |(busy, before): (&Time, Time)| {
            let busy = busy.saturating_sub(before).as_femtoseconds() as f64;
            // A part may be booked ahead of time.
            let share = if length > 0.0 { (busy / length).min(1.0) } else { 0.0 };
            (from, (share * 1000.0).round() / 10.0)
        };
        let shares = self.last.1.iter().zip(before).map(share);
        let values: Vec<_> = shares.chain(waiting.iter().map(|&waiting| (now, waiting as f64))).collect();
        self.told.resize(values.len(), None);
        let mut samples = Vec::new();
        for (counter, ((at, value), told)) in values.into_iter().zip(&mut self.told).enumerate() {
            if told.replace(value) != Some(value) {
                samples.push(Sample { at, counter: counter as u32, value });
            }
        }
        self.recorder.sample(&samples);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_told_as_of_the_beginning_of_its_time_and_only_when_it_changes() {
        let us = Time::from_microseconds;
        let recorder = Recorder::memory(0);
        let mut sampler = Sampler::new(recorder.clone(), us(10));
        assert_eq!(sampler.due_at(), us(10));
        sampler.take(us(10), vec![us(5), us(0)], &[3]);
        assert_eq!(sampler.due_at(), us(20));
        // The next event comes late: the share is of all the time since.
        sampler.take(us(30), vec![us(15), us(30)], &[3]);
        let samples: Vec<_> =
            recorder.samples().iter().map(|sample| (sample.at, sample.counter, sample.value)).collect();
        let first = [(us(0), 0, 50.0), (us(0), 1, 0.0), (us(10), 2, 3.0)];
        assert_eq!(samples, [&first[..], &[(us(10), 1, 100.0)]].concat());
    }
}
