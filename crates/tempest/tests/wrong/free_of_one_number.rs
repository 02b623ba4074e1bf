//! Free values that are one number.
use tradewind_tempest::*;

/// Threads count values.
#[program]
struct Histogram {
    #[input(default = 1, range = 1..=9, free = "5,05")]
    values: u32,
    #[keyed(64)]
    bins: Keyed<u64>,
}

#[handlers]
impl Histogram {
    #[message(key = bin)]
    fn count(&self, bin: u64, cx: &mut Handler<'_>) {
        cx.with(&self.bins, |count, _| *count += 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        for value in thread.share(0..self.values) {
            thread.send(thread.next_node(), Self::count(value % 64));
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

fn main() {
    let _ = Histogram::ENTRY;
}
