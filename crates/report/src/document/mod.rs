//! Documents: what each command found, as plain types. `--json` prints a document; the text for people is another rendering
//! of the same. This module must never know how a document looks on a page.
//!
//! Names, types, units and meanings of keys are stable. A key that does not apply is null and never left out. The doc
//! comment of a field is its description in the JSON Schema and in `docs/json.md`; a paragraph of it that begins with
//! `Null` says when the value is null.

mod against;
mod baseline;
mod calibrate;
mod circumstances;
mod claims;
mod comparison;
mod documented;
mod explain;
mod free;
mod freed;
#[cfg(feature = "command")]
mod laboratory;
mod list;
mod litmus;
mod model;
mod no_result;
mod one_way;
mod partial;
mod run;
#[cfg(all(test, feature = "command"))]
pub(crate) mod samples;
mod sensitivity;
mod spent;
#[cfg(feature = "command")]
mod studied;
mod study;
#[cfg(feature = "command")]
mod study_free;
#[cfg(feature = "command")]
mod table;
mod verdict;
mod way;

use std::io::{self, Write};

use serde::Serialize;
use units::text::is_obeyed;

pub use baseline::Baseline;
pub use calibrate::{Calibrate, Distance, Quantity};
pub use circumstances::Circumstances;
pub use claims::{
    Claim, Claims, Counts as Verdicts, Elsewhere, FailedRun, FixedMachine, FreeStudy, Ledger, OpenInput,
    Parameter, Predictions, Relation, Scalar, Score, Standing, Summary,
};
pub use comparison::{
    Agreement, Because, Bottleneck, Choice, Comparison, Finding, LeftOut, Pair, Prediction, Processors,
    Ranking, Reference, Refused, Row, Scored, World,
};
pub use explain::{Derived, Explain, Meaning, Runs, Trip, Unable, Underived, Value};
pub use free::{Band, FailedCase, Fate, Free, FreeInput};
#[cfg(feature = "command")]
pub(crate) use laboratory::Grid;
pub use list::{Input, Item, List, Policy, Program};
pub use litmus::{Litmus, State, Tally, Test, Trial, World as LitmusWorld};
pub use model::{Cell, Curve, FixedFloating, SurveyTable, SurveyedMachine, Surveys};
pub use no_result::NoResult;
pub use one_way::{OneWay, Stage};
pub use partial::Partial;
pub use run::{
    Change, Combination, Counts, Dispatching, Given, Interval, Kind, Measured, Phase, ProgramInput, Report,
    Run, Setting, Step, Volume,
};
pub use sensitivity::{Moved, Raised, SensitiveMachine, Sensitivity};
pub use spent::{Breakdown, ProtocolBreakdown, Utilization};
pub use study::{
    Bounds, Check, CheckPart, Figure, FigureAxis, FigureLevel, FigurePanel, FigurePoint, FigureSeries, Study,
    StudyBand, StudyColumn, StudyDerived, StudyEnds, StudyFate, StudyFree, StudyNumber, StudyRow, StudyTable,
};
#[cfg(feature = "command")]
pub(crate) use table::{Region, TableRow, has_several_mechanisms};
pub use verdict::{Answer, Lead, Sentences, Verdict};
pub use way::{Named, Way};

/// The version of the documents' form: it grows when a key goes or changes its meaning, not when one comes.
pub const VERSION: u32 = 4;

/// Writes a document as indented JSON with a line end.
///
/// # Errors
/// The errors of `out`.
pub fn write(out: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(document)?;
    // JSON lets stand some characters that a terminal obeys; they can only be in its texts.
    let is_obeyed = |letter: char| letter != '\n' && is_obeyed(letter);
    for piece in text.split_inclusive(is_obeyed) {
        let last = piece.chars().next_back().filter(|last| is_obeyed(*last));
        out.write_all(&piece.as_bytes()[..piece.len() - last.map_or(0, char::len_utf8)])?;
        last.map_or(Ok(()), |last| write!(out, "\\u{:04x}", last as u32))?;
    }
    writeln!(out)
}
