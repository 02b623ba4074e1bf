//! The table of every bounded quantity, in docs/limits.md. A row's number comes from the constant that bounds the quantity, or is read in
//! the error at its end. The end is reached here, or by a test that the row names.

use std::fs;

use lab::Study;
use tempest::MAX_WORDS;
use units::Time;
use worlds::MAX_THREADS;
use worlds::files::{MAX_BYTES, MAX_TEXT_BYTES};

use crate::command::refused;
use crate::scratch::Scratch;

const PAGE: &str = include_str!("../../../../docs/limits.md");

/// How the end of a quantity is reached.
enum End {
    /// This command is refused.
    Refused(Vec<String>),
    /// The command with a file of so many bytes as its last argument is refused.
    File(&'static [&'static str], u64),
    /// A test of this file, of this name, reads these words in the error.
    Elsewhere(&'static str, &'static str, &'static str),
}

/// A row of the page.
struct Row {
    quantity: &'static str,
    most: String,
    why: &'static str,
    /// Words of the error.
    says: &'static str,
    end: End,
}

impl Row {
    fn line(&self) -> String {
        let kept = match self.end {
            End::Elsewhere(file, test, _) => format!("`{file}`, `{test}`"),
            _ => "`crates/tradewind/tests/it/bounded.rs`".to_owned(),
        };
        let Self { quantity, most, why, says, .. } = self;
        format!("| {quantity} | {most} | {why} | `{says}` | {kept} |")
    }
}

fn row(quantity: &'static str, most: impl ToString, why: &'static str, says: &'static str, end: End) -> Row {
    Row { quantity, most: most.to_string(), why, says, end }
}

/// A run of a program that is short, with further arguments.
fn run(arguments: &[&str]) -> End {
    End::Refused(["run", "fetch-add"].iter().chain(arguments).map(|&argument| argument.to_owned()).collect())
}

fn runs() -> Vec<Row> {
    let over = (MAX_THREADS + 1).to_string();
    vec![
        row(
            "modelled time of a run",
            format!("{} s", Time::MAX.as_seconds() as u64),
            "64 bits of femtoseconds",
            "modelled time has no more than 18446 s",
            End::Elsewhere(
                "crates/tradewind/tests/it/limits.rs",
                "a_run_beyond_the_end_of_modelled_time_is_an_error",
                "modelled time has no more than 18446 s",
            ),
        ),
        row(
            "a time on the command line",
            format!("{} s", Time::MAX.as_seconds() as u64),
            "it is compared with modelled time",
            "this one is too large",
            run(&["--machine", "cm-5", "--stall-limit", "18447 s"]),
        ),
        row(
            "threads of a run, and so nodes",
            MAX_THREADS,
            "each has a stack",
            "threads in all",
            run(&["--machine", "cm-5", "--nodes", &over]),
        ),
        row(
            "processors of a modelled node",
            65535,
            "16 bits number them",
            "more than 65535 processors on one node in all",
            run(&["--machine", "hurricane-1", "--nodes", "1", "--processors", "65536"]),
        ),
        row(
            "processors of a model",
            4_194_304,
            "continuations are numbered in 28 bits",
            "more than 4194304 processors in all",
            run(&[
                "--machine",
                "hurricane-1",
                "--nodes",
                "1000000",
                "--processors",
                "1",
                "--policy",
                "hurricane-1:4",
            ]),
        ),
        row(
            "processors of a run on this host",
            4096,
            "each is a thread of the system",
            "more than 4096 processors in all",
            run(&["--machine", "native", "--nodes", "1", "--processors", "4097"]),
        ),
        row(
            "the seed",
            u64::MAX,
            "64 bits",
            "a whole number from 0 to 18446744073709551615",
            run(&["--machine", "cm-5", "--seed", "18446744073709551616"]),
        ),
        row(
            "an input that is a number; here `words` of fetch-add",
            16_777_216,
            "each input has its range, which `tradewind list programs NAME` prints",
            "expected an integer from 1 to 16777216",
            run(&["--machine", "cm-5", "--input", "words=16777217"]),
        ),
        row(
            "messages of native handlers that no node has room for",
            "1 GiB",
            "`Local::with_outboxes` gives more",
            "outboxes are full",
            End::Elsewhere(
                "crates/native/tests/hostile/bounds.rs",
                "a_handler_that_sends_for_ever_is_stopped",
                "outboxes are full (1 MiB; node 0 holds ",
            ),
        ),
    ]
}

fn programs() -> Vec<Row> {
    let breach = "crates/conformance/src/breach.rs";
    vec![
        row(
            "words of a message, payload included, and of a deposit",
            MAX_WORDS,
            "a message fits two lines of 64 bytes",
            "at most 14",
            End::Elsewhere(breach, "messages_have_a_greatest_length", "at most {MAX_WORDS}"),
        ),
        row(
            "messages under way in a model",
            8_388_608,
            "they take 2 GB of this host's memory",
            "messages are under way or wait for their handlers at once",
            End::Elsewhere(
                "crates/sim/src/link/flights.rs",
                "flights_are_bounded",
                "const MOST: usize = 1 << 23;",
            ),
        ),
        row(
            "operations of a kind in one charge",
            u32::MAX,
            "32 bits",
            "a charge has no more than 4294967295 operations of a kind",
            End::Elsewhere(
                "crates/tempest/src/plain/work.rs",
                "charges_have_an_end",
                "no more than 4294967295 operations",
            ),
        ),
        row(
            "the count of an event",
            u64::MAX,
            "64 bits",
            "a count has 64 bits",
            End::Elsewhere(
                "crates/tempest/src/data/event_tests.rs",
                "a_count_does_not_begin_again_at_nothing",
                "is at 18446744073709551615 and cannot count 1 more",
            ),
        ),
        row(
            "timed regions of a run",
            131_072,
            "each keeps its measurements to the end",
            "a run has at most 131072 timed regions",
            End::Elsewhere(
                "crates/tempest/src/world.rs",
                "timed_regions_have_an_end",
                "a run has at most 131072 timed regions",
            ),
        ),
        row(
            "segments of a node",
            65536,
            "16 bits number them",
            "is one too many: a node has at most 65536",
            End::Elsewhere(
                "crates/tempest/src/data/segment.rs",
                "segments_have_an_end",
                "a node has at most 65536",
            ),
        ),
        row(
            "shared memory of a run",
            "32 GiB",
            "32 bits number its blocks",
            "shared memory has at most 32 GiB",
            End::Elsewhere(
                "crates/tempest/src/memory/layout.rs",
                "what_cannot_be_is_refused_with_what_can",
                "shared memory has at most 32 GiB",
            ),
        ),
    ]
}

fn files() -> Vec<Row> {
    let litmus = "crates/formats/tests/it/litmus.rs";
    vec![
        row(
            "bytes of a file that a person writes: machine, study, claims, litmus test",
            MAX_TEXT_BYTES,
            "people write shorter ones",
            "more than 1048576 bytes",
            End::File(&["litmus"], MAX_TEXT_BYTES + 1),
        ),
        row(
            "bytes of a file that a program writes: an input, results",
            MAX_BYTES,
            "six times the largest matrix of the Harwell-Boeing collection",
            "more than 268435456 bytes",
            End::File(&["run", "cholesky", "--machine", "cm-5", "--input"], MAX_BYTES + 1),
        ),
        row(
            "growth of a compressed input",
            "100 times",
            "a small file must not fill the memory",
            "stream too large",
            End::Elsewhere(
                "crates/formats/tests/it/compression.rs",
                "a_stream_grows_a_hundredfold_at_most",
                "a_stream_grows_a_hundredfold_at_most",
            ),
        ),
        row(
            "threads of a litmus test",
            32,
            "it bounds the search of the oracle",
            "expected at most 32 of them",
            End::Elsewhere(
                litmus,
                "there_are_no_more_threads_and_variables_than_may_be",
                "thread 32: expected at most 32 of them",
            ),
        ),
        row(
            "variables of a litmus test",
            256,
            "it bounds the search of the oracle",
            "expected at most 256 of them",
            End::Elsewhere(
                litmus,
                "there_are_no_more_threads_and_variables_than_may_be",
                "expected at most 256 of them",
            ),
        ),
        row(
            "levels of a litmus condition",
            100,
            "each is a call of the reader",
            "expected at most 100 levels",
            End::Elsewhere(litmus, "wrong_conditions", "expected at most 100 levels"),
        ),
        row(
            "runs of a study",
            format!("{}, with --yes {}", Study::MOST.0, Study::MOST_ASKED.0),
            "a sweep that was not meant would not end",
            "expected at most 10000 in a study; --yes allows 100000",
            End::Elsewhere(
                "crates/lab/src/study/mod.rs",
                "a_sweep_of_a_million_runs_is_counted_and_not_made",
                "expected at most 10000 in a study; --yes allows 100000",
            ),
        ),
    ]
}

/// Reaches the end of a quantity, and reads the error there.
fn reach(row: &Row) {
    match &row.end {
        End::Refused(arguments) => {
            let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
            let number = if row.most.ends_with(" s") { "" } else { &row.most };
            refused(&arguments, &[row.says, number]);
        }
        End::File(arguments, bytes) => {
            let file = Scratch::new("long.mtx", "");
            fs::File::options()
                .write(true)
                .open(file.path())
                .and_then(|file| file.set_len(*bytes))
                .expect("a sparse file");
            let last = if arguments.last() == Some(&"--input") {
                format!("matrix={}", file.path())
            } else {
                file.path().to_owned()
            };
            refused(&[arguments, &[last.as_str()][..]].concat(), &[row.says, &row.most]);
        }
        End::Elsewhere(file, test, read) => {
            let path = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(text.contains(&format!("fn {test}(")) && text.contains(read), "{file}: {test}: {read}");
        }
    }
}

#[test]
fn the_page_has_the_end_of_every_quantity_and_each_end_is_an_error() {
    let rows = runs().into_iter().chain(programs()).chain(files()).collect::<Vec<_>>();
    let expected: Vec<_> = rows.iter().map(Row::line).collect();
    let is_row =
        |line: &&str| line.starts_with('|') && !line.starts_with("| quantity") && !line.starts_with("|---");
    let written: Vec<_> = PAGE.lines().filter(is_row).collect();
    assert_eq!(written, expected, "expected these rows:\n{}", expected.join("\n"));
    rows.iter().for_each(reach);
}
