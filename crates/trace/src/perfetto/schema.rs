//! The part of Perfetto's trace schema that this room writes and its tests read back, as messages of `prost`.
//!
//! Names and numbers are the published ones; `tests/data/perfetto_subset.proto` has their origin, and a test holds
//! the two together. A group of exclusive fields (`oneof`) of which one or two are used stands here as optional
//! fields, which is the same on the wire. This module must never know an event of ours.

use prost::{Enumeration, Message};

/// Forget everything interned before: said once, at the start.
pub(crate) const STATE_CLEARED: u32 = 1;
/// Sequence flag: the packet needs names interned before.
pub(crate) const NEEDS_STATE: u32 = 2;
/// Everything is written by one hand, so there is one sequence. Zero is not allowed.
pub(crate) const SEQUENCE: u32 = 1;

/// `TracePacket`. The timestamp is in nanoseconds of the trace's own clock, the default of an absent clock id.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TracePacket {
    #[prost(uint64, optional, tag = "8")]
    pub(crate) timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    pub(crate) trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    pub(crate) track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    pub(crate) interned_data: Option<InternedData>,
    #[prost(uint32, optional, tag = "13")]
    pub(crate) sequence_flags: Option<u32>,
    #[prost(message, optional, tag = "60")]
    pub(crate) track_descriptor: Option<TrackDescriptor>,
}

/// `TrackDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub(crate) name: Option<String>,
    #[prost(message, optional, tag = "3")]
    pub(crate) process: Option<ProcessDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    pub(crate) parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    pub(crate) counter: Option<CounterDescriptor>,
    #[prost(enumeration = "ChildOrdering", optional, tag = "11")]
    pub(crate) child_ordering: Option<i32>,
    #[prost(int32, optional, tag = "12")]
    pub(crate) sibling_order_rank: Option<i32>,
    #[prost(enumeration = "ProcessOrdering", optional, tag = "19")]
    pub(crate) process_ordering: Option<i32>,
}

/// `CounterDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CounterDescriptor {
    #[prost(string, optional, tag = "6")]
    pub(crate) unit_name: Option<String>,
}

/// `TrackDescriptor.ChildTracksOrdering`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum ChildOrdering {
    Unknown = 0,
    Explicit = 3,
}

/// `TrackDescriptor.ProcessOrdering`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum ProcessOrdering {
    Unspecified = 0,
    Explicit = 1,
}

/// `ProcessDescriptor`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProcessDescriptor {
    #[prost(int32, optional, tag = "1")]
    pub(crate) pid: Option<i32>,
    #[prost(string, optional, tag = "6")]
    pub(crate) process_name: Option<String>,
}

/// `TrackEvent`. The lists of flows are not packed: the schema is of `proto2`, and Perfetto's own decoder is strict.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    pub(crate) debug_annotations: Vec<DebugAnnotation>,
    #[prost(enumeration = "EventType", optional, tag = "9")]
    pub(crate) r#type: Option<i32>,
    #[prost(uint64, optional, tag = "10")]
    pub(crate) name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    pub(crate) track_uuid: Option<u64>,
    #[prost(double, optional, tag = "44")]
    pub(crate) double_counter_value: Option<f64>,
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub(crate) flow_ids: Vec<u64>,
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    pub(crate) terminating_flow_ids: Vec<u64>,
}

/// `TrackEvent.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum EventType {
    Unspecified = 0,
    SliceBegin = 1,
    SliceEnd = 2,
    Instant = 3,
    Counter = 4,
}

/// `DebugAnnotation`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DebugAnnotation {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) uint_value: Option<u64>,
    #[prost(uint64, optional, tag = "17")]
    pub(crate) string_value_iid: Option<u64>,
}

/// `InternedData`. Each list has numbers of its own.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct InternedData {
    #[prost(message, repeated, tag = "2")]
    pub(crate) event_names: Vec<Name>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) debug_annotation_names: Vec<Name>,
    #[prost(message, repeated, tag = "29")]
    pub(crate) debug_annotation_string_values: Vec<Name>,
}

/// `EventName`, `DebugAnnotationName` and `InternedString`, which are the same on the wire.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Name {
    #[prost(uint64, optional, tag = "1")]
    pub(crate) iid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub(crate) name: Option<String>,
}

impl TracePacket {
    /// Something on a track, at an instant in nanoseconds.
    pub(crate) fn event(at: u64, event: TrackEvent) -> Self {
        Self { timestamp: Some(at), track_event: Some(event), ..Self::needing_state() }
    }

    /// A track, before its first event.
    pub(crate) fn track(track: TrackDescriptor) -> Self {
        Self { track_descriptor: Some(track), ..Self::needing_state() }
    }

    /// Names, before their first use.
    pub(crate) fn names(names: InternedData) -> Self {
        Self { interned_data: Some(names), ..Self::needing_state() }
    }

    /// Makes it the first packet of its sequence.
    pub(crate) fn first(self) -> Self {
        Self { sequence_flags: Some(STATE_CLEARED), ..self }
    }

    fn needing_state() -> Self {
        Self {
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: Some(NEEDS_STATE),
            ..Self::default()
        }
    }
}

impl TrackEvent {
    /// A slice with an interned name begins.
    pub(crate) fn begin(track: u64, name: u64) -> Self {
        Self { name_iid: Some(name), ..Self::of(EventType::SliceBegin, track) }
    }

    /// The slice of the track that began last ends.
    pub(crate) fn end(track: u64) -> Self {
        Self::of(EventType::SliceEnd, track)
    }

    /// Something without duration, with an interned name.
    pub(crate) fn instant(track: u64, name: u64) -> Self {
        Self { name_iid: Some(name), ..Self::of(EventType::Instant, track) }
    }

    /// A counter has a value from here on.
    pub(crate) fn counter(track: u64, value: f64) -> Self {
        Self { double_counter_value: Some(value), ..Self::of(EventType::Counter, track) }
    }

    fn of(kind: EventType, track: u64) -> Self {
        Self { r#type: Some(kind.into()), track_uuid: Some(track), ..Self::default() }
    }

    /// The flow starts or goes on here.
    pub(crate) fn flow(mut self, flow: u64) -> Self {
        self.flow_ids.push(flow);
        self
    }

    /// The flow ends here.
    pub(crate) fn last_of_flow(mut self, flow: u64) -> Self {
        self.terminating_flow_ids.push(flow);
        self
    }

    /// A number beside the event, under an interned name.
    pub(crate) fn number(mut self, name: u64, value: u64) -> Self {
        let (name_iid, uint_value) = (Some(name), Some(value));
        self.debug_annotations.push(DebugAnnotation { name_iid, uint_value, string_value_iid: None });
        self
    }

    /// An interned word beside the event, under an interned name.
    pub(crate) fn word(mut self, name: u64, word: u64) -> Self {
        let (name_iid, string_value_iid) = (Some(name), Some(word));
        self.debug_annotations.push(DebugAnnotation { name_iid, uint_value: None, string_value_iid });
        self
    }
}
