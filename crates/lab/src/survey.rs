//! A survey of machines: a row of published numbers each, and the numbers derived from it. These machines are never
//! run; the file is the whole of them. This module must never know a claim.

use crate::Mistakes;
use crate::toml::{self, Table};

/// A survey.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// A one-line description.
    pub summary: String,
    /// Machines, in the order of the file.
    pub machines: Vec<Surveyed>,
}

/// A machine of the survey.
#[derive(Clone, Debug, PartialEq)]
pub struct Surveyed {
    /// Name as a part of metrics: `cm5`.
    pub name: String,
    /// Name for people: `TMC CM-5`.
    pub title: String,
    /// The network for 32 processors.
    pub topology: String,
    /// Cells of each of [`COLUMNS`], in their order.
    pub cells: Vec<Cell>,
}

/// A published number.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number, with its confidence: `exact`, `recalled`.
    Number(f64, String),
    /// A range from one number to another, with its confidence.
    Range(f64, f64, String),
    /// The number cannot be read.
    Unknown,
    /// The source has no number.
    None,
}

/// A column of the survey.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Key in the file.
    pub key: &'static str,
    /// The only unit it is given in.
    pub unit: &'static str,
    /// Heading for people.
    pub head: &'static str,
}

/// The columns with numbers.
pub const COLUMNS: [Column; 6] = [
    Column { key: "clock", unit: "MHz", head: "clock" },
    Column { key: "bisection", unit: "MB/s", head: "bisection" },
    Column { key: "bisection_per_cycle", unit: "B/cycle", head: "per cycle" },
    Column { key: "network_latency", unit: "cycles", head: "latency" },
    Column { key: "remote_miss", unit: "cycles", head: "remote" },
    Column { key: "local_miss", unit: "cycles", head: "local" },
];

impl Cell {
    /// The number, or the middle of a range.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Number(number, _) => Some(number),
            Self::Range(from, to, _) => Some((from + to) / 2.0),
            Self::Unknown | Self::None => None,
        }
    }
}

impl Surveyed {
    /// The cell of a column.
    pub fn cell(&self, key: &str) -> &Cell {
        let index = COLUMNS.iter().position(|column| column.key == key);
        index.and_then(|index| self.cells.get(index)).unwrap_or(&Cell::None)
    }

    /// Bytes that cross the bisection while a miss to local memory is served.
    pub fn bytes_per_local_miss(&self) -> Option<f64> {
        Some(self.cell("bisection_per_cycle").number()? * self.cell("local_miss").number()?)
    }

    /// The network's latency in misses to local memory.
    pub fn latency_in_local_misses(&self) -> Option<f64> {
        Some(self.cell("network_latency").number()? / self.cell("local_miss").number()?)
    }

    /// Bytes per cycle by the two columns that it should agree with.
    pub fn bytes_per_cycle(&self) -> Option<f64> {
        Some(self.cell("bisection").number()? / self.cell("clock").number()?)
    }
}

impl Survey {
    /// Numbers derived from the rows, as `MACHINE.FIGURE`.
    pub fn figures(&self) -> Vec<(String, f64)> {
        let of = |machine: &Surveyed| {
            let figures = [
                ("bytes_per_local_miss", machine.bytes_per_local_miss()),
                ("latency_local_misses", machine.latency_in_local_misses()),
                ("bytes_per_cycle", machine.bytes_per_cycle()),
                ("latency_cycles", machine.cell("network_latency").number()),
            ];
            let name = machine.name.clone();
            figures.into_iter().filter_map(move |(figure, value)| Some((format!("{name}.{figure}"), value?)))
        };
        self.machines.iter().flat_map(of).collect()
    }
}

/// Reads a survey. `file` is its name in messages.
///
/// # Errors
///
/// All mistakes of the file.
pub fn read(file: &str, text: &str) -> Result<Survey, Mistakes> {
    toml::read(file, text, |top| {
        let summary = top.text("summary", "one line that says what it is");
        let machines = top.tables("machine").iter().filter_map(surveyed).collect();
        Some(Survey { summary: summary?, machines })
    })
}

fn surveyed(table: &Table<'_>) -> Option<Surveyed> {
    let name = table.text("name", "a name such as \"cm5\"");
    let title = table.text("title", "a name for people such as \"TMC CM-5\"");
    let topology = table.text("topology", "the network of 32 processors such as \"4x8 mesh\"");
    let cells =
        COLUMNS.iter().map(|column| table.table(column.key).map_or(Cell::None, |it| cell(column, &it)));
    let cells = cells.collect();
    table.finish();
    Some(Surveyed { name: name?, title: title?, topology: topology?, cells })
}

/// A cell; one with a mistake, which is reported, counts as none.
fn cell(column: &Column, table: &Table<'_>) -> Cell {
    if table.flag("unknown") {
        table.finish();
        return Cell::Unknown;
    }
    let value = table.required("value", "a number above 0", toml::positive);
    let to = table.optional("to", "a number above 0", toml::positive);
    let unit = table.text("unit", column.unit);
    if unit.is_some_and(|unit| unit != column.unit) {
        table.refuse("unit", format!("{:?}", column.unit));
    }
    let confidence = table.text("confidence", "how sure it is, such as \"exact\" or \"recalled\"");
    table.finish();
    match (value, to, confidence) {
        (Some(value), None, Some(confidence)) => Cell::Number(value, confidence),
        (Some(from), Some(to), Some(confidence)) => Cell::Range(from, to, confidence),
        _ => Cell::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOY: &str = r#"
summary = "toys"
[[machine]]
name = "toy"
title = "A toy"
topology = "ring"
clock = { value = 20, unit = "MHz", confidence = "exact" }
bisection = { value = 360, unit = "MB/s", confidence = "exact" }
bisection_per_cycle = { value = 18.0, unit = "B/cycle", confidence = "exact" }
network_latency = { unknown = true }
remote_miss = { value = 300, to = 600, unit = "cycles", confidence = "recalled" }
local_miss = { value = 11, unit = "cycles", confidence = "exact" }
"#;

    #[test]
    fn what_follows_from_a_row_is_computed() {
        let survey = read("toys.toml", TOY).unwrap();
        let figures = [("toy.bytes_per_local_miss", 198.0), ("toy.bytes_per_cycle", 18.0)];
        assert_eq!(survey.figures(), figures.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(survey.machines[0].cell("remote_miss").number(), Some(450.0));
        assert_eq!(survey.machines[0].cell("network_latency"), &Cell::Unknown);
    }

    #[test]
    fn a_cell_in_another_unit_is_refused() {
        let said = read("toys.toml", &TOY.replace("B/cycle", "B/s")).unwrap_err();
        assert_eq!(
            said[0].to_string(),
            "toys.toml:9:46: machine.bisection_per_cycle.unit = \"B/s\": expected \"B/cycle\""
        );
    }
}
