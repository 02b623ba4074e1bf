//! Where the time of a study's runs went, and the purposes of their bytes. This module must never measure anything.

use std::collections::BTreeSet;

use compare::Part;
use compare::parts::PARTS;
use indexmap::{IndexMap, IndexSet};
use units::plural::several;

use super::insight::{LEAST_DIFFERENCE, insight};
use crate::document::{Study, StudyRow, StudyTable, Volume};
use crate::grouped::grouped;
use crate::names::part as name;
use crate::words;
use plot::{Bar, Bars, Content, Palette, Panel, Picture, Piece, Shared};

/// The most panels, and the most bars of all together. A panel has at least this number of bars in any case.
const PANELS: usize = 6;
const ROWS: usize = 24;
const LEAST_ROWS: usize = 4;

/// The fields of the machine and of the policy of a run, and of the processors of each node that were at work.
const MACHINE: &str = "machine";
const POLICY: &str = "policy";
const PROCESSORS: &str = "procs";

/// The picture of where the time of each run went; `None` if no run says.
pub fn time(study: &Study) -> Option<Picture> {
    let bar = |row: &StudyRow| Some((row.time_ns?, parts(row.breakdown_ns.as_ref()?.shares())));
    let caption = "From the beginning to the end of the first timed region of each run, divided as its computing processors spent \
                   the time on average. Each machine has an axis of its own.";
    let title = format!("{}: where the time went", study.study);
    picture(study, title, caption, ("time", "ns", Palette::First, true), bar)
}

/// The picture of the purposes of the bytes of each run; `None` if no run sent any, or all sent the same.
pub fn volume(study: &Study) -> Option<Picture> {
    let bar = |row: &StudyRow| {
        let pieces = sent(row.volume_bytes.as_ref()?);
        Some((pieces.iter().map(|piece| piece.value).sum(), pieces))
    };
    let caption = "Bytes that all nodes sent in the first timed region of each run, by purpose.";
    let title = format!("{}: what was sent", study.study);
    picture(study, title, caption, ("bytes sent", "B", Palette::Second, false), bar)
}

/// Bytes by their purpose.
pub(super) fn sent(bytes: &Volume) -> Vec<Piece> {
    let Volume { data, headers, requests, invalidations } = *bytes;
    let named =
        [("data", data), ("headers", headers), ("requests", requests), ("invalidations", invalidations)];
    named.into_iter().map(|(name, bytes)| piece(name, bytes as f64)).collect()
}

/// A piece for each part of time; time taken by the operating system is a piece only where there is some.
pub(super) fn parts(values: [f64; PARTS]) -> Vec<Piece> {
    let parts =
        Part::ALL.into_iter().zip(values).filter(|(part, value)| *part != Part::Taken || *value > 0.0);
    parts.map(|(part, value)| piece(name(part), value)).collect()
}

fn piece(label: &str, value: f64) -> Piece {
    Piece { label: label.to_owned(), value }
}

/// The picture of a panel of bars for each table of the study, and for each machine if they are to stand `apart`. Panels whose bars do
/// not differ are left out.
fn picture(
    study: &Study,
    title: String,
    caption: &str,
    (label, unit, palette, apart): (&str, &str, Palette, bool),
    value: impl Fn(&StudyRow) -> Option<(f64, Vec<Piece>)>,
) -> Option<Picture> {
    let tables = joined(study);
    let mut panels: Vec<(String, Vec<Barred<'_>>)> =
        tables.iter().flat_map(|table| groups(table, apart, &value)).collect();
    panels.retain(|(_, bars)| differ(&bars.iter().map(|(_, bar)| bar.clone()).collect::<Vec<_>>()));
    let count =
        |panels: &[(String, Vec<Barred<'_>>)]| panels.iter().map(|(_, bars)| bars.len()).sum::<usize>();
    let there = count(&panels);
    panels.truncate(PANELS);
    let rows = (ROWS / panels.len().max(1)).max(LEAST_ROWS);
    panels.iter_mut().for_each(|(_, bars)| thin_out(bars, rows));
    let left = there - count(&panels);
    let insight = insight(&panels.iter().flat_map(|panel| alike(panel, label)).collect::<Vec<_>>());
    let panel = |(title, bars): (String, Vec<Barred<'_>>)| {
        let bars = bars.into_iter().map(|(_, bar)| bar).collect();
        let content = Bars { label: label.to_owned(), unit: unit.to_owned(), bars, to: None, palette };
        Panel { title, content: Content::Bars(content) }
    };
    let panels: Vec<_> = panels.into_iter().map(panel).collect();
    let left = (left > 0).then(|| format!("{} of further runs are not drawn.", several(left as u64, "bar")));
    let said = [Some(caption.to_owned()), insight, left];
    let caption = said.into_iter().flatten().collect::<Vec<_>>().join(" ");
    (!panels.is_empty()).then_some(Picture { title, caption, panels, shared: Shared::default() })
}

/// A row and its bar.
type Barred<'t> = (&'t StudyRow, Bar);

/// The bars of a table in groups with a title: one group for each machine if machines stand `apart`, else one for all.
fn groups<'t>(
    table: &'t StudyTable,
    apart: bool,
    value: &impl Fn(&StudyRow) -> Option<(f64, Vec<Piece>)>,
) -> Vec<(String, Vec<Barred<'t>>)> {
    let names = Names::of(table, apart);
    let (axes, _) = table.axes();
    let is_axis = |name: &str| axes.iter().any(|axis| *axis == name);
    let mut groups: IndexMap<Option<&str>, Vec<Barred<'t>>> = IndexMap::new();
    for row in &table.rows {
        let Some((sum, pieces)) = value(row).filter(|(sum, _)| *sum > 0.0) else { continue };
        let processors = row.fields.get(PROCESSORS).filter(|_| is_axis(PROCESSORS));
        let note = processors.map_or_else(String::new, |processors| words::procs(processors));
        let bar = Bar { label: names.row(row), value: Some(sum), pieces, note, ..Bar::default() };
        let machine = row.fields.get(MACHINE).filter(|_| apart && is_axis(MACHINE));
        groups.entry(machine.map(String::as_str)).or_default().push((row, bar));
    }
    let same = words::same(table);
    let title = |machine: Option<&str>| {
        let parts = machine.into_iter().chain([same.as_str()]).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    };
    groups.into_iter().map(|(machine, bars)| (title(machine), bars)).collect()
}

/// The bars of a panel whose runs differ in the policy alone, as panels of their own.
fn alike((title, bars): &(String, Vec<Barred<'_>>), label: &str) -> Vec<Panel> {
    let rest = |row: &StudyRow| {
        let rest = row.fields.iter().filter(|(name, _)| *name != PROCESSORS && *name != POLICY);
        rest.map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    let groups = grouped(bars.iter().map(|(row, bar)| (rest(row), bar.clone())));
    let panel = |bars: Vec<Bar>| {
        let bars = Bars { label: label.to_owned(), bars, ..Bars::default() };
        Panel { title: title.clone(), content: Content::Bars(bars) }
    };
    groups.into_values().map(panel).collect()
}

/// Whether lengths of bars, or pieces of them, differ enough to be seen; a single bar has nothing to differ from.
pub(super) fn differ(bars: &[Bar]) -> bool {
    let extent = |of: &dyn Fn(&Bar) -> f64| {
        let all = || bars.iter().map(of);
        (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
    };
    let (least, greatest) = extent(&|bar| bar.value.unwrap_or(0.0));
    let share = |bar: &Bar, at: usize| {
        let sum: f64 = bar.pieces.iter().map(|piece| piece.value).sum();
        bar.pieces.get(at).map_or(0.0, |piece| piece.value / sum)
    };
    let pieces = bars.first().map_or(0, |bar| bar.pieces.len());
    let is_seen = |at: usize| {
        let (least, greatest) = extent(&|bar| share(bar, at));
        greatest - least > LEAST_DIFFERENCE
    };
    bars.len() == 1 || greatest > least * (1.0 + LEAST_DIFFERENCE) || (0..pieces).any(is_seen)
}

/// Leaves this number of bars in their order: the first of each policy goes before the second of any.
fn thin_out(bars: &mut Vec<Barred<'_>>, most: usize) {
    let mut seen: IndexMap<Option<&String>, usize> = IndexMap::new();
    let mut turns: Vec<(usize, usize)> = Vec::new();
    for (at, (row, _)) in bars.iter().enumerate() {
        let turn = seen.entry(row.fields.get(POLICY)).or_default();
        turns.push((*turn, at));
        *turn += 1;
    }
    turns.sort_unstable();
    turns.truncate(most);
    let mut at = 0..;
    bars.retain(|_| at.next().is_some_and(|at| turns.iter().any(|(_, kept)| *kept == at)));
}

/// The tables of a study; tables with equal fields are joined.
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
    fn of(table: &'t StudyTable, apart: bool) -> Self {
        let (axes, _) = table.axes();
        // The panel tells the machine if machines stand apart, and the note the processors.
        let is_told = |name: &str| name == PROCESSORS || apart && name == MACHINE;
        let axes: Vec<_> = axes.into_iter().filter(|name| !is_told(name)).collect();
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

/// Whether two fields of a table divide its rows alike.
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

    fn bars(picture: &Picture, panel: usize) -> Vec<(&str, Option<f64>)> {
        let Content::Bars(bars) = &picture.panels[panel].content else { panic!("bars") };
        bars.bars.iter().map(|bar| (bar.label.as_str(), bar.value)).collect()
    }

    /// The study with rows under three policies on each machine, of these times on the first.
    fn under_policies(times: [f64; 3]) -> Study {
        let mut study = study();
        let table = &mut study.tables[0];
        table.fields.push(POLICY.to_owned());
        let rows = table.rows.clone();
        let under = |(policy, time): (&str, f64)| {
            let policy = policy.to_owned();
            rows.iter().cloned().enumerate().map(move |(at, mut row)| {
                row.fields.insert(POLICY.to_owned(), policy.clone());
                row.time_ns = Some(if at == 0 { time } else { 1.0 });
                row
            })
        };
        table.rows = ["single", "np", "fixed:1"].into_iter().zip(times).flat_map(under).collect();
        study
    }

    #[test]
    fn each_run_is_a_bar_of_its_own_time_on_the_axis_of_its_machine() {
        let picture = time(&under_policies([105.0, 80.0, 89.0])).unwrap();
        assert_eq!(picture.panels.len(), 1, "on the other machine nothing differs");
        assert_eq!(picture.panels[0].title, "paragon, program toy");
        let expected = [("single", Some(105.0)), ("np", Some(80.0)), ("fixed:1", Some(89.0))];
        assert_eq!(bars(&picture, 0), expected);
        let both = time(&study()).unwrap();
        let titles: Vec<_> = both.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["paragon, program toy", "t3d, program toy"]);
        assert_eq!(
            (bars(&both, 0), bars(&both, 1)),
            (vec![("one run", Some(25.0))], vec![("one run", Some(12.5))])
        );
    }

    #[test]
    fn bytes_are_drawn_where_they_differ() {
        let mut study = under_policies([1.0; 3]);
        let rows = &mut study.tables[0].rows;
        rows.iter_mut().for_each(|row| row.volume_bytes.as_mut().unwrap().data = 48);
        assert_eq!(volume(&study), None);
        study.tables[0].rows[2].volume_bytes.as_mut().unwrap().data = 480;
        let picture = volume(&study).unwrap();
        assert_eq!(
            bars(&picture, 0),
            [
                ("paragon, single", Some(64.0)),
                ("t3d, single", Some(64.0)),
                ("paragon, np", Some(496.0)),
                ("t3d, np", Some(64.0)),
                ("paragon, fixed:1", Some(64.0)),
                ("t3d, fixed:1", Some(64.0)),
            ]
        );
        let Content::Bars(of) = &picture.panels[0].content else { panic!("bars") };
        assert_eq!(of.palette, Palette::Second, "bytes do not look like times");
    }

    #[test]
    fn where_not_all_runs_are_drawn_each_policy_is() {
        let mut study = under_policies([105.0, 80.0, 89.0]);
        study.tables[0].rows = (0..20).flat_map(|_| study.tables[0].rows.clone()).collect();
        let picture = time(&study).unwrap();
        let drawn = bars(&picture, 0);
        let of = |name: &str| drawn.iter().filter(|(label, _)| *label == name).count();
        assert_eq!([of("single"), of("np"), of("fixed:1")], [8; 3]);
        assert!(picture.caption.ends_with("36 bars of further runs are not drawn."), "{}", picture.caption);
    }
}
