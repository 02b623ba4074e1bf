//! Triplets, with and without a header.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::triplet(bytes));
