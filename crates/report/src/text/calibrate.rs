//! A calibration as text. This module must never measure anything.

use anstyle::Style;
use units::plural::several;

use super::below;
use crate::document::{Calibrate, Quantity};
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::quantity::percent;
use crate::table::{Column, Table, dash};
use crate::words::as_processes;

/// The command lines that a calibration advises.
#[derive(Clone, Copy, Debug)]
pub struct Advised<'a> {
    /// The name of the command.
    pub command: &'a str,
    /// The program to compare the host and its model by.
    pub program: &'a str,
}

/// The lines of a calibration of the host of this description; `distances` says how far apart its cores are.
pub fn calibrate(
    calibrate: &Calibrate,
    host: &str,
    distances: &str,
    advised: &Advised<'_>,
    page: &Page,
) -> Vec<String> {
    let Calibrate { file, rounds, measured, .. } = calibrate;
    let note = match rounds {
        1 => "1 round: how far others would lie apart is not known".to_owned(),
        _ => {
            let level = measured.iter().find_map(|it| it.level).unwrap_or_default();
            let sure = percent(level);
            format!(
                "medians of {}, each with the interval that encloses it with {sure}",
                several(*rounds, "round")
            )
        }
    };
    let host = format!("{host}{}", as_processes(&calibrate.world));
    let mut lines = vec![page.fold_in(STRONG, "", &host), page.fold_in(QUIET, "", &note), String::new()];
    lines.extend(table(measured, page));
    below(&mut lines, [page.fold("", &format!("a request and its reply: {distances}"))]);
    let keys = |is_it: fn(&&Quantity) -> bool| {
        let keys: Vec<_> = measured.iter().filter(is_it).map(|it| it.key.as_str()).collect();
        (!keys.is_empty()).then(|| keys.join(", "))
    };
    if let Some(keys) = keys(|it| it.disturbed) {
        let warning = format!(
            "the rounds disagree on {keys}: something else ran on this host, or its clock changed. The file says so; measure again \
             when the host is quiet"
        );
        lines.push(page.fold_in(ALARM, "DISTURBED: ", &warning));
    }
    if let Some(keys) = keys(|it| it.vague) {
        let known = format!("the interval of {keys} is as wide as the value. The file says so beside it");
        lines.push(page.fold_in(ALARM, "VAGUE: ", &known));
    }
    lines.push(page.fold("", &format!("{file} is written. To see it, and to hold it against this host:")));
    let machines = format!("--machine native,{file}");
    let Advised { command, program } = advised;
    let compare = format!("{command} compare {program}");
    let world = (calibrate.world != "local").then(|| format!("--world {}", calibrate.world));
    let compare = [compare.as_str(), &machines, "--nodes 2", "--processors 1", "--policy single"];
    let compare: Vec<_> = compare.into_iter().chain(world.as_deref()).collect();
    lines.push(format!("    {command} explain {file}"));
    lines.push(command_line(page, &compare));
    lines
}

fn table(measured: &[Quantity], page: &Page) -> Vec<String> {
    let cells = |cell: fn(&Quantity) -> String| measured.iter().map(cell);
    let columns = vec![
        Column::left("value", cells(|it| it.key.clone())),
        Column::right("measured", cells(|it| format!("{:.2}", it.number))),
        Column::left("", cells(|it| it.unit.clone())),
        Column::right("from", cells(|it| it.low.map_or_else(dash, |low| format!("{low:.2}")))).wanted(2),
        Column::right("to", cells(|it| it.high.map_or_else(dash, |high| format!("{high:.2}")))).wanted(2),
        Column::left("", cells(|it| mark(it).to_owned())).wanted(2),
        Column::left("made of", cells(|it| it.from.clone())).wanted(1),
    ];
    Table::lines(columns, page, |row| if measured[row].disturbed { ALARM } else { Style::new() })
}

fn mark(quantity: &Quantity) -> &'static str {
    match quantity {
        Quantity { disturbed: true, .. } => "!",
        Quantity { vague: true, .. } => "?",
        _ => "",
    }
}

/// A command of these parts, on more than one line where the page is narrow, as a shell takes it.
fn command_line(page: &Page, parts: &[&str]) -> String {
    let (mut line, mut column) = (String::from("   "), 3);
    for (index, part) in parts.iter().enumerate() {
        let width = part.chars().count();
        if index > 0 && column + 1 + width + " \\".len() > page.width {
            line += " \\\n       ";
            column = 7;
        }
        line += &format!(" {part}");
        column += 1 + width;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_can_be_copied_from_a_narrow_page() {
        let page = Page { width: 30, colour: false, unicode: false };
        assert_eq!(command_line(&page, &["explain host.toml"]), "    explain host.toml");
        let long = command_line(&page, &["compare fetch-add", "--nodes 2", "--processors 1", "--json"]);
        assert_eq!(
            long,
            "    compare fetch-add \\\n        --nodes 2 \\\n        --processors 1 \\\n        --json"
        );
    }
}
