//! A program without threads.
use tradewind_tempest::*;

/// Threads count values.
#[program]
struct Histogram {
    #[keyed(64)]
    bins: Keyed<u64>,
}

#[handlers]
impl Histogram {
    #[message(key = bin)]
    fn count(&self, bin: u64, cx: &mut Handler<'_>) {
        cx.with(&self.bins, |count, _| *count += 1);
    }
}

fn main() {
    let _ = Histogram::ENTRY;
}
