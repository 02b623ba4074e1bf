//! One part of the file, a run of equally formatted numbers: cards into fields.
//!
//! It must never know what the numbers are for.

use super::{fortran::Format, header};
use crate::{
    errors::{Excerpt, Misfits, Report},
    scan::{Field, Lines},
};

/// What a part is called, and what its numbers are.
#[derive(Clone, Copy)]
pub(super) struct Naming {
    /// "pointer".
    pub(super) one: &'static str,
    /// "number of pointers".
    pub(super) number: &'static str,
    /// "an integer".
    pub(super) expected: &'static str,
}

/// The numbers of one part, and where they stand.
pub(super) struct Section<'a, T> {
    /// `None` where a mistake was reported. Fewer than there should be if the part was not read to its end.
    pub(super) numbers: Vec<Option<T>>,
    cards: Vec<Field<'a>>,
    format: Format,
}

impl<T> Section<'_, T> {
    /// The byte that a number begins at.
    pub(super) fn offset(&self, at: usize) -> usize {
        let Format { repeat, width, .. } = self.format;
        header::field(self.cards[at / repeat], at % repeat * width, width).offset
    }
}

/// Reads `count` numbers with `parse`, from as many cards as the format needs; `None`, reported, if the file
/// ends before.
pub(super) fn read<'a, T>(
    lines: &mut Lines<'a>,
    count: u64,
    format: Format,
    naming: Naming,
    parse: impl Fn(&[u8]) -> Option<T>,
    report: &mut Report<'_>,
) -> Option<Section<'a, T>> {
    let mut section = Section { numbers: Vec::new(), cards: Vec::new(), format };
    let room = lines.remaining() / format.width + 1; // what the file can hold, whatever it claims
    section.numbers.reserve(room.min(usize::try_from(count).unwrap_or(usize::MAX)));
    let mut misfits = Misfits::default();
    let mut looking = true; // else the cards of this part are only passed over
    let mut left = count;
    while left > 0 {
        if lines.remaining() == 0 {
            let expected = format!("{count} as the header says; is the file truncated?");
            report.add(lines.offset(), naming.number, count - left, expected);
            return None;
        }
        let card = lines.any().card();
        let fields = usize::try_from(left).unwrap_or(usize::MAX).min(format.repeat);
        left -= fields as u64;
        looking = looking && misfits.go_on(section.take(card, fields, naming, &parse, report));
    }
    Some(section)
}

impl<'a, T> Section<'a, T> {
    /// Takes the fields of one card; says whether all of them, and nothing else, stood there.
    fn take(
        &mut self,
        card: Field<'a>,
        fields: usize,
        naming: Naming,
        parse: impl Fn(&[u8]) -> Option<T>,
        report: &mut Report<'_>,
    ) -> bool {
        self.cards.push(card);
        let Format { width, .. } = self.format;
        let mut fits = true;
        for at in 0..fields {
            let field = header::field(card, at * width, width);
            // Numbers stand at the right of their fields: one on a card that ends before is cut.
            let whole = card.text.len() >= (at + 1) * width;
            let number = parse(field.text).filter(|_| whole);
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
        }
        let rest = header::field(card, fields * width, card.text.len());
        if fits && !rest.text.is_empty() {
            let expected = format!("the end of the card after {fields} fields of width {width}");
            report.add(rest.offset, "trailing text", Excerpt(rest.text), expected);
            fits = false;
        }
        fits
    }
}
