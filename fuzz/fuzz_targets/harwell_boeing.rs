//! Harwell-Boeing files.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::harwell_boeing(bytes));
