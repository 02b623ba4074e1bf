//! An option that `#[message]` does not have.
use tradewind_tempest::*;

struct Histogram {
    bins: Keyed<u64>,
}

#[handlers]
impl Histogram {
    #[message(key = bin, clas = Read)]
    fn count(&self, bin: u64, cx: &mut Handler<'_>) {
        cx.with(&self.bins, |count, _| *count += 1);
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
