//! Where the time of a study's runs went, and what their bytes were sent for. This module must never measure anything.

use std::collections::BTreeSet;

use compare::Part;
use compare::parts::PARTS;
use indexmap::{IndexMap, IndexSet};

use crate::document::{Study, StudyRow, StudyTable, Volume};
use crate::part::name;
use crate::quantity::several;
use crate::words;
use plot::{Bar, Bars, Content, Panel, Picture, Piece, Shared};

/// The most tables that are drawn, the most rows of all together, and so many of each in any case.
const TABLES: usize = 4;
const ROWS: usize = 24;
const LEAST_ROWS: usize = 6;

/// The picture of where the time of each run went; `None` if no run says.
pub fn time(study: &Study) -> Option<Picture> {
    let pieces = |row: &StudyRow| -> Option<Vec<Piece>> {
        let spent = row.breakdown_ns.as_ref()?;
        let taken = spent.taken.unwrap_or(0.0);
        let values = [spent.compute, spent.memory, spent.overhead, spent.synchronization, spent.idle, taken];
        Some(parts(values))
    };
    let told = "Time of all computing processors together, by what they spent it on, in the first timed region of each run.";
    let title = format!("{}: where the time went", study.study);
    picture(study, title, told, ("time of all processors", "ns"), pieces)
}

/// The picture of what the bytes of each run were sent for; `None` if no run sent any.
pub fn volume(study: &Study) -> Option<Picture> {
    let pieces = |row: &StudyRow| -> Option<Vec<Piece>> { Some(sent(row.volume_bytes.as_ref()?)) };
    let told = "Bytes that all nodes sent in the first timed region of each run, by purpose.";
    let title = format!("{}: what was sent", study.study);
    picture(study, title, told, ("bytes sent", "B"), pieces)
}

/// Bytes by their purpose.
pub(super) fn sent(bytes: &Volume) -> Vec<Piece> {
    let Volume { data, headers, requests, invalidations } = *bytes;
    let named =
        [("data", data), ("headers", headers), ("requests", requests), ("invalidations", invalidations)];
    named.into_iter().map(|(name, bytes)| piece(name, bytes as f64)).collect()
}

/// A piece for each part of time. Nothing that was taken is no piece: on a model nobody takes anything.
pub(super) fn parts(values: [f64; PARTS]) -> Vec<Piece> {
    let parts =
        Part::ALL.into_iter().zip(values).filter(|(part, value)| *part != Part::Taken || *value > 0.0);
    parts.map(|(part, value)| piece(name(part), value)).collect()
}

fn piece(label: &str, value: f64) -> Piece {
    Piece { label: label.to_owned(), value }
}

/// The picture of a panel of bars for each table of the study.
fn picture(
    study: &Study,
    title: String,
    told: &str,
    (label, unit): (&str, &str),
    pieces: impl Fn(&StudyRow) -> Option<Vec<Piece>>,
) -> Option<Picture> {
    let bar = |names: &Names<'_>, row: &StudyRow| -> Option<Bar> {
        let pieces = pieces(row)?;
        let sum: f64 = pieces.iter().map(|piece| piece.value).sum();
        (sum > 0.0).then(|| Bar { label: names.row(row), value: Some(sum), pieces, ..Bar::default() })
    };
    let tables = joined(study);
    let of_rows = |table| {
        let names = Names::of(table);
        rows_with(table, &|row| bar(&names, row))
    };
    let mut bars: Vec<(&StudyTable, Vec<Barred<'_>>)> =
        tables.iter().map(|table| (table, of_rows(table))).collect();
    bars.retain(|(_, bars)| !bars.is_empty());
    let all =
        |bars: &[(&StudyTable, Vec<Barred<'_>>)]| bars.iter().map(|(_, bars)| bars.len()).sum::<usize>();
    let there = all(&bars);
    bars.truncate(TABLES);
    let rows = (ROWS / bars.len().max(1)).max(LEAST_ROWS);
    bars.iter_mut().for_each(|(_, bars)| thin_out(bars, rows));
    let left = there - all(&bars);
    let panel = |(table, bars): (&StudyTable, Vec<Barred<'_>>)| {
        let bars = bars.into_iter().map(|(_, bar)| bar).collect();
        let content = Bars { label: label.to_owned(), unit: unit.to_owned(), bars, to: None };
        Panel { title: words::same(table), content: Content::Bars(content) }
    };
    let caption = match left {
        0 => told.to_owned(),
        left => format!("{told} {} of further runs are not drawn.", several(left as u64, "bar")),
    };
    let panels: Vec<_> = bars.into_iter().map(panel).collect();
    (!panels.is_empty()).then_some(Picture { title, caption, panels, shared: Shared::default() })
}

/// A row and its bar.
type Barred<'t> = (&'t StudyRow, Bar);

/// The rows of a table that have a bar.
fn rows_with<'t>(table: &'t StudyTable, bar: &dyn Fn(&StudyRow) -> Option<Bar>) -> Vec<Barred<'t>> {
    table.rows.iter().filter_map(|row| Some((row, bar(row)?))).collect()
}

/// Leaves so many bars in their order: the first of each machine and policy goes before the second of any.
fn thin_out(bars: &mut Vec<Barred<'_>>, most: usize) {
    let mut seen: IndexMap<[Option<&String>; 2], usize> = IndexMap::new();
    let mut turns: Vec<(usize, usize)> = Vec::new();
    for (at, (row, _)) in bars.iter().enumerate() {
        let turn = seen.entry(["machine", "policy"].map(|name| row.fields.get(name))).or_default();
        turns.push((*turn, at));
        *turn += 1;
    }
    turns.sort_unstable();
    turns.truncate(most);
    let mut at = 0..;
    bars.retain(|_| at.next().is_some_and(|at| turns.iter().any(|(_, kept)| *kept == at)));
}

/// The tables of a study, those of which the same is stated as one.
fn joined(study: &Study) -> Vec<StudyTable> {
    let mut tables: IndexMap<BTreeSet<&String>, StudyTable> = IndexMap::new();
    for table in &study.tables {
        let known = tables.entry(table.fields.iter().collect());
        known
            .and_modify(|known| known.rows.extend(table.rows.iter().cloned()))
            .or_insert_with(|| table.clone());
    }
    tables.into_values().collect()
}

/// The fields by which rows of a table are told apart.
struct Names<'t> {
    /// Each with whether its values need its name.
    fields: Vec<(&'t String, bool)>,
}

impl<'t> Names<'t> {
    fn of(table: &'t StudyTable) -> Self {
        let (axes, _) = table.axes();
        // Of fields that tell the same rows apart, the first is told.
        let is_new = |at: &usize| axes[..*at].iter().all(|earlier| !is_told_by(table, axes[*at], earlier));
        // A bare number needs its name, and so does what stands in its place.
        let has_name = |name: &String| {
            let mut values = table.rows.iter().filter_map(|row| row.fields.get(name));
            values.any(|value| starts_with_digit(value))
        };
        let fields = (0..axes.len()).filter(is_new).map(|at| (axes[at], has_name(axes[at])));
        Self { fields: fields.collect() }
    }

    /// The name of a row, which no other row of the table has.
    fn row(&self, row: &StudyRow) -> String {
        let told = self.fields.iter().filter_map(|(name, has_name)| {
            let value = row.fields.get(*name)?;
            Some(if *has_name { format!("{} {value}", last(name)) } else { value.clone() })
        });
        let told = told.collect::<Vec<_>>().join(", ");
        if told.is_empty() { "one run".to_owned() } else { told }
    }
}

/// Whether two fields of a table tell the same rows apart.
fn is_told_by(table: &StudyTable, one: &str, other: &str) -> bool {
    let values = |name: &str| table.rows.iter().map(|row| row.fields.get(name)).collect::<Vec<_>>();
    let (one, other) = (values(one), values(other));
    let pairs: IndexSet<_> = one.iter().zip(&other).collect();
    let count = |values: &[Option<&String>]| values.iter().collect::<IndexSet<_>>().len();
    pairs.len() == count(&one) && pairs.len() == count(&other)
}

/// The last part of a key of a machine's file.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn starts_with_digit(value: &str) -> bool {
    value.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::samples::study;

    #[test]
    fn each_run_is_a_bar_of_the_parts_of_its_time() {
        let study = study();
        let picture = time(&study).unwrap();
        let Content::Bars(bars) = &picture.panels[0].content else { panic!("bars") };
        let told: Vec<_> = bars.bars.iter().map(|bar| (bar.label.as_str(), bar.value)).collect();
        assert_eq!(told, [("paragon", Some(100.0)), ("t3d", Some(50.0))]);
        assert_eq!(bars.bars[0].pieces[0], Piece { label: "compute".to_owned(), value: 60.0 });
        assert_eq!(picture.panels[0].title, "program toy");
        let sent = volume(&study).unwrap();
        let Content::Bars(bars) = &sent.panels[0].content else { panic!("bars") };
        assert_eq!(bars.bars[0].value, Some(64.0));
    }

    #[test]
    fn where_not_all_runs_are_drawn_each_machine_is() {
        let mut study = study();
        let rows = &study.tables[0].rows;
        let many = [vec![rows[0].clone(); 30], vec![rows[1].clone(); 30]].concat();
        study.tables[0].rows = many;
        let picture = time(&study).unwrap();
        let Content::Bars(bars) = &picture.panels[0].content else { panic!("bars") };
        let of = |name: &str| bars.bars.iter().filter(|bar| bar.label == name).count();
        let drawn = bars.bars.len();
        assert_eq!((of("paragon"), of("t3d")), (drawn / 2, drawn / 2));
        assert!(bars.bars.is_sorted_by_key(|bar| &bar.label), "in the order of the study");
        let left = 60 - drawn;
        assert!(picture.caption.ends_with(&format!("{left} bars of further runs are not drawn.")));
    }
}
