//! Tests `tradewind claims` and `tradewind model`: verdicts, reproducibility, and refusals.

use std::fs;
use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use tempfile::tempdir;

use crate::command::{command, good, json, refused, tradewind};

/// Claims that need no run.
const EQUATIONS: [&str; 4] =
    ["alewife.table2", "fixed-floating.model.meas", "fixed-floating.model.k8", "fixed-floating.fig3"];

fn verdicts<'a>(claims: &'a Value, verdict: &str) -> Vec<&'a str> {
    let claims = claims["claims"].as_array().expect("claims are a list").iter();
    let of = claims.filter(|claim| claim["verdict"] == verdict);
    of.map(|claim| claim["id"].as_str().expect("an id is a text")).collect()
}

#[test]
fn equations_and_tables_hold_to_the_digit() {
    let folder = tempdir().unwrap();
    let record = folder.path().join("record").display().to_string();
    // The other claims of the study need runs of whole programs.
    let model = "ratio limit small_c_beats_large_c peak gain symmetry cost float fixed_wins k8 needs_large_overhead light_vs_heavy \
         opp_dominates trend uni meas multi saturated saturation_point capacity mt.condition mt.saturation \
         mt.unsaturated_float queueing";
    let model: Vec<_> = model.split_whitespace().map(|name| format!("fixed-floating.model.{name}")).collect();
    let mut asked = vec!["claims", "--record", &record, "alewife.table2", "fixed-floating.fig3"];
    asked.extend(model.iter().map(String::as_str));
    let claims = json(&asked);
    assert_eq!(verdicts(&claims, "differs"), [""; 0]);
    // Three of them are orders between policies, which take runs.
    assert_eq!((&claims["results"], &claims["measured"]), (&78.into(), &78.into()));
    // A cell that nobody can read is no result.
    assert_eq!(verdicts(&claims, "unreadable"), ["alewife.table2.ksr2.latency_local_misses"]);
    let unknown = verdicts(&claims, "unknown");
    assert_eq!(unknown.len(), 4, "{unknown:?}");
    let of = |id: &str| {
        let claims = claims["claims"].as_array().unwrap();
        claims.iter().find(|claim| claim["id"] == id).unwrap().clone()
    };
    // Twice 55 us and 27 us over 113 us; 1000 MHz would be another table.
    assert_eq!(of("fixed-floating.model.meas.k")["measured"], 137.0 / 113.0);
    assert_eq!(of("alewife.table2.origin.bytes_per_local_miss")["measured"], 3294.0);
    assert_eq!(of("fixed-floating.model.symmetry")["measured"], true);
    assert_eq!(of("fixed-floating.model.cost.one_third")["verdict"], "input");
}

#[test]
fn the_same_command_twice_says_the_same() {
    let command = [&["claims", "--json"], &EQUATIONS[..]].concat();
    assert_eq!(good(&command), good(&command));
}

#[test]
fn a_table_of_verdicts_is_counted_anew() {
    let folder = tempdir().unwrap();
    let table = folder.path().join("claims.tsv").display().to_string();
    let first = json(&[&["claims", "--out", &table], &EQUATIONS[..]].concat());
    let again = json(&[&["claims", "--recount", &table], &EQUATIONS[..]].concat());
    assert_eq!(first["claims"], again["claims"]);
    assert_eq!(again["score"], first["score"]);
    fs::write(&table, "claim\tverdict\n").unwrap();
    refused(
        &["claims", "--recount", &table],
        &["claims.tsv:1:1: expected a record of `tradewind claims --out`"],
    );
}

#[test]
fn runs_are_recorded_and_say_the_same_again() {
    let folder = tempdir().unwrap();
    let record = folder.path().join("record").display().to_string();
    let command = ["claims", "widget.fig2", "--record", &record, "--json"];
    let first = good(&command);
    assert_eq!(first, good(&command));
    let claims: Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&claims["results"], &claims["measured"]), (&23.into(), &23.into()));
    // Three machines, one run each.
    assert_eq!(claims["runs"], 3);
}

/// Every row of two tables is either an input of the study or within its tolerance.
#[test]
fn remote_misses_take_what_two_tables_say() {
    let folder = tempdir().unwrap();
    let record = folder.path().join("record").display().to_string();
    let claims = json(&["claims", "pdq.table1", "fixed-floating.table2", "--record", &record]);
    // In the model the other part is longer for another reason than in the study.
    assert_eq!(verdicts(&claims, "differs"), ["fixed-floating.table2.other.cause"]);
    assert_eq!(verdicts(&claims, "input"), [""; 0]);
    assert_eq!(verdicts(&claims, "not measured"), [""; 0]);
    let rows = verdicts(&claims, "holds").into_iter().filter(|id| id.starts_with("pdq.table1.")).count();
    assert_eq!(rows, 36 + 17);
}

#[test]
fn people_are_told_what_holds_and_how_many() {
    // The machine's claims are inputs.
    let text = good(&[&["claims", "fixed-floating.machine"], &EQUATIONS[..]].concat());
    for line in ["fixed-floating.model\n", "  k8.at_half ", "all  ", "more are inputs"] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
    assert_eq!(text.matches("\nfixed-floating.model\n").count(), 1);
}

#[test]
fn claims_of_a_folder_take_the_place_of_those_inside() {
    let folder = tempdir().unwrap();
    let claim = "[[claim]]\nid = \"fixed-floating.model.meas.k\"\nwhere = \"mine\"\nrole = \"result\"\n\
         kind = \"ratio\"\nstatement = \"s\"\nvalue = 1.3\nconfidence = \"exact\"\n";
    // Checks of the shipped studies refer to claims that are not in this folder; these are no errors of the folder.
    fs::write(folder.path().join("one.toml"), claim).unwrap();
    let at = folder.path().display().to_string();
    let claims = json(&["claims", "--claims", &at]);
    assert_eq!(verdicts(&claims, "differs"), ["fixed-floating.model.meas.k"]);
    fs::write(folder.path().join("two.toml"), claim.replace("ratio", "size").replace("1.3", "[]")).unwrap();
    refused(
        &["claims", "--claims", &at],
        &[
            "two.toml:5:8: claim.kind = \"size\": expected \"value\", \"ratio\"",
            "two.toml:7:9: claim.value = []",
        ],
    );
}

/// A claim on cholesky: its matrix does not travel with the project.
const ON_CHOLESKY: &str = "pdq.fig7.cholesky.mult-near-scoma";

#[test]
fn a_claim_whose_study_needs_a_file_says_so_and_runs_nothing() {
    let text = good(&["claims", ON_CHOLESKY]);
    assert!(text.contains("not measured: needs tk29.O.gz"), "{text}");
    let claims = json(&["claims", ON_CHOLESKY]);
    assert_eq!(
        (&claims["runs"], &claims["claims"][0]["needs"]),
        (&0.into(), &serde_json::json!(["tk29.O.gz"]))
    );
    let empty = tempdir().unwrap();
    let at = empty.path().display().to_string();
    let told = [
        "studies/pdq-cholesky.toml:",
        "files.tk29.O.gz: the study needs this file and it is not in",
        "expected it there (the matrix tk29.O of SPLASH-2",
        "--data DIR",
    ];
    refused(&["study", "pdq-cholesky", "--data", &at], &told);
    let missing = empty.path().join("nosuch").display().to_string();
    let told = [&*format!("--data {missing}: expected a folder that is there")];
    refused(&["claims", ON_CHOLESKY, "--data", &missing], &told);
    refused(&["study", "pdq-cholesky", "--data", &missing], &told);
    refused(&["report", "pdq-cholesky", "--data", &missing], &told);
    refused(&["study", "mine.toml", "--data", &at], &["--data with mine.toml: expected a shipped study"]);
}

/// The pattern of a tridiagonal matrix of `rows` rows, as a file of SPLASH-2.
fn tridiagonal(rows: usize) -> String {
    let cards = |numbers: Vec<usize>| -> Vec<String> {
        numbers.chunks(10).map(|card| card.iter().map(|number| format!("{number:8}")).collect()).collect()
    };
    let pointers = cards((0..=rows).map(|column| 2 * column.min(rows - 1) + 1 + column / rows).collect());
    let indices = cards((1..=rows).flat_map(|row| row..=rows.min(row + 1)).collect());
    let all = pointers.len() + indices.len();
    let counts = format!("{all:14}{:14}{:14}{:14}{:14}", pointers.len(), indices.len(), 0, 0);
    let sizes = format!("{:14}{rows:14}{rows:14}{:14}{:14}", "PSA", 2 * rows - 1, 0);
    let head = [
        format!("{:72}KEY", "A tridiagonal matrix"),
        counts,
        sizes,
        format!("{:16}{:16}", "(10I8)", "(10I8)"),
    ];
    [head.to_vec(), pointers, indices].concat().join("\n") + "\n"
}

/// Uses a small matrix in place of the study's own: the measured value is another, the procedure is the same.
#[test]
fn with_the_file_at_hand_the_claim_is_measured() {
    let folder = tempdir().unwrap();
    let mut matrix = GzEncoder::new(Vec::new(), Compression::default());
    matrix.write_all(tridiagonal(494).as_bytes()).unwrap();
    fs::write(folder.path().join("tk29.O.gz"), matrix.finish().unwrap()).unwrap();
    let [record, data] = ["record", ""].map(|name| folder.path().join(name).display().to_string());
    let command = ["claims", ON_CHOLESKY, "--record", &record, "--data", &data, "--json"];
    let claims: Value = serde_json::from_str(&good(&command)).unwrap();
    // Two runs, and as many at each further place of the data.
    assert_eq!((&claims["measured"], &claims["runs"]), (&1.into(), &6.into()));
    assert_eq!(claims["claims"][0]["needs"], serde_json::json!([]));
}

#[test]
fn what_nobody_claims_is_refused() {
    refused(&["claims", "alewife.tabel2"], &["alewife.tabel2", "did you mean `alewife.table2`?"]);
    refused(&["claims", "mine.toml"], &["`mine.toml` is a file", "`tradewind study mine.toml` runs"]);
    let folder = tempdir().unwrap();
    let record = folder.path().join("record");
    fs::write(&record, "no record at all, but a text that is somewhat long. ".repeat(20)).unwrap();
    let record = record.display().to_string();
    refused(
        &["claims", "split-c.table1.rtt.am.cm5.proc", "--record", &record],
        &["expected a record of tradewind", "move the file away"],
    );
}

#[test]
fn a_folder_is_no_record() {
    let folder = tempdir().unwrap();
    let claim = "[[claim]]\nid = \"widget.fig3.coherent.widget.32.arrival\"\nwhere = \"w\"\nrole = \"result\"\n\
         kind = \"value\"\nstatement = \"s\"\nvalue = 371.0\nconfidence = \"exact\"\n";
    fs::write(folder.path().join("one.toml"), claim).unwrap();
    let at = folder.path().display().to_string();
    let ran = tradewind(&["claims", "--claims", &at, "--record", &at]);
    assert!(ran.code == Some(2) && ran.err.contains("record "), "{ran:?}");
}

#[test]
fn a_home_that_is_not_there_is_not_made() {
    let folder = tempdir().unwrap();
    let home = folder.path().join("home");
    let claims = |record: &[&str]| {
        let mut command = command(&[&["claims", "split-c.table1.rtt.am.cm5.proc"], record].concat());
        command.env("HOME", &home).env_remove("XDG_DATA_HOME").output().unwrap()
    };
    let refused = claims(&[]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("home: there is no such folder; say --record FILE"), "{said}");
    assert!(!home.exists());
    let record = folder.path().join("record").display().to_string();
    assert!(claims(&["--record", &record]).status.success());
    assert!(!home.exists());
    fs::create_dir(&home).unwrap();
    assert!(claims(&[]).status.success());
    assert!(home.join(".local/share/tradewind/record.tsv").is_file());
}

#[test]
fn a_model_is_numbers_data_and_a_picture() {
    let folder = tempdir().unwrap();
    let picture = folder.path().join("curves.svg");
    let told = picture.display().to_string();
    let model = json(&["model", "fixed-floating", "--set", "computation=113 us", "--out", &told]);
    // 226 us against 226 us and half of 137 us.
    assert_eq!(model["figures"]["single"], 294.5);
    assert_eq!(model["curves"].as_array().unwrap().len(), 6);
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("k = 16"), "{svg}");
    for (columns, dropped) in [(60, "32 processors, clock, remote"), (80, "32 processors")] {
        let narrow = good(&["model", "alewife-tables", "--width", &columns.to_string()]);
        assert!(narrow.lines().all(|line| line.chars().count() <= columns), "{narrow}");
        assert!(narrow.contains(&format!("no room for: {dropped};")), "{narrow}");
    }
    let text = good(&["model", "alewife-tables"]);
    assert!(text.contains("MIT Alewife") && text.contains("3294"), "{text}");
    refused(
        &["model", "fixed-floating", "--set", "latency=5"],
        &["--set latency=5: expected a time above 0"],
    );
    refused(&["model", "alewife-tables", "--set", "x=5"], &["no values to set"]);
    let nowhere = folder.path().join("nowhere/curves.svg").display().to_string();
    refused(&["model", "fixed-floating", "--out", &nowhere], &["there is no folder "]);
    let folder = folder.path().display().to_string();
    refused(&["model", "fixed-floating", "--out", &folder], &["expected the name of a file"]);
}
