//! The multiple of a unit that suits a value: 3.2 ms and not 3200000 ns. This module must never know the quantity.

/// Units that are multiples of each other, the least first.
const LADDERS: [&[(&str, f64)]; 3] = [
    &[("ps", 1e-12), ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)],
    &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)],
    &[("B/s", 1.0), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9), ("TB/s", 1e12)],
];

/// A unit, and the factor that turns values of another unit into values of this one.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Multiple {
    pub(super) unit: String,
    pub(super) factor: f64,
}

impl Multiple {
    /// The largest multiple of a unit in which a value is at least 1; the unit itself where it has no multiples.
    pub(super) fn for_value(unit: &str, value: f64) -> Self {
        let as_it_is = || Self { unit: unit.to_owned(), factor: 1.0 };
        let Some((ladder, size)) = LADDERS.iter().find_map(|ladder| {
            let (_, size) = ladder.iter().find(|(name, _)| *name == unit)?;
            Some((ladder, *size))
        }) else {
            return as_it_is();
        };
        if value == 0.0 {
            return as_it_is();
        }
        let suits = |(_, multiple): &&(&str, f64)| value.abs() * size >= multiple * (1.0 - 1e-9);
        let (name, multiple) = ladder.iter().rev().find(suits).unwrap_or(&ladder[0]);
        Self { unit: (*name).to_owned(), factor: size / multiple }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_at_least_one_in_its_unit() {
        let multiple = |unit, value| Multiple::for_value(unit, value).unit;
        assert_eq!(multiple("ns", 3.2e6), "ms");
        assert_eq!(multiple("us", 0.25), "ns");
        assert_eq!(multiple("MB/s", 2500.0), "GB/s");
        assert_eq!(multiple("MB/s", 999.0), "MB/s");
        assert_eq!(multiple("cycles", 1e9), "cycles");
        assert_eq!(multiple("ns", 0.0), "ns");
        assert!((3.2e6 * Multiple::for_value("ns", 3.2e6).factor - 3.2).abs() < 1e-9);
    }
}
