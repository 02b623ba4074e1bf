//! How bytes are divided among words: elements of one width, or records of declared fields. Plain data.
//!
//! This module must never know addresses or atomics.

use std::fmt;

use crate::Width;

/// The bytes of one cut.
pub(crate) const CUT_BYTES: usize = 8;

/// A field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name, for errors.
    pub name: &'static str,
    /// The first byte in the record.
    pub offset: usize,
    /// Size of the word.
    pub width: Width,
}

/// The division of an element or a record among words. All records of a form lie one behind the other.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// The size of a record: a power of two.
    bytes: usize,
    /// Bit masks of the offsets at which words begin, one for each 8 bytes: bit i for byte i. A word ends where the
    /// next begins.
    cuts: Box<[u8]>,
}

/// Fields that do not make a record. It displays as one sentence for each mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadForm {
    /// The size of the record in bytes.
    pub bytes: usize,
    /// The mistakes, in the order of the fields.
    pub mistakes: Vec<BadField>,
}

/// A mistake in the fields of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadField {
    /// The size of the record is no power of two.
    Size,
    /// The field does not begin at a multiple of its width.
    Unaligned(Field),
    /// The field goes beyond the end of the record.
    Beyond(Field),
    /// The field has bytes in common with an earlier one.
    Overlaps(Field, Field),
}

impl Form {
    /// Elements of one word each.
    pub fn elements(width: Width) -> Self {
        let cut = match width {
            Width::One => 0b1111_1111,
            Width::Two => 0b0101_0101,
            Width::Four => 0b0001_0001,
            Width::Eight => 0b0000_0001,
        };
        Self { bytes: width.bytes(), cuts: [cut].into() }
    }

    /// Records of `bytes` bytes with the given fields. Bytes that no field covers are words of one byte.
    ///
    /// # Errors
    /// [`BadForm`], with all mistakes: if `bytes` is no power of two, or if a field is not aligned to its width, goes beyond
    /// the record, or overlaps another.
    pub fn record(bytes: usize, fields: &[Field]) -> Result<Self, BadForm> {
        let mut mistakes = Vec::new();
        if !bytes.is_power_of_two() {
            mistakes.push(BadField::Size);
        }
        for (at, field) in fields.iter().enumerate() {
            mistakes.extend(field.mistake(bytes, &fields[..at]));
        }
        if !mistakes.is_empty() {
            return Err(BadForm { bytes, mistakes });
        }
        let mut cuts = vec![u8::MAX; bytes.div_ceil(CUT_BYTES)];
        for field in fields {
            let others = ((1_u16 << field.width.bytes()) - 2) << (field.offset % CUT_BYTES);
            // Of records of fewer than 8 bytes there are several in a cut.
            for record in (0..CUT_BYTES).step_by(bytes) {
                cuts[field.offset / CUT_BYTES] &= !((others << record) as u8);
            }
        }
        Ok(Self { bytes, cuts: cuts.into() })
    }

    /// Records of `words` words of 8 bytes each.
    ///
    /// # Errors
    /// [`BadForm`] if `words` is no power of two.
    pub fn words(words: usize) -> Result<Self, BadForm> {
        let bytes = words.saturating_mul(CUT_BYTES);
        if !words.is_power_of_two() {
            return Err(BadForm { bytes, mistakes: vec![BadField::Size] });
        }
        Ok(Self { bytes, cuts: [1].repeat(words).into() })
    }

    /// The size of an element or a record in bytes, a power of two.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a word of this width begins at this byte of a record.
    pub fn has(&self, offset: usize, width: Width) -> bool {
        offset < self.bytes && {
            let first = offset % CUT_BYTES;
            words_of(self.cut(offset / CUT_BYTES)).any(|word| word == (first, width))
        }
    }

    /// The width of all words; `None` if there are several.
    pub fn width(&self) -> Option<Width> {
        let width = Width::ALL.into_iter().find(|width| self.has(0, *width))?;
        let same = Self::elements(width).cut(0);
        self.cuts.iter().all(|cut| *cut == same).then_some(width)
    }

    /// Bit mask of the offsets at which words begin in the 8 bytes `number` of consecutive records.
    pub(crate) fn cut(&self, number: usize) -> u8 {
        self.cuts[number & (self.cuts.len() - 1)]
    }
}

/// The words of 8 bytes that are cut so: the first byte of each, and its width.
pub(crate) fn words_of(cut: u8) -> impl Iterator<Item = (usize, Width)> {
    let begins = move |byte: &usize| cut >> byte & 1 == 1;
    (0..CUT_BYTES).filter(begins).map(move |first| {
        let next = (first + 1..CUT_BYTES).find(begins).unwrap_or(CUT_BYTES);
        let width = match next - first {
            1 => Width::One,
            2 => Width::Two,
            4 => Width::Four,
            _ => Width::Eight,
        };
        (first, width)
    })
}

impl Field {
    fn end(self) -> usize {
        self.offset.saturating_add(self.width.bytes())
    }

    /// The mistake of the field behind `earlier` ones, if it has one.
    fn mistake(self, bytes: usize, earlier: &[Self]) -> Option<BadField> {
        if !self.offset.is_multiple_of(self.width.bytes()) {
            return Some(BadField::Unaligned(self));
        }
        if self.end() > bytes {
            return Some(BadField::Beyond(self));
        }
        let overlaps = |other: &&Self| other.offset < self.end() && self.offset < other.end();
        earlier.iter().find(overlaps).map(|other| BadField::Overlaps(self, *other))
    }
}

impl fmt::Display for BadForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a record of {} bytes", self.bytes)?;
        for (at, mistake) in self.mistakes.iter().enumerate() {
            write!(f, "{} {mistake}", if at == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl fmt::Display for BadField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |field: &Field| format!("`{}` of {} at byte {}", field.name, field.width, field.offset);
        match self {
            BadField::Size => f.write_str("expected a power of two"),
            BadField::Unaligned(field) => {
                write!(f, "{}: expected a multiple of {}", named(field), field.width.bytes())
            }
            BadField::Beyond(field) => write!(f, "{}: expected its end in the record", named(field)),
            BadField::Overlaps(field, other) => {
                write!(f, "{} overlaps {}", named(field), named(other))
            }
        }
    }
}

impl std::error::Error for BadForm {}

#[cfg(test)]
mod tests {
    use super::*;

    const fn field(name: &'static str, offset: usize, width: Width) -> Field {
        Field { name, offset, width }
    }

    #[test]
    fn a_record_has_the_words_of_its_fields_and_single_bytes_between() {
        let fields =
            [field("sum", 0, Width::Eight), field("flag", 14, Width::Two), field("count", 8, Width::Four)];
        let form = Form::record(16, &fields).unwrap();
        let found: Vec<_> = (0..17)
            .flat_map(|offset| Width::ALL.map(|width| (offset, width)))
            .filter(|(offset, width)| form.has(*offset, *width))
            .collect();
        let expected =
            [(0, Width::Eight), (8, Width::Four), (12, Width::One), (13, Width::One), (14, Width::Two)];
        assert_eq!((found, form.width()), (expected.into(), None));
    }

    #[test]
    fn elements_and_records_of_words_have_one_width() {
        for width in Width::ALL {
            let form = Form::elements(width);
            assert_eq!((form.bytes(), form.width(), form.has(0, width)), (width.bytes(), Some(width), true));
        }
        let pairs = Form::words(2).unwrap();
        assert_eq!(
            (pairs.bytes(), pairs.width(), pairs.has(8, Width::Eight)),
            (16, Some(Width::Eight), true)
        );
        assert!(!pairs.has(16, Width::Eight) && !pairs.has(4, Width::Four));
    }

    #[test]
    fn records_of_fewer_than_eight_bytes_lie_side_by_side() {
        let form = Form::record(4, &[field("kind", 2, Width::Two)]).unwrap();
        let (one, two) = (Width::One, Width::Two);
        assert_eq!(
            [form.has(0, one), form.has(1, one), form.has(2, two), form.has(4, one)],
            [true, true, true, false]
        );
        assert_eq!(
            words_of(form.cut(0)).collect::<Vec<_>>(),
            [(0, one), (1, one), (2, two), (4, one), (5, one), (6, two)]
        );
        let pairs = Form::record(4, &[field("left", 0, two), field("right", 2, two)]).unwrap();
        assert_eq!((pairs.width(), pairs.bytes()), (Some(two), 4));
    }

    #[test]
    fn all_mistakes_of_a_record_are_named_at_once() {
        let fields = [
            field("left", 0, Width::Eight),
            field("right", 4, Width::Four),
            field("odd", 9, Width::Two),
            field("last", 24, Width::Eight),
        ];
        let error = Form::record(24, &fields).unwrap_err().to_string();
        assert_eq!(
            error,
            "a record of 24 bytes: expected a power of two; \
             `right` of 4 bytes at byte 4 overlaps `left` of 8 bytes at byte 0; \
             `odd` of 2 bytes at byte 9: expected a multiple of 2; \
             `last` of 8 bytes at byte 24: expected its end in the record"
        );
        assert!(Form::words(3).is_err() && Form::words(usize::MAX).is_err() && Form::words(0).is_err());
    }
}
