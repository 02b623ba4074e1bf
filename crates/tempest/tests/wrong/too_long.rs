//! A message of fifteen words.
use tradewind_tempest::*;

struct Histogram {
    bins: Keyed<u64>,
}

#[handlers]
impl Histogram {
    #[message]
    fn count(&self, words: [u64; 15], _cx: &mut Handler<'_>) {
        let _ = words;
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
