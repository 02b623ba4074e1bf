//! The oracle of litmus tests against another oracle: the results of the tool *herd* with its model of sequential
//! consistency.
//!
//! The tests in `inputs/litmus` travel with the project. The whole collection lies where an environment variable tells:
//!
//! ```sh
//! TRADEWIND_DATA=folder cargo test -p tradewind-apps --test oracle -- --ignored
//! ```

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use formats::litmus::log::{self, Logged, State};
use formats::litmus::{self, Test};
use tradewind_apps::litmus::reference::allowed;

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The tests of a folder.
fn tests(folder: &Path) -> Vec<Test> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder that can be listed").path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "litmus")).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        litmus::read(&path.display().to_string(), &bytes(path)).unwrap_or_else(|errors| panic!("{errors}"))
    };
    paths.iter().map(read).collect()
}

/// The reference's result in herd's form: all states, and whether the condition holds in some and in all of them.
fn answer(test: &Test) -> (BTreeSet<State>, bool, bool) {
    let allowed = allowed(test).unwrap_or_else(|unknown| panic!("{}: {unknown}", test.name));
    let spell = |state: &Vec<i64>| -> State {
        let places = test.observed.iter().zip(state);
        places.map(|(place, value)| (test.place_name(*place), test.value_name(*value))).collect()
    };
    let holds = |state: &Vec<i64>| {
        let value = |place| {
            let at = test.observed.iter().position(|observed| *observed == place);
            state[at.expect("a condition names what is observed")]
        };
        test.condition.formula.holds(&value)
    };
    (allowed.iter().map(spell).collect(), allowed.iter().any(holds), allowed.iter().all(holds))
}

fn compare(folder: &Path, log: &Path) -> usize {
    let expected =
        log::read(&log.display().to_string(), &bytes(log)).unwrap_or_else(|errors| panic!("{errors}"));
    let tests = tests(folder);
    for test in &tests {
        let herd = expected.iter().find(|herd| herd.name == test.name);
        let herd = herd.unwrap_or_else(|| panic!("{} is not in the log", test.name));
        let Logged { states, positive, negative, .. } = herd;
        assert_eq!((states.clone(), *positive > 0, *negative == 0), answer(test), "{}", test.name);
    }
    tests.len()
}

#[test]
fn finds_what_herd_finds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../inputs/litmus");
    assert_eq!(compare(&folder, &folder.join("herd-sc.log")), 10);
}

#[test]
#[ignore = "needs the collection of litmus tests in TRADEWIND_DATA"]
fn finds_what_herd_finds_for_the_whole_collection() {
    let data = env::var_os("TRADEWIND_DATA").expect("TRADEWIND_DATA names the folder of the collection");
    let folder = PathBuf::from(data).join("litmus");
    assert_eq!(compare(&folder.join("riscv"), &folder.join("riscv.herd-sc.log")), 200);
    // Of these there is no log: they must be read, and have an answer.
    for test in tests(&folder.join("x86")) {
        assert!(!allowed(&test).unwrap().is_empty(), "{}", test.name);
    }
}
