//! The fuzz targets, which are not built with the workspace, accept the seeds that they start from.
//!
//! A fuzzer needs a nightly compiler; its checks do not. Here each target is compiled unchanged, and given every seed.
//! This test must never know the checks of a target.

#[expect(unreachable_pub, reason = "it is a crate of its own, whose programs call these")]
#[path = "../../../fuzz/src/lib.rs"]
mod checks;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A fuzz target: its name, and its function on a file.
type Target = (&'static str, fn(&[u8]));

/// Every target.
const TARGETS: &[Target] = &[
    ("bezier", checks::bezier),
    ("detection", checks::detection),
    ("harwell_boeing", checks::harwell_boeing),
    ("litmus", checks::litmus),
    ("matrix_market", checks::matrix_market),
    ("medit", checks::medit),
    ("mesh_text", checks::mesh_text),
    ("rutherford_boeing", checks::rutherford_boeing),
    ("triplet", checks::triplet),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// Entries of a folder of the fuzzers.
fn entries(name: &str) -> Vec<PathBuf> {
    let folder = folder().join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("an entry of the folder").path()).collect()
}

fn text(name: &str) -> String {
    let file = folder().join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn every_target_accepts_its_seeds() {
    for (name, target) in TARGETS {
        let seeds = entries(&format!("seeds/{name}"));
        assert!(!seeds.is_empty(), "{name} has no seed");
        seeds.iter().for_each(|seed| target(&fs::read(seed).expect("a seed")));
    }
}

#[test]
fn every_target_is_a_program_of_the_fuzzers_and_every_program_is_tested() {
    let stem = |path: &PathBuf| path.file_stem().expect("it has a name").to_string_lossy().into_owned();
    let of = |folder: &str| entries(folder).iter().map(stem).collect::<BTreeSet<_>>();
    let names = TARGETS.iter().map(|&(name, _)| name.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!((of("fuzz_targets"), of("seeds")), (names.clone(), names.clone()));
    let manifest = text("Cargo.toml");
    let programs = manifest.split("[[bin]]").skip(1);
    let declared = programs.filter_map(|program| program.split('"').nth(1)).map(str::to_owned);
    assert_eq!(declared.collect::<BTreeSet<_>>(), names);
    for name in names {
        let called = format!("fuzz_target!(|bytes: &[u8]| checks::{name}(bytes));");
        assert!(text(&format!("fuzz_targets/{name}.rs")).contains(&called), "{name} calls another check");
    }
}
