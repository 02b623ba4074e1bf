//! The bands of a study over free axes, made from the rows of its tables. This module must never measure anything.

use compare::Free;
use compare::free::{Best, Contender, FreeInput, Lack, Survival};
use indexmap::{IndexMap, IndexSet};
use lab::study::{RANKED, TIME};

use super::studied::PROCESSORS;
use super::study::{StudyBand, StudyColumn, StudyEnds, StudyFate, StudyFree, StudyRow};
use crate::words;

/// Stated values of some rows, by name.
type Fields = IndexMap<String, String>;

impl StudyFree {
    /// The bands of these rows over the axes `free`, whose names are among `fields`.
    pub(crate) fn of(free: &[String], fields: &[String], columns: &[StudyColumn], rows: &[StudyRow]) -> Self {
        let values = |name: &String| -> Vec<String> {
            rows.iter()
                .filter_map(|row| row.fields.get(name).cloned())
                .collect::<IndexSet<_>>()
                .into_iter()
                .collect()
        };
        let axes: IndexMap<_, _> = free.iter().map(|name| (name.clone(), values(name))).collect();
        let input = |(name, values): (&String, &Vec<String>)| FreeInput {
            name: name.clone(),
            values: values.clone(),
            is_range: false,
        };
        let cases: IndexSet<Vec<String>> = rows.iter().map(|row| case(free, row)).collect();
        let of = Free { inputs: axes.iter().map(input).collect(), cases: cases.into_iter().collect() };
        let is_free = |name: &str| free.iter().any(|known| known == name);
        let bands = grouped(fields, rows, |name| !is_free(name));
        let is_common = |name: &str| !is_free(name) && !RANKED.contains(&name) && name != PROCESSORS;
        let ranked = grouped(fields, rows, is_common);
        let several = ranked.len() > 1;
        let place = |fields: &Fields| {
            let told = fields.iter().filter(|(name, _)| values(name).len() > 1);
            told.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
        };
        let fate = |(fields, rows): (Fields, Vec<&StudyRow>)| {
            let place = several.then(|| place(&fields));
            StudyFate::of(&of, free, place.as_deref(), fields, &rows)
        };
        Self {
            bands: bands.into_iter().map(|(fields, rows)| StudyBand::of(fields, columns, &rows)).collect(),
            fates: ranked.into_iter().map(fate).collect(),
            axes,
        }
    }
}

/// The values of the free axes of a row.
fn case(free: &[String], row: &StudyRow) -> Vec<String> {
    free.iter().map(|name| row.fields.get(name).cloned().unwrap_or_default()).collect()
}

/// Rows by their fields of these names.
fn grouped<'r>(
    fields: &[String],
    rows: &'r [StudyRow],
    is_common: impl Fn(&str) -> bool,
) -> Vec<(Fields, Vec<&'r StudyRow>)> {
    let mut groups: Vec<(Fields, Vec<&StudyRow>)> = Vec::new();
    for row in rows {
        let common = fields.iter().filter(|name| is_common(name));
        let common: Fields =
            common.filter_map(|name| Some((name.clone(), row.fields.get(name)?.clone()))).collect();
        match groups.iter_mut().find(|(known, _)| *known == common) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((common, vec![row])),
        }
    }
    groups
}

impl StudyBand {
    fn of(fields: Fields, columns: &[StudyColumn], rows: &[&StudyRow]) -> Self {
        let ends = |column: &StudyColumn| {
            let numbers: Vec<_> = rows.iter().filter_map(|row| Some(row.number(column)?.median)).collect();
            let (least, greatest) =
                (numbers.iter().copied().reduce(f64::min)?, numbers.iter().copied().reduce(f64::max)?);
            Some(StudyEnds { least, greatest, missing: rows.len() - numbers.len() })
        };
        Self { fields, numbers: columns.iter().map(|column| (column.name.clone(), ends(column))).collect() }
    }
}

impl StudyFate {
    fn of(of: &Free, free: &[String], place: Option<&str>, fields: Fields, rows: &[&StudyRow]) -> Self {
        let best = |values: &Vec<String>| {
            let rows: Vec<_> = rows.iter().filter(|row| case(free, row) == *values).collect();
            let contenders: Vec<_> = rows.iter().filter_map(|row| contender(row)).collect();
            match contenders.len() == rows.len() {
                true => Best::among(&contenders).ok_or(Lack::Missing),
                // The missing run may be the fastest.
                false => Err(Lack::Missing),
            }
        };
        let best: Vec<_> = of.cases.iter().map(best).collect();
        let survival = Survival::of(&best);
        let varies = |index: usize| {
            let all = rows.iter().map(|row| row.fields.get(RANKED[index]));
            all.collect::<IndexSet<_>>().len() > 1
        };
        let varies = [varies(0), varies(1)];
        let name = |name: &[String; 2]| match varies {
            [true, false] => name[0].clone(),
            [true, true] => format!("{} under {}", name[0], name[1]),
            [false, _] => name[1].clone(),
        };
        let text = words::fate_of(of, place, &survival, &best, "rows", name);
        Self { fields, text, survives: survival.survives() }
    }
}

/// The choice of a row, its mechanism and policy, with its time.
fn contender(row: &StudyRow) -> Option<Contender<[String; 2]>> {
    let name = RANKED.map(|name| row.fields.get(name).cloned().unwrap_or_default());
    let time = row.numbers.get(TIME.0).and_then(Option::as_ref);
    match time {
        Some(time) => {
            let interval = time.interval.map(|interval| (interval.low, interval.high));
            Some(Contender { name, value: time.median, interval })
        }
        None => Some(Contender { name, value: row.time_ns?, interval: None }),
    }
}
