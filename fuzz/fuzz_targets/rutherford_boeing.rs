//! Rutherford-Boeing files.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::rutherford_boeing(bytes));
