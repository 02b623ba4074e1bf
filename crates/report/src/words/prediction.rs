//! Predictions in words. This module must never say more than a prediction's score does.

use compare::Prediction;
use compare::prediction::{Doubt, Pair, PairOrder, Score};
use units::plural::several;

use crate::quantity::{percent, signed};

/// The words for a doubt: why a measurement tells nothing of a prediction.
#[cfg_attr(
    not(feature = "command"),
    expect(dead_code, reason = "only the tables of the command show marks and notes")
)]
pub(crate) struct DoubtWords {
    doubt: Doubt,
    /// The name in documents.
    pub(crate) name: &'static str,
    /// The mark in tables.
    pub(crate) mark: &'static str,
    /// The doubt in a note below a table; `CORES` stands for the cores of this host.
    pub(crate) note: &'static str,
    /// The doubt where no pair is scored, with a remedy.
    remedy: &'static str,
}

/// The words for every doubt.
pub(crate) const DOUBTS: [DoubtWords; 3] = [
    DoubtWords {
        doubt: Doubt::Turns,
        name: "turns",
        mark: "*",
        note: "more processors than CORES, where they took turns",
        remedy: "processors took turns: ask for no more of them than there are cores, with --nodes and --processors.",
    },
    DoubtWords {
        doubt: Doubt::Taken,
        name: "taken",
        mark: "!",
        note: "the operating system took much of the processors' time",
        remedy: "this host is busy: the operating system took much of the processors' time. Compare again when it is quiet.",
    },
    DoubtWords {
        doubt: Doubt::Wide,
        name: "wide",
        mark: "?",
        note: "the interval is as wide as the time measured",
        remedy: "the runs lie too far apart. Compare again when the host is quiet, with more runs (--repeat).",
    },
];

impl DoubtWords {
    /// The words for this doubt.
    pub(crate) fn of(doubt: Doubt) -> &'static Self {
        DOUBTS.iter().find(|it| it.doubt == doubt).expect("every doubt has words")
    }
}

/// The quality of a prediction, for a reader on the host of this description, where measured nodes are in this place.
pub fn prediction(prediction: &Prediction, host: &str, place: &str) -> String {
    let mut said = scored(prediction);
    if let Some(other) = prediction.calibration.host.as_ref().filter(|other| *other != host) {
        said += &format!(" But the file is of another host, or of other cores: {other}. This is {host}.");
    }
    let measured = prediction.calibration.world.as_deref().unwrap_or(LOCAL);
    if measured != place {
        let nodes = |place| if place == LOCAL { "nodes in one process" } else { "nodes as processes" };
        said += &format!(" But the file is of {}. This is of {}.", nodes(measured), nodes(place));
    }
    if let Some(keys) = &prediction.calibration.disturbed {
        said += &format!(" But the calibration was disturbed, so that these values are not sure: {keys}.");
    }
    said
}

/// The name in documents of the place that has all nodes in one process.
const LOCAL: &str = "local";

fn scored(prediction: &Prediction) -> String {
    let Some(score) = &prediction.score else {
        return unscored(&prediction.pairs);
    };
    let mechanism = |pairs: &[Pair]| pairs[0].way.mechanism == pairs[1].way.mechanism;
    let is_plain = prediction.pairs.windows(2).all(mechanism);
    // One mechanism goes without saying.
    let name = |pair: &Pair| match is_plain {
        true => pair.way.policy.clone(),
        false => format!("{} under {}", pair.way.mechanism, pair.way.policy),
    };
    let mut said = vec![errors(score, name(&score.worst))];
    if let Some(choice) = &score.ranking {
        said.push(chosen(choice, name(&choice.best), name(&choice.chosen)));
        said.extend(order(choice));
    }
    let doubtful = prediction.pairs.len() - score.scored;
    if doubtful > 0 {
        said.push(format!("Of {} it cannot tell.", several(doubtful as u64, "other way")));
    }
    if prediction.unpredicted > 0 {
        said.push(format!("Not predicted: {}.", several(prediction.unpredicted as u64, "way")));
    }
    said.join(" ")
}

/// The reason why none of these pairs is scored, and a remedy.
fn unscored(pairs: &[Pair]) -> String {
    match pairs.first().map(|pair| pair.doubt) {
        None => "nothing ran, and was right, both in the model and on what it models.".to_owned(),
        Some(None) => "cannot tell, as no time was measured.".to_owned(),
        Some(Some(doubt)) => format!("cannot tell, as {}", DoubtWords::of(doubt).remedy),
    }
}

fn errors(score: &Score, worst: String) -> String {
    let error = signed(score.worst.error());
    match score.scored {
        1 => format!("the error is {error}."),
        ways => {
            let median = percent(score.median);
            format!("of {ways} ways the worst error is {error} ({worst}), the median {median}.")
        }
    }
}

fn chosen(choice: &PairOrder, best: String, chosen: String) -> String {
    let how = match choice {
        choice if choice.is_best() => return format!("The best is predicted, {best}."),
        choice if choice.tied => "which runs do not tell from".to_owned(),
        choice if choice.cost() >= 1.0 => {
            format!("which takes {:.1} times as long as", choice.cost() + 1.0)
        }
        choice => format!("which takes {} longer than", percent(choice.cost())),
    };
    format!("Predicted to be the best is {chosen}, {how} {best}, the best.")
}

/// The number of pairs that are predicted in their order; a single pair needs no words beside the choice.
fn order(choice: &PairOrder) -> Option<String> {
    let PairOrder { apart, in_order, .. } = choice;
    (*apart > 1)
        .then(|| format!("Of {apart} pairs that runs tell apart {in_order} are in the order predicted."))
}

#[cfg(test)]
mod tests {
    use compare::Row;
    use compare::ranking::Calibration;
    use compare::samples::{ranking, rows};
    use tempest::Mechanism::{Bulk, Messages};

    fn of_host(measured: &[Row], predicted: &[Row], host: Option<&str>) -> String {
        let mut model = ranking("model", predicted);
        let host = host.map(str::to_owned);
        model.machine.calibration =
            Some(Calibration { of: "native".to_owned(), host, world: None, disturbed: None });
        let predictions = compare::prediction::of(&[ranking("native", measured), model]);
        super::prediction(&predictions[0], "toy, 1 core", "local")
    }

    fn said(measured: &[Row], predicted: &[Row]) -> String {
        of_host(measured, predicted, None)
    }

    #[test]
    fn a_good_prediction_is_said_to_choose_well() {
        let measured = rows(&[(Bulk, "single", 100), (Messages, "single", 200), (Messages, "fixed:1", 300)]);
        let predicted = rows(&[(Bulk, "single", 110), (Messages, "single", 150), (Messages, "fixed:1", 300)]);
        assert_eq!(
            said(&measured, &predicted),
            "of 3 ways the worst error is -25 % (messages under single), the median 10 %. The best is predicted, bulk under \
             single. Of 3 pairs that runs tell apart 3 are in the order predicted."
        );
        assert_eq!(said(&measured, &predicted[..1]), "the error is +10 %. Not predicted: 2 ways.");
    }

    #[test]
    fn a_file_of_another_host_is_called_so() {
        let rows = rows(&[(Messages, "single", 100)]);
        assert_eq!(of_host(&rows, &rows, Some("toy, 1 core")), "the error is 0 %.");
        assert_eq!(
            of_host(&rows, &rows, Some("toy, 2 cores")),
            "the error is 0 %. But the file is of another host, or of other cores: toy, 2 cores. This is toy, 1 core."
        );
    }

    #[test]
    fn a_file_of_nodes_in_another_place_is_called_so() {
        let rows = rows(&[(Messages, "single", 100)]);
        let said = |world: Option<&str>, place: &str| {
            let mut model = ranking("model", &rows);
            let (of, world) = ("native".to_owned(), world.map(str::to_owned));
            model.machine.calibration = Some(Calibration { of, host: None, world, disturbed: None });
            super::prediction(&compare::prediction::of(&[ranking("native", &rows), model])[0], "toy", place)
        };
        for world in [None, Some("local")] {
            assert_eq!(said(world, "local"), "the error is 0 %.");
            let told =
                "the error is 0 %. But the file is of nodes in one process. This is of nodes as processes.";
            assert_eq!(said(world, "processes"), told);
        }
        assert_eq!(said(Some("processes"), "processes"), "the error is 0 %.");
        let told =
            "the error is 0 %. But the file is of nodes as processes. This is of nodes in one process.";
        assert_eq!(said(Some("processes"), "local"), told);
    }

    #[test]
    fn a_disturbed_calibration_is_called_so() {
        let rows = rows(&[(Messages, "single", 100)]);
        let mut model = ranking("model", &rows);
        let disturbed = Some("processor.fetch, network.latency".to_owned());
        model.machine.calibration =
            Some(Calibration { of: "native".to_owned(), host: None, world: None, disturbed });
        let predictions = compare::prediction::of(&[ranking("native", &rows), model]);
        assert_eq!(
            super::prediction(&predictions[0], "toy", "local"),
            "the error is 0 %. But the calibration was disturbed, so that these values are not sure: processor.fetch, \
             network.latency."
        );
    }

    #[test]
    fn a_wrong_choice_is_told_with_what_it_costs() {
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 150)]);
        let predicted = rows(&[(Messages, "single", 90), (Messages, "floating", 75)]);
        assert_eq!(
            said(&measured, &predicted),
            "of 2 ways the worst error is -50 % (floating), the median 30 %. Predicted to be the best is floating, which \
             takes 50 % longer than single, the best."
        );
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 250)]);
        let said = said(&measured, &predicted);
        assert!(said.ends_with("which takes 2.5 times as long as single, the best."), "{said}");
    }

    #[test]
    fn where_nothing_is_scored_it_is_said_why() {
        let mut measured = rows(&[(Messages, "single", 100)]);
        let predicted = rows(&[(Messages, "single", 90), (Messages, "floating", 75)]);
        measured[0].oversubscribed = true;
        assert!(said(&measured, &predicted).starts_with("cannot tell, as processors took turns"));
        assert!(said(&measured, &predicted[1..]).starts_with("nothing ran, and was right, both"));
        measured[0].oversubscribed = false;
        let busy = [measured[0].clone().robbed(0.5)];
        assert!(said(&busy, &predicted).starts_with("cannot tell, as this host is busy"));
        let wide = [measured[0].clone().within(0.9)];
        assert!(said(&wide, &predicted).starts_with("cannot tell, as the runs lie too far apart"));
    }

    #[test]
    fn beside_a_measurement_that_tells_something_others_are_counted() {
        let mut measured =
            rows(&[(Messages, "single", 100), (Messages, "floating", 100), (Messages, "fixed:1", 100)]);
        let predicted = measured.clone();
        measured[1] = measured[1].clone().robbed(0.5);
        measured[2] = measured[2].clone().within(0.9);
        assert_eq!(said(&measured, &predicted), "the error is 0 %. Of 2 other ways it cannot tell.");
    }
}
