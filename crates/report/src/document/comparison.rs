//! The document of `compare`. This module must never find anything itself: rankings, findings and predictions are made in
//! room `compare`.

use compare::finding::{self, Cause};
use compare::prediction::{self, Doubt, Score};
use compare::ranking::{self, Place};
use compare::refusal::{self, Omitted};
use compare::{MachineShape, agreement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Partial;
use super::run::{Combination, Measured, ProgramInput, Setting};
use super::verdict::Verdict;
use super::way::{Named, Way};
use crate::words;

/// The document that `tradewind compare --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The version of this document's form.
    pub version: u32,
    /// The mark that not every run was done.
    ///
    /// Null if every run was.
    pub partial: Option<Partial>,
    /// The program and its input.
    #[serde(flatten)]
    pub asked: ProgramInput,
    /// The answer in short.
    pub verdict: Verdict,
    /// The results of each `--machine` in each shape, shape by shape, in the order asked for.
    pub worlds: Vec<World>,
    /// The predictions of each machine whose file says that it is a measurement (`[calibrated]`) of another machine of
    /// the comparison; empty if there is none.
    pub predictions: Vec<Prediction>,
    /// The ranking that the machines have in common, of what ran, was right, and was not `oversubscribed`, on all of
    /// them. A machine whose right rows are all `oversubscribed` takes no part. An entry for each shape in which two
    /// machines have right answers.
    pub agreements: Vec<Agreement>,
}

/// The results of one machine in one shape.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct World {
    /// The machine and its file.
    #[serde(flatten)]
    pub on: Named,
    /// Nodes of the machine.
    pub nodes: u32,
    /// Processors of each node.
    pub processors: u32,
    /// The combinations that ran: right answers first, each group the fastest first; empty if everything was refused.
    pub rows: Vec<Row>,
    /// The combinations asked for with `--policy` or `--mechanism` that this machine cannot have; empty if nobody
    /// asked. If nothing at all can run here, every mechanism.
    pub refused: Vec<Refused>,
    /// What was not asked for by name and cannot run here: policies for which there are too few processors, natively also too
    /// few cores, and mechanisms that the machine lacks.
    pub left_out: Vec<LeftOut>,
    /// The combinations that began and did not end well; empty if all did. The exit is 1 if there is one.
    pub failed: Vec<Refused>,
    /// The combinations of which no run was over when the comparison was interrupted.
    pub missing: Vec<Way>,
    /// The conclusion drawn from the rows, by the rules below.
    pub finding: Finding,
}

/// One combination, with its place among the others of its machine. Its keys are those of `run --json` from `machine`
/// to the end, with three more after `oversubscribed`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The combination.
    #[serde(flatten)]
    pub combination: Combination,
    /// The place of the row, from 1. Rows that came out exactly the same share one.
    ///
    /// Null if an answer was wrong.
    pub rank: Option<usize>,
    /// The policy of the first row of the same rank and mechanism. On a model digest, times and utilization came out equal;
    /// on this host the two are the same by construction, and only the first was run.
    ///
    /// Null if this row is the first of its rank.
    pub same_as: Option<String>,
    /// `time_ns` divided by that of the machine's first row: at least 1.
    ///
    /// Null if an answer was wrong, or the best time is 0.
    pub ratio_to_best: Option<f64>,
    /// The measured times and counters.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Something that a machine cannot have, or that did not end well.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    /// The mechanism.
    pub mechanism: String,
    /// The policy.
    ///
    /// Null if no `--policy` was asked for: the machine cannot have the mechanism under any.
    pub policy: Option<String>,
    /// The reason, for people.
    pub reason: String,
}

/// A policy or a mechanism that was not asked for by name and cannot run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The mechanism that the machine lacks, under any policy.
    ///
    /// Null of a policy.
    pub mechanism: Option<String>,
    /// The policy for which there are too few processors, by any mechanism.
    ///
    /// Null of a mechanism.
    pub policy: Option<String>,
    /// The reason, for people.
    pub reason: String,
}

/// The conclusion drawn from one machine's rows: the fastest combination, the one it is compared with, and the cause of the
/// difference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The finding for people.
    pub text: String,
    /// The fastest row with right answers only: its mechanism, and the first policy with its rank.
    ///
    /// Null if no answer was right.
    pub winner: Option<Way>,
    /// The row that the winner is held against.
    ///
    /// Null if nothing is clearly slower.
    pub contrast: Option<Way>,
    /// `policy` or `mechanism`.
    ///
    /// Null without `contrast`.
    pub differs_in: Option<String>,
    /// The time that the contrast took longer, in percent of the winner's time: above 0.
    ///
    /// Null without `contrast`.
    pub percent: Option<f64>,
    /// The least that `percent` may be, for all that the intervals tell, where they do not tell it to within itself.
    ///
    /// Null if they do, on a model, and without `contrast`.
    pub at_least_percent: Option<f64>,
    /// The number of processors of each node that computed.
    ///
    /// Null if there is no contrast, or they are the same.
    pub computing_processors: Option<Processors>,
    /// The part of the time that makes the difference.
    ///
    /// Null if no part does, the contrast computed on fewer processors, or processors took turns.
    pub because: Option<Because>,
    /// The part of the machine that was busy for most of the timed region under the winner: for at least 0.9 of it.
    ///
    /// Null if there is no such part.
    pub bottleneck: Option<Bottleneck>,
    /// The part of the machine that was busy for most of the timed region under the contrast.
    ///
    /// Null if there is no such part, or no `contrast`.
    pub bottleneck_of_contrast: Option<Bottleneck>,
    /// The smaller of the two contrasts.
    ///
    /// Null if there is none.
    pub other_contrast: Option<Way>,
    /// The time that the smaller contrast took longer, in percent of the winner's time: above 0.
    ///
    /// Null without `other_contrast`.
    pub other_percent: Option<f64>,
    /// Rows that are not told from the winner: their intervals do not part, the difference is at most 3 %, or one of the two is
    /// `disturbed`.
    pub tied: Vec<Way>,
    /// The difference, in percent, that the intervals of the winner and of `tied` leave room for: with 95 % any two of them are as
    /// close as that.
    ///
    /// Null on a model, and without `tied`.
    pub room_percent: Option<f64>,
    /// `room_percent` is more than 10, there were too few runs, or a row is `disturbed`: it is not shown that `tied` are as good as the winner.
    pub unclear: bool,
    /// The number of runs of each row from which rows can be told apart.
    ///
    /// Null if there were as many.
    pub runs_needed: Option<usize>,
    /// The winner's time is so short on this host that much of it is the beginning and the end of what was timed: a phase below
    /// 0.1 ms, or a whole run below 0.5 ms.
    pub brief: bool,
    /// From 0 to 1: the share of the time that the operating system took from the rows with right answers that it `disturbed`, their
    /// mean.
    ///
    /// Null if it disturbed none.
    pub busy: Option<f64>,
    /// Winner or contrast is `oversubscribed`, so that the times mean little and no cause is named.
    pub oversubscribed: bool,
}

/// A part of a machine that was busy for nearly the whole timed region.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Bottleneck {
    /// The kind of the part, as in `utilization[].part`; never `computing-processor`.
    pub part: String,
    /// The name of the part, as in `utilization[].busiest`.
    pub name: String,
    /// From 0.9 to 1: the share of the time for which it was busy; of all parts of the kind, the mean.
    pub busy: f64,
    /// All parts of the kind were as busy on average, so that no single one is to blame.
    pub all: bool,
}

/// The number of computing processors of a node under the winner and under the contrast, where the two differ.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Processors {
    /// Computing processors of each node under the winner.
    pub of_winner: u32,
    /// Computing processors of each node under the contrast.
    pub of_contrast: u32,
}

/// The part of the time that makes a difference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Because {
    /// The part, as a key of `breakdown_ns`.
    pub part: String,
    /// The time that each computing processor of the contrast spent more on the part.
    pub excess_ns: f64,
    /// The excess divided by the difference of the times: at least 0.5, and above 1 where other parts are shorter.
    pub share: f64,
    /// The part, as a key of `breakdown_ns`, that makes up for most of what is more than the difference: the excess is
    /// then no cause, but outweighs it.
    ///
    /// Null if `share` is at most 1.5.
    pub made_up_by: Option<String>,
    /// The time that each computing processor of the contrast spent less on the part `made_up_by`.
    ///
    /// Null without `made_up_by`.
    pub less_ns: Option<f64>,
    /// The counter that explains the part, see below.
    ///
    /// Null if none stands out.
    pub counter: Option<String>,
    /// The counter's value for the winner.
    ///
    /// Null without `counter`, and if the winner has no such thing.
    pub of_winner: Option<f64>,
    /// The counter's value for the contrast.
    ///
    /// Null without `counter`.
    pub of_contrast: Option<f64>,
}

/// The predictions of a calibrated model, each beside the measurement that it is held against.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    /// The model and its file.
    #[serde(flatten)]
    pub on: Named,
    /// The machine that was measured: `native`.
    pub of: String,
    /// Nodes of both.
    pub nodes: u32,
    /// Processors of each node of both.
    pub processors: u32,
    /// Each mechanism under each policy that gave right answers on both: first those that are scored, each group the
    /// fastest measured first.
    pub rows: Vec<Pair>,
    /// Rows of `of` with right answers that the model has no such row for.
    pub unpredicted: usize,
    /// The number of rows that are scored.
    pub scored: usize,
    /// Median of the errors without their signs; of an even number, the mean of the two in the middle.
    ///
    /// Null if none is scored.
    pub median_error: Option<f64>,
    /// The row that is furthest off.
    ///
    /// Null if none is scored.
    pub worst: Option<Scored>,
    /// The quality of the order in which the model ranks the scored rows.
    ///
    /// Null if fewer than two are scored.
    pub ranking: Option<Ranking>,
    /// The prediction for people; says so if the file is of another host than this one.
    pub text: String,
}

/// One combination, predicted and measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// The mechanism and the policy.
    #[serde(flatten)]
    pub way: Way,
    /// `time_ns` of the measurement.
    pub measured_ns: f64,
    /// `time_ns` of the model.
    pub predicted_ns: f64,
    /// `predicted_ns` divided by `measured_ns`, less 1.
    ///
    /// Null if nothing was measured.
    pub error: Option<f64>,
    /// The measured run had more processors than the host has cores. They took turns, so its times mean little.
    pub oversubscribed: bool,
    /// The reason why the measurement tells nothing of the prediction: `turns` (the row is `oversubscribed`), `taken` (the operating
    /// system took much of the processors' time), `wide` (the interval of the median is as wide as the median).
    ///
    /// Null if it tells something.
    pub cannot_tell: Option<String>,
    /// The row is scored: its measurement tells something.
    pub scored: bool,
}

/// A combination with the error of its prediction.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Scored {
    /// The mechanism and the policy.
    #[serde(flatten)]
    pub way: Way,
    /// `predicted_ns` divided by `measured_ns`, less 1.
    pub error: f64,
}

/// The quality of the order in which a model ranks combinations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// The fastest row as measured.
    pub best: Way,
    /// The fastest row as predicted.
    pub predicted_best: Way,
    /// The excess of the time of `predicted_best` over that of `best`, both as measured: 0.1 is a tenth longer.
    pub cost: f64,
    /// Runs do not tell `predicted_best` from `best`, by the rule of findings.
    pub tied: bool,
    /// Pairs of rows that runs tell apart.
    pub apart: usize,
    /// The number of those pairs that are predicted in their order.
    pub in_order: usize,
}

/// The agreement of several machines' rankings: whether one mechanism and one policy are the best on all of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// Nodes of every machine.
    pub nodes: u32,
    /// Processors of each node of every machine.
    pub processors: u32,
    /// The agreement for people.
    pub text: String,
    /// One mechanism is the best, or tied with the best, on every machine.
    ///
    /// Null if there was no choice, or runs differ too much to tell.
    pub on_mechanism: Option<bool>,
    /// One policy is the best, or tied with the best, on every machine: by the mechanism on which the machines agree,
    /// else by each machine's best.
    ///
    /// Null if there was no choice, or runs differ too much to tell.
    pub on_policy: Option<bool>,
    /// Each machine's best of what all can run; empty if they have nothing in common, or fewer than two take part.
    pub choices: Vec<Choice>,
}

/// The best combination of a machine, among those that all machines can run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// The machine and its file.
    #[serde(flatten)]
    pub on: Named,
    /// The mechanism and the policy.
    #[serde(flatten)]
    pub way: Way,
}

impl Comparison {
    /// The document of a comparison on the host of that description.
    pub fn new(asked: ProgramInput, setting: &Setting, rankings: &[compare::Ranking], host: &str) -> Self {
        Self {
            version: super::VERSION,
            partial: None,
            verdict: Verdict::new(&asked.program, rankings),
            asked,
            worlds: rankings.iter().map(|ranking| World::new(setting, ranking)).collect(),
            predictions: prediction::of(rankings).iter().map(|one| Prediction::new(one, host)).collect(),
            agreements: agreement::of(rankings).iter().map(Agreement::from).collect(),
        }
    }
}

impl World {
    fn new(setting: &Setting, ranking: &compare::Ranking) -> Self {
        let (machine, MachineShape { nodes, processors }) = (&ranking.machine, ranking.shape);
        let places = ranking.places.iter().enumerate();
        let rows = places.flat_map(|(index, place)| {
            let first = &ranking.places[0].row;
            Row::of(setting, ranking, place, index + 1, ranking::ratio(first, &place.row))
        });
        Self {
            on: Named::from(machine),
            nodes,
            processors,
            rows: rows.collect(),
            refused: ranking.refused.iter().map(Refused::from).collect(),
            left_out: ranking.left_out.iter().map(LeftOut::from).collect(),
            failed: ranking.failed.iter().map(Refused::from).collect(),
            missing: ranking.missing.iter().map(Way::from).collect(),
            finding: Finding::from(&finding::of(ranking)),
        }
    }
}

impl Row {
    /// Every combination of a place.
    fn of(
        setting: &Setting,
        ranking: &compare::Ranking,
        place: &Place,
        rank: usize,
        ratio_to_best: Option<f64>,
    ) -> Vec<Self> {
        let row = |ran: &compare::Combination, policy: &str| Self {
            combination: Combination {
                policy: policy.to_owned(),
                ..Combination::new(setting, ranking.shape, &ranking.machine, ran)
            },
            rank: place.row.verified.then_some(rank),
            same_as: place.row.policies.first().filter(|first| *first != policy).cloned(),
            ratio_to_best,
            measured: Measured::new(&ranking.machine, ran, place.row.interval),
        };
        let rows = |ran| compare::Combination::policies(ran).map(move |policy| row(ran, policy));
        place.ran.iter().flat_map(rows).collect()
    }
}

impl From<&compare::Refusal> for Refused {
    fn from(refusal: &compare::Refusal) -> Self {
        let compare::Refusal { mechanism, policy, reason } = refusal.clone();
        Self { mechanism: mechanism.to_string(), policy, reason }
    }
}

impl From<&refusal::LeftOut> for LeftOut {
    fn from(left_out: &refusal::LeftOut) -> Self {
        let (mechanism, policy) = match &left_out.what {
            Omitted::Mechanism(mechanism) => (Some(mechanism.to_string()), None),
            Omitted::Policy(policy) => (None, Some(policy.clone())),
        };
        Self { mechanism, policy, reason: left_out.reason.clone() }
    }
}

impl From<&compare::Finding> for Finding {
    fn from(found: &compare::Finding) -> Self {
        let (contrast, other) = (found.contrast.as_ref(), found.other.as_ref());
        let percent = |contrast: &finding::Contrast| (contrast.ratio - 1.0) * 100.0;
        let differs = |contrast: &finding::Contrast| match contrast.differs {
            finding::Differs::Policy => "policy".to_owned(),
            finding::Differs::Mechanism => "mechanism".to_owned(),
        };
        let processors = contrast.and_then(|contrast| contrast.processors);
        let because = contrast.and_then(|contrast| match &contrast.cause {
            Cause::Part(because) => Some(Because::from(because)),
            _ => None,
        });
        Self {
            text: words::finding(found),
            winner: found.winner.as_ref().map(Way::from),
            contrast: contrast.map(|contrast| Way::from(&contrast.loser)),
            differs_in: contrast.map(differs),
            percent: contrast.map(percent),
            at_least_percent: contrast
                .and_then(|contrast| contrast.at_least)
                .map(|ratio| (ratio - 1.0) * 100.0),
            computing_processors: processors
                .map(|of| Processors { of_winner: of.winner, of_contrast: of.loser }),
            because,
            bottleneck: found.bottleneck.as_ref().map(Bottleneck::from),
            bottleneck_of_contrast: contrast
                .and_then(|contrast| contrast.bottleneck.as_ref())
                .map(Bottleneck::from),
            other_contrast: other.map(|other| Way::from(&other.loser)),
            other_percent: other.map(percent),
            tied: found.tied.iter().map(Way::from).collect(),
            room_percent: found.room.map(|room| room * 100.0).filter(|room| room.is_finite()),
            unclear: found.unclear,
            runs_needed: found.too_few.map(|few| few.needed),
            brief: found.brief,
            busy: found.busy,
            oversubscribed: found.oversubscribed,
        }
    }
}

impl From<&compare::Bottleneck> for Bottleneck {
    fn from(found: &compare::Bottleneck) -> Self {
        let compare::Bottleneck { resource, name, busy, all, lone_sender: _ } = found.clone();
        Self { part: resource.name().to_owned(), name, busy, all }
    }
}

impl From<&finding::Because> for Because {
    fn from(because: &finding::Because) -> Self {
        let (made_up, evidence) = (because.made_up.as_ref(), because.evidence.as_ref());
        Self {
            part: because.part.name().to_owned(),
            excess_ns: because.seconds * 1e9,
            share: because.share,
            made_up_by: made_up.map(|less| less.part.name().to_owned()),
            less_ns: made_up.map(|less| less.seconds * 1e9),
            counter: evidence.map(|evidence| evidence.counter.name().to_owned()),
            of_winner: evidence.and_then(|evidence| evidence.winner),
            of_contrast: evidence.map(|evidence| evidence.loser),
        }
    }
}

impl Prediction {
    fn new(predicted: &compare::Prediction, host: &str) -> Self {
        let score = predicted.score.as_ref();
        let worst = |score: &Score| Scored { way: Way::from(&score.worst.way), error: score.worst.error() };
        Self {
            on: Named::from(&predicted.model),
            of: predicted.calibration.of.clone(),
            nodes: predicted.shape.nodes,
            processors: predicted.shape.processors,
            rows: predicted.pairs.iter().map(Pair::from).collect(),
            unpredicted: predicted.unpredicted,
            scored: score.map_or(0, |score| score.scored),
            median_error: score.map(|score| score.median),
            worst: score.map(worst),
            ranking: score.and_then(|score| score.ranking.as_ref()).map(Ranking::from),
            text: words::prediction(predicted, host),
        }
    }
}

impl From<&prediction::Pair> for Pair {
    fn from(pair: &prediction::Pair) -> Self {
        Self {
            way: Way::from(&pair.way),
            measured_ns: pair.measured_ns,
            predicted_ns: pair.predicted_ns,
            error: Some(pair.error()).filter(|error| error.is_finite()),
            oversubscribed: pair.doubt == Some(Doubt::Turns),
            cannot_tell: pair.doubt.map(|doubt| words::DoubtWords::of(doubt).name.to_owned()),
            scored: pair.is_scored(),
        }
    }
}

impl From<&prediction::PairOrder> for Ranking {
    fn from(choice: &prediction::PairOrder) -> Self {
        Self {
            best: Way::from(&choice.best.way),
            predicted_best: Way::from(&choice.chosen.way),
            cost: choice.cost(),
            tied: choice.tied,
            apart: choice.apart,
            in_order: choice.in_order,
        }
    }
}

impl From<&compare::Agreement> for Agreement {
    fn from(agreed: &compare::Agreement) -> Self {
        let agrees = |verdict: &agreement::CommonBest| match verdict {
            agreement::CommonBest::Unknown => None,
            agreement::CommonBest::Differs => Some(false),
            agreement::CommonBest::Best(_) | agreement::CommonBest::Tied(_) => Some(true),
        };
        let choice = |choice: &agreement::Choice| Choice {
            on: Named { machine: choice.on.machine.clone(), machine_file: choice.on.file.clone() },
            way: Way::from(&choice.way),
        };
        Self {
            nodes: agreed.shape.nodes,
            processors: agreed.shape.processors,
            text: words::agreement(agreed),
            on_mechanism: agreed.mechanism.as_ref().and_then(agrees),
            on_policy: agreed.policy.as_ref().and_then(agrees),
            choices: agreed.choices.iter().map(choice).collect(),
        }
    }
}
