//! Files of any format, compressed or not.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::detection(bytes));
