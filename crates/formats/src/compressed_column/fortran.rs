//! Fortran's edit descriptors and the numbers written under them.
//!
//! Read is what files of these formats use: one descriptor, perhaps repeated, perhaps under a scale factor,
//! as `(16I5)`, `(4E20.12)`, `(1P,5E16.8)` or `(3D25.17)`. The rules are those of ANSI X3.9-1978 (FORTRAN
//! 77), section 13. This module must never know what a number is for.

use crate::scan;

/// The most fields of a card, and the most bytes of a field: far more than the 80 columns of any real card.
const MOST: u32 = 10_000;

/// What the fields of a card hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// `Iw`.
    Integer,
    /// `Ew.d`, `Dw.d`, `Fw.d` or `Gw.d`.
    Real {
        /// Whether a number without a decimal point would be given one (`d` is not 0).
        implied_point: bool,
        /// The scale factor: a number without exponent is divided by 10 to this power.
        scale: i32,
    },
}

/// The format of the cards of one part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Fields per card, at least 1.
    pub(super) repeat: usize,
    /// Bytes per field, at least 1.
    pub(super) width: usize,
    pub(super) edit: Edit,
}

/// Reads a format; `None` if it is none, or one of a kind that these files do not use.
pub(super) fn format(text: &[u8]) -> Option<Format> {
    // Blanks mean nothing within a format, and neither does letter case.
    let text: Vec<u8> = text.iter().filter(|&&byte| byte != b' ').map(u8::to_ascii_uppercase).collect();
    let inner = text.strip_prefix(b"(")?.strip_suffix(b")")?;
    let (scale, rest) = scale_factor(inner)?;
    let (repeat, rest) = number(rest);
    let (&letter, rest) = rest.split_first()?;
    let (width, rest) = number(rest);
    let (decimals, rest) = after(b".", rest)?;
    let edit = match (letter, decimals) {
        (b'I', _) if rest.is_empty() => Edit::Integer,
        (b'E' | b'G', Some(decimals)) if after(b"E", rest).is_some_and(|(_, end)| end.is_empty()) => {
            Edit::Real { implied_point: decimals > 0, scale }
        }
        (b'D' | b'F', Some(decimals)) if rest.is_empty() => Edit::Real { implied_point: decimals > 0, scale },
        _ => return None,
    };
    let positive = |number: u32| (1..=MOST).contains(&number).then_some(number as usize);
    Some(Format { repeat: positive(repeat.unwrap_or(1))?, width: positive(width?)?, edit })
}

/// Takes `kP` or `kP,` off the front; 0 if there is none.
fn scale_factor(text: &[u8]) -> Option<(i32, &[u8])> {
    let Some(end) = text.iter().position(|&byte| byte == b'P') else { return Some((0, text)) };
    let (factor, rest) = (&text[..end], &text[end + 1..]);
    let digits = factor.strip_prefix(b"-").or_else(|| factor.strip_prefix(b"+")).unwrap_or(factor);
    let magnitude = scan::unsigned(digits).filter(|&power| power <= 300)? as i32;
    let scale = if factor.starts_with(b"-") { -magnitude } else { magnitude };
    Some((scale, rest.strip_prefix(b",").unwrap_or(rest)))
}

/// Takes the digits off the front: `None` if there are none, no valid size if there are too many.
fn number(text: &[u8]) -> (Option<u32>, &[u8]) {
    let length = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(length);
    let number = |digits| scan::unsigned(digits).and_then(|number| u32::try_from(number).ok());
    ((length > 0).then(|| number(digits).unwrap_or(u32::MAX)), rest)
}

/// Takes `mark` and the number behind it off the front, if it stands there; `None` if the number is missing.
fn after<'a>(mark: &[u8], text: &'a [u8]) -> Option<(Option<u32>, &'a [u8])> {
    let Some(rest) = text.strip_prefix(mark) else { return Some((None, text)) };
    let (number, rest) = number(rest);
    number.map(|number| (Some(number), rest))
}

/// A finite real number as Fortran reads it: its exponent marked by `E`, `D` or its sign alone.
///
/// A number without a decimal point is refused where Fortran would place one, since other readers do not.
pub(super) fn real(text: &[u8], implied_point: bool, scale: i32) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.bytes().position(|byte| !matches!(byte, b'+' | b'-')).unwrap_or(0);
    let exponent = text[digits..].find(['E', 'e', 'D', 'd', '+', '-']).map(|at| at + digits);
    let (mantissa, exponent) = exponent.map_or((text, None), |at| (&text[..at], Some(&text[at..])));
    if implied_point && !mantissa.contains('.') {
        return None;
    }
    match exponent {
        None if scale == 0 => scan::real(text.as_bytes()),
        None => scan::real(format!("{mantissa}e{}", -scale).as_bytes()),
        Some(signed) if signed.starts_with(['+', '-']) => {
            scan::real(format!("{mantissa}e{signed}").as_bytes())
        }
        Some(_) => scan::real(text.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Option<(usize, usize, Edit)> {
        format(text.as_bytes()).map(|format| (format.repeat, format.width, format.edit))
    }

    #[test]
    fn formats_that_files_use() {
        let real = |scale| Edit::Real { implied_point: true, scale };
        assert_eq!(fields("(12I6)"), Some((12, 6, Edit::Integer)));
        assert_eq!(fields("( i8 )"), Some((1, 8, Edit::Integer)));
        assert_eq!(fields("(16I5.5)"), Some((16, 5, Edit::Integer)));
        assert_eq!(fields("(4E20.12)"), Some((4, 20, real(0))));
        assert_eq!(fields("(3e26.18e3)"), Some((3, 26, real(0))));
        assert_eq!(fields("(1P,5E16.8)"), Some((5, 16, real(1))));
        assert_eq!(fields("(1P5E16.8)"), Some((5, 16, real(1))));
        assert_eq!(fields("(-2P 3D25.17)"), Some((3, 25, real(-2))));
        assert_eq!(fields("(10F8.0)"), Some((10, 8, Edit::Real { implied_point: false, scale: 0 })));
    }

    #[test]
    fn formats_that_are_none() {
        for text in [
            "",
            "()",
            "(I)",
            "(0I5)",
            "(5I0)",
            "(10001I5)",
            "(99999999999I5)",
            "(5I99999999999)",
            "16I5",
            "(16I5",
            "(16I5,2X)",
            "(4(E20.12))",
            "(16A5)",
            "(4E20)",
            "(4E20.)",
            "(4E20.12E)",
            "(4F20.12E3)",
            "(P4E20.12)",
            "(999P4E20.12)",
            "(é)",
        ] {
            assert_eq!(fields(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_as_fortran_writes_them() {
        let plain = |text: &str| real(text.as_bytes(), true, 0);
        assert_eq!(plain("-.872164127777E+01"), Some(-8.72164127777));
        assert_eq!(plain("1.5D-3"), Some(1.5e-3));
        assert_eq!(plain("0.25+102"), Some(0.25e102), "the letter gives way to a third digit");
        assert_eq!(plain("-0.25-102"), Some(-0.25e-102));
        assert_eq!(plain("2."), Some(2.0));
        assert_eq!(real(b"15.", true, 1), Some(1.5), "no exponent: the scale factor divides");
        assert_eq!(real(b"15.E0", true, 1), Some(15.0));
        assert_eq!(real(b"15", false, 0), Some(15.0));
        for wrong in ["", "15", "1E5", "1.5E", "1.5+-2", "1.5E+400", "nan", "inf.", "-", "+", "1.5 2", "1.5é"]
        {
            assert_eq!(plain(wrong), None, "{wrong}");
        }
    }
}
