//! Properties of the quantities: round trips, and clocks that do not drift.

use proptest::prelude::*;
use tradewind_units::{Bandwidth, Bytes, Cycles, Frequency, Quantity, Span, Time};

const FEMTOSECONDS_PER_SECOND: u128 = 1_000_000_000_000_000;

fn round_trip<Q: Quantity + PartialEq + std::fmt::Debug>(quantity: Q) {
    assert_eq!(quantity.to_string().parse(), Ok(quantity), "printed as {quantity}");
}

/// Numbers of every magnitude, not only huge ones.
fn magnitudes() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(number, shift)| number >> shift)
}

proptest! {
    #[test]
    fn printing_and_reading_are_inverse(number in magnitudes()) {
        round_trip(Time::from_femtoseconds(number));
        round_trip(Cycles::from_thousandths(number));
        round_trip(Span::of_cycles(Cycles::from_thousandths(number)));
        round_trip(Span {
            cycles: Cycles::from_thousandths(number),
            bus_cycles: Cycles::from_thousandths(number / 3),
            time: Time::from_femtoseconds(number / 7),
        });
        round_trip(Bytes::new(number));
        if let (Some(frequency), Some(bandwidth)) = (Frequency::new(number), Bandwidth::new(number)) {
            round_trip(frequency);
            round_trip(bandwidth);
        }
    }

    #[test]
    fn reading_never_panics(text in "\\PC{0,40}") {
        let _ = text.parse::<Time>();
        let _ = text.parse::<Span>();
        let _ = text.parse::<Bytes>();
        let _ = text.parse::<tradewind_units::Rate>();
    }

    #[test]
    fn a_rounded_number_is_within_half_a_digit(number in 1_000_000u64..1_000_000_000, decimals in 0usize..6) {
        let printed = format!("{:.decimals$}", Time::from_femtoseconds(number));
        let nanoseconds: f64 = printed.trim_end_matches(" ns").parse().unwrap();
        prop_assert!((nanoseconds - number as f64 / 1e6).abs() <= 0.500_001 / 10f64.powi(decimals as i32));
    }

    #[test]
    fn edges_are_computed_not_accumulated(hertz in 1u64..10_000_000_000, n in 0u64..10_000_000_000) {
        let clock = Frequency::new(hertz).unwrap();
        let exact = u128::from(n) * FEMTOSECONDS_PER_SECOND / u128::from(hertz);
        let expected = u64::try_from(exact).map_or(Time::MAX, Time::from_femtoseconds);
        prop_assert_eq!(clock.cycles_to_time(n), expected);
        prop_assert_eq!(clock.time_of(Cycles::new(n)), expected);
    }

    #[test]
    fn the_next_edge_is_the_first_at_or_after(hertz in 1u64..10_000_000_000, at in 0u64..10_000_000_000_000_000) {
        let clock = Frequency::new(hertz).unwrap();
        let at = Time::from_femtoseconds(at);
        let edge = clock.edge_from(at);
        prop_assert!(clock.cycles_to_time(edge) >= at);
        prop_assert!(edge == 0 || clock.cycles_to_time(edge - 1) < at);
        prop_assert_eq!(clock.next_edge(at), clock.cycles_to_time(edge));
    }

    #[test]
    fn a_transfer_is_never_faster_than_stated(size in magnitudes(), rate in 1u64..1_000_000_000_000) {
        let time = Bandwidth::new(rate).unwrap().transfer_time(Bytes::new(size));
        let moved = u128::from(time.as_femtoseconds()) * u128::from(rate);
        prop_assert!(time == Time::MAX || moved >= u128::from(size) * FEMTOSECONDS_PER_SECOND);
    }

    #[test]
    fn sums_saturate_and_differences_are_checked(a in any::<u64>(), b in any::<u64>()) {
        let (a, b) = (Time::from_femtoseconds(a), Time::from_femtoseconds(b));
        prop_assert_eq!(a + b, a.checked_add(b).unwrap_or(Time::MAX));
        prop_assert_eq!(a.saturating_sub(b), a.checked_sub(b).unwrap_or(Time::ZERO));
        prop_assert_eq!([a, b].into_iter().sum::<Time>(), a + b);
    }
}

#[test]
fn a_billion_cycles_at_66_megahertz() {
    let clock = Frequency::from_megahertz(66);
    let exact = 1_000_000_000u128 * FEMTOSECONDS_PER_SECOND / 66_000_000;
    assert_eq!(u128::from(clock.cycles_to_time(1_000_000_000).as_femtoseconds()), exact);
    let accumulated = clock.cycles_to_time(1) * 1_000_000_000;
    assert!(accumulated < clock.cycles_to_time(1_000_000_000), "a period would have drifted");
}

#[test]
fn half_a_cycle() {
    let clock = Frequency::from_megahertz(400);
    assert_eq!(clock.time_of("0.5 cycles".parse().unwrap()), Time::from_picoseconds(1_250));
}

#[test]
fn never_plus_anything_is_never() {
    assert_eq!(Time::MAX + Time::from_nanoseconds(1), Time::MAX);
    assert_eq!(Time::from_microseconds(u64::MAX), Time::MAX);
    assert_eq!(Time::from_microseconds(1_000) * u64::MAX, Time::MAX);
}

#[test]
#[should_panic(expected = "never negative")]
fn a_negative_difference_is_a_mistake() {
    let _ = Time::ZERO - Time::from_nanoseconds(1);
}

#[test]
fn times_convert_to_floats() {
    let time = Time::from_nanoseconds(2_500);
    assert_eq!((time.as_nanoseconds(), time.as_microseconds(), time.as_seconds()), (2500.0, 2.5, 2.5e-6));
    assert_eq!(Cycles::from_thousandths(1_500).as_f64(), 1.5);
}
