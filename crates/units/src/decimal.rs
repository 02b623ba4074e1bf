//! Plain decimal numbers, held exactly. No sign, no exponent, no NaN: a quantity of a machine has none of these.

/// `digits / 10^decimals`, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: u128,
    decimals: u32,
}

/// Why a decimal is no whole number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inexact {
    TooLarge,
    TooFine,
}

impl Decimal {
    /// Reads `digits` or `digits.digits`; `None` for anything else. A number of more than 38 digits is `TooLarge`.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, Inexact>> {
        let (whole, fraction) = match text.split_once('.') {
            None => (text, ""),
            Some((_, "")) => return None,
            Some(parts) => parts,
        };
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let digits = whole
            .bytes()
            .chain(fraction.bytes())
            .try_fold(0u128, |sum, digit| sum.checked_mul(10)?.checked_add(u128::from(digit - b'0')));
        let decimals = u32::try_from(fraction.len()).ok();
        Some(
            digits.zip(decimals).map(|(digits, decimals)| Self { digits, decimals }).ok_or(Inexact::TooLarge),
        )
    }

    /// The number times `scale`, which must come out whole.
    pub(crate) fn times(self, scale: u64) -> Result<u64, Inexact> {
        let scaled = self.digits.checked_mul(u128::from(scale)).ok_or(Inexact::TooLarge)?;
        let divisor = 10u128.checked_pow(self.decimals).ok_or(Inexact::TooFine)?;
        if scaled % divisor != 0 {
            return Err(Inexact::TooFine);
        }
        u64::try_from(scaled / divisor).map_err(|_| Inexact::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(text: &str, scale: u64) -> Option<Result<u64, Inexact>> {
        Decimal::parse(text).map(|number| number.and_then(|number| number.times(scale)))
    }

    #[test]
    fn whole_and_fractional_numbers_are_exact() {
        assert_eq!(scaled("16", 1), Some(Ok(16)));
        assert_eq!(scaled("2.5", 1_000), Some(Ok(2_500)));
        assert_eq!(scaled("0.10", 10), Some(Ok(1)));
        assert_eq!(scaled("1.000", 1), Some(Ok(1)));
    }

    #[test]
    fn other_spellings_are_no_decimals() {
        for text in ["", ".", "5.", ".5", "-1", "+1", "1e3", "NaN", "inf", "1.2.3", "1_000", "٣"] {
            assert_eq!(scaled(text, 1), None, "{text:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(scaled("0.5", 1), Some(Err(Inexact::TooFine)));
        assert_eq!(scaled("18446744073709551616", 1), Some(Err(Inexact::TooLarge)));
        assert_eq!(scaled(&"9".repeat(60), 1), Some(Err(Inexact::TooLarge)));
        assert_eq!(scaled(&format!("0.{}1", "0".repeat(50)), 1), Some(Err(Inexact::TooFine)));
    }
}
