//! The origin of a machine file whose numbers were measured on a host: section `[calibrated]`. Pure data.

use crate::NATIVE;
use crate::reading::{Section, section};

section! {
    /// The origin of a measured machine's numbers, for readers: no run depends on it.
    Calibrated(section) {
        /// The name of the measured machine, as `--machine` takes it: `native`.
        of: String = |section, key| {
            section.text(key, "the world that was measured: \"native\"", |text| text == NATIVE)
        },
        /// The place of the measured nodes: `local`, all in one process, or `processes`. `None`: `local`.
        world: Option<String> = |section, key| {
            section.optional(key, |section| {
                section.text(key, "\"local\" or \"processes\"", |text| ["local", "processes"].contains(&text))
            })
        },
        /// A line of text that describes the measured host.
        host: Option<String> = line("a line that says which host it was"),
        /// The day of the measurement, such as `2026-01-31`.
        date: Option<String> = line("the day, such as \"2026-01-31\""),
        /// The command that made the measurement.
        command: Option<String> = line("the command that measured"),
        /// The keys of the values whose measurements disagree, because another program ran on the host. `None`: all agree.
        disturbed: Option<String> = line("the values that were disturbed, such as \"processor.fetch, network.latency\""),
    }
}

/// Reads an optional line of free text.
fn line(expected: &str) -> impl FnOnce(&Section<'_>, &'static str) -> Option<Option<String>> {
    move |section, key| {
        section.optional(key, |section| section.text(key, expected, |text| !text.trim().is_empty()))
    }
}
