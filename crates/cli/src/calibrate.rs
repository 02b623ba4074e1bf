//! `tradewind calibrate`: measures this host and writes its machine file.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, thread};

use lab::calibrate::{self, Calibration, Distance, Host, Quantity};
use serde_json::{Value, json};

use crate::arguments::Calibrate;
use crate::columns::{ALWAYS, Column, Side, Table};
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::progress::Progress;
use crate::quantity::{percent, several};
use crate::{Problem, both, json, model, numbers};

/// Beyond two there is nothing to learn about a message; with fewer nobody can answer.
const LEAST_CORES: u32 = 2;

/// Measures, writes, and shows what was measured.
pub(crate) fn calibrate(arguments: &Calibrate, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let ((rounds, width), ()) = both(numbers::of_calibrate(arguments), may_write(&arguments.out))?;
    let host = host()?;
    let executable = env::current_exe()
        .map_err(|error| Problem::Failed(format!("the file of this command cannot be found: {error}")))?;
    let calibration = {
        let progress = Progress::new(calibrate::runs(host.cores, rounds));
        let tell = |run: &lab::Specification, done: bool| match done {
            true => progress.step(),
            false => progress.begin(run.told()),
        };
        calibrate::calibrate(&executable, host.cores, rounds, &tell).map_err(Problem::Failed)?
    };
    model::save(&arguments.out, &calibrate::file(&calibration, &host))?;
    match arguments.json {
        true => json::write(out, &as_json(&calibration, arguments))?,
        false => text(&calibration, &host, &Page::find(width), arguments, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the file may be written: a measured one may be measured again, but nothing else is lost.
fn may_write(path: &Path) -> Result<(), Problem> {
    model::draft(path)?;
    // What is not there may be written, and what is no text is no machine file.
    let Ok(bytes) = fs::read(path) else { return Ok(()) };
    let text = String::from_utf8_lossy(&bytes);
    if text.lines().any(|line| line.trim() == "[calibrated]") {
        return Ok(());
    }
    Err(Problem::wrong(format!(
        "--out {}: this file is there and is no calibrated machine file; expected another name",
        path.display()
    )))
}

/// This host and how many of its cores may be used, in one line.
pub(crate) fn description() -> String {
    [processor(), Some(env::consts::ARCH.to_owned()), Some(env::consts::OS.to_owned())]
        .into_iter()
        .flatten()
        .chain([several(cores(), "core", "cores")])
        .collect::<Vec<_>>()
        .join(", ")
}

fn cores() -> u32 {
    thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

/// This host.
fn host() -> Result<Host, Problem> {
    let cores = cores();
    if cores < LEAST_CORES {
        return Err(Problem::Failed(format!(
            "this host lets the command use {cores} core: a message needs {LEAST_CORES} to be measured"
        )));
    }
    Ok(Host {
        description: description(),
        cores,
        date: today(),
        command: format!("tradewind {} calibrate", env!("CARGO_PKG_VERSION")),
        pace: worlds::LOOKS_APART,
    })
}

/// The name of the processor, where the system tells.
fn processor() -> Option<String> {
    let told = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = told.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The day, in the calendar of Greenwich.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    day(seconds / 86_400)
}

/// The date so many days after the first of January 1970. A year is counted from March on, so that the leap day is its last; 400
/// years have 146097 days.
fn day(since: u64) -> String {
    let days = since + 719_468;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", days / 146_097 * 400 + year + next)
}

fn unsure(calibration: &Calibration) -> Vec<&'static str> {
    calibration.quantities.iter().filter(|it| it.is_unsure()).map(|it| it.key).collect()
}

fn text(
    calibration: &Calibration,
    host: &Host,
    page: &Page,
    arguments: &Calibrate,
    out: &mut impl Write,
) -> Result<(), Problem> {
    let file = arguments.out.display();
    writeln!(out, "{}", page.paint(STRONG, &page.fold("", &host.description)))?;
    let rounds = several(calibration.rounds, "round", "rounds");
    let note = match calibration.rounds {
        1 => "1 round: how far others would lie apart is not known".to_owned(),
        _ => format!("medians of {rounds}; spread: of the middle half of them"),
    };
    writeln!(out, "{}\n", page.paint(QUIET, &page.fold("", &note)))?;
    let table = table(calibration, page);
    table.heads(page, "").iter().try_for_each(|line| writeln!(out, "{line}"))?;
    for (row, quantity) in calibration.quantities.iter().enumerate() {
        let style = if quantity.is_unsure() { ALARM } else { anstyle::Style::new() };
        table.row(page, row, style, "").iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    writeln!(out)?;
    let told = format!("a request and its reply: {}", calibrate::told(&calibration.distances));
    writeln!(out, "{}", page.fold("", &told))?;
    let unsure = unsure(calibration);
    if !unsure.is_empty() {
        let warning = format!(
            "the rounds disagree on {}: something else ran on this host, or its clock changed; measure again when it is quiet",
            unsure.join(", ")
        );
        writeln!(out, "{}", page.paint(ALARM, &page.fold("UNSURE: ", &warning)))?;
    }
    writeln!(
        out,
        "{}",
        page.fold("", &format!("{file} is written. To see it, and to hold it against this host:"))
    )?;
    let machines = format!("--machine native,{file}");
    let compare =
        ["tradewind compare fetch-add", &machines, "--nodes 2", "--processors 1", "--policy single"];
    writeln!(out, "    tradewind explain {file}")?;
    writeln!(out, "{}", command_line(page, &compare))?;
    Ok(())
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

fn table(calibration: &Calibration, page: &Page) -> Table {
    let quantities = &calibration.quantities;
    let column = |head, side, wanted, cell: &dyn Fn(&Quantity) -> String| Column {
        group: "",
        head,
        side,
        wanted,
        cells: quantities.iter().map(cell).collect(),
    };
    let columns = vec![
        column("value", Side::Left, ALWAYS, &|it| it.key.to_owned()),
        column("measured", Side::Right, ALWAYS, &|it| format!("{:.2}", it.value)),
        column("", Side::Left, ALWAYS, &|it| it.unit.name().to_owned()),
        column("spread", Side::Right, 2, &|it| {
            spread(it, calibration).map_or_else(|| "-".to_owned(), percent)
        }),
        column("from", Side::Left, 1, &|it| it.from.to_owned()),
    ];
    Table::lay(columns, page, 0)
}

/// Where there is one: of several rounds, in which something was left over.
fn spread(quantity: &Quantity, calibration: &Calibration) -> Option<f64> {
    (calibration.rounds > 1 && quantity.spread.is_finite()).then_some(quantity.spread)
}

fn as_json(calibration: &Calibration, arguments: &Calibrate) -> Value {
    let quantity = |it: &Quantity| {
        json!({
            "key": it.key,
            "number": it.value,
            "unit": it.unit.name(),
            "spread": spread(it, calibration),
            "unsure": it.is_unsure(),
            "from": it.from,
        })
    };
    let distance =
        |it: &Distance| json!({ "cores": [it.cores.0, it.cores.1], "round_trip_ns": it.nanoseconds });
    json!({
        "file": arguments.out.display().to_string(),
        "rounds": calibration.rounds,
        "measured": calibration.quantities.iter().map(quantity).collect::<Value>(),
        "distances": calibration.distances.iter().map(distance).collect::<Value>(),
    })
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

    #[test]
    fn days_have_the_dates_of_the_calendar() {
        assert_eq!(day(0), "1970-01-01");
        // 30 years with the leap days of 1972 to 1996; then a leap day, and the day after.
        assert_eq!(day(30 * 365 + 7), "2000-01-01");
        assert_eq!(day(30 * 365 + 7 + 59), "2000-02-29");
        assert_eq!(day(30 * 365 + 7 + 60), "2000-03-01");
        assert_eq!(day(30 * 365 + 7 + 365), "2000-12-31");
    }
}
