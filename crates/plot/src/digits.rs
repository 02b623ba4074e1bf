//! Numbers as people read them: few digits. This module must never know a unit.

/// A share as a percentage. A share that is neither nothing nor everything does not look like nothing.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        little if little > 0.0 && little < 0.5 => "<1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// A number with three significant digits, a whole one with all of its digits; a power of ten where it is tiny or huge.
pub(super) fn number(value: f64) -> String {
    if value != 0.0 && !(1e-5..1e15).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let digits = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 + 1 };
    let decimals = (3 - digits).clamp(0, 9) as usize;
    let number = format!("{value:.decimals$}");
    let short =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { &number };
    short.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_three_digits_and_a_whole_one_all() {
        let numbers = [(14.0, "14"), (1.2123893805, "1.21"), (0.1464466, "0.146"), (43_284.4, "43284")];
        let others = [(-2.5, "-2.5"), (0.0, "0"), (1e-9, "1.00e-9"), (6.02e23, "6.02e23")];
        for (value, text) in numbers.into_iter().chain(others) {
            assert_eq!(number(value), text);
        }
        assert_eq!([0.0, 0.001, 0.84, 1.0].map(percent), ["0 %", "<1 %", "84 %", "100 %"]);
    }
}
