//! Tests whether the verdicts of `tradewind compare` are right, on pairs that are known to be equal and on pairs that are known to
//! differ. This check must never look at anything but the document that `--json` prints.
//!
//! ```text
//! cargo bench -p tradewind --bench verdicts                        # 40 calls of each kind: a few minutes
//! cargo bench -p tradewind --bench verdicts -- 10                  # 10 calls of each kind
//! taskset -c 0,1 cargo bench -p tradewind --bench verdicts         # on two cores
//! cargo bench -p tradewind --bench verdicts -- --beside 8          # beside eight busy loops
//! ```
//!
//! A verdict "this host is busy" separates nothing. It counts as right if it does not call different combinations equal.
//!
//! The line of each kind prints the number of calls with the right verdict; how many of these said that the host is busy; how many of
//! these were sure (a difference, or no difference of more than a tenth); in how many calls the combination listed first had the
//! shorter median (about half, of equal combinations); the number of runs of each combination; and the time of a call. The exit code
//! is 1 if a verdict is wrong.

#![forbid(unsafe_code)]

use std::env;
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use serde_json::Value;
use tradewind_bench::beside;

/// Number of calls of each kind, unless the command line sets it.
const CALLS: usize = 40;

/// The arguments of every call: two nodes of one processor fit two cores.
const COMMON: [&str; 7] = ["--machine", "native", "--nodes", "2", "--processors", "1", "--json"];

/// Two combinations whose difference is known.
struct Kind {
    title: &'static str,
    /// The arguments of the even calls and of the odd ones, which list the two in the other order.
    orders: [&'static [&'static str]; 2],
    /// The mechanism that must win; `None` if no mechanism may win.
    winner: Option<&'static str>,
}

static KINDS: &[Kind] = &[
    Kind {
        title: "known-delay: one policy, listed twice",
        orders: [&["known-delay", "--mechanism", "messages", "--policy", "single,single"]; 2],
        winner: None,
    },
    Kind {
        title: "iccg: one policy, listed twice",
        orders: [&["iccg", "--policy", "single,single"]; 2],
        winner: None,
    },
    Kind {
        title: "iccg: two names of one policy, in both orders",
        orders: [&["iccg", "--policy", "single,adaptive"], &["iccg", "--policy", "adaptive,single"]],
        winner: None,
    },
    Kind {
        title: "known-delay: 10 % more work, in both orders",
        orders: [
            &["known-delay", "--input", "delay=10%", "--policy", "single", "--mechanism", "messages,bulk"],
            &["known-delay", "--input", "delay=10%", "--policy", "single", "--mechanism", "bulk,messages"],
        ],
        winner: Some("messages"),
    },
];

/// The results of the calls of a kind.
#[derive(Default)]
struct Tally {
    calls: usize,
    right: usize,
    /// Number of right calls that tell nothing apart because the host is busy.
    busy: usize,
    /// Number of right calls that were sure: a difference, or none of more than a tenth.
    clear: usize,
    /// Number of calls in which the combination listed first had the shorter median.
    first: usize,
    runs: Vec<u64>,
    took: Duration,
}

impl Tally {
    fn is_right(&self) -> bool {
        self.right == self.calls
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, right, busy, clear, first, runs, took } = self;
        let (least, most) = (runs.iter().min().unwrap_or(&0), runs.iter().max().unwrap_or(&0));
        let each = took.as_secs_f64() / *calls as f64;
        write!(
            f,
            "{right} of {calls} right, {busy} of them by a busy host, {clear} sure; first listed the faster in {first}; {least} to {most} runs; {each:.1} s a call"
        )
    }
}

fn main() -> ExitCode {
    let (calls, loops) = asked(env::args().skip(1));
    match beside(loops, || check(calls, &mut io::stdout().lock())) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // A failure to print this can be reported nowhere.
            let _ = writeln!(io::stderr(), "verdicts: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Parses the number of calls of each kind and the number of busy loops beside them. Cargo passes `--bench` too.
fn asked(mut arguments: impl Iterator<Item = String>) -> (usize, usize) {
    let (mut calls, mut loops) = (CALLS, 0);
    while let Some(argument) = arguments.next() {
        if argument == "--beside" {
            loops = arguments.next().and_then(|loops| loops.parse().ok()).unwrap_or(0);
        } else if let Ok(asked) = argument.parse::<usize>() {
            calls = asked.max(1);
        }
    }
    (calls, loops)
}

/// Makes `calls` calls of each kind. Returns whether every verdict was right.
fn check(calls: usize, out: &mut impl Write) -> Result<bool, Box<dyn Error>> {
    let mut is_good = true;
    for kind in KINDS {
        writeln!(out, "{}", kind.title)?;
        let tally = calls_of(kind, calls)?;
        writeln!(out, "    {tally}{}", if tally.is_right() { "" } else { "  WRONG" })?;
        is_good &= tally.is_right();
    }
    Ok(is_good)
}

fn calls_of(kind: &Kind, calls: usize) -> Result<Tally, Box<dyn Error>> {
    let mut tally = Tally { calls, ..Tally::default() };
    for call in 0..calls {
        let order = call % 2;
        let began = Instant::now();
        let compared = compare(kind.orders[order])?;
        tally.took += began.elapsed();
        let world = &compared["worlds"][0];
        let is_busy = says_busy(&world["finding"]);
        let is_right = is_busy || is_right(kind, &world["finding"]);
        tally.busy += usize::from(is_busy);
        tally.right += usize::from(is_right);
        tally.clear += usize::from(
            is_right && !is_busy && (kind.winner.is_some() || world["finding"]["unclear"] == false),
        );
        tally.first += usize::from(is_first(kind.orders[order], &world["rows"][0]));
        let rows = world["rows"].as_array().ok_or("a comparison without rows")?;
        tally.runs.extend(rows.iter().filter_map(|row| row["runs"].as_u64()));
    }
    Ok(tally)
}

/// The document of one call.
fn compare(asked: &[&str]) -> Result<Value, Box<dyn Error>> {
    let arguments = [&["compare"], asked, &COMMON].concat();
    let done = Command::new(env!("CARGO_BIN_EXE_tradewind")).args(&arguments).output()?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("tradewind {}: {}: {said}", arguments.join(" "), done.status).into());
    }
    Ok(serde_json::from_slice(&done.stdout)?)
}

/// Whether a finding is the known one. A finding that asks for more runs is wrong either way.
fn is_right(kind: &Kind, finding: &Value) -> bool {
    let winner = finding["winner"]["mechanism"].as_str();
    let is_told = !finding["contrast"].is_null();
    finding["runs_needed"].is_null()
        && is_told == kind.winner.is_some()
        && (!is_told || winner == kind.winner)
}

/// Whether a finding tells nothing apart, calls nothing equal, and says that the host is busy.
fn says_busy(finding: &Value) -> bool {
    finding["contrast"].is_null() && finding["unclear"] == true && !finding["busy"].is_null()
}

/// Whether the fastest row is that of the combination listed first.
fn is_first(asked: &[&str], fastest: &Value) -> bool {
    let lists = asked.iter().filter_map(|argument| argument.split_once(','));
    let of_row = [&fastest["mechanism"], &fastest["policy"]];
    lists.into_iter().any(|(first, _)| of_row.iter().any(|name| name.as_str() == Some(first)))
}
