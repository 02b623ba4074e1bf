//! The parts of one price, and how they make a cost. A part is stated whole, or as the processor's own share beside bus
//! transactions. This module must never know a particular primitive.

use units::Time;

use super::idle_bus::IdleBus;
use crate::reading::{Scalar, Section};
use crate::{Cost, Transactions};

const PATH: Part = Part { whole: "path", own: "own" };
const OCCUPANCY: Part = Part { whole: "occupancy", own: "own_after" };
const LINE: Part = Part { whole: "line", own: "own_line" };
const WAIT: &str = "wait";
const BUS: &str = "bus";
const AFTER: &str = "after";

/// A part of a price that may contain bus transactions, with its two keys.
struct Part {
    /// The key of the whole part, with its transactions.
    whole: &'static str,
    /// The key of the processor's own share, without the transactions.
    own: &'static str,
}

/// A primitive and the bus on which its transactions are made.
#[derive(Clone, Copy)]
pub(crate) struct Primitive<'m> {
    pub(crate) name: &'static str,
    pub(crate) bus: IdleBus<'m>,
}

/// Reads the parts of a price. A part that neither file nor command line gives is that of `base`. The path is an
/// exception: it is then the result of `path`.
pub(super) fn read_parts(
    parts: &Section<'_>,
    primitive: Primitive<'_>,
    base: Cost,
    path: impl FnOnce() -> Option<Time>,
) -> Option<Cost> {
    let bus = or(base.bus, parts, BUS);
    let after = or(base.after, parts, AFTER);
    let wait = or(base.wait, parts, WAIT);
    let on_bus = |made: Option<Transactions>| primitive.bus.all(made.unwrap_or_default());
    let path = match share(parts, PATH, primitive.bus)? {
        Share::Own(own) => own.map(|own| own + on_bus(bus)),
        Share::Whole if parts.has(PATH.whole) => parts.key(PATH.whole),
        Share::Whole => path(),
    };
    let occupancy = match share(parts, OCCUPANCY, primitive.bus)? {
        Share::Own(own) => own.map(|own| own + on_bus(after)),
        Share::Whole if parts.has(OCCUPANCY.whole) => parts.key(OCCUPANCY.whole),
        // Transactions without a stated time take their time on an idle bus.
        Share::Whole if parts.has(AFTER) && base.occupancy.is_zero() => Some(on_bus(after)),
        Share::Whole => Some(base.occupancy),
    };
    let line = match share(parts, LINE, primitive.bus)? {
        Share::Own(own) => own.map(|own| own + primitive.bus.implied(primitive.name)),
        Share::Whole => or(base.line, parts, LINE.whole),
    };
    Some(Cost { path: path?, occupancy: occupancy?, wait: wait?, line: line?, bus: bus?, after: after? })
}

/// Whether a table has a line and so need not state a path.
pub(super) fn has_line(parts: &Section<'_>) -> bool {
    parts.has(LINE.whole) || parts.has(LINE.own)
}

/// Reads the path of a table that must state one.
pub(super) fn path_of(parts: &Section<'_>) -> Option<Time> {
    parts.key(PATH.whole)
}

/// The form in which a part is stated.
enum Share {
    /// The part is the processor's own share; `None` where the value was refused.
    Own(Option<Time>),
    /// The part is stated as a whole, or not at all.
    Whole,
}

/// Finds out how a part is stated. The command line precedes the file. The result is `None` where the part is stated twice,
/// which has then been reported.
fn share(parts: &Section<'_>, part: Part, bus: IdleBus<'_>) -> Option<Share> {
    let Part { whole, own } = part;
    if !parts.has(own) || (parts.has(whole) && parts.is_set(whole) && !parts.is_set(own)) {
        return Some(Share::Whole);
    }
    if parts.has(whole) && parts.is_set(whole) == parts.is_set(own) {
        let expected = format!("nothing beside `{whole}`, which contains it");
        parts.contradict(own, expected, &[]);
        return None;
    }
    if matches!(bus, IdleBus::Absent) {
        let expected = format!(
            "`{whole}` in its place, because the machine has no [bus] whose transactions would be added"
        );
        parts.contradict(own, expected, &[]);
        return None;
    }
    Some(Share::Own(parts.key(own)))
}

/// A value that is `base` unless stated.
fn or<T: Scalar>(base: T, parts: &Section<'_>, key: &'static str) -> Option<T> {
    Some(parts.key::<Option<T>>(key)?.unwrap_or(base))
}
