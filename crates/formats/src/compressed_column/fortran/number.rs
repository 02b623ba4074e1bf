//! Real numbers as Fortran writes them.
//!
//! It must never know in which columns a number stands.

use crate::scan;

/// A finite real number as Fortran reads it: its exponent marked by `E`, `D` or its sign alone.
///
/// A number without a decimal point is refused where Fortran would place one, since other readers do not.
pub(crate) fn real(text: &[u8], implied_point: bool, scale: i32) -> Option<f64> {
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
