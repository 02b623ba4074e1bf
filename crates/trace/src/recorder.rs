//! Recorders, which keep the events of a traced run for all processors of a world, and each processor's batch on the
//! way there.
//!
//! This module must never open a file: its owner hands in the writing end.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use units::Time;

use crate::Event;
use crate::cast::{Cast, Sample, Summary};
use crate::perfetto::Perfetto;
use crate::waiting::{CHUNK, Chunk, Waiting};

/// Keeps the events of a traced run. A clone is the same recorder.
#[derive(Clone)]
pub struct Recorder {
    keeper: Arc<Mutex<Keeper>>,
    interval: Option<Time>,
}

enum Keeper {
    Memory(Memory),
    Perfetto(Box<Perfetto>, Waiting),
}

/// The first events of a run, as many as the caller allowed.
struct Memory {
    events: Vec<(Time, Event)>,
    samples: Vec<Sample>,
    bound: usize,
    lost: u64,
}

impl Recorder {
    /// Keeps the first `bound` events as they are, at 40 bytes each, for tests and tools.
    pub fn memory(bound: usize) -> Self {
        Self::of(Keeper::Memory(Memory { events: Vec::new(), samples: Vec::new(), bound, lost: 0 }))
    }

    /// Writes a trace for Perfetto as the events come, in blocks of about 64 KiB.
    ///
    /// An error of `out` does not disturb the run: nothing more is written, and [`finish`](Self::finish) tells.
    pub fn perfetto(out: impl Write + Send + 'static) -> Self {
        Self::of(Keeper::Perfetto(Box::new(Perfetto::new(out)), Waiting::default()))
    }

    fn of(keeper: Keeper) -> Self {
        Self { keeper: Arc::new(Mutex::new(keeper)), interval: None }
    }

    /// Asks for samples of counters at least `interval` apart. A world without counters takes none.
    #[must_use]
    pub fn sampling(self, interval: Time) -> Self {
        Self { interval: Some(interval), ..self }
    }

    /// Minimum time between samples of counters; `None` if none are wanted.
    pub fn interval(&self) -> Option<Time> {
        self.interval
    }

    /// Sets the cast; once, before the first event.
    pub fn begin(&self, cast: Cast) {
        if let Keeper::Perfetto(perfetto, _) = &mut *self.keeper() {
            perfetto.begin(&cast);
        }
    }

    /// Makes room for `bytes` of events, which are written only when the room is full or the recorder is
    /// [finished](Self::finish). A run on real processors is disturbed less by a trace that is written after it.
    pub fn write_late(&self, bytes: usize) {
        if let Keeper::Perfetto(_, waiting) = &mut *self.keeper() {
            waiting.make_room(bytes);
        }
    }

    /// Takes events, in the order in which they happened on the calling processor.
    pub fn record(&self, events: &[(Time, Event)]) {
        match &mut *self.keeper() {
            Keeper::Memory(memory) => memory.record(events),
            Keeper::Perfetto(perfetto, waiting) => {
                waiting.drain(|at, event| perfetto.record(at, event));
                events.iter().for_each(|&(at, event)| perfetto.record(at, event));
            }
        }
    }

    /// Takes a chunk of events, and gives an empty one for it.
    fn exchange(&self, mut chunk: Chunk) -> Chunk {
        match &mut *self.keeper() {
            Keeper::Memory(memory) => {
                memory.record(&chunk);
                chunk.clear();
                chunk
            }
            Keeper::Perfetto(perfetto, waiting) => {
                waiting.exchange(chunk, |at, event| perfetto.record(at, event))
            }
        }
    }

    /// Takes samples of counters; samples of one counter are in the order of time.
    pub fn sample(&self, samples: &[Sample]) {
        match &mut *self.keeper() {
            Keeper::Memory(memory) => memory.samples.extend_from_slice(samples),
            Keeper::Perfetto(perfetto, _) => samples.iter().for_each(|&sample| perfetto.sample(sample)),
        }
    }

    /// Ends open slices at the last time seen, and writes the rest. All batches must have been flushed.
    ///
    /// # Errors
    ///
    /// The first error of the writer, at any time since the start.
    pub fn finish(&self) -> io::Result<Summary> {
        match &mut *self.keeper() {
            Keeper::Memory(memory) => Ok(memory.summary()),
            Keeper::Perfetto(perfetto, waiting) => {
                waiting.drain(|at, event| perfetto.record(at, event));
                perfetto.finish()
            }
        }
    }

    /// The events that a memory has kept, in the order they were handed in; none where none are kept.
    pub fn events(&self) -> Vec<(Time, Event)> {
        match &*self.keeper() {
            Keeper::Memory(memory) => memory.events.clone(),
            Keeper::Perfetto(..) => Vec::new(),
        }
    }

    /// The samples that a memory has kept, in the order they were handed in; none where none are kept.
    pub fn samples(&self) -> Vec<Sample> {
        match &*self.keeper() {
            Keeper::Memory(memory) => memory.samples.clone(),
            Keeper::Perfetto(..) => Vec::new(),
        }
    }

    /// A processor that panicked while it held the lock leaves at worst a trace without its last event.
    fn keeper(&self) -> MutexGuard<'_, Keeper> {
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl Memory {
    fn record(&mut self, events: &[(Time, Event)]) {
        let room = self.bound - self.events.len();
        let kept = &events[..room.min(events.len())];
        self.events.extend_from_slice(kept);
        self.lost += (events.len() - kept.len()) as u64;
    }

    fn summary(&self) -> Summary {
        Summary {
            events: self.events.len() as u64,
            samples: self.samples.len() as u64,
            lost: self.lost,
            ..Summary::default()
        }
    }
}

/// A processor's own events on their way to the shared recorder, at most 1024 of them. Dropping it hands them over.
#[derive(Debug)]
pub struct Batch {
    recorder: Recorder,
    events: Chunk,
}

impl Batch {
    /// An empty batch for that recorder.
    pub fn new(recorder: Recorder) -> Self {
        Self { recorder, events: Vec::with_capacity(CHUNK) }
    }

    /// The recorder that the events go to.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Takes an event and the instant it happened at.
    pub fn record(&mut self, at: Time, event: Event) {
        self.events.push((at, event));
        if self.events.len() == CHUNK {
            self.flush();
        }
    }

    /// Hands the batch to the recorder.
    pub fn flush(&mut self) {
        if !self.events.is_empty() {
            self.events = self.recorder.exchange(std::mem::take(&mut self.events));
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(index: u32) -> (Time, Event) {
        (Time::from_nanoseconds(index.into()), Event::Phase { index, name: "" })
    }

    #[test]
    fn memory_keeps_the_first_and_counts_the_rest() {
        let recorder = Recorder::memory(4);
        recorder.begin(Cast::default());
        recorder.record(&[phase(0), phase(1), phase(2)]);
        recorder.clone().record(&[phase(3), phase(4)]);
        recorder.record(&[phase(5)]);
        assert_eq!(recorder.events(), [phase(0), phase(1), phase(2), phase(3)]);
        let summary = recorder.finish().unwrap();
        assert_eq!(summary, Summary { events: 4, samples: 0, lost: 2, ..Summary::default() });
    }

    #[test]
    fn a_batch_is_handed_over_when_full_when_asked_and_at_last() {
        let recorder = Recorder::memory(usize::MAX);
        let mut batch = Batch::new(recorder.clone());
        let mut seen = Vec::new();
        for index in 0..CHUNK as u32 + 1 {
            let (at, event) = phase(index);
            batch.record(at, event);
            seen.push(recorder.events().len());
        }
        assert!(seen[..CHUNK - 1].iter().all(|&seen| seen == 0));
        assert_eq!(seen[CHUNK - 1..], [CHUNK, CHUNK]);
        batch.flush();
        assert_eq!(recorder.events().len(), CHUNK + 1);
        let (at, event) = phase(9);
        batch.record(at, event);
        drop(batch);
        assert_eq!(recorder.events().len(), CHUNK + 2);
    }

    #[test]
    fn samples_are_kept_beside_events() {
        let recorder = Recorder::memory(1).sampling(Time::from_nanoseconds(5));
        let sample = Sample { at: Time::ZERO, counter: 3, value: 0.5 };
        recorder.clone().sample(&[sample]);
        assert_eq!(
            (recorder.samples(), recorder.clone().interval()),
            (vec![sample], Some(Time::from_nanoseconds(5)))
        );
        assert_eq!(recorder.finish().unwrap().samples, 1);
    }

    #[test]
    fn an_event_in_memory_is_as_small_as_it_says() {
        assert_eq!(size_of::<(Time, Event)>(), 40);
    }
}
