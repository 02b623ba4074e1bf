//! Tests the dependencies of a program that uses the library alone: none on terminals, arguments or databases.

#![forbid(unsafe_code)]

use std::process::Command;

/// Every crate that the library depends on with these features, by name.
fn tree(features: &[&str]) -> Vec<String> {
    let out = Command::new(env!("CARGO"))
        .args([
            "tree",
            "-p",
            "tradewind",
            "--offline",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .args(features)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    String::from_utf8(out.stdout).expect("names of crates").lines().map(name).collect()
}

/// Crates that only a command needs.
const OF_COMMANDS: [&str; 8] = [
    "anstream",
    "anstyle",
    "clap",
    "indicatif",
    "signal-hook",
    "terminal_size",
    "tradewind-cli",
    "tradewind-lab",
];

#[test]
fn the_library_alone_takes_in_nothing_of_a_command() {
    let library = tree(&["--no-default-features", "--features", "conformance"]);
    assert!(library.iter().any(|name| name == "tradewind-sim"), "{library:?}");
    let found: Vec<_> =
        OF_COMMANDS.iter().filter(|name| library.iter().any(|known| known == *name)).collect();
    assert!(found.is_empty(), "{found:?}");
    let command = tree(&[]);
    let missing: Vec<_> =
        OF_COMMANDS.iter().filter(|name| command.iter().all(|known| known != *name)).collect();
    assert!(missing.is_empty(), "a command no longer needs {missing:?}: is the list of this test right?");
}
