//! What a prediction shows, in words. Must never say more than its score does.

use super::pairs::{Choice, Pair, Prediction, Score};
use super::table::signed;
use crate::calibrate;
use crate::quantity::{percent, several};

/// The line above the table.
pub(super) fn title(prediction: &Prediction<'_>) -> String {
    let model = prediction.model.label();
    format!("{model}, calibrated on {}: its times beside those measured there", prediction.of)
}

/// How good the prediction is.
pub(super) fn summary(prediction: &Prediction<'_>) -> String {
    let said = scored(prediction);
    match prediction.model.measured_host().and_then(|host| elsewhere(host, &calibrate::description())) {
        Some(warning) => format!("{said} {warning}"),
        None => said,
    }
}

/// What is predicted of one host is not what another does.
fn elsewhere(host: &str, here: &str) -> Option<String> {
    (host != here)
        .then(|| format!("But the file is of another host, or of other cores: {host}. This is {here}."))
}

fn scored(prediction: &Prediction<'_>) -> String {
    let Some(score) = prediction.score() else {
        return match prediction.pairs.is_empty() {
            true => "nothing ran, and was right, both in the model and on what it models.".to_owned(),
            false => {
                "nothing is scored, as processors took turns: ask for no more of them than there are cores, \
                 with --nodes and --processors."
                    .to_owned()
            }
        };
    };
    let names = Names::of(&prediction.pairs);
    let mut said = vec![errors(&score, &names)];
    if let Some(choice) = &score.ranking {
        said.push(chosen(choice, &names));
        said.extend(order(choice));
    }
    if prediction.unpredicted > 0 {
        said.push(format!("Not predicted: {}.", several(prediction.unpredicted as u32, "way", "ways")));
    }
    said.join(" ")
}

fn errors(score: &Score<'_>, names: &Names) -> String {
    let worst = signed(score.worst.error());
    match score.scored {
        1 => format!("the error is {worst}."),
        number => format!(
            "of {number} ways the worst error is {worst} ({}), the median {}.",
            names.name(&score.worst),
            percent(score.median)
        ),
    }
}

fn chosen(choice: &Choice<'_>, names: &Names) -> String {
    let (best, chosen) = (names.name(&choice.best), names.name(&choice.chosen));
    match choice {
        choice if choice.is_best() => format!("The best is predicted, {best}."),
        choice if choice.is_tied => {
            format!("Predicted to be the best is {chosen}, which runs do not tell from {best}, the best.")
        }
        choice => {
            let cost = match choice.cost() {
                cost if cost >= 1.0 => format!("{:.1} times as long as", cost + 1.0),
                cost => format!("{} longer than", percent(cost)),
            };
            format!("Predicted to be the best is {chosen}, which takes {cost} {best}, the best.")
        }
    }
}

/// Of two ways the choice says it all.
fn order(choice: &Choice<'_>) -> Option<String> {
    let Choice { apart, in_order, .. } = choice;
    (*apart > 1)
        .then(|| format!("Of {apart} pairs that runs tell apart {in_order} are in the order predicted."))
}

/// How ways are called.
struct Names {
    /// Whether one mechanism is all there is, and goes without saying.
    is_plain: bool,
}

impl Names {
    fn of(pairs: &[Pair<'_>]) -> Self {
        let is_same = |two: &[Pair<'_>]| two[0].measured.mechanism == two[1].measured.mechanism;
        Self { is_plain: pairs.windows(2).all(is_same) }
    }

    fn name(&self, pair: &Pair<'_>) -> String {
        match self.is_plain {
            true => pair.policy.to_owned(),
            false => format!("{} under {}", pair.measured.mechanism, pair.policy),
        }
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Messages};

    use super::super::pairs::samples::{prediction, rows};
    use super::*;

    #[test]
    fn a_good_prediction_is_said_to_choose_well() {
        let measured = rows(&[(Bulk, "single", 100), (Messages, "single", 200), (Messages, "fixed:1", 300)]);
        let predicted = rows(&[(Bulk, "single", 110), (Messages, "single", 150), (Messages, "fixed:1", 300)]);
        assert_eq!(
            summary(&prediction(&measured, &predicted)),
            "of 3 ways the worst error is -25 % (messages under single), the median 10 %. The best is predicted, bulk under \
             single. Of 3 pairs that runs tell apart 3 are in the order predicted."
        );
        let one = summary(&prediction(&measured, &predicted[..1]));
        assert_eq!(one, "the error is +10 %. Not predicted: 2 ways.");
    }

    #[test]
    fn a_file_of_another_host_is_called_so() {
        assert_eq!(elsewhere("toy, 2 cores", "toy, 2 cores"), None);
        let said = elsewhere("toy, 2 cores", "toy, 1 core").unwrap();
        assert_eq!(
            said,
            "But the file is of another host, or of other cores: toy, 2 cores. This is toy, 1 core."
        );
    }

    #[test]
    fn a_wrong_choice_is_told_with_what_it_costs() {
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 150)]);
        let predicted = rows(&[(Messages, "single", 90), (Messages, "floating", 75)]);
        assert_eq!(
            summary(&prediction(&measured, &predicted)),
            "of 2 ways the worst error is -50 % (floating), the median 30 %. Predicted to be the best is floating, which \
             takes 50 % longer than single, the best."
        );
        let measured = rows(&[(Messages, "single", 100), (Messages, "floating", 250)]);
        let said = summary(&prediction(&measured, &predicted));
        assert!(said.ends_with("which takes 2.5 times as long as single, the best."), "{said}");
    }

    #[test]
    fn where_nothing_is_scored_it_is_said_why() {
        let mut measured = rows(&[(Messages, "single", 100)]);
        let predicted = rows(&[(Messages, "single", 90), (Messages, "floating", 75)]);
        measured[0].oversubscribed = true;
        assert!(
            summary(&prediction(&measured, &predicted))
                .starts_with("nothing is scored, as processors took turns")
        );
        assert!(
            summary(&prediction(&measured, &predicted[1..])).starts_with("nothing ran, and was right, both")
        );
    }
}
