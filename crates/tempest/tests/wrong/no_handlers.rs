//! A protocol that states no messages.
use tradewind_tempest::*;

struct Histogram;

impl Protocol for Histogram {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self
    }
}

fn main() {}
