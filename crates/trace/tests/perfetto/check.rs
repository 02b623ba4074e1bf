//! Reads a trace back, strictly: deviations that Perfetto's reader would forgive or drop are mistakes here.
//!
//! For the tests of this room and of every program that writes traces. This file must never know how a trace is written,
//! beyond the schema and the names of events.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use prost::Message;

#[allow(dead_code, reason = "a reader makes no packet")]
#[path = "../../src/perfetto/schema.rs"]
mod schema;

use schema::{
    EventType, InternedData, NEEDS_STATE, Name, SEQUENCE, STATE_CLEARED, TracePacket, TrackDescriptor,
    TrackEvent,
};

/// `Trace` of the schema.
#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

/// A trace in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    /// All tracks, each as the names from the outermost to its own, such as `node 3/processor 0`, in the order of
    /// the file.
    pub(crate) tracks: Vec<Arc<str>>,
    /// All slices, in the order of their ends.
    pub(crate) slices: Vec<Slice>,
    /// All instants, in the order of time.
    pub(crate) instants: Vec<Instant>,
    /// All flows, in the order of their numbers.
    pub(crate) flows: Vec<Flow>,
    /// All values of counters, in the order of time.
    pub(crate) values: Vec<Value>,
}

/// A value of a counter from an instant on. The time is in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    /// Path of the track.
    pub(crate) track: Arc<str>,
    /// Time of the event, in nanoseconds.
    pub(crate) at: u64,
    /// Value of the counter from then on.
    pub(crate) value: f64,
}

/// Something with a duration. Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slice {
    /// Path of the track.
    pub(crate) track: Arc<str>,
    /// Time of the begin, in nanoseconds.
    pub(crate) start: u64,
    /// Time of the end, in nanoseconds, not before the begin.
    pub(crate) end: u64,
    /// Number of slices of the track that enclose this one.
    pub(crate) depth: usize,
    /// Name of the event.
    pub(crate) name: Arc<str>,
}

/// Something without a duration. The time is in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant {
    /// Path of the track.
    pub(crate) track: Arc<str>,
    /// Time of the event, in nanoseconds.
    pub(crate) at: u64,
    /// Name of the event.
    pub(crate) name: Arc<str>,
}

/// A message or deposit on its way. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    /// Flow number.
    pub(crate) id: u64,
    /// Time of the send or deposit.
    pub(crate) from: u64,
    /// Time at which its handler began or its words were in place, not before `from`; `None` if it was still on its way
    /// at the end.
    pub(crate) to: Option<u64>,
}

/// Reads a trace and checks all of it. Times of one track are sorted as Perfetto does: by nanosecond, and equal ones by
/// their order in the file.
///
/// # Errors
///
/// The first mistake found. Packets: bytes that are no trace, a wrong sequence or flag, a track that is described
/// twice, without a parent or not before its use, a name or word that was not interned before its use. Counters: a
/// value that is no number, a value on a track that is no counter, or another event on a counter. Slices: an end
/// without a beginning or the other way round. Flows: a flow that does not begin at a single `send` or `deposit`, has
/// more than one end, ends neither at the start of a handler nor at a `place`, or goes back in time.
pub(crate) fn read(bytes: &[u8]) -> Result<Reading, String> {
    let (file, events) = File::read(bytes)?;
    let flows = flows(&events)?;
    Ok(Reading { flows, ..slices_of(file, events)? })
}

/// Reads a trace and checks all of it but the flows: for a run that need not have ended well.
///
/// # Errors
///
/// The first thing found wrong with the packets or the slices, as [`read`] has them.
pub(crate) fn slices(bytes: &[u8]) -> Result<Reading, String> {
    let (file, events) = File::read(bytes)?;
    slices_of(file, events)
}

fn slices_of(file: File, events: Vec<Happening>) -> Result<Reading, String> {
    let mut reading = Reading { tracks: file.order, ..Reading::default() };
    let mut open: HashMap<Arc<str>, Vec<(u64, Arc<str>)>> = HashMap::new();
    for Happening { at, track, name, event } in events {
        match event.r#type() {
            EventType::SliceBegin => open.entry(track).or_default().push((at, name)),
            EventType::SliceEnd => {
                let stack = open.entry(track.clone()).or_default();
                let begun = stack.pop();
                let (start, name) =
                    begun.ok_or_else(|| format!("{track}: at {at} ns ends what never began"))?;
                reading.slices.push(Slice { track, start, end: at, depth: stack.len(), name });
            }
            EventType::Instant => reading.instants.push(Instant { track, at, name }),
            EventType::Counter => {
                let value = event.double_counter_value.filter(|value| value.is_finite());
                let value = value.ok_or_else(|| format!("{track}: at {at} ns is no number"))?;
                reading.values.push(Value { track, at, value });
            }
            EventType::Unspecified => return Err(format!("{track}: at {at} ns is an event of no type")),
        }
    }
    match open.into_iter().find_map(|(track, stack)| Some((track, stack.into_iter().next()?))) {
        Some((track, (at, name))) => Err(format!("{track}: `{name}` of {at} ns never ends")),
        None => Ok(reading),
    }
}

/// Times of the events of one flow. The file may hold a later event of a flow first, so flows are checked after all
/// packets are read.
#[derive(Default)]
struct Course {
    from: Vec<u64>,
    over: Vec<u64>,
    to: Vec<u64>,
}

fn flows(events: &[Happening]) -> Result<Vec<Flow>, String> {
    let mut courses: HashMap<u64, Course> = HashMap::new();
    for Happening { at, track, name, event } in events {
        let (at, kind) = (*at, event.r#type());
        for &flow in &event.flow_ids {
            let course = courses.entry(flow).or_default();
            match (kind, &**name) {
                (EventType::Instant, "send" | "deposit") => course.from.push(at),
                (EventType::Instant, "arrive") => course.over.push(at),
                _ => return Err(format!("{track}: at {at} ns flow {flow} comes through `{name}`")),
            }
        }
        for &flow in &event.terminating_flow_ids {
            if kind != EventType::SliceBegin && (kind, &**name) != (EventType::Instant, "place") {
                return Err(format!("{track}: at {at} ns flow {flow} ends in `{name}`"));
            }
            courses.entry(flow).or_default().to.push(at);
        }
    }
    let mut flows =
        courses.into_iter().map(|(id, course)| course.judge(id)).collect::<Result<Vec<_>, _>>()?;
    flows.sort_by_key(|flow| flow.id);
    Ok(flows)
}

impl Course {
    fn judge(self, id: u64) -> Result<Flow, String> {
        let [from] = self.from[..] else {
            return Err(format!("flow {id} begins {} times", self.from.len()));
        };
        if self.to.len() > 1 {
            return Err(format!("flow {id} ends {} times", self.to.len()));
        }
        let to = self.to.first().copied();
        let (first, last) = (from, to.unwrap_or(u64::MAX));
        if last < first || self.over.iter().any(|at| !(first..=last).contains(at)) {
            return Err(format!("flow {id} goes back in time: sent at {first} ns, at its end at {last} ns"));
        }
        Ok(Flow { id, from, to })
    }
}

/// An event of a track, its track and name resolved. An end has no name.
struct Happening {
    at: u64,
    track: Arc<str>,
    name: Arc<str>,
    event: TrackEvent,
}

/// State of the reader: contents of the packets already read.
#[derive(Default)]
struct File {
    packets: usize,
    tracks: HashMap<u64, Arc<str>>,
    /// Numbers of the tracks that are counters.
    counters: HashSet<u64>,
    order: Vec<Arc<str>>,
    paths: HashSet<String>,
    names: Interned,
    annotations: Interned,
    words: Interned,
}

impl File {
    /// The whole file: its tracks, and its events sorted.
    fn read(bytes: &[u8]) -> Result<(Self, Vec<Happening>), String> {
        let trace = Trace::decode(bytes).map_err(|error| error.to_string())?;
        let mut file = Self::default();
        let mut events = Vec::new();
        for packet in trace.packet {
            let event = file.packet(packet).map_err(|error| format!("packet {}: {error}", file.packets))?;
            events.extend(event);
            file.packets += 1;
        }
        events.sort_by_key(|event| event.at);
        Ok((file, events))
    }

    fn packet(&mut self, packet: TracePacket) -> Result<Option<Happening>, String> {
        let flags = if self.packets == 0 { STATE_CLEARED } else { NEEDS_STATE };
        let found = (packet.trusted_packet_sequence_id, packet.sequence_flags);
        if found != (Some(SEQUENCE), Some(flags)) {
            return Err(format!("its sequence and flags are {found:?}"));
        }
        if let Some(data) = packet.interned_data {
            self.intern(data)?;
        }
        if let Some(track) = packet.track_descriptor {
            self.describe(track)?;
        }
        let event = |event| self.event(packet.timestamp.ok_or("an event without a time")?, event);
        packet.track_event.map(event).transpose()
    }

    fn intern(&mut self, data: InternedData) -> Result<(), String> {
        self.names.extend(data.event_names)?;
        self.annotations.extend(data.debug_annotation_names)?;
        self.words.extend(data.debug_annotation_string_values)
    }

    fn describe(&mut self, track: TrackDescriptor) -> Result<(), String> {
        let uuid = track.uuid.ok_or("a track without a number")?;
        let own = track.name.unwrap_or_default();
        if track.counter.is_some() {
            self.counters.insert(uuid);
        }
        let name = match track.parent_uuid {
            Some(parent) => format!("{}/{own}", self.track(parent)?),
            None => own,
        };
        // The root is no track of its own.
        if uuid != 0 {
            self.order.push(name.as_str().into());
        }
        if !self.paths.insert(name.clone()) {
            return Err(format!("there are two tracks {name}, which are shown as one"));
        }
        match self.tracks.insert(uuid, name.into()) {
            Some(other) => Err(format!("track {uuid} was described before, as {other}")),
            None => Ok(()),
        }
    }

    fn track(&self, uuid: u64) -> Result<Arc<str>, String> {
        self.tracks.get(&uuid).cloned().ok_or_else(|| format!("track {uuid} was never described"))
    }

    fn event(&self, at: u64, event: TrackEvent) -> Result<Happening, String> {
        let uuid = event.track_uuid.ok_or("an event without a track")?;
        let track = self.track(uuid)?;
        if self.counters.contains(&uuid) != (event.r#type() == EventType::Counter) {
            return Err(format!("{track}: a counter has values, and only a counter has"));
        }
        let name = match (event.r#type(), event.name_iid) {
            (EventType::SliceEnd | EventType::Counter, None) => "".into(),
            (_, iid) => self.names.resolve(iid)?,
        };
        for annotation in &event.debug_annotations {
            self.annotations.resolve(annotation.name_iid)?;
            match (annotation.uint_value, annotation.string_value_iid) {
                (Some(_), None) => {}
                (None, iid) => drop(self.words.resolve(iid)?),
                (Some(_), Some(_)) => return Err("an annotation with two values".into()),
            }
        }
        Ok(Happening { at, track, name, event })
    }
}

/// Words by their numbers.
#[derive(Default)]
struct Interned(HashMap<u64, Arc<str>>);

impl Interned {
    fn extend(&mut self, names: Vec<Name>) -> Result<(), String> {
        for Name { iid, name } in names {
            let (Some(iid @ 1..), Some(name)) = (iid, name) else {
                return Err("a name without a number, or with zero, or without text".into());
            };
            if let Some(other) = self.0.insert(iid, name.as_str().into()) {
                return Err(format!("number {iid} of `{name}` is that of `{other}`"));
            }
        }
        Ok(())
    }

    fn resolve(&self, iid: Option<u64>) -> Result<Arc<str>, String> {
        let iid = iid.ok_or("something without a name or value")?;
        self.0.get(&iid).cloned().ok_or_else(|| format!("number {iid} stands for nothing"))
    }
}
