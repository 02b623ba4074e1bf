//! A message's way through a machine, step by step: as a run measured it, or as a sum of prices. This module must never know a price.

use indexmap::IndexMap;
use units::plural::several;

use crate::document::{Explain, Kind, OneWay, Stage, Trip};
use crate::quantity::brief;
use plot::{Bar, Bars, Content, Panel, Picture, Shared};

/// The most ways that are drawn.
const WAYS: usize = 6;

/// The share by which a measured time differs from its prices at least for the picture to say so.
const APART: f64 = 0.01;

/// The picture of a message between two nodes of a machine under each policy, as a run measured it; where nothing was measured, of a
/// message there and back by its prices. `None` if there is neither.
pub fn message(machine: &Explain) -> Option<Picture> {
    if machine.measured.is_empty() { priced(&machine.machine, &machine.trips) } else { measured(machine) }
}

/// The ways that differ, each with the policies under which a message goes that way.
fn distinct<'w, W>(
    all: &'w [W],
    policy: impl Fn(&'w W) -> &'w str,
    is_same: impl Fn(&W, &W) -> bool,
) -> Vec<(Vec<&'w str>, &'w W)> {
    let mut ways: Vec<(Vec<&str>, &W)> = Vec::new();
    for way in all {
        match ways.iter_mut().find(|(_, known)| is_same(known, way)) {
            Some((policies, _)) => policies.push(policy(way)),
            None => ways.push((vec![policy(way)], way)),
        }
    }
    ways
}

fn measured(machine: &Explain) -> Option<Picture> {
    let ways = distinct(&machine.measured, |way| &way.policy, |one, other| one.stages == other.stages);
    let panel = |(policies, way): &(Vec<&str>, &OneWay)| {
        let trip = machine.trips.iter().find(|trip| trip.policy == way.policy);
        let time = brief(way.time_ns);
        if let Some(steps) = trip.and_then(|trip| of_network_processor(trip, way)) {
            return waterfall(format!("{}: {time}", policies.join(", ")), steps.into_iter());
        }
        let priced = trip.map(|trip| sum(&trip.back)).filter(|priced| is_apart(*priced, way.time_ns));
        let priced = priced.map(|priced| format!("; {} by its prices", brief(priced)));
        let title = format!("{}: {time}{}", policies.join(", "), priced.unwrap_or_default());
        waterfall(title, way.stages.iter().map(|stage| (stage.name.clone(), stage.time_ns)))
    };
    picture(
        format!("{}: where the time of a message goes", machine.machine),
        "Measured: a message without words, from the beginning of its send in a handler to the first instruction of the handler that \
         answers it, between two nodes that do nothing else. Between steps: turns of loops, and looks at the interface. Where a network \
         processor takes part, the steps are drawn by their prices (np: its own), and the rest of the measured time is beyond prices.",
        ways.iter().take(WAYS).map(panel).collect(),
    )
}

/// The mark of a step of a network processor among prices.
const NETWORK_PROCESSOR: &str = "np ";

/// The priced steps of a message that passes a network processor, whose steps a run does not measure one by one, and the rest of the
/// measured time. `None` of other messages, and where prices exceed the measured time.
fn of_network_processor(trip: &Trip, way: &OneWay) -> Option<Vec<(String, f64)>> {
    let rest = way.time_ns - sum(&trip.back);
    let is_its = trip.back.iter().any(|stage| stage.name.starts_with(NETWORK_PROCESSOR));
    (is_its && rest >= 0.0).then(|| {
        let steps = trip.back.iter().map(|stage| (stage.name.clone(), stage.time_ns));
        let rest = (rest > APART * way.time_ns).then(|| ("beyond prices".to_owned(), rest));
        steps.chain(rest).collect()
    })
}

fn is_apart(priced: f64, measured: f64) -> bool {
    (priced - measured).abs() > APART * measured
}

fn sum(stages: &[Stage]) -> f64 {
    stages.iter().map(|stage| stage.time_ns).sum()
}

fn priced(machine: &str, trips: &[Trip]) -> Option<Picture> {
    let is_same = |one: &Trip, other: &Trip| one.there == other.there && one.back == other.back;
    let ways = distinct(trips, |trip| &trip.policy, is_same);
    let panel = |(policies, trip): &(Vec<&str>, &Trip)| {
        let time = brief(sum(&trip.there) + sum(&trip.back));
        let stages = [("there", &trip.there), ("back", &trip.back)];
        let stages =
            stages.into_iter().flat_map(|(way, stages)| stages.iter().map(move |stage| (way, stage)));
        let stages = stages.map(|(way, stage)| (format!("{way}: {}", stage.name), stage.time_ns));
        waterfall(format!("{}: {time}", policies.join(", ")), stages)
    };
    picture(
        format!("{machine}: a message without words there and back"),
        "Between neighbours of an idle machine: a sum of prices, from a thread to a handler and back. A run adds what the sum leaves out: \
         polls that find nothing, turns of loops, and the resumption of the thread.",
        ways.iter().take(WAYS).map(panel).collect(),
    )
}

/// The picture of where the time of events went: a panel for each of the most frequent kinds. `None` without a kind. `of` says which run it
/// is.
pub(super) fn events(of: &str, kinds: &IndexMap<String, Kind>) -> Option<Picture> {
    let title = format!("{of}: where the time of an event goes");
    let mut kinds: Vec<_> = kinds.iter().collect();
    kinds.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.events));
    let panel = |(name, kind): (&String, &Kind)| {
        let stages = kind.stages();
        let time = brief(sum(&stages));
        let title = format!("{name}, {}: {time}", several(kind.events, "time"));
        waterfall(title, stages.into_iter().map(|stage| (stage.name, stage.time_ns)))
    };
    picture(
        title,
        "Measured: the mean over all events of a kind in the whole run, from leaving for the network to the end of the handler. A step that \
         not every event takes counts for as much as the mean event takes of it.",
        kinds.into_iter().take(WAYS).map(panel).collect(),
    )
}

fn picture(title: String, caption: &str, panels: Vec<Panel>) -> Option<Picture> {
    let shared = Shared { x: false, y: true };
    (!panels.is_empty()).then(|| Picture { title, caption: caption.to_owned(), panels, shared })
}

/// A panel of steps, each of which begins where the one before it ends.
fn waterfall(title: String, stages: impl Iterator<Item = (String, f64)>) -> Panel {
    let mut before = 0.0;
    let bars = stages.filter(|(_, time)| *time > 0.0).map(|(label, time)| {
        let from = before;
        before += time;
        Bar { label, from, value: Some(time), ..Bar::default() }
    });
    let bars = bars.collect();
    let bars = Bars { label: "time".to_owned(), unit: "ns".to_owned(), bars, ..Bars::default() };
    Panel { title, content: Content::Bars(bars) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::samples;

    fn stage(name: &str, time_ns: f64) -> Stage {
        Stage { name: name.to_owned(), time_ns }
    }

    fn titles(picture: &Picture) -> Vec<&str> {
        picture.panels.iter().map(|panel| panel.title.as_str()).collect()
    }

    fn places(picture: &Picture) -> Vec<(f64, Option<f64>)> {
        let Content::Bars(bars) = &picture.panels[0].content else { panic!("bars") };
        bars.bars.iter().map(|bar| (bar.from, bar.value)).collect()
    }

    #[test]
    fn each_stage_begins_where_the_one_before_it_ends() {
        let trip = |policy: &str, back: f64| Trip {
            policy: policy.to_owned(),
            there: vec![stage("send", 10.0), stage("nothing", 0.0), stage("network", 5.0)],
            back: vec![stage("send", back)],
        };
        let trips = vec![trip("single", 10.0), trip("floating", 10.0), trip("np", 4.0)];
        let idle = Explain { trips, measured: Vec::new(), ..samples::explain() };
        let picture = message(&idle).unwrap();
        assert_eq!(titles(&picture), ["single, floating: 25 ns", "np: 19 ns"]);
        assert_eq!(places(&picture), [(0.0, Some(10.0)), (10.0, Some(5.0)), (15.0, Some(10.0))]);
    }

    #[test]
    fn prices_are_named_where_they_differ_from_what_was_measured() {
        let way = |policy: &str, network: f64| OneWay {
            policy: policy.to_owned(),
            time_ns: 10.0 + network,
            stages: vec![stage("send", 10.0), stage("network", network)],
        };
        let trip = |policy: &str, back: f64| Trip {
            policy: policy.to_owned(),
            there: Vec::new(),
            back: vec![stage("send", back)],
        };
        let machine = Explain {
            trips: vec![trip("single", 15.0), trip("np", 12.0)],
            measured: vec![way("single", 5.0), way("np", 8.0)],
            ..samples::explain()
        };
        let picture = message(&machine).unwrap();
        assert_eq!(titles(&picture), ["single: 15 ns", "np: 18 ns; 12 ns by its prices"]);
        assert_eq!(places(&picture), [(0.0, Some(10.0)), (10.0, Some(5.0))]);
    }

    #[test]
    fn steps_of_a_network_processor_are_drawn_by_their_prices() {
        let way =
            OneWay { policy: "np".to_owned(), time_ns: 20.0, stages: vec![stage("between steps", 20.0)] };
        let back = vec![stage("np take", 4.0), stage("network", 6.0), stage("np extract", 5.0)];
        let trip = Trip { policy: "np".to_owned(), there: Vec::new(), back };
        let machine = Explain { trips: vec![trip], measured: vec![way], ..samples::explain() };
        let picture = message(&machine).unwrap();
        assert_eq!(titles(&picture), ["np: 20 ns"]);
        let expected = [(0.0, Some(4.0)), (4.0, Some(6.0)), (10.0, Some(5.0)), (15.0, Some(5.0))];
        assert_eq!(places(&picture), expected);
        let Content::Bars(bars) = &picture.panels[0].content else { panic!("bars") };
        assert_eq!(bars.bars[3].label, "beyond prices");
    }
}
