//! Accepted and refused spellings of each quantity, the errors, and the printed form.

use tradewind_units::{Bandwidth, Bytes, Cycles, Frequency, Quantity, Rate, Span, Time};

/// The message for a text that must not be accepted.
fn refusal<Q: Quantity>(text: &str) -> String {
    match text.parse::<Q>() {
        Ok(quantity) => panic!("{text:?} was read as {quantity}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn times_read_in_every_unit() {
    let cases = [
        ("3 fs", 3),
        ("1.7 ps", 1_700),
        ("2.5 ns", 2_500_000),
        ("2.5us", 2_500_000_000),
        ("  0.5   ms ", 500_000_000_000),
        ("1 s", 1_000_000_000_000_000),
        ("0 ns", 0),
    ];
    for (text, femtoseconds) in cases {
        assert_eq!(text.parse(), Ok(Time::from_femtoseconds(femtoseconds)), "{text:?}");
    }
}

#[test]
fn quantities_print_as_people_write_them() {
    assert_eq!(Time::from_nanoseconds(2_500).to_string(), "2.5 us");
    assert_eq!(Time::ZERO.to_string(), "0 fs");
    assert_eq!(Time::MAX.to_string(), "18446.744073709551615 s");
    assert_eq!(Frequency::from_megahertz(400).to_string(), "400 MHz");
    assert_eq!(Frequency::from_megahertz(1_500).to_string(), "1.5 GHz");
    assert_eq!(Cycles::new(1).to_string(), "1 cycle");
    assert_eq!(Cycles::from_thousandths(500).to_string(), "0.5 cycles");
    assert_eq!(Bytes::new(65_536).to_string(), "64 KiB");
    assert_eq!(Bytes::new(1_000_000).to_string(), "1 MB");
    assert_eq!(Bytes::new(1_500).to_string(), "1500 B");
    assert_eq!(Bytes::ZERO.to_string(), "0 B");
    assert_eq!(Bandwidth::new(175_000_000).unwrap().to_string(), "175 MB/s");
    assert_eq!("2 B/cycle".parse::<Rate>().unwrap().to_string(), "2 B/cycle");
}

#[test]
fn a_precision_rounds() {
    let third = Time::from_femtoseconds(1_666_667);
    assert_eq!(format!("{third:.0}"), "2 ns");
    assert_eq!(format!("{third:.2}"), "1.67 ns");
    assert_eq!(format!("{third:.8}"), "1.66666700 ns");
    assert_eq!(format!("{third:.20}"), "1.66666700000000000000 ns");
    assert_eq!(format!("{:.1}", Time::MAX), "18446.7 s");
    assert_eq!(format!("{:.1}", Cycles::new(1)), "1.0 cycles");
}

#[test]
fn nothing_but_plain_numbers_with_a_unit() {
    for text in ["", "fast", "-1 ns", "+1 ns", "NaN ns", "inf s", ".5 ns", "5. ns", "1.2.3 ns"] {
        assert_eq!(refusal::<Time>(text), "expected a time such as \"1.7 us\"", "{text:?}");
    }
    assert_eq!(refusal::<Time>("16"), "expected a time such as \"1.7 us\"; the unit is missing");
    assert!(refusal::<Time>("1e3 ns").contains("\"e3 ns\" is none of"));
}

#[test]
fn an_unknown_unit_names_the_known_ones() {
    assert_eq!(
        refusal::<Frequency>("50 MHZ2"),
        "expected a frequency such as \"400 MHz\"; \"MHZ2\" is none of GHz, MHz, kHz, Hz"
    );
}

#[test]
fn a_near_miss_gets_a_hint() {
    assert!(refusal::<Frequency>("50 Mhz").ends_with("; did you mean \"MHz\"?"));
    assert!(refusal::<Time>("1.7 µs").ends_with("; did you mean \"us\"?"));
    assert!(refusal::<Time>("1.7 NS").ends_with("; did you mean \"ns\"?"));
    assert!(refusal::<Bytes>("64 kib").ends_with("; did you mean \"KiB\"?"));
    assert!(refusal::<Span>("16 Cycles").ends_with("; did you mean \"cycles\"?"));
    assert!(refusal::<Rate>("2 b/cycle").ends_with("; did you mean \"B/cycle\"?"));
}

#[test]
fn what_cannot_be_held_exactly_is_refused() {
    assert!(refusal::<Time>("0.1 fs").ends_with("; the smallest step is 1 fs"));
    assert!(refusal::<Bytes>("1.5 B").ends_with("; the smallest step is 1 B"));
    assert!(refusal::<Cycles>("0.0005 cycles").ends_with("; the smallest step is 0.001 cycles"));
    assert!(refusal::<Time>("18447 s").ends_with("; this one is too large"));
    assert!(
        refusal::<Frequency>("99999999999999999999999999999999999999999 Hz")
            .ends_with("; this one is too large")
    );
}

#[test]
fn a_clock_and_a_bandwidth_are_above_zero() {
    assert_eq!(refusal::<Frequency>("0 MHz"), "expected a frequency such as \"400 MHz\" above zero");
    assert!(refusal::<Rate>("0 MB/s").ends_with("above zero"));
    assert!(refusal::<Rate>("0 B/cycle").ends_with("above zero"));
    assert_eq!(Frequency::new(0), None);
    assert_eq!(Bandwidth::new(0), None);
}

#[test]
fn spans_and_rates_follow_the_clock_only_where_they_say_so() {
    let (slow, fast) = (Frequency::from_megahertz(50), Frequency::from_megahertz(400));
    let cycles: Span = "16 cycles".parse().unwrap();
    assert_eq!(cycles.resolve(slow, None), Some(Time::from_nanoseconds(320)));
    assert_eq!(cycles.resolve(fast, None), Some(Time::from_nanoseconds(40)));
    assert_eq!("1 cycle".parse::<Span>().unwrap().resolve(slow, None), Some(Time::from_nanoseconds(20)));
    let absolute: Span = "1.7 us".parse().unwrap();
    assert_eq!(absolute.resolve(slow, None), absolute.resolve(fast, None));
    let relative: Rate = "2 B/cycle".parse().unwrap();
    assert_eq!(relative.resolve(fast), "800 MB/s".parse().unwrap());
    let constant: Rate = "175 MB/s".parse().unwrap();
    assert_eq!(constant.resolve(fast), constant.resolve(slow));
}

#[test]
fn a_sum_of_parts_follows_each_clock_in_its_own_part() {
    let clock = Frequency::from_megahertz;
    let sum: Span = "60 cycles + 0.5 us+2 bus cycles".parse().unwrap();
    assert_eq!(sum.resolve(clock(50), Some(clock(10))), Some(Time::from_nanoseconds(1_200 + 500 + 200)));
    assert_eq!(sum.resolve(clock(100), Some(clock(10))), Some(Time::from_nanoseconds(600 + 500 + 200)));
    assert_eq!(sum.resolve(clock(50), Some(clock(20))), Some(Time::from_nanoseconds(1_200 + 500 + 100)));
    assert_eq!(
        (sum.resolve(clock(50), None), sum.to_string().as_str()),
        (None, "60 cycles + 2 bus cycles + 500 ns")
    );
    assert_eq!("1 us + 1 us".parse::<Span>(), "2 us".parse());
    // Rounded once: 5 and 28 cycles of 120 MHz are 33, which are 275 ns.
    let parts: Span = "5 cycles + 28 bus cycles".parse().unwrap();
    assert_eq!(parts.resolve(clock(120), Some(clock(120))), Some(Time::from_nanoseconds(275)));
    for wrong in ["60 cycles +", "+ 1 us", "1 us + 3", "1 us + 2 Cycles", "1 us - 2 ns", "18446 s + 18446 s"]
    {
        assert!(refusal::<Span>(wrong).starts_with("expected a time such as"), "{wrong}");
    }
    assert!(refusal::<Span>("2 bus Cycles").ends_with("; did you mean \"bus cycles\"?"));
}

#[test]
fn a_span_or_rate_expects_either_form() {
    assert!(refusal::<Span>("soon").starts_with("expected a time such as \"1.7 us\" or \"16 cycles\""));
    assert!(
        refusal::<Rate>("1 MB").starts_with("expected a bandwidth such as \"175 MB/s\" or \"2 B/cycle\"")
    );
}
