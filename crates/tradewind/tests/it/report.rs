//! Tests `tradewind report`: refusals before anything is drawn, and a page in a real browser.
//!
//! The browser is Chromium, as `chromium`, `chromium-browser` or `google-chrome` on the path. Without it, the test says so and checks
//! the text of the page alone.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::command::{good, json, refused, tradewind};

/// A study of few runs with a figure of lines, claims of its own, and several machines under several policies.
const STUDY: &str = r#"
summary = "gaps by the number of operations"
leaves_out = ["Nobody waits for a disk."]

[[run]]
program = "split-phase"
machine = ["paragon", "meiko-cs2"]
policy = ["proc", "np"]
inputs = { operations = [64, 128, 256] }
metrics = ["time", { figure = "gap.get", metric = "mine.gap.{machine}.{policy}.{operations}" }]

[[bound]]
id = "mine.gap.paragon.np.64"
where = "nowhere"
statement = "a gap"
stated = "9"
unit = "us"

[[figure]]
name = "gaps"
x = "operations"
y = "gap.get"
series = "policy"
panels = "machine"
"#;

/// A folder with a study in it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempdir().expect("a folder"));
        place.write("mine.toml", STUDY);
        place
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The document of the study, whose runs are on record then.
    fn studied(&self) -> Value {
        json(&["study", &self.path("mine.toml"), "--record", &self.path("record")])
    }

    fn report(&self, more: &[&str]) -> String {
        let (record, out) = (self.path("record"), self.path("page.html"));
        good(&[&["report", "--record", &record, "--out", &out], more].concat());
        self.read("page.html")
    }
}

/// The name of a browser on the path; `None` if there is none.
fn browser() -> Option<&'static str> {
    let starts = |name: &&str| {
        let version =
            Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(starts)
}

/// Loads a page in a browser with these options. Returns standard output, then standard error.
fn browsed(browser: &str, page: &str, options: &[&str]) -> (String, String) {
    let profile = tempdir().expect("a folder for the browser");
    let done = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--log-level=0"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(options)
        .arg(format!("file://{page}"))
        .output()
        .expect("the browser starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{}", text(&done.stderr));
    (text(&done.stdout), text(&done.stderr))
}

/// Asserts that the output of a browser has no complaint about the page.
fn assert_no_complaint(said: &str) {
    let complaints: Vec<_> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// The values of a list.
fn list(value: &Value) -> Vec<Value> {
    value.as_array().expect("a list").clone()
}

/// The values that groups of this class have on a page.
fn drawn(page: &str, class: &str) -> Vec<f64> {
    let group = format!("<g class=\"{class}\"");
    let groups = page.split(group.as_str()).skip(1);
    let value = |group: &str| group.split_once("data-value=\"")?.1.split('"').next()?.parse().ok();
    groups.map(|group| value(group).expect("a value")).collect()
}

/// The sum of the bytes of an object; `None` for a row without such an object, such as a row of numbers without a run.
fn sum(of: &Value) -> Option<f64> {
    let parts = BYTES.iter().map(|part| of[part].as_f64().expect("a number"));
    (!of.is_null()).then(|| parts.sum())
}

const BYTES: [&str; 4] = ["data", "headers", "requests", "invalidations"];

/// The values that bars of a page on a study may have (the time and the bytes of each run), and the values that fields of its maps may
/// have.
fn bars_and_fields(study: &Value) -> (Vec<f64>, Vec<f64>) {
    let rows: Vec<_> = list(&study["tables"]).iter().flat_map(|table| list(&table["rows"])).collect();
    let runs = rows.iter().flat_map(|row| [row["time_ns"].as_f64(), sum(&row["volume_bytes"])]);
    let numbers = rows.iter().flat_map(|row| row["numbers"].as_object().expect("numbers").values());
    let medians = numbers.filter_map(|number| number["median"].as_f64()).collect();
    (runs.flatten().collect(), medians)
}

/// The lengths that bars of a page on a machine may have: the steps of a message under each policy.
fn steps(machine: &str) -> Vec<f64> {
    let explained = json(&["explain", machine]);
    let time = |of: &Value| of["time_ns"].as_f64().expect("a time");
    let ways = list(&explained["measured"]);
    let stages = ways.iter().flat_map(|way| list(&way["stages"]));
    let mut steps: Vec<_> = stages.map(|step| time(&step)).collect();
    // Steps of a network processor are drawn by their prices, and the rest of the measured time behind them.
    for trip in list(&explained["trips"]) {
        let priced: Vec<_> = list(&trip["back"]).iter().map(time).collect();
        let measured = ways.iter().find(|way| way["policy"] == trip["policy"]).map(time);
        steps.extend(measured.map(|measured| measured - priced.iter().sum::<f64>()));
        steps.extend(priced);
    }
    steps
}

/// Asserts that the bars and fields of a page have these values, and that there is a least number of each.
fn assert_drawn(page: &str, known: [(&str, Vec<f64>, usize); 2]) {
    for (class, known, least) in known {
        let values = drawn(page, class);
        assert!(values.len() >= least, "{class}: {} are drawn", values.len());
        for value in values {
            assert!(
                known.iter().any(|&known| same(known, value)),
                "a {class} of {value} is drawn, and the record has none"
            );
        }
    }
}

/// The points of every series of the study's figures.
fn series(study: &Value) -> Vec<Vec<[f64; 2]>> {
    let of_figures = list(&study["figures"]).into_iter().flat_map(|figure| list(&figure["panels"]));
    let lines = of_figures.flat_map(|panel| list(&panel["series"]));
    let number = |value: &Value| value.as_f64().expect("a number");
    let point = |point: Value| [number(&point["x"]), number(&point["y"]["median"])];
    lines.map(|line| list(&line["points"]).into_iter().map(point).collect()).collect()
}

/// The points of every series that is drawn on a page.
fn lines(page: &str) -> Vec<Vec<[f64; 2]>> {
    let number = |text: &str| text.parse().expect("a number");
    let point = |text: &str| text.split_once(',').map(|(x, y)| [number(x), number(y)]).expect("a point");
    let drawn = page.split("data-values=\"").skip(1);
    let values = drawn.filter_map(|rest| rest.split('"').next());
    values.map(|values| values.split_whitespace().map(point).collect()).collect()
}

/// Whether two numbers are the same but for how their last digits were written and read.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * one.abs()
}

/// Asserts that a page draws every series of a study.
fn assert_lines(page: &str, study: &Value) {
    let drawn = lines(page);
    let same_point = |(one, other): (&[f64; 2], &[f64; 2])| same(one[0], other[0]) && same(one[1], other[1]);
    for line in series(study) {
        let is_drawn =
            |other: &Vec<[f64; 2]>| line.len() == other.len() && line.iter().zip(other).all(same_point);
        assert!(drawn.iter().any(is_drawn), "{}: no line through {line:?} is drawn", study["study"]);
    }
}

/// The measured value of each claim on a page, as the page has it.
fn measured(page: &str) -> HashMap<&str, &str> {
    let rows = page.split("data-claim=\"").skip(1).filter_map(|rest| rest.split_once("\" data-measured=\""));
    rows.filter_map(|(claim, rest)| Some((claim, rest.split('"').next()?))).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "whoever reads the log of the tests is to know what was not tested")]
fn a_page_opens_in_a_browser_with_the_values_of_the_record() {
    let place = Place::new();
    let study = place.studied();
    let text = place.report(&[&place.path("mine.toml")]);
    let (page, said) = match browser() {
        Some(browser) => {
            let page = place.path("page.html");
            let print = format!("--print-to-pdf={}", place.path("page.pdf"));
            browsed(browser, &page, &[&print]);
            let printed = fs::metadata(place.path("page.pdf")).expect("the page is printed");
            assert!(printed.len() > 20_000, "a printed page of {} bytes", printed.len());
            browsed(browser, &page, &["--dump-dom"])
        }
        None => {
            println!(
                "no chromium on the path: the page was not opened in a browser, and only its text is held"
            );
            (text, String::new())
        }
    };
    assert_no_complaint(&said);
    assert_eq!(series(&study).len(), 4);
    assert_lines(&page, &study);
    let measured = &study["metrics"]["mine.gap.paragon.np.64"];
    let row = format!("data-claim=\"mine.gap.paragon.np.64\" data-measured=\"{measured}\"");
    assert!(page.contains(&row), "{row}");
    let (mut lengths, medians) = bars_and_fields(&study);
    lengths.extend(["paragon", "meiko-cs2"].into_iter().flat_map(steps));
    assert_drawn(&page, [("bar", lengths, 30), ("field", medians, 12)]);
    for wanted in
        ["Nobody waits for a disk.", "id=\"mine-time\"", "id=\"mine-policies\"", "id=\"machine-paragon\""]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("<script"));
}

/// The page on all shipped studies. `TRADEWIND_RECORD` names a record that has all their runs by the command that is tested, and
/// `TRADEWIND_DATA` the folder with the input files that do not travel with the project.
#[test]
#[ignore = "needs a record of all shipped studies' runs: half an hour's"]
fn the_page_on_all_shipped_studies_opens_in_a_browser_with_the_values_of_the_record() {
    let set = |name| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let (record, data) = (set("TRADEWIND_RECORD"), set("TRADEWIND_DATA"));
    let place = Place::new();
    let (html, pdf) = (place.path("page.html"), place.path("page.pdf"));
    good(&["report", "--record", &record, "--data", &data, "--out", &html]);
    let browser = browser().expect("a browser is on the path");
    browsed(browser, &html, &[&format!("--print-to-pdf={pdf}")]);
    let (page, said) = browsed(browser, &html, &["--dump-dom"]);
    assert_no_complaint(&said);
    let names = |kind: &str| {
        let listed = list(&json(&["list", kind])[kind]);
        listed.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let (mut lengths, mut medians) = (Vec::new(), Vec::new());
    for name in names("studies") {
        let study = json(&["study", &name, "--record", &record, "--data", &data]);
        assert_lines(&page, &study);
        let (of_study, fields) = bars_and_fields(&study);
        lengths.extend(of_study);
        medians.extend(fields);
    }
    let (claims, shown) =
        (json(&["claims", "--record", &record, "--data", &data])["claims"].clone(), measured(&page));
    let results = list(&claims).into_iter().filter(|claim| claim["role"] == "result");
    for claim in results.filter(|claim| !claim["measured"].is_null()) {
        let id = claim["id"].as_str().expect("an id");
        let value = shown.get(id).unwrap_or_else(|| panic!("{id} is not on the page"));
        let is_same = match claim["measured"].as_f64() {
            Some(number) => same(number, value.parse().expect("a number")),
            None => claim["measured"].to_string().trim_matches('"') == *value,
        };
        assert!(is_same, "{id}: {value} on the page, {} measured", claim["measured"]);
    }
    lengths.extend(names("machines").iter().filter(|name| *name != "native").flat_map(|name| steps(name)));
    assert_drawn(&page, [("bar", lengths, 900), ("field", medians, 100)]);
    assert!(!page.contains("<script"));
}

#[test]
fn stated_and_measured_values_are_those_of_the_claims() {
    let place = Place::new();
    let page = place.report(&["alewife-tables"]);
    let measured = |(_, rest): (&str, &str)| -> Option<f64> { rest.split('"').next()?.parse().ok() };
    let claims = page.split("data-claim=").skip(1).filter_map(|row| row.split_once("data-measured=\""));
    let measured: Vec<f64> = claims.filter_map(measured).filter(|value| *value > 0.0).collect();
    let picture = page.split_once("id=\"alewife-tables-stated-measured\"").expect("the picture").1;
    let points = picture.split("data-values=\"").nth(1).and_then(|rest| rest.split('"').next());
    let points = points.expect("points");
    let drawn: Vec<f64> =
        points.split(' ').map(|point| point.split_once(',').unwrap().1.parse().unwrap()).collect();
    assert!(drawn.len() > 15, "{points}");
    for value in drawn {
        assert!(measured.contains(&value), "{value} is drawn, and no claim has it");
    }
}

#[test]
fn every_picture_of_a_page_is_a_file_too() {
    let place = Place::new();
    place.studied();
    let pictures = place.path("pictures");
    let (study, out, record) = (place.path("mine.toml"), place.path("page.html"), place.path("record"));
    let ran = tradewind(&["report", &study, "--record", &record, "--out", &out, "--pictures", &pictures]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), out.as_str()), "{ran:?}");
    let page = place.read("page.html");
    let names = fs::read_dir(&pictures).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
    let names: Vec<_> = names.filter(|name| !name.starts_with('.')).collect();
    assert_eq!(names.len(), page.matches("<figure").count());
    for name in names {
        let svg = fs::read_to_string(Path::new(&pictures).join(&name)).unwrap();
        assert!(
            svg.starts_with("<svg") && page.contains(&format!("id=\"{}\"", name.trim_end_matches(".svg"))),
            "{name}"
        );
    }
}

#[test]
fn a_folder_of_results_needs_no_record() {
    let place = Place::new();
    let (study, record, results) = (place.path("mine.toml"), place.path("record"), place.path("results"));
    tradewind(&["study", &study, "--record", &record, "--out", &results]);
    let none = place.path("none");
    good(&["report", &results, "--record", &none, "--out", &place.path("page.html")]);
    assert!(place.read("page.html").contains("id=\"mine-gaps\""));
    assert!(!Path::new(&none).exists(), "a report makes no record");
    let file = format!("{results}/study.json");
    let whole = fs::read_to_string(&file).unwrap();
    // The results of many runs are longer than a file that a person writes.
    fs::write(&file, format!("{whole}{}", " ".repeat(1 << 20))).unwrap();
    good(&["report", &results, "--record", &none, "--out", &place.path("page.html")]);
    // Half a file, and one of another version.
    let said = |text: &str, fragments: &[&str]| {
        fs::write(&file, text).unwrap();
        refused(&["report", &results, "--out", &place.path("other.html")], fragments);
    };
    said(
        &whole[..whole.len() / 2],
        &["study.json: EOF while parsing", "expected the whole of a study's results"],
    );
    let old = whole.replacen("\"version\": 4", "\"version\": 3", 1);
    said(
        &old,
        &["study.json: version 3; expected version 4: `tradewind study NAME --out DIR` writes it anew"],
    );
    assert!(!Path::new(&place.path("other.html")).exists());
}

#[test]
fn what_is_missing_is_said_before_anything_is_drawn() {
    let place = Place::new();
    let (study, record, out) = (place.path("mine.toml"), place.path("record"), place.path("page.html"));
    let says = |fragments: &[&str]| {
        refused(&["report", &study, "--record", &record, "--out", &out], fragments);
        assert!(!Path::new(&out).exists());
    };
    says(&[&format!("no run of {study} yet: `tradewind study {study}`")]);
    // A third of the runs.
    place.write("mine.toml", &STUDY.replace("[64, 128, 256]", "[64]"));
    place.studied();
    place.write("mine.toml", STUDY);
    says(&["the record has 4 of the 12 runs of", "does the others"]);
    // The same runs on a machine of other values.
    let mine = "extends = \"paragon\"\nname = \"mine\"\nsummary = \"s\"\nprocessor.clock = \"25 MHz\" # assumption\n";
    place.write("machine.toml", mine);
    let moved = STUDY.replace("[\"paragon\", \"meiko-cs2\"]", "[\"machine.toml\"]");
    place.write("mine.toml", &moved.replace("mine.gap.paragon.np.64", "mine.gap.machine.toml.np.64"));
    place.studied();
    place.write("machine.toml", &mine.replace("25", "30"));
    says(&["by another version of the command, or on other values of a machine or an input"]);
}

#[test]
fn mistakes_in_the_file_of_a_study_have_their_lines() {
    let place = Place::new();
    let wrong = STUDY.replace("\"split-phase\"", "\"split-fase\"").replace("meiko-cs2", "meiko");
    place.write("mine.toml", &wrong);
    let study = place.path("mine.toml");
    let line_of =
        |text: &str| wrong.lines().position(|line| line.contains(text)).expect("a line of the study") + 1;
    let program =
        format!("mine.toml:{}:11: run.program: unknown program `split-fase`", line_of("split-fase"));
    let machine = format!("mine.toml:{}:", line_of("meiko"));
    refused(
        &["report", &study, "--out", &place.path("page.html")],
        &[&program, &machine, "unknown machine `meiko`"],
    );
}

#[test]
fn without_a_study_the_page_has_what_is_on_record_and_says_what_is_not() {
    let place = Place::new();
    let (record, out) = (place.path("record"), place.path("page.html"));
    let none = tradewind(&["report", "--record", &record, "--out", &out]);
    let why = "tradewind: error: no run of a shipped study is on record: `tradewind study NAME` does those of one\n";
    assert_eq!((none.code, none.err.as_str()), (Some(2), why), "files that studies lack are no matter yet");
    good(&["claims", "split-c.table1.rtt.am.cm5.proc", "--record", &record]);
    let ran = tradewind(&["report", "--record", &record, "--out", &out]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told: Vec<_> = ran.err.lines().collect();
    let [part, without, ..] = told.as_slice() else { panic!("{told:?}") };
    assert!(
        part.ends_with("split-c-table1 (1 of 10 runs); `tradewind study NAME` does the others"),
        "{part}"
    );
    assert!(without.contains("left out, without a run on record: alewife-bisection, "), "{without}");
    let page = place.read("page.html");
    assert!(page.contains("PARTIAL: taken from the record when 1 of 10 were done"));
    assert!(page.contains("data-claim=\"split-c.table1.rtt.am.cm5.proc\" data-measured=\"14"));
    assert!(page.contains("id=\"paper-split-c\"") && page.contains("A. Krishnamurthy"));
    // A study that is named is drawn whole or not at all.
    let named = ["report", "split-c-table1", "--record", &record, "--out", &out];
    refused(&named, &["the record has 1 of the 10 runs of split-c-table1"]);
}

#[test]
fn a_page_that_cannot_be_written_is_refused_first() {
    let place = Place::new();
    let (page, study, record) = (place.path("page.html"), place.path("mine.toml"), place.path("record"));
    let none = place.path("none/page.html");
    refused(&["report", "split-c-table1", "--out", &none], &["there is no folder"]);
    refused(&["report", "split-c-table1", "--out", &place.path("")], &["expected the name of a file"]);
    refused(
        &["report", "alewife-tables", "--out", &page, "--pictures", &none],
        &["--pictures", "there is no folder"],
    );
    let other = place.path("page.pdf");
    refused(&["report", "split-c-table1", "--out", &other], &["expected a name that ends in .html"]);
    refused(&["compare", "split-phase", "--out", &other], &["expected a name that ends in .svg or .html"]);
    refused(&["claims", "widget.fig2", "--out", &other], &["expected a name that ends in .tsv"]);
    let empty = place.path("empty");
    fs::create_dir(&empty).unwrap();
    refused(&["report", &empty, "--out", &page], &["there is no study.json in it, nor in a folder of it"]);
    // The content of the record is not a study.
    place.write("record", &"no database at all, but long enough to be taken for one ".repeat(20));
    let asked = ["report", &study, "--record", &record, "--out", &page];
    refused(&asked, &["expected a record of tradewind"]);
}

#[test]
fn a_comparison_is_a_page_too() {
    let place = Place::new();
    let out = place.path("page.html");
    let machines = ["--machine", "paragon,meiko-cs2", "--nodes", "3", "--processors", "1"];
    let found = json(&[&["compare", "split-phase", "--out", &out], &machines[..]].concat());
    let page = place.read("page.html");
    assert!(page.contains("id=\"ranked\"") && page.contains("id=\"mechanisms\""));
    for world in list(&found["worlds"]) {
        let sent = |row: &Value| sum(&row["phases"][0]["volume_bytes"]).expect("bytes");
        let all: Vec<_> = list(&world["rows"]).iter().map(sent).collect();
        let (least, most) =
            (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(0.0, f64::max));
        let title = format!(
            "<desc>{}, 3 nodes of 1 processor: bars of bytes sent",
            world["machine"].as_str().unwrap()
        );
        assert_eq!(page.contains(&title), most > least * 1.03, "bytes are drawn where they differ");
    }
    let rows = found["worlds"].as_array().unwrap().iter().flat_map(|world| world["rows"].as_array().unwrap());
    for row in rows {
        let (mechanism, policy) = (row["mechanism"].as_str().unwrap(), row["policy"].as_str().unwrap());
        let time = row["time_ns"].as_f64().unwrap();
        let wanted = format!("data-mechanism=\"{mechanism}\" data-policy=\"{policy}\" data-time=\"{time}\"");
        assert!(page.contains(&wanted), "{wanted}");
        let field = format!("data-column=\"{policy}\" data-row=\"{mechanism}\" data-value=\"{time}\"");
        assert!(page.contains(&field), "{field}");
    }
}

#[test]
fn a_run_on_a_model_is_drawn_as_the_steps_of_its_events() {
    let place = Place::new();
    let out = place.path("run.svg");
    let machine = ["--machine", "paragon", "--nodes", "3", "--processors", "1"];
    let run = json(&[&["run", "split-phase", "--out", &out], &machine[..]].concat());
    let values = drawn(&place.read("run.svg"), "bar");
    let kinds = run["anatomy"].as_object().expect("kinds of events").values();
    let travels: Vec<_> = kinds.filter_map(|kind| kind["mean_travel_ns"].as_f64()).collect();
    assert!(values.len() >= 2 && travels.iter().any(|travel| values.contains(travel)), "{values:?}");
}
