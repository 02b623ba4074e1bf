//! `compare` with a calibrated model of one of its machines: what the model predicts beside what was measured.
//!
//! | module | what it does |
//! |---|---|
//! | `pairs` | pairs predictions with measurements, and scores them |
//! | `table` | how pairs look |
//! | `words` | what they show, in words |
//! | `json` | the same for programs |
//!
//! A model predicts a machine if its file says that it is a measurement of it (`[calibrated]`). Nothing here may run
//! anything, nor change a time: what is off is shown as it came.

mod json;
mod pairs;
mod table;
mod words;

use std::io::Write;

use serde_json::Value;

use crate::Problem;
use crate::page::{Page, STRONG};
use crate::ranking::Ranking;

/// Writes what every calibrated model of a comparison predicted, if there is one.
pub(crate) fn write(out: &mut impl Write, page: &Page, rankings: &[Ranking]) -> Result<(), Problem> {
    for prediction in pairs::predictions(rankings) {
        let title = words::title(&prediction);
        let name = prediction.model.name();
        writeln!(out, "\n{}", page.fold("", &title).replacen(name, &page.paint(STRONG, name), 1))?;
        table::lines(page, &prediction).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        let said = page.fold("Prediction: ", &words::summary(&prediction));
        writeln!(out, "{}", said.replacen("Prediction:", &page.paint(STRONG, "Prediction:"), 1))?;
    }
    Ok(())
}

/// The same, for programs.
pub(crate) fn json(rankings: &[Ranking]) -> Value {
    pairs::predictions(rankings).iter().map(json::prediction).collect()
}
