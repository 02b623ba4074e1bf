//! Of what a machine file is a measurement. Pure data and its section `[calibrated]`.

use crate::section::Section;

/// Where the numbers of a measured machine come from. Nothing of it changes what a run on the machine gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibrated {
    /// The world that was measured, by the name under which programs are run there: `native`.
    pub of: String,
    /// The host, for people.
    pub host: Option<String>,
    /// The day of the measurement, for people.
    pub date: Option<String>,
    /// The command that made it.
    pub command: Option<String>,
}

impl Calibrated {
    pub(crate) fn read(section: &Section<'_>) -> Option<Self> {
        let line = |key, expected: &str| {
            section.optional(key, |section| section.text(key, expected, |text| !text.trim().is_empty()))
        };
        let of = section.text("of", "the world that was measured: \"native\"", |text| text == "native");
        let host = line("host", "a line that says which host it was");
        let date = line("date", "the day, such as \"2026-01-31\"");
        let command = line("command", "the command that measured");
        Some(Self { of: of?, host: host?, date: date?, command: command? })
    }
}
