//! A message's way through an idle machine, step by step. This module must never know a price.

use crate::document::{Stage, Trip};
use crate::plot::{Bar, Bars, Content, Panel, Picture, Shared};
use crate::quantity::duration;

/// The most policies that are drawn.
const POLICIES: usize = 6;

/// The picture of a message there and back under each policy; `None` if there is none.
pub fn trips(machine: &str, trips: &[Trip]) -> Option<Picture> {
    // Policies under which a message goes the same way are one.
    let mut ways: Vec<(Vec<&str>, &Trip)> = Vec::new();
    for trip in trips {
        match ways.iter_mut().find(|(_, known)| known.there == trip.there && known.back == trip.back) {
            Some((policies, _)) => policies.push(&trip.policy),
            None => ways.push((vec![&trip.policy], trip)),
        }
    }
    ways.truncate(POLICIES);
    let panels: Vec<_> = ways.iter().map(|(policies, trip)| panel(policies, trip)).collect();
    (!panels.is_empty()).then(|| Picture {
        title: format!("{machine}: a message without words there and back"),
        caption: "Between neighbours of an idle machine: a sum of prices, from a thread to a handler and back. A run adds what the sum \
                  leaves out: polls that find nothing, turns of loops, and the resumption of the thread."
            .to_owned(),
        panels,
        shared: Shared { x: false, y: true },
    })
}

fn panel(policies: &[&str], trip: &Trip) -> Panel {
    let mut before = 0.0;
    let ways = [("there", &trip.there), ("back", &trip.back)];
    let stages = ways.into_iter().flat_map(|(way, stages)| stages.iter().map(move |stage| (way, stage)));
    let bars: Vec<_> = stages
        .filter(|(_, stage)| stage.time_ns > 0.0)
        .map(|(way, Stage { name, time_ns })| {
            let from = before;
            before += time_ns;
            Bar { label: format!("{way}: {name}"), from, value: Some(*time_ns), ..Bar::default() }
        })
        .collect();
    let title = format!("{}: {}", policies.join(", "), duration(before * 1e-9));
    let bars = Bars { label: "time since the send".to_owned(), unit: "ns".to_owned(), bars, to: None };
    Panel { title, content: Content::Bars(bars) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_begins_where_the_one_before_it_ends() {
        let stage = |name: &str, time_ns: f64| Stage { name: name.to_owned(), time_ns };
        let trip = |policy: &str, back: f64| Trip {
            policy: policy.to_owned(),
            there: vec![stage("send", 10.0), stage("nothing", 0.0), stage("network", 5.0)],
            back: vec![stage("send", back)],
        };
        let picture = trips("toy", &[trip("single", 10.0), trip("floating", 10.0), trip("np", 4.0)]).unwrap();
        let titles: Vec<_> = picture.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["single, floating: 25 ns", "np: 19 ns"]);
        let Content::Bars(bars) = &picture.panels[0].content else { panic!("bars") };
        let places: Vec<_> = bars.bars.iter().map(|bar| (bar.from, bar.value)).collect();
        assert_eq!(places, [(0.0, Some(10.0)), (10.0, Some(5.0)), (15.0, Some(10.0))]);
    }
}
