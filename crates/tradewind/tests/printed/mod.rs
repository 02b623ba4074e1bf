//! The outputs printed on pages: the samples of a page, and whether an output has the lines of a sample.
//!
//! A sample is a block of a page whose first line is `$ cargo run --release -- …`, or a block of `text` after a block that ends
//! with such a command. A line `…` stands for any number of lines that are left out. A block of `text host` is a sample too, of a
//! comparison on a host of 2 cores: its measured lines are not checked, those that follow from models are.
//!
//! This module must never know which command makes an output.

/// Beginning of the command lines of a page.
const COMMAND: &str = "cargo run --release -- ";

/// A printed output, and the arguments of its command.
pub(crate) struct Sample<'a> {
    pub(crate) arguments: Vec<&'a str>,
    pub(crate) lines: Vec<&'a str>,
}

/// The shape of a comparison on a host of 2 cores.
const OF_TWO_CORES: [&str; 4] = ["--nodes", "2", "--processors", "1"];

/// The samples of a page.
pub(crate) fn samples(page: &str) -> Vec<Sample<'_>> {
    let mut samples = Vec::new();
    let mut before = None;
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').expect("a block begins with a line of its own");
        let command = text.lines().next().and_then(|line| line.strip_prefix("$ ")?.strip_prefix(COMMAND));
        let is_host = kind == "text host";
        let prints = (kind == "text" || is_host) && !text.starts_with(COMMAND);
        let command_before = before.take().filter(|_| prints);
        let (command, skipped) = match command {
            Some(command) => (Some(command), 1),
            None => (command_before, 0),
        };
        if let Some(command) = command {
            let mut lines: Vec<_> = text.lines().skip(skipped).collect();
            let mut arguments: Vec<_> = command.split_whitespace().collect();
            if is_host {
                let model = lines.iter().position(|line| line.contains(" (model)"));
                lines = lines.split_off(model.expect("a sample of a host shows a model too"));
                arguments.extend(OF_TWO_CORES);
            }
            samples.push(Sample { arguments, lines });
        }
        before = text.lines().last().and_then(|line| line.strip_prefix(COMMAND));
    }
    samples
}

/// The first line of a sample that the output does not have where it should be.
pub(crate) fn missing<'a>(sample: &[&'a str], output: &str) -> Option<&'a str> {
    let mut rest = output.lines();
    let mut skips = true;
    for line in sample {
        if *line == "…" {
            skips = true;
            continue;
        }
        let found = if skips { rest.any(|found| found == *line) } else { rest.next() == Some(*line) };
        if !found {
            return Some(line);
        }
        skips = false;
    }
    None
}
