//! Matrix Market files.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::matrix_market(bytes));
