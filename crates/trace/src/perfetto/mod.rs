//! Events as a trace for Perfetto (<https://ui.perfetto.dev>): a stream of its protobuf packets.
//!
//! Mapping: `Run`..`Leave`, and within them or by themselves `HandlerStart`..`HandlerEnd`, are slices on the track of a
//! processor. `ThreadStart`..`ThreadEnd`, and within it `Block`..`Resume`, are slices on the track of a thread. `Send`,
//! `Deposit` and `Interrupt` are instants on the processor's track, `Arrive` and `Place` on that of the node's network
//! interface. Samples of counters have a track each; phases follow one another on a track of the machine. A flow leads
//! from `Send` over `Arrive` to the handler's slice, and from `Deposit` to `Place`.
//!
//! Times are whole nanoseconds, rounded down. Events may come in any order that keeps the order of each processor;
//! see `lanes` for how slices stay paired. Memory is one buffer and, for each track, a bounded number of open slices.
//!
//! This module must never know where the bytes go, nor anything of a run but its events and its cast.

mod lanes;
mod names;
mod output;
pub(crate) mod schema;
mod tracks;

use std::io::{self, Write};

use units::Time;

use self::lanes::{Lane, Open, Waits};
use self::names::Names;
use self::output::Output;
use self::schema::{TracePacket, TrackEvent};
use self::tracks::{PHASES, Tracks};
use crate::{Cast, Event, Sample, Summary};

const FEMTOSECONDS_PER_NANOSECOND: u64 = 1_000_000;

/// A trace on its way out.
pub(crate) struct Perfetto {
    output: Output,
    scene: Option<Scene>,
    pub(crate) summary: Summary,
}

impl Perfetto {
    pub(crate) fn new(out: impl Write + Send + 'static) -> Self {
        Self { output: Output::new(out), scene: None, summary: Summary::default() }
    }

    /// Writes the names and tracks. Only the first cast counts.
    pub(crate) fn begin(&mut self, cast: &Cast) {
        if self.scene.is_none() {
            self.scene = Some(Scene::begin(&mut self.output, cast));
        }
    }

    pub(crate) fn record(&mut self, at: Time, event: Event) {
        let at = at.as_femtoseconds() / FEMTOSECONDS_PER_NANOSECOND;
        let kept = self.scene.as_mut().and_then(|scene| scene.record(&mut self.output, at, event));
        match kept {
            Some(()) => self.summary.events += 1,
            None => self.summary.lost += 1,
        }
    }

    /// Writes a value of a counter.
    pub(crate) fn sample(&mut self, sample: Sample) {
        let at = sample.at.as_femtoseconds() / FEMTOSECONDS_PER_NANOSECOND;
        let track = self.scene.as_ref().and_then(|scene| scene.tracks.counter(sample.counter));
        match track {
            Some(track) => {
                self.output.packet(&TracePacket::event(at, TrackEvent::counter(track, sample.value)));
                self.summary.samples += 1;
            }
            None => self.summary.lost += 1,
        }
    }

    /// Ends all open slices and writes the rest; later events are lost.
    pub(crate) fn finish(&mut self) -> io::Result<Summary> {
        if let Some(scene) = self.scene.take() {
            let (moved, lost) = scene.finish(&mut self.output);
            self.summary.moved += moved;
            self.summary.lost += lost;
            self.summary.events -= lost;
        }
        self.summary.bytes = self.output.finish()?;
        Ok(self.summary)
    }
}

/// Tracks of a run and their open slices.
struct Scene {
    tracks: Tracks,
    names: Names,
    processors: Vec<Lane>,
    threads: Vec<Waits>,
    latest: u64,
}

impl Scene {
    fn begin(out: &mut Output, cast: &Cast) -> Self {
        let tracks = Tracks::new(cast);
        let (names, words) = Names::new(cast);
        out.packet(
            &TracePacket { track_descriptor: Some(Tracks::root()), ..TracePacket::names(words) }.first(),
        );
        tracks.describe(&cast.machine).for_each(|track| out.packet(&TracePacket::track(track)));
        // Phases may be told out of order. With one open from the start, each is the end of another and a beginning.
        out.packet(&TracePacket::event(0, TrackEvent::begin(PHASES, names::BEFORE_PHASES)));
        let processors = tracks.processors().map(Lane::new).collect();
        let threads = tracks.threads().map(Waits::new).collect();
        Self { tracks, names, processors, threads, latest: 0 }
    }

    /// Writes an event. `None` if the cast has no place for it, if it ends a slice that never began, or if it begins
    /// one beyond the maximum depth.
    fn record(&mut self, out: &mut Output, at: u64, event: Event) -> Option<()> {
        self.latest = self.latest.max(at);
        match event {
            Event::HandlerStart { node, processor, message, source, flow } => {
                let name = self.names.message(message);
                let lane = self.processor(node, processor)?;
                let event = TrackEvent::begin(lane.track, name).last_of_flow(flow);
                lane.begin(out, at, Open::Handler, event.number(names::FROM, source.into()))?;
            }
            Event::HandlerEnd { node, processor } => {
                self.processor(node, processor)?.end(out, at, Open::Handler)?;
            }
            Event::Run { node, processor, thread } => {
                self.tracks.thread(node, thread)?;
                let name = self.names.thread(thread);
                let lane = self.processor(node, processor)?;
                lane.begin(out, at, Open::Thread(thread), TrackEvent::begin(lane.track, name))?;
            }
            Event::Leave { node, processor, thread } => {
                self.processor(node, processor)?.end(out, at, Open::Thread(thread))?;
            }
            Event::ThreadStart { node, thread } => self.thread(node, thread)?.start(out, at),
            Event::ThreadEnd { node, thread } => self.thread(node, thread)?.end(at)?,
            Event::Block { node, thread, what } => {
                self.tracks.thread(node, thread)?;
                let name = self.word(out, what);
                self.thread(node, thread)?.block(out, at, name);
            }
            Event::Resume { node, thread } => self.thread(node, thread)?.resume(out, at),
            Event::Phase { name, .. } => self.phase(out, at, name),
            Event::Send { .. }
            | Event::Arrive { .. }
            | Event::Interrupt { .. }
            | Event::Deposit { .. }
            | Event::Place { .. } => out.packet(&TracePacket::event(at, self.instant(event)?)),
        }
        Some(())
    }

    /// An event without duration; `None` for others and for those without a track.
    fn instant(&self, event: Event) -> Option<TrackEvent> {
        Some(match event {
            Event::Send { node, processor, to, message, bytes, flow } => self
                .on_processor(node, processor, names::SEND)?
                .flow(flow)
                .number(names::TO, to.into())
                .number(names::BYTES, bytes.into())
                .word(names::MESSAGE, self.names.message(message)),
            Event::Deposit { node, processor, to, bytes, flow } => self
                .on_processor(node, processor, names::DEPOSIT)?
                .flow(flow)
                .number(names::TO, to.into())
                .number(names::BYTES, bytes.into()),
            Event::Interrupt { node, processor } => self.on_processor(node, processor, names::INTERRUPT)?,
            Event::Arrive { node, from, message, flow } => {
                TrackEvent::instant(self.tracks.interface(node)?, names::ARRIVE)
                    .flow(flow)
                    .number(names::FROM, from.into())
                    .word(names::MESSAGE, self.names.message(message))
            }
            Event::Place { node, from, flow } => {
                TrackEvent::instant(self.tracks.interface(node)?, names::PLACE)
                    .last_of_flow(flow)
                    .number(names::FROM, from.into())
            }
            _ => return None,
        })
    }

    fn on_processor(&self, node: u32, processor: u16, name: u64) -> Option<TrackEvent> {
        let place = self.tracks.processor(node, processor)?;
        Some(TrackEvent::instant(self.processors[place].track, name))
    }

    fn processor(&mut self, node: u32, processor: u16) -> Option<&mut Lane> {
        self.processors.get_mut(self.tracks.processor(node, processor)?)
    }

    fn thread(&mut self, node: u32, thread: u32) -> Option<&mut Waits> {
        self.threads.get_mut(self.tracks.thread(node, thread)?)
    }

    /// Ends the current phase and begins the next.
    fn phase(&mut self, out: &mut Output, at: u64, name: &'static str) {
        let name = self.word(out, name);
        out.packet(&TracePacket::event(at, TrackEvent::end(PHASES)));
        out.packet(&TracePacket::event(at, TrackEvent::begin(PHASES, name)));
    }

    /// The number of a word of the program, which the trace is told first if it is new.
    fn word(&mut self, out: &mut Output, word: &'static str) -> u64 {
        let (iid, new) = self.names.word(word);
        if let Some(new) = new {
            out.packet(&TracePacket::names(new));
        }
        iid
    }

    /// Ends all slices at the last time seen. How many events were moved and how many had no counterpart.
    fn finish(mut self, out: &mut Output) -> (u64, u64) {
        let at = self.latest;
        let mut all = (0, 0);
        for lane in &mut self.processors {
            all.0 += lane.finish(out, at);
        }
        for thread in &mut self.threads {
            let (moved, lost) = thread.finish(out, at);
            all = (all.0 + moved, all.1 + lost);
        }
        out.packet(&TracePacket::event(at, TrackEvent::end(PHASES)));
        all
    }
}
