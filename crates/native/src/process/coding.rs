//! Plain values as bytes, for messages between the processes of a world.
//!
//! Both ends are the same executable, so there is one form and no version. A decoder never trusts its bytes: bytes that are no value of
//! the type give `None`. This module must never know the purpose of a value.

use tempest::outcome::{
    Adjustment, Blocked, Breakdown, Counters, Dispatching, Figure, Merge, ProtocolTime, Report, Resource,
    VolumeBytes, Why,
};
use tempest::world::{ExportedSegment, Exports, lasting};
use tempest::{NodeId, ThreadId};
use trace::Event;
use units::{Time, TotalTime};

use crate::measure::outcome::NodeRecord;
use crate::parts::phases::{Start, Totals};

/// A value with a form in bytes.
pub(crate) trait Coded: Sized {
    /// Appends the value's bytes.
    fn put(&self, to: &mut Vec<u8>);

    /// Takes a value from the front of the bytes; `None` if there is none.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// The bytes of a value.
pub(crate) fn encoded(value: &impl Coded) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.put(&mut bytes);
    bytes
}

/// The value of bytes, all of which belong to it.
pub(crate) fn decoded<T: Coded>(mut bytes: &[u8]) -> Option<T> {
    let value = T::take(&mut bytes)?;
    bytes.is_empty().then_some(value)
}

/// Codes numbers by their bytes, least first.
macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Coded for $number {
            fn put(&self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, i64, f64);

/// Codes values of a type by values of another, which have the code already.
macro_rules! coded_as {
    ($($of:ty as $form:ty: |$value:ident| $put:expr, |$taken:ident| $take:expr;)*) => {$(
        impl Coded for $of {
            fn put(&self, to: &mut Vec<u8>) {
                let $value = self;
                let form: $form = $put;
                form.put(to);
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                let $taken = <$form>::take(from)?;
                $take
            }
        }
    )*};
}

/// Codes structures by all of their fields, in order.
macro_rules! coded_fields {
    ($($of:ident { $($field:ident),* $(,)? })*) => {$(
        impl Coded for $of {
            fn put(&self, to: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.put(to);)*
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Coded::take(from)?),* })
            }
        }
    )*};
}
pub(crate) use coded_fields;

/// Codes the variants of a type, each by its number and all of its fields, in order.
macro_rules! coded_variants {
    ($of:ident { $($number:literal $variant:ident $(( $($item:ident),* ))? $({ $($field:ident),* })?)* }) => {
        impl Coded for $of {
            fn put(&self, to: &mut Vec<u8>) {
                match self {
                    $($of::$variant $(( $($item),* ))? $({ $($field),* })? => {
                        $number.put(to);
                        $($($item.put(to);)*)?
                        $($($field.put(to);)*)?
                    })*
                }
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                Some(match u8::take(from)? {
                    $($number => {
                        $($(let $item = Coded::take(from)?;)*)?
                        $($(let $field = Coded::take(from)?;)*)?
                        $of::$variant $(( $($item),* ))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    };
}
pub(crate) use coded_variants;

coded_as! {
    bool as u8: |value| u8::from(*value), |byte| match byte { 0 => Some(false), 1 => Some(true), _ => None };
    usize as u64: |value| *value as u64, |number| usize::try_from(number).ok();
    String as Vec<u8>: |text| text.as_bytes().to_vec(), |bytes| String::from_utf8(bytes).ok();
    &'static str as String: |name| (*name).to_owned(), |name| Some(lasting(name));
    Time as u64: |time| time.as_femtoseconds(), |number| Some(Time::from_femtoseconds(number));
    NodeId as u32: |node| node.0, |number| Some(NodeId(number));
    Resource as u8: |resource| place(&Resource::ALL, resource), |place| Resource::ALL.get(usize::from(place)).copied();
    Merge as bool: |merge| *merge == Merge::Max, |is_max| Some(if is_max { Merge::Max } else { Merge::Sum });
    Why as (u8, f64): |why| parts(*why), |parts| why(parts);
}

/// The place of a value among all.
fn place<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|one| one == value).map_or(u8::MAX, |place| place as u8)
}

fn parts(why: Why) -> (u8, f64) {
    match why {
        Why::Looking(share) => (0, share),
        Why::Full(share) => (1, share),
        Why::Waiting(events) => (2, events),
        Why::Unused(share) => (3, share),
        Why::Worse(share) => (4, share),
    }
}

fn why((kind, value): (u8, f64)) -> Option<Why> {
    let kinds = [Why::Looking, Why::Full, Why::Waiting, Why::Unused, Why::Worse];
    kinds.get(usize::from(kind)).map(|kind| kind(value))
}

impl Coded for TotalTime {
    fn put(&self, to: &mut Vec<u8>) {
        self.as_femtoseconds().put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        u128::take(from).map(Self::from_femtoseconds)
    }
}

impl<T: Coded> Coded for Box<T> {
    fn put(&self, to: &mut Vec<u8>) {
        (**self).put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        T::take(from).map(Box::new)
    }
}

impl<T: Coded> Coded for Option<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.is_some().put(to);
        if let Some(value) = self {
            value.put(to);
        }
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        if bool::take(from)? { T::take(from).map(Some) } else { Some(None) }
    }
}

impl<T: Coded> Coded for Vec<T> {
    fn put(&self, to: &mut Vec<u8>) {
        (self.len() as u64).put(to);
        self.iter().for_each(|value| value.put(to));
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        let len = u64::take(from)?;
        // Nothing is reserved: the number may be wrong, and each value takes at least a byte.
        (0..len).map(|_| T::take(from)).collect()
    }
}

impl<A: Coded, B: Coded> Coded for (A, B) {
    fn put(&self, to: &mut Vec<u8>) {
        self.0.put(to);
        self.1.put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

coded_fields! {
    ThreadId { node, index }
    Blocked { thread, waits_for, since }
    VolumeBytes { data, headers, requests, invalidations }
    Counters { messages, transfers, deposits, handlers, interrupts, blocks, refused, empty_polls, volume }
    Breakdown { compute, memory, overhead, synchronization, idle, taken }
    ProtocolTime { processors, handlers, overhead, memory, idle, taken }
    Dispatching { waited_on_key, spilled, mean_wait, busy }
    Adjustment { node, at, dedicated, why }
    Figure { name, value, unit, merge }
    Report { checks, failures, figures, observations }
    ExportedSegment { words, len, count }
    Exports { segments, blocks }
    Totals { counters, breakdown, protocol, waited_ns }
    Start { name, at, totals }
    NodeRecord { starts, totals, dispatching, adjustments, report }
}

coded_variants! {
    Event {
        0_u8 HandlerStart { node, processor, message, source, flow }
        1_u8 HandlerEnd { node, processor }
        2_u8 Send { node, processor, to, message, bytes, flow }
        3_u8 Arrive { node, from, message, flow }
        4_u8 Block { node, thread, what }
        5_u8 Resume { node, thread }
        6_u8 Interrupt { node, processor }
        7_u8 Phase { index, name }
        8_u8 ThreadStart { node, thread }
        9_u8 ThreadEnd { node, thread }
        10_u8 Run { node, processor, thread }
        11_u8 Leave { node, processor, thread }
        12_u8 Deposit { node, processor, to, bytes, flow }
        13_u8 Place { node, from, flow }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> NodeRecord {
        let totals = Totals {
            counters: Counters { messages: 7, empty_polls: Some(3), ..Counters::default() },
            breakdown: Breakdown { taken: Some(TotalTime::from_nanoseconds(5)), ..Breakdown::default() },
            protocol: Vec::new(),
            waited_ns: vec![1, u64::MAX],
        };
        let report = Report::checked(false, || "wrong".to_owned()).measured("speed", 0.1, "MB/s", Merge::Max);
        NodeRecord {
            starts: vec![Start { name: "solve", at: 9, totals: totals.clone() }],
            totals,
            dispatching: Dispatching { spilled: 2, ..Dispatching::default() },
            adjustments: vec![Adjustment {
                node: NodeId(1),
                at: Time::from_nanoseconds(4),
                dedicated: 2,
                why: Why::Worse(0.5),
            }],
            report,
        }
    }

    #[test]
    fn a_record_is_read_as_it_is_written() {
        let bytes = encoded(&record());
        let read: NodeRecord = decoded(&bytes).expect("it is a record");
        assert_eq!((&read.report, read.starts[0].name), (&record().report, "solve"));
        assert_eq!(encoded(&read), bytes);
    }

    #[test]
    fn bytes_that_are_cut_or_changed_are_refused_or_another_value() {
        let bytes = encoded(&record());
        for len in 0..bytes.len() {
            assert!(decoded::<NodeRecord>(&bytes[..len]).is_none(), "{len} bytes");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0xff;
            if let Some(read) = decoded::<NodeRecord>(&changed) {
                assert_eq!(encoded(&read), changed);
            }
        }
    }
}
