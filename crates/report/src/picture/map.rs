//! Machines against policies. This module must never measure anything.

use indexmap::{IndexMap, IndexSet};

use crate::document::{Study, StudyColumn, StudyRow};
use crate::quantity::{number, time};
use plot::{Content, Field, Map, MapRow, Panel, Picture, Shared};

/// The most numbers that are drawn, each in a panel of its own.
const PANELS: usize = 4;

/// The two axes of the map.
const MACHINE: &str = "machine";
const POLICY: &str = "policy";

/// What tells the panels of a picture from each other: a number, its unit, and what else differs between runs.
type Which = (String, String, String);

/// The picture of a study whose runs are on several machines under several policies; `None` of another.
pub fn policies(study: &Study) -> Option<Picture> {
    let mut maps: IndexMap<Which, Vec<(&str, &str, f64)>> = IndexMap::new();
    for table in &study.tables {
        let (differ, _) = table.axes();
        let differ: Vec<_> = differ.into_iter().filter(|name| *name != MACHINE && *name != POLICY).collect();
        for row in &table.rows {
            let (Some(machine), Some(policy)) = (row.fields.get(MACHINE), row.fields.get(POLICY)) else {
                continue;
            };
            let which = differ.iter().filter_map(|name| Some(format!("{name} {}", row.fields.get(*name)?)));
            let which = which.collect::<Vec<_>>().join(", ");
            for column in &table.columns {
                let Some(value) = value(row, column) else { continue };
                let key = (column.name.clone(), column.unit.clone(), which.clone());
                maps.entry(key).or_default().push((machine, policy, value));
            }
        }
    }
    // Every panel has its rows and columns in one order.
    let order = Order::of(maps.values().flatten());
    let mut drawn: Vec<_> = maps.iter().collect();
    drawn.sort_by_key(|((name, ..), _)| is_of_series(name));
    let panels = drawn.into_iter().filter_map(|(which, cells)| panel(which, cells, &order));
    let panels: Vec<_> = panels.take(PANELS).collect();
    (!panels.is_empty()).then(|| Picture {
        title: format!("{}: policies on machines", study.study),
        caption: "The darker a field, the greater its number, by factors from the least to the greatest of the panel.".to_owned(),
        panels,
        shared: Shared::default(),
    })
}

/// The machines and the policies of a picture, in the order in which runs name them.
struct Order<'s> {
    machines: IndexSet<&'s str>,
    policies: IndexSet<&'s str>,
}

impl<'s> Order<'s> {
    fn of(cells: impl Iterator<Item = &'s (&'s str, &'s str, f64)> + Clone) -> Self {
        let machines = cells.clone().map(|(machine, ..)| *machine).collect();
        Self { machines, policies: cells.map(|(_, policy, _)| *policy).collect() }
    }
}

/// Whether a number is one of many alike, such as `store.8` beside `store.16`: those are drawn where there is room.
fn is_of_series(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|end| end.parse::<f64>().is_ok())
}

fn value(row: &StudyRow, column: &StudyColumn) -> Option<f64> {
    Some(row.numbers.get(&column.name)?.as_ref()?.median)
}

/// The map of one number; `None` if it is not above 0 everywhere, or there are no two machines and two policies.
fn panel((name, unit, which): &Which, cells: &[(&str, &str, f64)], order: &Order<'_>) -> Option<Panel> {
    let Order { mut machines, mut policies } = Order::of(cells.iter());
    machines.sort_by_key(|machine| order.machines.get_index_of(machine));
    policies.sort_by_key(|policy| order.policies.get_index_of(policy));
    let is_drawn = cells.iter().all(|(.., value)| *value > 0.0 && value.is_finite());
    let filled: IndexSet<_> = cells.iter().map(|(machine, policy, _)| (machine, policy)).collect();
    // Where each machine has a policy of its own there is nothing to compare.
    let is_map = filled.len() > machines.len().max(policies.len());
    if machines.len() < 2 || policies.len() < 2 || !is_map || !is_drawn {
        return None;
    }
    let shown = |value: f64| shown(value, unit);
    let least = cells.iter().map(|(.., value)| *value).fold(f64::INFINITY, f64::min);
    let most = cells.iter().map(|(.., value)| *value).fold(0.0, f64::max);
    let field = |machine: &str, policy: &str| {
        let (.., value) = *cells.iter().find(|(on, under, _)| *on == machine && *under == policy)?;
        Some(Field { value, shade: shade(value, least, most), text: shown(value), note: String::new() })
    };
    let map = under_policies(&machines, &policies, [shown(least), shown(most)], field);
    let title = [name.as_str(), which.as_str()].into_iter().filter(|part| !part.is_empty());
    Some(Panel { title: title.collect::<Vec<_>>().join(", "), content: Content::Map(map) })
}

/// The map with a row of each name and a column of each policy.
pub(super) fn under_policies(
    names: &IndexSet<&str>,
    policies: &IndexSet<&str>,
    scale: [String; 2],
    field: impl Fn(&str, &str) -> Option<Field>,
) -> Map {
    let row = |name: &&str| MapRow {
        label: (*name).to_owned(),
        fields: policies.iter().map(|policy| field(name, policy)).collect(),
    };
    Map {
        across: "policy".to_owned(),
        scale,
        columns: policies.iter().map(|policy| (*policy).to_owned()).collect(),
        rows: names.iter().map(row).collect(),
    }
}

/// How dark a field is: by factors between the least and the greatest value.
pub(super) fn shade(value: f64, least: f64, most: f64) -> f64 {
    if most > least { (value / least).ln() / (most / least).ln() } else { 0.0 }
}

fn shown(value: f64, unit: &str) -> String {
    match unit {
        "ns" => time(value),
        "" => number(value),
        unit => format!("{} {unit}", number(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::samples;

    #[test]
    fn machines_are_held_against_policies_where_there_are_several_of_both() {
        let mut study = samples::study();
        assert_eq!(policies(&study), None);
        let rows = study.tables[0].rows.clone();
        let under = |policy: &str| {
            let policy = policy.to_owned();
            rows.iter().cloned().map(move |mut row| {
                row.fields.insert(POLICY.to_owned(), policy.clone());
                row
            })
        };
        study.tables[0].rows = under("np").chain(under("proc").take(1)).collect();
        let picture = policies(&study).unwrap();
        let Content::Map(map) = &picture.panels[0].content else { panic!("a map") };
        let texts: Vec<Vec<_>> = map
            .rows
            .iter()
            .map(|row| {
                row.fields.iter().map(|field| field.as_ref().map(|field| field.text.as_str())).collect()
            })
            .collect();
        assert_eq!(texts, [[Some("2.000 us"), Some("2.000 us")], [Some("1.000 us"), None]]);
        assert_eq!(map.rows[0].fields[0].as_ref().map(|field| field.shade), Some(1.0));
    }
}
