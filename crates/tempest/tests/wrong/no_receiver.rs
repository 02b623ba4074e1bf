//! A handler without its protocol.
use tradewind_tempest::*;

struct Histogram {
    bins: Keyed<u64>,
}

#[handlers]
impl Histogram {
    #[message(key = bin)]
    fn count(bin: u64, cx: &mut Handler<'_>) {
        let _ = (bin, cx);
    }
}

impl Protocol for Histogram {
    type Config = ();
    fn install(_: &(), setup: &mut Setup<'_>) -> Self {
        Self { bins: setup.keyed(64, |_| 0) }
    }
}

fn main() {
    let _ = Histogram::install;
}
