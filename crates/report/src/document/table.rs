//! The rows of a comparison as a table shows them: policies that came out the same share one. This module must never know how a table
//! looks.

use std::ops::Deref;

use compare::Interval;
use compare::tie::is_unclear_from;
use tempest::outcome::Resource;
use units::Time;
use units::median::share;

use super::{
    Breakdown, Comparison, Counts, Measured, Named, ProtocolBreakdown, Row, StudyColumn, StudyNumber,
    StudyRow, Utilization, Volume, Way, World,
};
use crate::quantity::{number, time};
use crate::words;

/// A row of a table: a combination, and the policies that share it.
#[derive(Clone, Debug)]
pub(crate) struct TableRow<'d> {
    row: &'d Row,
    /// The policies, that of the row first.
    pub(crate) policies: Vec<&'d str>,
}

impl Deref for TableRow<'_> {
    type Target = Row;

    fn deref(&self) -> &Row {
        self.row
    }
}

impl World {
    /// The rows of the machine's table.
    pub(crate) fn table(&self) -> Vec<TableRow<'_>> {
        let mut table: Vec<TableRow<'_>> = Vec::new();
        for row in &self.rows {
            let policy = row.combination.policy.as_str();
            // Policies that came out the same here may differ in other cases of free inputs.
            match table.iter_mut().find(|other| row.is_same(other.row) && row.band == other.band) {
                Some(other) => other.policies.push(policy),
                None => table.push(TableRow { row, policies: vec![policy] }),
            }
        }
        table
    }

    /// Whether the machine is this host.
    pub(crate) fn is_native(&self) -> bool {
        self.on.is_native()
    }

    /// The machine with its nodes, their processors and their place, for people.
    pub(crate) fn place(&self) -> String {
        let machine = words::label(&self.on.machine, self.on.machine_file.as_deref());
        let apart = self.rows.first().map_or("", |row| words::as_processes(&row.combination.world));
        format!("{machine}, {}{apart}", words::shape(self.nodes, self.processors))
    }
}

/// Whether the mechanisms of the rows differ.
pub(crate) fn has_several_mechanisms(rows: &[TableRow<'_>]) -> bool {
    rows.windows(2).any(|pair| pair[0].combination.mechanism != pair[1].combination.mechanism)
}

impl Comparison {
    /// The row of a combination on the machine of this name in this shape.
    pub(crate) fn row(&self, machine: &str, shape: (u32, u32), way: &Way) -> Option<&Row> {
        let mut worlds =
            self.worlds.iter().filter(|it| it.on.machine == machine && (it.nodes, it.processors) == shape);
        worlds.find_map(|world| world.rows.iter().find(|row| row.way() == *way))
    }
}

impl Named {
    /// Whether the machine is this host.
    pub(crate) fn is_native(&self) -> bool {
        self.machine == "native" && self.machine_file.is_none()
    }
}

impl Row {
    /// Whether every answer was right.
    pub(crate) fn is_right(&self) -> bool {
        self.rank.is_some()
    }

    /// Whether the row came out as an earlier one.
    fn is_same(&self, earlier: &Self) -> bool {
        let is_first = self.same_as.as_deref() == Some(&earlier.combination.policy);
        let is_beside = self.same_as.is_some() && self.same_as == earlier.same_as;
        (is_first || is_beside)
            && (self.rank, &self.combination.mechanism) == (earlier.rank, &earlier.combination.mechanism)
    }

    /// The mechanism and the policy.
    pub(crate) fn way(&self) -> Way {
        Way { mechanism: self.combination.mechanism.clone(), policy: self.combination.policy.clone() }
    }

    /// Whether the row, which is tied with `other`, may differ from it by more than a tenth, for all that is known.
    pub(crate) fn is_unclear(&self, other: &Self) -> bool {
        let both = [&self.measured, &other.measured];
        let time = |ns: f64| Time::from_femtoseconds((ns * 1e6).round() as u64);
        let interval = |it: &super::Interval| Interval {
            low: time(it.low_ns),
            high: time(it.high_ns),
            level: it.level,
            is_enough: it.enough,
        };
        let intervals = both.map(|of| of.interval.as_ref().map(interval));
        is_unclear_from(&intervals, both.iter().any(|of| of.disturbed))
    }
}

impl StudyRow {
    /// The number of a column; `None` if it was not measured.
    pub(crate) fn number(&self, column: &StudyColumn) -> Option<&StudyNumber> {
        self.numbers.get(&column.name)?.as_ref()
    }
}

impl StudyColumn {
    /// A number of the column for people: a time with the unit that suits it, another without one.
    pub(crate) fn shown(&self, value: f64) -> String {
        if self.unit == "ns" && value >= 0.0 { time(value) } else { number(value) }
    }

    /// The name of the column, and the unit of its numbers unless each says its own.
    pub(crate) fn head(&self, between: &str) -> String {
        match self.unit.as_str() {
            "" | "ns" => self.name.clone(),
            unit => format!("{}{between}{unit}", self.name),
        }
    }
}

/// The measurements of the timed region.
pub(crate) struct Region<'r> {
    pub(crate) counters: &'r Counts,
    pub(crate) volume: &'r Volume,
    pub(crate) breakdown: &'r Breakdown,
    pub(crate) protocol: &'r [ProtocolBreakdown],
    pub(crate) utilization: &'r [Utilization],
}

impl Measured {
    /// The measurements of the timed region: the first phase, or the whole run if there is none.
    pub(crate) fn region(&self) -> Region<'_> {
        match self.phases.first() {
            Some(phase) => Region {
                counters: &phase.counters,
                volume: &phase.volume_bytes,
                breakdown: &phase.breakdown_ns,
                protocol: &phase.protocol_breakdown_ns,
                utilization: &phase.utilization,
            },
            None => Region {
                counters: &self.counters,
                volume: &self.volume_bytes,
                breakdown: &self.breakdown_ns,
                protocol: &self.protocol_breakdown_ns,
                utilization: &self.utilization,
            },
        }
    }

    /// The distance of the farther end of the interval from the median, as a share of the median. `None` of a model, and of a single run.
    pub(crate) fn uncertainty(&self) -> Option<f64> {
        let interval = self.interval.as_ref().filter(|_| self.runs > 1)?;
        Some(share(self.time_ns, interval.low_ns, interval.high_ns).unwrap_or(0.0))
    }
}

impl Utilization {
    /// The kind of the parts.
    pub(crate) fn resource(&self) -> Option<Resource> {
        Resource::named(&self.part)
    }

    /// The mean share of time for which the protocol processors of the busiest kind were busy; `None` without protocol processors.
    pub(crate) fn of_protocol(list: &[Self]) -> Option<f64> {
        let protocol = list.iter().filter(|it| it.resource().is_some_and(Resource::is_protocol_processor));
        protocol.map(|it| it.mean).max_by(f64::total_cmp)
    }

    /// The mean share of time for which the parts of a kind were busy.
    pub(crate) fn of_kind(list: &[Self], resource: Resource) -> Option<f64> {
        list.iter().find(|it| it.resource() == Some(resource)).map(|it| it.mean)
    }
}
