//! Every number of every shipped machine at its extremes: it is refused, with its key and a value to type, or the run ends. The keys
//! come from the machine files and the schema, so a new key is tried without a word here.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use machine::RangedKey;
use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};
use worlds::machines::{self, ALL, Shipped};
use worlds::{Error, Mistake, Target};

use crate::command::command;

/// Limits of memory and time of a run. The largest runs take less than half.
const KIBIBYTES: u32 = 4 << 20;
const SECONDS: u32 = 30;

/// The extremes of each kind of number, beside the ends of a key's range.
const EXTREMES: [(&str, &[&str]); 5] = [
    ("count", &["0", "1", "65536", "4294967296", "9223372036854775807"]),
    ("size", &["0 B", "1 B", "64 KiB", "64 GiB", "1000000 GiB", "18446744073709551615 B"]),
    ("bandwidth", &["0 B/s", "1 B/s", "1000000 GB/s", "18446744073709551615 B/s"]),
    ("frequency", &["0 Hz", "1 Hz", "1000 GHz", "18446744073709551615 Hz"]),
    ("time", &["0 s", "1 fs", "1 s", "18000 s", "18446 s", "100000 s"]),
];

/// The programs that a machine runs, one for each mechanism, as short as they are.
const PROGRAMS: [(Mechanism, &[&str]); 3] = [
    (Mechanism::Messages, &["fetch-add", "--input", "words=64", "--input", "operations=160"]),
    (Mechanism::Bulk, &["em3d", "--input", "nodes=640", "--input", "degree=4", "--input", "iterations=1"]),
    (
        Mechanism::SharedMemory,
        &["em3d", "--input", "nodes=640", "--input", "degree=4", "--input", "iterations=1"],
    ),
];

/// A number of a machine set to an extreme that its file may have.
struct Case {
    machine: &'static str,
    setting: String,
    mechanism: Mechanism,
    policy: Policy,
    program: &'static [&'static str],
}

/// The numbers of a machine to be tried: the numbers in its file, and further ones that its file may have. Of a price that no file
/// splits into parts only the whole is tried.
fn numbers(machine: &Shipped) -> Vec<RangedKey> {
    let stated = machines::get(machine.name).expect("a shipped machine is right");
    let stated: BTreeSet<_> = stated.values().iter().map(|value| value.key.clone()).collect();
    let is_part = |key: &str| key.contains("primitives.") && !stated.contains(key);
    let numbers = machines::numbers(machine.path, machine.text).expect("a shipped machine is right");
    numbers.into_iter().filter(|number| !is_part(&number.key)).collect()
}

/// The extremes of a number: those of its kind, and the ends of its range.
fn extremes(number: &RangedKey) -> BTreeSet<&'static str> {
    let of_kind = EXTREMES.iter().find(|(kind, _)| *kind == number.kind).expect("a kind has extremes");
    of_kind.1.iter().copied().chain([number.range.least, number.range.most]).collect()
}

/// A policy under which the machine runs programs by a mechanism.
fn policy(target: &Target, mechanism: Mechanism) -> Option<Policy> {
    let policies = PRESETS.iter().filter_map(|preset| preset.name.parse().ok());
    policies.into_iter().find(|policy| target.check(mechanism, policy).is_ok())
}

/// The cases of a machine to be run. Refused settings are checked here.
fn cases(machine: &'static Shipped, mut wrong: impl FnMut(String)) -> Vec<Case> {
    let plain = machines::get(machine.name).expect("a shipped machine is right").digest();
    let mut digests = BTreeSet::from([plain]);
    let mut cases = Vec::new();
    for number in numbers(machine) {
        for value in extremes(&number) {
            let set = [(number.key.clone(), value.to_owned())];
            let setting = format!("{}={value}", number.key);
            match Target::find(machine.name, &set) {
                Err(Error::Wrong(mistakes)) => {
                    let told = |mistake: &Mistake| match mistake {
                        Mistake::MachineFile(error) => !error.key.is_empty() && !error.expected.is_empty(),
                        _ => false,
                    };
                    if !mistakes.iter().any(told) {
                        wrong(format!("{}: {setting}: {mistakes:?}", machine.name));
                    }
                }
                Err(other) => wrong(format!("{}: {setting}: {other}", machine.name)),
                Ok(target) => {
                    // Settings that make the same machine make the same run.
                    if !digests.insert(target.machine().expect("it is a model").digest()) {
                        continue;
                    }
                    // The memory of the host decides how many nodes there can be.
                    if number.key == "nodes" {
                        continue;
                    }
                    cases.extend(PROGRAMS.iter().filter_map(|&(mechanism, program)| {
                        let policy = policy(&target, mechanism)?;
                        Some(Case {
                            machine: machine.name,
                            setting: setting.clone(),
                            mechanism,
                            policy,
                            program,
                        })
                    }));
                }
            }
        }
    }
    cases
}

/// Runs a case in a process of its own. Returns a complaint if it ended in the wrong way.
fn run(case: &Case) -> Option<String> {
    let (policy, mechanism) = (case.policy.to_string(), case.mechanism.to_string());
    let chosen = [
        "--nodes",
        "4",
        "--machine",
        case.machine,
        "--policy",
        &policy,
        "--mechanism",
        &mechanism,
        "--set",
        &case.setting,
    ];
    let plain = command(&[&["run"], case.program, &chosen[..]].concat());
    let mut shell = Command::new("sh");
    let limits = format!("ulimit -v {KIBIBYTES}; exec timeout {SECONDS} \"$0\" \"$@\"");
    shell.args(["-c", &limits]).arg(plain.get_program()).args(plain.get_args());
    let began = Instant::now();
    let ran = shell.output().expect("a shell starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    let is_told = !said.contains("panicked") && !said.contains("deadlock");
    let ended = match ran.status.code() {
        Some(0) => true,
        Some(1 | 2) => is_told,
        _ => false,
    };
    let took = began.elapsed().as_secs_f64();
    let last: Vec<_> = said.lines().filter(|line| !line.contains("modelled")).take(2).collect();
    (!ended).then(|| {
        let code = ran.status.code();
        format!(
            "{} {} {mechanism} {policy}: {code:?} after {took:.1} s: {last:?}",
            case.machine, case.setting
        )
    })
}

/// Runs the cases of all machines of which `chosen` takes the number, two at a time.
fn sweep(chosen: impl Fn(usize) -> bool) {
    let wrong = Mutex::new(Vec::new());
    let say = |what: String| wrong.lock().expect("nobody panics").push(what);
    let all: Vec<_> = ALL.iter().flat_map(|machine| cases(machine, say)).collect();
    let cases: Vec<_> =
        all.iter().enumerate().filter(|(number, _)| chosen(*number)).map(|(_, case)| case).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            run(case).into_iter().for_each(say);
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("nobody panics");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn the_page_has_the_range_of_every_number() {
    let page = include_str!("../../../../docs/machine-file.md");
    let section =
        page.split("## Ranges").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let rows = |range: &machine::Range| format!("{} | {} | {} |", range.least, range.most, range.why);
    let row = |number: RangedKey| match number.is_usual {
        true => format!("| {} | {}", number.kind, rows(&number.range)),
        false => format!("| `{}` | {}", number.key, rows(&number.range)),
    };
    let expected: BTreeSet<_> = ALL.iter().flat_map(numbers).map(row).collect();
    let heads = ["| kind", "| key", "|---"];
    let is_row = |line: &&str| line.starts_with('|') && !heads.iter().any(|head| line.starts_with(head));
    let written: BTreeSet<_> = section.lines().filter(is_row).map(str::to_owned).collect();
    let rows: Vec<_> = expected.iter().map(String::as_str).collect();
    assert_eq!(written, expected, "expected these rows:\n{}", rows.join("\n"));
}

#[test]
fn a_number_at_its_extremes_is_refused_or_its_run_ends() {
    sweep(|number| number % 97 == 0);
}

#[test]
#[ignore = "the full dose: every number of every machine at every extreme, many minutes"]
fn every_number_at_its_extremes_is_refused_or_its_run_ends() {
    sweep(|_| true);
}
