//! The document of `compare`. This module must never find anything itself: rankings, findings and predictions are made in
//! room `compare`.

use compare::agreement::{self, CommonBest};
use compare::finding::{self, Cause, Contrast, Differs};
use compare::prediction::{self, Doubt, Score};
use compare::ranking::{self, Place};
use compare::refusal::{self, Omitted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::documented::{Documented, documented};
use super::free::{Band, Fate, Free};
use super::run::{Combination, Measured, ProgramInput, Setting};
use super::verdict::{Verdict, percent};
use super::way::{Named, Way};
use super::{Circumstances, Partial};
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
    /// The circumstances of the comparison.
    ///
    /// Null where every machine is a model: their results depend on none of them.
    pub circumstances: Option<Circumstances>,
    /// The program and its input.
    #[serde(flatten)]
    pub asked: ProgramInput,
    /// The inputs of unknown value.
    ///
    /// Null without `--free`.
    pub free: Option<Free>,
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
    /// The run that `speedup` of the rows is measured against.
    ///
    /// Null if none was asked for, or this machine has no such run.
    pub baseline: Option<Reference>,
    /// The fate of the ranking over the cases of `free`.
    ///
    /// Null without `--free`.
    pub fate: Option<Fate>,
    /// The conclusion drawn from the rows, by the rules below.
    pub finding: Finding,
}

/// The run that the rows of a machine are measured against.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// The baseline: `uniprocessor`, as in the document of a run; or the mechanism and policy of a row, as `messages:single`.
    pub name: String,
    /// The time that counts of that run.
    pub time_ns: f64,
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
    /// The time of the machine's baseline divided by `time_ns`: above 1 where the row is faster.
    ///
    /// Null without a baseline, or if an answer was wrong.
    pub speedup: Option<f64>,
    /// The ratios to the best over the cases of `free`.
    ///
    /// Null without `--free`.
    pub band: Option<Band>,
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
    /// The prediction for people; says so if the file is of another host than this one, or of nodes in another place.
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
        let predicted = |one: &compare::Prediction| Prediction::new(one, host, &setting.place);
        Self {
            version: super::VERSION,
            partial: None,
            circumstances: None,
            free: None,
            verdict: Verdict::new(&asked.program, rankings),
            asked,
            worlds: rankings.iter().map(|ranking| World::new(setting, ranking)).collect(),
            predictions: prediction::of(rankings).iter().map(predicted).collect(),
            agreements: agreement::of(rankings).documented(),
        }
    }
}

impl World {
    fn new(setting: &Setting, ranking: &compare::Ranking) -> Self {
        let places = ranking.places.iter().enumerate();
        let rows = places.flat_map(|(index, place)| {
            let first = &ranking.places[0].row;
            Row::of(setting, ranking, place, index + 1, ranking::ratio(first, &place.row))
        });
        Self {
            on: ranking.machine.documented(),
            nodes: ranking.shape.nodes,
            processors: ranking.shape.processors,
            rows: rows.collect(),
            refused: ranking.refused.documented(),
            left_out: ranking.left_out.documented(),
            failed: ranking.failed.documented(),
            missing: ranking.missing.documented(),
            baseline: None,
            fate: None,
            finding: finding::of(ranking).documented(),
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
            speedup: None,
            band: None,
            measured: Measured::new(&ranking.machine, ran, place.row.interval),
        };
        let rows = |ran| compare::Combination::policies(ran).map(move |policy| row(ran, policy));
        place.ran.iter().flat_map(rows).collect()
    }
}

documented!(|it: compare::Refusal| Refused { mechanism, policy, reason });

documented!(|it: refusal::LeftOut| LeftOut {
    mechanism: match &it.what {
        Omitted::Mechanism(mechanism) => Some(mechanism.to_string()),
        Omitted::Policy(_) => None,
    },
    policy: match &it.what {
        Omitted::Mechanism(_) => None,
        Omitted::Policy(policy) => Some(policy.clone()),
    },
    reason,
});

impl Documented<Finding> for compare::Finding {
    fn documented(&self) -> Finding {
        let (contrast, other) = (self.contrast.as_ref(), self.other.as_ref());
        let differs = |contrast: &Contrast| match contrast.differs {
            Differs::Policy => "policy".to_owned(),
            Differs::Mechanism => "mechanism".to_owned(),
        };
        let because = |contrast: &Contrast| match &contrast.cause {
            Cause::Part(because) => Some(because.documented()),
            _ => None,
        };
        Finding {
            text: words::finding(self),
            winner: self.winner.documented(),
            contrast: contrast.map(|contrast| contrast.loser.documented()),
            differs_in: contrast.map(differs),
            percent: contrast.map(|contrast| percent(contrast.margin.ratio)),
            at_least_percent: contrast.and_then(|contrast| contrast.margin.at_least).map(percent),
            computing_processors: contrast.and_then(|contrast| contrast.processors.documented()),
            because: contrast.and_then(because),
            bottleneck: self.bottleneck.documented(),
            bottleneck_of_contrast: contrast.and_then(|contrast| contrast.bottleneck.documented()),
            other_contrast: other.map(|other| other.loser.documented()),
            other_percent: other.map(|other| percent(other.margin.ratio)),
            tied: self.tied.documented(),
            room_percent: self.room.map(|room| room * 100.0).filter(|room| room.is_finite()),
            unclear: self.unclear,
            runs_needed: self.too_few.map(|few| few.needed),
            brief: self.brief,
            busy: self.busy,
            oversubscribed: self.oversubscribed,
        }
    }
}

documented!(|it: compare::margin::Processors| Processors { of_winner: it.winner, of_contrast: it.loser });

documented!(|it: compare::Bottleneck| Bottleneck { part: it.resource.documented(), name, busy, all });

documented!(|it: finding::Because| Because {
    part,
    excess_ns: it.seconds * 1e9,
    share,
    made_up_by: it.made_up.map(|less| less.part.documented()),
    less_ns: it.made_up.map(|less| less.seconds * 1e9),
    counter: it.evidence.map(|evidence| evidence.counter.name().to_owned()),
    of_winner: it.evidence.and_then(|evidence| evidence.winner),
    of_contrast: it.evidence.map(|evidence| evidence.loser),
});

impl Prediction {
    fn new(predicted: &compare::Prediction, host: &str, place: &str) -> Self {
        let score = predicted.score.as_ref();
        let worst = |score: &Score| Scored { way: score.worst.way.documented(), error: score.worst.error() };
        Self {
            on: predicted.model.documented(),
            of: predicted.calibration.of.clone(),
            nodes: predicted.shape.nodes,
            processors: predicted.shape.processors,
            rows: predicted.pairs.documented(),
            unpredicted: predicted.unpredicted,
            scored: score.map_or(0, |score| score.scored),
            median_error: score.map(|score| score.median),
            worst: score.map(worst),
            ranking: score.and_then(|score| score.ranking.documented()),
            text: words::prediction(predicted, host, place),
        }
    }
}

documented!(|it: prediction::Pair| Pair {
    way,
    measured_ns,
    predicted_ns,
    error: Some(it.error()).filter(|error| error.is_finite()),
    oversubscribed: it.doubt == Some(Doubt::Turns),
    cannot_tell: it.doubt.map(|doubt| words::DoubtWords::of(doubt).name.to_owned()),
    scored: it.is_scored(),
});

documented!(|it: prediction::PairOrder| Ranking {
    best: it.best.way.documented(),
    predicted_best: it.chosen.way.documented(),
    cost: it.cost(),
    tied,
    apart,
    in_order,
});

documented!(|it: compare::Agreement| Agreement {
    nodes: it.shape.nodes,
    processors: it.shape.processors,
    text: words::agreement(it),
    on_mechanism: it.mechanism.as_ref().and_then(agrees),
    on_policy: it.policy.as_ref().and_then(agrees),
    choices,
});

/// Whether machines agree on a choice; `None` if runs do not tell.
fn agrees(best: &CommonBest) -> Option<bool> {
    (*best != CommonBest::Unknown).then_some(*best != CommonBest::Differs)
}

documented!(|it: agreement::Choice| Choice { on, way });
