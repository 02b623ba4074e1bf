//! Predictions for programs; the format is described in `docs/json.md`.

use serde_json::{Value, json};

use super::pairs::{Choice, Pair, Prediction};
use super::words;

/// What a model predicted.
pub(super) fn prediction(prediction: &Prediction<'_>) -> Value {
    let score = prediction.score();
    let worst = score.as_ref().map(|score| {
        let mut worst = way(&score.worst);
        worst["error"] = json!(score.worst.error());
        worst
    });
    let ranking = score.as_ref().and_then(|score| score.ranking.as_ref());
    json!({
        "machine": prediction.model.name(),
        "machine_file": prediction.model.file(),
        "of": prediction.of,
        "rows": prediction.pairs.iter().map(pair).collect::<Value>(),
        "unpredicted": prediction.unpredicted,
        "scored": score.as_ref().map_or(0, |score| score.scored),
        "median_error": score.as_ref().map(|score| score.median),
        "worst": worst,
        "ranking": ranking.map(choice),
        "text": words::summary(prediction),
    })
}

fn pair(pair: &Pair<'_>) -> Value {
    let [measured, predicted] =
        [pair.measured, pair.predicted].map(|row| row.outcome.timed().as_nanoseconds());
    let mut value = way(pair);
    value["measured_ns"] = json!(measured);
    value["predicted_ns"] = json!(predicted);
    value["error"] = json!(pair.error().is_finite().then(|| pair.error()));
    value["oversubscribed"] = json!(pair.measured.oversubscribed);
    value["scored"] = json!(pair.is_scored());
    value
}

fn choice(choice: &Choice<'_>) -> Value {
    json!({
        "best": way(&choice.best),
        "predicted_best": way(&choice.chosen),
        "cost": choice.cost(),
        "tied": choice.is_tied,
        "apart": choice.apart,
        "in_order": choice.in_order,
    })
}

fn way(pair: &Pair<'_>) -> Value {
    json!({ "mechanism": pair.measured.mechanism.name(), "policy": pair.policy })
}
