//! Machine files twice as slow. Other crates' tests use it too: a run on such a machine takes twice as long.

use units::{Bandwidth, Frequency, Span, Time};

/// A doubled time, a halved rate, and cycles unchanged; `None`: the text is no quantity of time.
pub(crate) fn slower(text: &str) -> Option<String> {
    if let Ok(time) = text.parse::<Time>() {
        return Some((time + time).to_string());
    }
    if let Ok(sum) = text.parse::<Span>() {
        return Some(Span { time: sum.time + sum.time, ..sum }.to_string());
    }
    if let Ok(clock) = text.parse::<Frequency>() {
        return Frequency::new(clock.as_hertz() / 2).map(|clock| clock.to_string());
    }
    let rate = text.parse::<Bandwidth>().ok()?;
    Bandwidth::new(rate.as_bytes_per_second() / 2).map(|rate| rate.to_string())
}

/// A file with every time doubled, and every clock and bandwidth halved. Counts in cycles follow the clocks.
pub(crate) fn slowed(text: &str) -> String {
    let line = |line: &str| {
        let (said, comment) = line.split_at(line.find('#').unwrap_or(line.len()));
        let quoted = |(index, part): (usize, &str)| match slower(part) {
            Some(slower) if index % 2 == 1 => slower,
            _ => part.to_owned(),
        };
        let said: Vec<_> = said.split('"').enumerate().map(quoted).collect();
        said.join("\"") + comment
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
