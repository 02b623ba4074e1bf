//! From texts of the command line to numbers, or all that is wrong with them. Must never know what they are for.

use std::fmt::Display;
use std::str::FromStr;

use units::Time;

use crate::Problem;
use crate::arguments::{Calibrate, Common, Compare, Litmus, Run};
use crate::page::LEAST_WIDTH;

/// Every number of a command line, in its range.
pub(crate) struct Numbers {
    /// Not said to `run`: the machine's own.
    pub(crate) nodes: Option<u32>,
    /// The same of the processors of each.
    pub(crate) processors: Option<u32>,
    pub(crate) threads: u32,
    pub(crate) repeat: u32,
    pub(crate) seed: u64,
    pub(crate) stall_limit: Option<Time>,
    pub(crate) width: Option<u16>,
}

impl Numbers {
    pub(crate) fn of_run(run: &Run) -> Result<Self, Problem> {
        Self::read(&run.common, run.nodes.as_deref(), run.processors.as_deref(), &run.repeat)
    }

    pub(crate) fn of_compare(compare: &Compare) -> Result<Self, Problem> {
        Self::read(&compare.common, Some(&compare.nodes), Some(&compare.processors), &compare.repeat)
    }

    fn read(
        common: &Common,
        nodes: Option<&str>,
        processors: Option<&str>,
        repeat: &str,
    ) -> Result<Self, Problem> {
        let mut reader = Reader::default();
        let numbers = Self {
            nodes: nodes.map(|text| reader.whole("--nodes", text, 1, u32::MAX)),
            processors: processors.map(|text| reader.whole("--processors", text, 1, u32::MAX)),
            threads: reader.whole("--threads", &common.threads, 1, u32::MAX),
            repeat: reader.whole("--repeat", repeat, 1, u32::MAX),
            seed: reader.whole("--seed", &common.seed, 0, u64::MAX),
            stall_limit: common.stall_limit.as_deref().map(|text| reader.time("--stall-limit", text)),
            width: reader.width(common.width.as_deref()),
        };
        if reader.mistakes.is_empty() { Ok(numbers) } else { Err(Problem::Wrong(reader.mistakes)) }
    }
}

/// Every number of `litmus`.
pub(crate) struct LitmusNumbers {
    pub(crate) repeat: u32,
    pub(crate) seed: u64,
    pub(crate) width: Option<u16>,
}

impl LitmusNumbers {
    pub(crate) fn read(litmus: &Litmus) -> Result<Self, Problem> {
        let mut reader = Reader::default();
        let numbers = Self {
            repeat: reader.whole("--repeat", &litmus.repeat, 1, u32::MAX),
            seed: reader.whole("--seed", &litmus.seed, 0, u64::MAX),
            width: reader.width(litmus.width.as_deref()),
        };
        if reader.mistakes.is_empty() { Ok(numbers) } else { Err(Problem::Wrong(reader.mistakes)) }
    }
}

/// Every number of `calibrate`: how often to measure, and the width.
pub(crate) fn of_calibrate(calibrate: &Calibrate) -> Result<(u32, Option<u16>), Problem> {
    let mut reader = Reader::default();
    let repeat = reader.whole("--repeat", &calibrate.repeat, 1, u32::MAX);
    let width = reader.width(calibrate.width.as_deref());
    if reader.mistakes.is_empty() { Ok((repeat, width)) } else { Err(Problem::Wrong(reader.mistakes)) }
}

/// What `--width` says, where it is all that there is to read.
pub(crate) fn width(text: Option<&str>) -> Result<Option<u16>, Problem> {
    let mut reader = Reader::default();
    let width = reader.width(text);
    if reader.mistakes.is_empty() { Ok(width) } else { Err(Problem::Wrong(reader.mistakes)) }
}

/// Gathers mistakes. What is wrong is read as the least, which nobody gets to see.
#[derive(Default)]
struct Reader {
    mistakes: Vec<String>,
}

impl Reader {
    fn width(&mut self, text: Option<&str>) -> Option<u16> {
        text.map(|text| self.whole("--width", text, LEAST_WIDTH, u16::MAX))
    }

    fn whole<T: FromStr + PartialOrd + Copy + Display>(
        &mut self,
        option: &str,
        text: &str,
        least: T,
        most: T,
    ) -> T {
        let number = text.parse().ok().filter(|number| *number >= least);
        number.unwrap_or_else(|| {
            // Only a number that is whole can be too large: of others the upper end of the range says nothing.
            let is_large = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let is_large = is_large && text.parse::<T>().is_err();
            let to = if is_large { format!(" to {most}") } else { String::new() };
            self.mistakes.push(format!("{option} {text}: expected a whole number from {least}{to}"));
            least
        })
    }

    fn time(&mut self, option: &str, text: &str) -> Time {
        match text.parse::<Time>() {
            Ok(time) if time > Time::ZERO => time,
            Ok(time) => {
                self.mistakes.push(format!("{option} {text}: expected a time above zero, such as \"10 s\""));
                time
            }
            Err(error) => {
                self.mistakes.push(format!("{option} {text}: {error}"));
                Time::ZERO
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(texts: &[&str]) -> Vec<String> {
        let mut reader = Reader::default();
        for text in texts {
            reader.whole("--nodes", text, 1, u32::MAX);
        }
        reader.mistakes
    }

    #[test]
    fn every_text_that_is_no_number_is_told() {
        let texts = ["0", "-1", "1e30", "two", "", "1.5"];
        let said = mistakes(&texts);
        assert_eq!(said.len(), texts.len());
        for (text, said) in texts.iter().zip(said) {
            assert_eq!(said, format!("--nodes {text}: expected a whole number from 1"));
        }
        let large = "--nodes 4294967296: expected a whole number from 1 to 4294967295";
        assert_eq!(mistakes(&["4294967296", "4294967295", "1"]), [large]);
    }

    #[test]
    fn nothing_stalls_for_no_time() {
        let mut reader = Reader::default();
        assert_eq!(reader.time("--stall-limit", "2 s"), Time::from_microseconds(2_000_000));
        reader.time("--stall-limit", "0 s");
        reader.time("--stall-limit", "soon");
        assert!(reader.mistakes[0].starts_with("--stall-limit 0 s: expected a time above zero"));
        assert!(reader.mistakes[1].starts_with("--stall-limit soon: "), "{}", reader.mistakes[1]);
        assert!(reader.mistakes.len() == 2);
    }
}
