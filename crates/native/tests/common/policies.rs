//! The policies that native's tests run everything under.
//!
//! This file must never know the tests.

/// Every policy that this host supports, with the options that change dispatch or wake-ups.
pub(crate) const POLICIES: &[&str] = &[
    "single",
    "fixed:1",
    "fixed:1+interrupt",
    "fixed:2",
    "fixed:2+serial",
    "fixed:2+interrupt",
    "floating",
    "floating+keyed",
    "adaptive",
    "adaptive+serial",
    "adaptive+helper",
    "hurricane-1:2",
    "partitioned:2",
    "single+helper=20us",
    "floating+helper",
    "floating+keyed+helper=5us",
];
