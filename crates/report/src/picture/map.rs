//! Machines against policies. This module must never measure anything.

use indexmap::{IndexMap, IndexSet};

use super::insight::LEAST_DIFFERENCE;
use crate::document::Study;
use crate::quantity::{brief, three_digits};
use plot::{Content, Field, Map, MapRow, Panel, Picture, Shared};

/// The most numbers that are drawn, each in a panel of its own.
const PANELS: usize = 4;

/// The two axes of the map.
const MACHINE: &str = "machine";
const POLICY: &str = "policy";

/// The key of a panel: a number, its unit, and the other fields in which its runs differ from others.
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
                let Some(value) = row.number(column).map(|number| number.median) else { continue };
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
        caption: COLOURS.to_owned(),
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

/// The map of one number; `None` if it is not above 0 everywhere, there are no two machines and two policies, or no policy makes a
/// difference.
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
    let best = match unit.as_str() {
        unit if unit.ends_with("B/s") => Best::Greatest,
        "" => Best::Unknown,
        _ => Best::Least,
    };
    let value = |machine: &str, policy: &str| {
        Some(cells.iter().find(|(on, under, _)| *on == machine && *under == policy)?.2)
    };
    let map = under_policies(&machines, &policies, best, value, |value| shown(value, unit))?;
    let name = name.replace('.', " ");
    let title = [name.as_str(), which.as_str()].into_iter().filter(|part| !part.is_empty());
    Some(Panel { title: title.collect::<Vec<_>>().join(", "), content: Content::Map(map) })
}

/// The best value of a row.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Best {
    Least,
    Greatest,
    /// The unit does not tell.
    Unknown,
}

/// The ratio to the least value of a row that has the strongest colour.
const STRONGEST: f64 = 4.0;

/// The map with a row of each name and a column of each policy, coloured by the ratio to the least value of the row. `None` if no row
/// has values that differ.
pub(super) fn under_policies(
    names: &IndexSet<&str>,
    policies: &IndexSet<&str>,
    best: Best,
    value: impl Fn(&str, &str) -> Option<f64>,
    shown: impl Fn(f64) -> String,
) -> Option<Map> {
    let mut differs = false;
    let row = |name: &&str| {
        let values: Vec<_> = policies.iter().map(|policy| value(name, policy)).collect();
        let all = || values.iter().flatten().copied();
        let (least, greatest) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        differs |= greatest > least * (1.0 + LEAST_DIFFERENCE);
        let field = |value: &Option<f64>| {
            let value = (*value)?;
            let ratio = value / least;
            let outlined = match best {
                Best::Least => value == least,
                Best::Greatest => value == greatest,
                Best::Unknown => false,
            };
            let note = format!("{ratio:.2} times the least of its row");
            Some(Field { value, shade: ratio.ln() / STRONGEST.ln(), text: shown(value), note, outlined })
        };
        MapRow { label: (*name).to_owned(), fields: values.iter().map(field).collect() }
    };
    let rows = names.iter().map(row).collect();
    let scale = ["least of the row".to_owned(), format!("{STRONGEST} times that, or more")];
    let columns = policies.iter().map(|policy| (*policy).to_owned()).collect();
    differs.then_some(Map { across: "policy".to_owned(), scale, columns, rows })
}

/// A sentence on the colours of a map.
pub(super) const COLOURS: &str = "The stronger the colour of a field, the greater its number beside the least of its row. Outlined: the best of the row.";

fn shown(value: f64, unit: &str) -> String {
    let nanoseconds = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    match nanoseconds.iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => brief(value * factor),
        None => format!("{} {unit}", three_digits(value)).trim_end().to_owned(),
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
        let slower = study.tables[0].rows[2].numbers["time"].as_mut().unwrap();
        slower.median *= 2.0;
        let picture = policies(&study).unwrap();
        let Content::Map(map) = &picture.panels[0].content else { panic!("a map") };
        let texts: Vec<Vec<_>> = map
            .rows
            .iter()
            .map(|row| {
                row.fields.iter().map(|field| field.as_ref().map(|field| field.text.as_str())).collect()
            })
            .collect();
        assert_eq!(texts, [[Some("2 us"), Some("4 us")], [Some("1 us"), None]]);
        let fields = map.rows[0].fields.iter().flatten().map(|field| (field.shade, field.outlined));
        assert_eq!(fields.collect::<Vec<_>>(), [(0.0, true), (0.5, false)]);
        study.tables[0].rows.retain(|row| row.fields["machine"] != "paragon" || row.fields[POLICY] == "np");
        assert_eq!(policies(&study), None, "nothing is left to compare");
    }
}
