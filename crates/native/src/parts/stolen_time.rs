//! Stolen time: the time for which a processor was ready to run and the operating system ran another task on its core.
//!
//! Linux counts it for each OS thread: the second number of `schedstat` in `/proc`. A thread that sleeps, parks or naps is not ready, so
//! none of that time counts. Reading the count takes a system call, so it is read where that hardly matters: at the beginning and the end
//! of a region, and at the end of a *spell* of at least [`LONG_SPELL_NS`].
//!
//! A spell is time of one kind: the processor works, or it waits. The time stolen since the last reading is assigned to the spell that
//! ends. Time slices of other programs are longer than [`LONG_SPELL_NS`], so a spell that contains one is long, and the count is read.
//!
//! If the host does not count it, as in some containers, the time is unknown.
//!
//! This module must never know the reason why a processor works or waits.

use std::fs::File;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::padding::bump;
use crate::parts::gauge::{Awaited, Waited};
use crate::parts::tuning::LONG_SPELL_NS;

/// The kind of a spell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spell {
    /// Work: threads and handlers.
    Work,
    /// A wait for memory or room.
    Memory,
    /// A wait for an event.
    Event,
    /// Idleness without a thread that waits.
    Nothing,
}

impl From<Awaited> for Spell {
    fn from(awaited: Awaited) -> Self {
        match awaited {
            Awaited::Nothing => Self::Nothing,
            Awaited::Block => Self::Memory,
            Awaited::Event => Self::Event,
        }
    }
}

/// The time stolen from one processor. Only the processor notes spells; any thread may read.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct StolenTime {
    /// The host's count for the processor's OS thread; `None` if the host does not count.
    count: OnceLock<Option<File>>,
    /// The count when the clock started.
    before_ns: AtomicU64,
    /// The count when the run stopped, plus one; 0 before.
    after_ns: AtomicU64,
    /// Start of the current spell.
    since_ns: AtomicU64,
    /// By kind: the time stolen in spells.
    noted_ns: [AtomicU64; 4],
}

/// The time of one processor, with stolen time separated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Net {
    /// Waits, without the time stolen during them.
    pub(crate) waited: Waited,
    /// All stolen time; `None` if the host does not count it.
    pub(crate) stolen_ns: Option<u64>,
    /// The rest of the time: work.
    pub(crate) worked_ns: u64,
}

impl StolenTime {
    /// Starts to watch the calling OS thread.
    pub(crate) fn watch_current_thread(&self) {
        self.count.get_or_init(open_count);
    }

    /// Reads the count at the start of the clock.
    pub(crate) fn begin(&self) {
        self.before_ns.store(self.read().unwrap_or(0), Ordering::Relaxed);
    }

    /// Reads the count at the end of the run. Waking a processor to see the end may take time, which does not count.
    pub(crate) fn end(&self) {
        self.after_ns.store(self.read().map_or(0, |count| count + 1), Ordering::Relaxed);
    }

    /// Ends a spell of this kind and begins another one.
    #[inline]
    pub(crate) fn note(&self, spell: Spell, now_ns: u64) {
        let since = self.since_ns.load(Ordering::Relaxed);
        self.since_ns.store(now_ns, Ordering::Relaxed);
        if now_ns.saturating_sub(since) >= LONG_SPELL_NS {
            self.note_long(spell);
        }
    }

    #[cold]
    fn note_long(&self, spell: Spell) {
        let noted: u64 = self.noted().iter().sum();
        bump(&self.noted_ns[spell as usize], self.all_ns().unwrap_or(0).saturating_sub(noted));
    }

    fn noted(&self) -> [u64; 4] {
        [0, 1, 2, 3].map(|kind: usize| self.noted_ns[kind].load(Ordering::Relaxed))
    }

    /// The time stolen since the clock started.
    fn all_ns(&self) -> Option<u64> {
        let count = match self.after_ns.load(Ordering::Relaxed) {
            0 => self.read()?,
            after => after - 1,
        };
        Some(count.saturating_sub(self.before_ns.load(Ordering::Relaxed)))
    }

    /// Splits the time up to `now_ns`. `waited` is the idle part, and `spell` the kind of the present spell.
    pub(crate) fn split(&self, now_ns: u64, waited: Waited, spell: Spell) -> Net {
        split(now_ns, waited, self.all_ns(), self.noted(), spell)
    }

    fn read(&self) -> Option<u64> {
        read_count(self.count.get()?.as_ref()?)
    }
}

/// Splits time into work, waits and stolen time. A spell loses at most its own length; the rest is subtracted from work.
fn split(now_ns: u64, waited: Waited, all_ns: Option<u64>, mut noted: [u64; 4], spell: Spell) -> Net {
    let rest = now_ns.saturating_sub(waited.total_ns());
    let Some(all) = all_ns else { return Net { waited, stolen_ns: None, worked_ns: rest } };
    noted[spell as usize] += all.saturating_sub(noted.iter().sum());
    let mut net = waited;
    let mut left = all;
    let of_waits = [
        (Spell::Memory, &mut net.memory_ns),
        (Spell::Event, &mut net.awaited_ns),
        (Spell::Nothing, &mut net.idle_ns),
    ];
    for (spell, part) in of_waits {
        let stolen = noted[spell as usize].min(*part).min(left);
        *part -= stolen;
        left -= stolen;
    }
    let from_work = left.min(rest);
    Net { waited: net, stolen_ns: Some(all - left + from_work), worked_ns: rest - from_work }
}

#[cfg(target_os = "linux")]
fn open_count() -> Option<File> {
    let file = File::open("/proc/thread-self/schedstat").ok()?;
    read_count(&file)?;
    Some(file)
}

#[cfg(not(target_os = "linux"))]
fn open_count() -> Option<File> {
    None
}

/// Reads the second number. Allocates nothing.
#[cfg(target_os = "linux")]
fn read_count(file: &File) -> Option<u64> {
    use std::os::unix::fs::FileExt;
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    waited_on_queue(std::str::from_utf8(&text[..length]).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn read_count(_: &File) -> Option<u64> {
    None
}

/// Nanoseconds that a thread has waited for a core, from the text of its `schedstat`: time on a core, time on a queue, turns.
#[cfg(any(test, target_os = "linux"))]
fn waited_on_queue(text: &str) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITED: Waited = Waited { memory_ns: 100, awaited_ns: 300, idle_ns: 50 };

    #[test]
    fn the_second_number_is_the_wait_for_a_core() {
        assert_eq!(waited_on_queue("2034 69336 7\n"), Some(69_336));
        assert_eq!((waited_on_queue("2034"), waited_on_queue("")), (None, None));
    }

    #[test]
    fn what_was_taken_is_in_no_other_part_and_all_parts_add_up() {
        let net = split(1000, WAITED, Some(200), [40, 10, 120, 0], Spell::Work);
        let waited = Waited { memory_ns: 90, awaited_ns: 180, idle_ns: 50 };
        assert_eq!(net, Net { waited, stolen_ns: Some(200), worked_ns: 480 });
        let net = split(1000, WAITED, Some(400), [0; 4], Spell::Event);
        let waited = Waited { awaited_ns: 0, ..WAITED };
        assert_eq!(net, Net { waited, stolen_ns: Some(400), worked_ns: 450 }, "more than the wait was long");
        let net = split(1000, WAITED, Some(9000), [0; 4], Spell::Work);
        assert_eq!(net, Net { waited: WAITED, stolen_ns: Some(550), worked_ns: 0 }, "no more than there was");
    }

    #[test]
    fn where_the_host_does_not_count_nothing_is_known() {
        let net = split(1000, WAITED, None, [0; 4], Spell::Work);
        assert_eq!(net, Net { waited: WAITED, stolen_ns: None, worked_ns: 550 });
        let stolen = StolenTime::default();
        stolen.begin();
        stolen.note(Spell::Work, LONG_SPELL_NS);
        stolen.end();
        assert_eq!(stolen.split(1000, WAITED, Spell::Work), net);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_sleeps_is_not_robbed_of_its_sleep() {
        let stolen = StolenTime::default();
        stolen.watch_current_thread();
        stolen.begin();
        let start = std::time::Instant::now();
        std::thread::sleep(std::time::Duration::from_millis(20));
        stolen.end();
        let all = start.elapsed().as_nanos() as u64;
        // The host may steal any time after the sleep.
        assert!(
            stolen.all_ns().is_none_or(|stolen| stolen <= all - 20_000_000),
            "{stolen:?} of {all}",
            stolen = stolen.all_ns()
        );
    }
}
