//! The measured world of a machine file that is a measurement: section `[calibrated]`. Pure data.

use crate::NATIVE;
use crate::reading::{Section, section};

section! {
    /// The source of a measured machine's numbers. It changes nothing in a run on the machine.
    Calibrated(section) {
        /// The name of the measured world, as `--machine` takes it: `native`.
        of: String = |section, key| {
            section.text(key, "the world that was measured: \"native\"", |text| text == NATIVE)
        },
        /// A line that describes the measured host.
        host: Option<String> = line("a line that says which host it was"),
        /// The day of the measurement.
        date: Option<String> = line("the day, such as \"2026-01-31\""),
        /// The command that made the measurement.
        command: Option<String> = line("the command that measured"),
        /// The values whose measurements disagree, if there are any: another program ran on the host.
        disturbed: Option<String> = line("the values that were disturbed, such as \"processor.fetch, network.latency\""),
    }
}

/// Reads an optional line of free text.
fn line(expected: &str) -> impl FnOnce(&Section<'_>, &'static str) -> Option<Option<String>> {
    move |section, key| {
        section.optional(key, |section| section.text(key, expected, |text| !text.trim().is_empty()))
    }
}
