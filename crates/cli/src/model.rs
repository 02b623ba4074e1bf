//! `tradewind model`: the analytic models, as numbers, data and pictures.

use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lab::model::Figure;
use lab::model::curves::{self, Samples};
use lab::model::fixed_floating::{Node, SETTINGS};
use lab::survey::{COLUMNS, Cell, Survey, Surveyed};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::arguments::{Model, ModelName};
use crate::columns::{ALWAYS, Column, Side, Table};
use crate::page::{Page, QUIET, STRONG};
use crate::{Problem, both, json, numbers, quantity, studies, target};

/// The model asked for.
pub(crate) fn model(arguments: &Model, out: &mut impl Write) -> Result<ExitCode, Problem> {
    let width = numbers::width(arguments.width.as_deref());
    match arguments.name {
        ModelName::FixedFloating => {
            let (settings, wrong) = target::settings(&arguments.settings);
            let node = Node::with(&settings).map_err(Problem::Wrong);
            let (width, ((), node)) = both(width, both(wrong, node))?;
            if let Some(path) = &arguments.out {
                save(path, &curves::picture(&node).svg())?;
            }
            fixed_floating(&node, &Page::find(width), arguments.json, out)?;
        }
        ModelName::AlewifeTables => {
            let (width, ()) = both(width, without_values(arguments))?;
            alewife_tables(&Page::find(width), arguments.json, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses what only other models have.
fn without_values(arguments: &Model) -> Result<(), Problem> {
    let settings = arguments.settings.iter();
    let mut mistakes: Vec<_> =
        settings.map(|setting| format!("--set {setting}: these tables have no values to set")).collect();
    let picture = |path: &PathBuf| format!("--out {}: these tables have no picture", path.display());
    mistakes.extend(arguments.out.as_ref().map(picture));
    if mistakes.is_empty() { Ok(()) } else { Err(Problem::Wrong(mistakes)) }
}

fn alewife_tables(page: &Page, for_scripts: bool, out: &mut impl Write) -> Result<(), Problem> {
    let surveys = studies::surveys();
    if for_scripts {
        let tables: Value = surveys.values().map(survey_json).collect();
        return json::write(out, &json!({ "model": "alewife-tables", "tables": tables }));
    }
    surveys.values().try_for_each(|survey| tables(survey, page, out))
}

/// Writes a file whole or not at all.
pub(crate) fn save(path: &Path, text: &str) -> Result<(), Problem> {
    let mut file = draft(path)?;
    file.write_all(text.as_bytes()).map_err(|error| wrong(path, &error))?;
    file.persist(path).map_err(|error| wrong(path, &error.error))?;
    Ok(())
}

/// What becomes the file when it is whole; gone if it never is. That there is one shows that the file can be written.
pub(crate) fn draft(path: &Path) -> Result<NamedTempFile, Problem> {
    let folder = folder_of(path)?;
    let mut builder = tempfile::Builder::new();
    // Others may read it, as any file that is not written beside its name first.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let refused = |error: std::io::Error| {
        wrong(path, &format!("no file can be made in {}: {}", folder.display(), error.kind()))
    };
    builder.tempfile_in(folder).map_err(refused)
}

/// The folder that a file is to be written in, which must be there.
fn folder_of(path: &Path) -> Result<&Path, Problem> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // What is there and no file, a device for one, must not be replaced by a file, nor be read to its end.
    let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
    if path.file_name().is_none() || is_special {
        return Err(wrong(path, &"expected the name of a file"));
    }
    if !folder.is_dir() {
        return Err(wrong(path, &format!("there is no folder {}", folder.display())));
    }
    Ok(folder)
}

fn wrong(path: &Path, why: &dyn Display) -> Problem {
    Problem::wrong(format!("--out {}: {why}", path.display()))
}

fn fixed_floating(node: &Node, page: &Page, for_scripts: bool, out: &mut impl Write) -> Result<(), Problem> {
    let figures = node.figures();
    if for_scripts {
        return json::write(out, &fixed_floating_json(node, &figures));
    }
    writeln!(out, "{}", page.paint(STRONG, "Single, Fixed and Floating, by the equations of the study"))?;
    for setting in SETTINGS {
        let unit = if setting.is_time { " us" } else { "" };
        let line = format!("  {:14}  {:>10}{unit:3}  ", setting.name, quantity::number(setting.of(node)));
        writeln!(out, "{}", page.fold(&line, setting.meaning))?;
    }
    writeln!(out)?;
    for Figure { name, value, unit, meaning } in figures {
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
        writeln!(out, "{}", page.fold(&format!("  {name:15} {value:>10} {unit:2}  "), meaning))?;
    }
    Ok(())
}

fn fixed_floating_json(node: &Node, figures: &[Figure]) -> Value {
    let input = SETTINGS.iter().map(|setting| (setting.name.to_owned(), json!(setting.of(node))));
    let figures = figures.iter().map(|figure| (figure.name.to_owned(), json!(figure.value)));
    let curve = |samples: &Samples| {
        json!({
            "k": samples.overhead_ratio,
            "is_own": samples.is_own,
            "by_factor": samples.by_factor,
            "by_step": samples.by_step,
            "by_utilization": samples.by_utilization,
        })
    };
    json!({
        "model": "fixed-floating",
        "input": Value::Object(input.collect()),
        "figures": Value::Object(figures.collect()),
        "curves": curves::samples(node).iter().map(curve).collect::<Value>(),
    })
}

fn survey_json(survey: &Survey) -> Value {
    let cell = |cell: &Cell| match cell {
        Cell::Number(number, confidence) => json!({ "from": number, "to": number, "confidence": confidence }),
        Cell::Range(from, to, confidence) => json!({ "from": from, "to": to, "confidence": confidence }),
        Cell::Unknown | Cell::None => Value::Null,
    };
    let machine = |machine: &Surveyed| {
        let cells = COLUMNS.iter().zip(&machine.cells);
        let published = cells.map(|(column, it)| (column.key.to_owned(), cell(it)));
        json!({
            "name": machine.name,
            "title": machine.title,
            "topology": machine.topology,
            "published": Value::Object(published.collect()),
            "bytes_per_local_miss": machine.bytes_per_local_miss(),
            "latency_in_local_misses": machine.latency_in_local_misses(),
        })
    };
    json!({ "summary": survey.summary, "machines": survey.machines.iter().map(machine).collect::<Value>() })
}

/// Both tables: what was published, and what follows in terms of a miss to local memory.
fn tables(survey: &Survey, page: &Page, out: &mut impl Write) -> Result<(), Problem> {
    let machines = &survey.machines;
    let names = || Column {
        group: "",
        head: "",
        side: Side::Left,
        wanted: ALWAYS,
        // What stands in brackets gets a line of its own: the longest title would push columns off a narrow page.
        cells: machines.iter().map(|machine| machine.title.replace(" (", "\n  (")).collect(),
    };
    let column = |head, wanted, cell: &dyn Fn(&Surveyed) -> String| Column {
        group: "",
        head,
        side: Side::Right,
        wanted,
        cells: machines.iter().map(cell).collect(),
    };
    let published =
        COLUMNS.iter().map(|it| column(it.head, wanted(it.key), &|machine| cell(machine.cell(it.key))));
    let topology = column("32 processors", 1, &|machine| machine.topology.clone());
    let first = [names()].into_iter().chain(published).chain([Column { side: Side::Left, ..topology }]);
    let number = |number: Option<f64>, decimals: usize| {
        number.map_or_else(|| "-".to_owned(), |it| format!("{it:.decimals$}"))
    };
    let second = [
        names(),
        column("bytes per miss", ALWAYS, &|machine| number(machine.bytes_per_local_miss(), 0)),
        column("latency in misses", ALWAYS, &|machine| number(machine.latency_in_local_misses(), 1)),
    ];
    let units = "clock in MHz, bisection in MB/s and bytes per cycle of the processor, the others in its cycles; \
         ~: recalled, not read; ?: cannot be read";
    writeln!(out, "{}", page.paint(STRONG, &page.fold("", &survey.summary)))?;
    writeln!(out, "{}", page.paint(QUIET, &page.fold("", units)))?;
    lay(first.collect(), machines.len(), page, out)?;
    writeln!(out)?;
    writeln!(out, "{}", page.paint(STRONG, "The same in terms of a miss to local memory"))?;
    lay(second.into(), machines.len(), page, out)
}

/// On a narrow page the columns leave first that the second table does not need.
fn wanted(key: &str) -> u8 {
    match key {
        "clock" => 2,
        "remote_miss" => 3,
        "bisection" => 4,
        _ => ALWAYS,
    }
}

fn lay(columns: Vec<Column>, rows: usize, page: &Page, out: &mut impl Write) -> Result<(), Problem> {
    let table = Table::lay(columns, page, 0);
    if !table.dropped.is_empty() {
        let note = format!("no room for: {}; see --width", table.dropped.join(", "));
        writeln!(out, "{}", page.paint(QUIET, &page.fold("", &note)))?;
    }
    let rows = (0..rows).flat_map(|row| table.row(page, row, anstyle::Style::new(), ""));
    let lines: Vec<_> = table.heads(page, "").into_iter().chain(rows).collect();
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}

fn cell(cell: &Cell) -> String {
    let sure = |confidence: &str| if confidence == "exact" { "" } else { "~" };
    match cell {
        Cell::Number(number, confidence) => format!("{}{number}", sure(confidence)),
        Cell::Range(from, to, confidence) => format!("{}{from}-{to}", sure(confidence)),
        Cell::Unknown => "?".to_owned(),
        Cell::None => "-".to_owned(),
    }
}
