//! `tradewind model`: the analytic models. This module must never know an equation.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use lab::model::fixed_floating::Node;
use report::{Page, document, picture, text};

use crate::arguments::{Model, ModelName};
use crate::deferred::settings;
use crate::files::{self, save};
use crate::print::print;
use crate::problem::{All, Problem};
use crate::studies;

/// Evaluates the model asked for, and reports.
pub(crate) fn model(arguments: &Model, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let page = arguments.output.page();
    match arguments.name {
        ModelName::FixedFloating => fixed_floating(arguments, page, out)?,
        ModelName::AlewifeTables => {
            let (page, ()) = (page, without_values(arguments)).all()?;
            let surveys = studies::surveys();
            let found = document::Surveys::new(surveys.values());
            print(out, arguments.output.json, &page, &found, |page| text::surveys(surveys.values(), page))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn fixed_floating(
    arguments: &Model,
    page: Result<Page, Problem>,
    out: &mut impl Write,
) -> Result<(), Problem> {
    let (settings, wrong) = settings(&arguments.settings);
    let node = Node::with(&settings).map_err(Problem::Wrong);
    let (page, (), node) = (page, wrong, node).all()?;
    if let Some(path) = &arguments.out {
        files::picture(path)?;
        save(path, &plot::svg(&picture::fixed_floating(&node)))?;
    }
    let found = document::FixedFloating::new(&node);
    print(out, arguments.output.json, &page, &found, |page| text::fixed_floating(&node, page))
}

/// Refuses options that only other models have.
fn without_values(arguments: &Model) -> Result<(), Problem> {
    let value = |setting: &crate::deferred::Setting| {
        format!("--set {}: these tables have no values to set", setting.text)
    };
    let picture = |path: &PathBuf| format!("--out {}: these tables have no picture", units::text::path(path));
    let mistakes = arguments.settings.iter().map(value).chain(arguments.out.as_ref().map(picture));
    Problem::check(mistakes.collect())
}
