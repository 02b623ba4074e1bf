//! A part of the file, a run of numbers under one format: cards into fields.
//!
//! It must never know the use of the numbers.

use super::{
    fortran::{Card, Format, Slot},
    header,
};
use crate::{
    errors::{Excerpt, Misfits, Report},
    scan::{Field, Lines},
};

/// Names of a part and its numbers in messages.
#[derive(Clone, Copy)]
pub(super) struct Naming {
    /// Name of a number: "pointer".
    pub(super) one: &'static str,
    /// Name of their count: "number of pointers".
    pub(super) number: &'static str,
    /// Expected form of a number: "an integer".
    pub(super) expected: &'static str,
}

/// The numbers of one part, and where they stand.
pub(super) struct Section<T> {
    /// `None` where a mistake was reported. Fewer than there should be if the part was not read to its end.
    pub(super) numbers: Vec<Option<T>>,
    offsets: Vec<usize>,
}

impl<T> Section<T> {
    /// The byte that a number begins at.
    pub(super) fn offset(&self, at: usize) -> usize {
        self.offsets[at]
    }
}

/// Reads `count` numbers with `parse`, from as many cards as the format needs; `None`, reported, if the file
/// ends before.
pub(super) fn read<T>(
    lines: &mut Lines<'_>,
    count: u64,
    format: &Format,
    naming: Naming,
    parse: impl Fn(&[u8], &Slot) -> Option<T>,
    report: &mut Report<'_>,
) -> Option<Section<T>> {
    let mut section = Section { numbers: Vec::new(), offsets: Vec::new() };
    let narrowest = format.slots().map(|slot| slot.width).min().unwrap_or(1);
    let room = lines.remaining() / narrowest + 1; // what the file can hold, whatever it claims
    let room = room.min(usize::try_from(count).unwrap_or(usize::MAX));
    section.numbers.reserve(room);
    section.offsets.reserve(room);
    let mut misfits = Misfits::default();
    let mut looking = true; // else the cards of this part are only passed over
    let mut left = count;
    for at in 0.. {
        if left == 0 {
            break;
        }
        if lines.remaining() == 0 {
            let expected = format!("{count} as the header, line 3, says; is the file truncated?");
            report.add(lines.offset(), naming.number, count - left, expected);
            return None;
        }
        let (card, layout) = (lines.any().card(), format.card(at));
        let fields = usize::try_from(left).unwrap_or(usize::MAX).min(layout.slots.len());
        left -= fields as u64;
        looking = looking && misfits.go_on(section.take(card, layout, fields, naming, &parse, report));
    }
    Some(section)
}

impl<T> Section<T> {
    /// Takes the first `fields` fields of one card; returns whether all of them, and no other text, stood there.
    fn take(
        &mut self,
        card: Field<'_>,
        layout: &Card,
        fields: usize,
        naming: Naming,
        parse: impl Fn(&[u8], &Slot) -> Option<T>,
        report: &mut Report<'_>,
    ) -> bool {
        let mut fits = true;
        for slot in &layout.slots[..fields] {
            let Slot { start, width, .. } = *slot;
            let field = header::field(card, start, width);
            // Numbers stand at the right of their fields: one on a card that ends before is cut.
            let whole = card.text.len() >= start + width;
            let number = parse(field.text, slot).filter(|_| whole);
            if number.is_none() && fits {
                let Naming { one, expected, .. } = naming;
                report.add(
                    field.offset,
                    one,
                    Excerpt(field.text),
                    format_args!("{expected} in a field of width {width}"),
                );
            }
            fits &= number.is_some();
            self.numbers.push(number);
            self.offsets.push(field.offset);
        }
        let behind = layout.slots[..fields].last().zip(behind(card, layout, fields));
        if let Some((Slot { width, .. }, rest)) = behind.filter(|_| fits) {
            let expected = format!("the end of the card after {fields} fields of width {width}");
            report.add(rest.offset, "trailing text", Excerpt(rest.text), expected);
            fits = false;
        }
        fits
    }
}

/// The text behind the used fields, if there is any: in one of the other fields, or behind the end of the format.
/// Columns that the format skips may have any text.
fn behind<'a>(card: Field<'a>, layout: &Card, used: usize) -> Option<Field<'a>> {
    let other = layout.slots[used..].iter().find(|slot| {
        let field = header::field(card, slot.start, slot.width);
        !field.text.is_empty()
    });
    let start = other.map_or(layout.end, |slot| slot.start);
    Some(header::field(card, start, card.text.len())).filter(|rest| !rest.text.is_empty())
}
