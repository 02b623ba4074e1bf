//! Tests names that are not UTF-8 and foreign texts with terminal escapes: names are bytes, and escapes are shown.

#[cfg(target_os = "linux")]
use std::ffi::{OsStr, OsString};
use std::fs;
#[cfg(target_os = "linux")]
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use tempfile::tempdir;

use crate::command::{Ran, command, ran, tradewind};

const MATRIX: &str = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 1\n2 2 4\n";

const MACHINE: &str = "extends = \"ideal\"\nname = \"mine\"\nsummary = \"s\"\n";

const STUDY: &str = "summary = \"s\"\n[[run]]\nprogram = \"histogram\"\nmachine = \"ideal\"\ninputs.values = [50, 60]\n\
                     metrics = [{ answer = \"counters.empty_polls\", name = \"polls\" }]\n";

/// Words of a command line, some of which are names of files.
#[cfg(target_os = "linux")]
fn call(words: &[&OsStr]) -> Ran {
    let mut command = command(&[]);
    command.args(words);
    ran(command)
}

/// A name that is no UTF-8 and has an escape in it, below a folder.
#[cfg(target_os = "linux")]
fn odd(folder: &Path, ending: &str) -> OsString {
    folder.join(OsStr::from_bytes(&[b"odd\xe9\xff\x1b[31m".as_slice(), ending.as_bytes()].concat())).into()
}

#[cfg(target_os = "linux")]
#[test]
fn files_whose_names_are_no_text_are_read_and_written() {
    let folder = tempdir().expect("a folder");
    // The folder's own name is no text either.
    let place = folder.path().join(OsString::from_vec(b"in\xfe".to_vec()));
    fs::create_dir(&place).expect("a folder");
    let names = [".mtx", ".toml", "-study.toml", "-out", "-record", ".html", "-trace", ".svg"];
    let [matrix, machine, study, out, record, page, trace, picture] = names.map(|ending| odd(&place, ending));
    fs::write(&matrix, MATRIX).expect("a file");
    fs::write(&machine, MACHINE).expect("a file");
    fs::write(&study, STUDY).expect("a file");
    let good = |words: &[&OsStr]| {
        let ran = call(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
        assert_harmless(&ran);
    };
    let w = OsStr::new;
    let pair: OsString = [w("matrix="), &matrix].into_iter().collect();
    let shape = [w("--nodes"), w("1"), w("--processors"), w("1")];
    for input in [&matrix, &pair] {
        good(&[&[w("run"), w("iccg"), w("--input"), input, w("--machine"), &machine], &shape[..]].concat());
    }
    good(&[w("explain"), &machine]);
    let small = [w("--input"), w("values=50")];
    let files = [w("--trace"), &trace, w("--out"), &picture];
    good(&[&[w("run"), w("histogram"), w("--machine"), &machine], &shape[..], &small, &files].concat());
    good(&[w("study"), &study, w("--out"), &out, w("--record"), &record]);
    good(&[w("report"), &study, w("--record"), &record, w("--out"), &page]);
    good(&[w("report"), &out, w("--out"), &page]);
    for written in [&out, &record, &page, &trace, &picture] {
        assert!(Path::new(written).exists(), "{written:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn errors_show_the_bytes_of_a_name() {
    let folder = tempdir().expect("a folder");
    let [matrix, machine, none] = [".mtx", ".toml", "-none/x"].map(|ending| odd(folder.path(), ending));
    fs::write(&matrix, MATRIX.replace("2 1 1", "2 1 \u{1b}[2J")).expect("a file");
    fs::write(&machine, format!("{MACHINE}\"no\\u001b[31mde\" = 1\n")).expect("a file");
    let w = OsStr::new;
    for (words, expected) in [
        (
            vec![w("run"), w("iccg"), w("--input"), &matrix],
            r":4:5: value \u{1b}[2J: expected a finite number",
        ),
        (vec![w("explain"), &machine], ".toml:4: "),
        (vec![w("run"), w("iccg"), w("--input"), &none], "-none/x: "),
        (vec![w("study"), &none], "-none/x: "),
        (vec![w("study"), w("split-c-polling"), w("--out"), &none], "-none"),
        (vec![w("run"), w("histogram"), w("--trace"), &none], "-none"),
    ] {
        let ran = call(&words);
        assert_ne!(ran.code, Some(0), "{words:?}: {ran:?}");
        let name = r"odd\xe9\xff\u{1b}[31m";
        assert!(ran.err.contains(name) && ran.err.contains(expected), "{words:?}: {ran:?}");
        assert_harmless(&ran);
    }
}

/// Asserts that no printed text has a character that controls a terminal.
fn assert_harmless(ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        let obeyed = text.chars().find(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'));
        assert_eq!(obeyed, None, "{ran:?}");
    }
}

/// Every control character that a text of TOML can have, as TOML spells it, and as it is shown.
fn controls() -> (String, String) {
    let controls = (0..=0x9f_u32).filter_map(char::from_u32).filter(|letter| letter.is_control());
    let controls = controls.filter(|letter| !letter.is_whitespace());
    controls.map(|letter| (format!("\\u{:04x}", letter as u32), letter.escape_unicode().to_string())).unzip()
}

#[test]
fn texts_of_strangers_are_shown_and_not_obeyed() {
    let (spelled, shown) = controls();
    let folder = tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path of text").to_owned();
    let [machine, study, record, out] = ["m.toml", "s.toml", "record", "out"].map(path);
    fs::write(&machine, MACHINE.replace("\"s\"", &format!("\"{spelled}\""))).expect("a file");
    let named = STUDY.replace("summary = \"s\"", &format!("summary = \"{spelled}\""));
    let named = named.replace("polls\" }", &format!("polls{spelled}\" }}"));
    fs::write(&study, named).expect("a file");
    let calls: [&[&str]; 3] = [
        &["explain", &machine],
        &["study", &study, "--record", &record, "--out", &out],
        &["run", "histogram", "--machine", &spelled],
    ];
    for call in calls {
        let ran = tradewind(call);
        assert_harmless(&ran);
        let text = format!("{}{}", ran.out, ran.err).replace(['\n', ' '], "");
        assert!(call[0] == "run" || ran.code == Some(0) && text.contains(&shown), "{call:?}: {ran:?}");
        let json = tradewind(&[call, &["--json"]].concat());
        assert_harmless(&json);
        assert!(serde_json::from_str::<serde_json::Value>(&json.out).is_ok(), "{json:?}");
    }
    let tables = fs::read_dir(&out).expect("results").map(|entry| entry.expect("an entry").path());
    for table in tables {
        let text = fs::read_to_string(&table).expect("a text");
        let obeyed = text.chars().find(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'));
        assert_eq!(obeyed, None, "{}", table.display());
    }
    // Words of the command line that are wrong are texts of strangers too.
    for call in
        [["run", "no\u{1b}[31m"], ["\u{1b}[31m", "x"], ["list", "\u{9b}31m"], ["run", "--no\u{1b}[31m"]]
    {
        let ran = tradewind(&call);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert_harmless(&ran);
    }
}
