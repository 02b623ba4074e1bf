//! Mechanisms against policies, and what each combination sent, from the document of a comparison. This module must never measure
//! anything.

use indexmap::IndexSet;

use super::insight::insight;
use super::map::{Best, COLOURS, under_policies};
use super::spent::{differ, sent};
use super::trip;
use crate::document::{Comparison, Row, World};
use crate::quantity::brief;
use crate::words::procs;
use plot::{Bar, Bars, Content, Palette, Panel, Picture, Shared};

/// The picture of a comparison as maps: a panel for each machine in each shape, with a field for each mechanism under each policy.
/// `None` if no machine ran two mechanisms or two policies.
pub fn mechanisms(found: &Comparison) -> Option<Picture> {
    let panels: Vec<_> = found.worlds.iter().filter_map(map).collect();
    (!panels.is_empty()).then(|| Picture {
        title: format!("{}: mechanisms under policies", found.asked.program),
        caption: format!("{COLOURS} Fields without a number did not run, or gave a wrong answer."),
        panels,
        shared: Shared::default(),
    })
}

/// The picture of the bytes that each combination sent; `None` if none did.
pub fn volumes(found: &Comparison) -> Option<Picture> {
    let panels: Vec<_> = found.worlds.iter().filter_map(bars).collect();
    let caption = "Bytes that all nodes sent in the first timed region, by purpose.".to_owned();
    (!panels.is_empty()).then(|| Picture {
        title: format!("{}: what was sent", found.asked.program),
        caption: [caption].into_iter().chain(insight(&panels)).collect::<Vec<_>>().join(" "),
        panels,
        shared: Shared::default(),
    })
}

/// The picture of where the time of events went in the fastest combination on a model: a panel for each of its most frequent kinds.
/// `None` if none ran on a model.
pub fn events(found: &Comparison) -> Option<Picture> {
    let best = found.worlds.iter().filter_map(|world| Some((world, right(world).next()?)));
    let modelled = best.filter(|(_, row)| !row.measured.anatomy.is_empty());
    let time = |(_, row): &(&World, &Row)| row.measured.time_ns;
    let (world, row) = modelled.min_by(|one, other| time(one).total_cmp(&time(other)))?;
    let with = [row.combination.mechanism.as_str(), row.combination.policy.as_str()].join(" ");
    trip::events(&format!("{} on {}, {with}", found.asked.program, world.place()), &row.measured.anatomy)
}

/// The rows with right answers.
fn right(world: &World) -> impl Iterator<Item = &Row> {
    world.rows.iter().filter(|row| row.rank.is_some() && row.measured.time_ns > 0.0)
}

fn map(world: &World) -> Option<Panel> {
    let mechanisms: IndexSet<&str> = right(world).map(|row| row.combination.mechanism.as_str()).collect();
    let policies: IndexSet<&str> = right(world).map(|row| row.combination.policy.as_str()).collect();
    if mechanisms.len() < 2 && policies.len() < 2 {
        return None;
    }
    let value = |mechanism: &str, policy: &str| {
        let is_it = |row: &&Row| row.combination.mechanism == mechanism && row.combination.policy == policy;
        Some(right(world).find(is_it)?.measured.time_ns)
    };
    let map = under_policies(&mechanisms, &policies, Best::Least, value, brief)?;
    Some(Panel { title: world.place(), content: Content::Map(map) })
}

fn bars(world: &World) -> Option<Panel> {
    let bar = |row: &Row| {
        let pieces = sent(row.measured.region().volume);
        let sum: f64 = pieces.iter().map(|piece| piece.value).sum();
        let label = format!("{} {}", row.combination.mechanism, row.combination.policy);
        let note = procs(&row.combination.split().to_string());
        (sum > 0.0).then(|| Bar { label, value: Some(sum), pieces, note, ..Bar::default() })
    };
    // Policies that came out the same sent the same.
    let bars: Vec<_> = right(world).filter(|row| row.same_as.is_none()).filter_map(bar).collect();
    let is_drawn = differ(&bars);
    let bars = Bars {
        label: "bytes sent".to_owned(),
        unit: "B".to_owned(),
        bars,
        to: None,
        palette: Palette::Second,
    };
    is_drawn.then(|| Panel { title: world.place(), content: Content::Bars(bars) })
}
