//! The native world, tested from outside.

mod load;
mod promises;
mod stress;

/// Every policy this host can do, with the options that change who dispatches or who is woken.
const POLICIES: &[&str] = &[
    "single",
    "fixed:1",
    "fixed:1+interrupt",
    "fixed:2",
    "fixed:2+serial",
    "fixed:2+interrupt",
    "floating",
    "floating+keyed",
    "partitioned:2",
];
