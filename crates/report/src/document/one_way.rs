//! The time of a message from handler to handler, step by step, as a run measured it. This module must never know a price.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tempest::Report;

use super::Kind;

/// The figure of the program that measures it: nanoseconds of half a round trip.
const TIME: &str = "one_way.near";

/// What a step of sending is called by: it comes before the network.
const SENDING: &str = "send_";

/// The time that no step has: the work of a network processor, turns of loops, looks at the interface.
const REST: &str = "between steps";

/// The step that follows a handler and delays nothing of its message.
const COMPLETION: &str = tempest::outcome::Stage::COMPLETION;

/// A message without words from handler to handler between two nodes that do nothing else: the mean over a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OneWay {
    /// The policy.
    pub policy: String,
    /// The mean time from the beginning of a send to the first instruction of the handler.
    pub time_ns: f64,
    /// The steps of that time, in order: their times add up to it. `network` is the way into the destination's interface, `waits` the
    /// time in there, `between steps` what no step has, such as the work of a network processor.
    pub stages: Vec<Stage>,
}

/// A stage of a message's way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    /// The price, or what the message passes.
    pub name: String,
    /// The time that the stage takes.
    pub time_ns: f64,
}

impl OneWay {
    /// What a run of `active-message` measured, in which handlers answer handlers; `None` if it measured nothing.
    pub fn of(policy: &str, report: &Report, anatomy: &[tempest::outcome::Stage]) -> Option<Self> {
        let time_ns = report.figures.iter().find(|figure| figure.name == TIME)?.value;
        // A network processor that serves messages itself takes no steps of a computing processor.
        let kind = anatomy.first().map(Kind::from);
        let is_sent = |name: &str| name.starts_with(SENDING);
        // All but the first message of a run are sent by the handler of another: a send costs what it costs those.
        let steps = kind.iter().flat_map(|kind| &kind.steps).filter(|(name, _)| is_sent(name));
        let mut sent: Vec<_> =
            steps.map(|(name, step)| Stage { name: name.clone(), time_ns: step.mean_ns }).collect();
        let mut received = kind.map(|kind| kind.stages()).unwrap_or_default();
        received.retain(|stage| !is_sent(&stage.name));
        let counted: f64 = sent.iter().chain(&received).map(|stage| stage.time_ns).sum();
        sent.push(Stage { name: REST.to_owned(), time_ns: time_ns - counted });
        let stages = sent.into_iter().chain(received).filter(|stage| stage.time_ns > LEAST * time_ns);
        Some(Self { policy: policy.to_owned(), time_ns, stages: stages.collect() })
    }
}

/// The least share of the whole that is a step.
const LEAST: f64 = 5e-4;

impl Kind {
    /// The time of an event of this kind, step by step: in the network, in the destination's interface, on processors. What follows the
    /// handler is left out.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        let stage = |name: &str, time_ns: f64| Stage { name: name.to_owned(), time_ns };
        let often = |times: u64| times as f64 / self.events.max(1) as f64;
        let steps = self.steps.iter().filter(|(name, _)| *name != COMPLETION);
        let mut steps: Vec<_> =
            steps.map(|(name, step)| stage(name, step.mean_ns * often(step.times))).collect();
        // A message is taken out of the interface before its handler is found.
        steps.sort_by_key(|stage| stage.name != "extract");
        [stage("network", self.mean_travel_ns), stage("waits", self.mean_wait_ns)]
            .into_iter()
            .chain(steps)
            .filter(|stage| stage.time_ns > 0.0)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use tempest::Merge;
    use tempest::outcome::{Figure, Step};
    use units::TotalTime;

    use super::*;

    #[test]
    fn the_steps_of_a_message_add_up_to_its_time() {
        let ns = TotalTime::from_nanoseconds;
        let step = |name, times, time| Step { name, times, time: ns(time) };
        let null = tempest::outcome::Stage {
            kind: "null",
            events: 2,
            travel: ns(10),
            wait: ns(4),
            steps: vec![
                step("dispatch", 2, 8),
                step("send_header", 1, 6),
                step("extract", 2, 2),
                step(COMPLETION, 2, 90),
            ],
        };
        let figure = Figure { name: TIME, value: 19.0, unit: "ns", merge: Merge::Sum };
        let report = Report { figures: vec![figure], ..Report::default() };
        let way = OneWay::of("single", &report, &[null]).unwrap();
        let told: Vec<_> = way.stages.iter().map(|stage| (stage.name.as_str(), stage.time_ns)).collect();
        let expected = [
            ("send_header", 6.0),
            (REST, 1.0),
            ("network", 5.0),
            ("waits", 2.0),
            ("extract", 1.0),
            ("dispatch", 4.0),
        ];
        assert_eq!(told, expected);
        assert_eq!(OneWay::of("single", &Report::default(), &[]), None);
    }
}
