//! The table of every bounded quantity, in docs/limits.md. A row's number comes from the constant that bounds the quantity, or is read in
//! the error at its end. The end is reached here, or by a test that the row names.

use std::fs;

use lab::Study;
use tempest::MAX_WORDS;
use units::Time;
use worlds::files::{MAX_BYTES, MAX_TEXT_BYTES};
use worlds::{MAX_THREADS, MOST_CASES, MOST_INPUTS};

use crate::command::refused;
use crate::scratch::Scratch;

const PAGE: &str = include_str!("../../../../docs/limits.md");

/// How the end of a quantity is reached.
#[derive(Clone)]
enum End {
    /// This command is refused.
    Refused(Vec<String>),
    /// The command with a file of so many bytes as its last argument is refused.
    File(&'static [&'static str], u64),
    /// A test of this file, of this name, reads these words in the error.
    Elsewhere(&'static str, &'static str, &'static str),
}

/// A row of the page.
#[derive(Clone)]
struct Row {
    quantity: &'static str,
    most: String,
    why: &'static str,
    /// The option, the input or the call by which a run comes to the end.
    by: &'static str,
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
        let Self { quantity, most, why, by, says, .. } = self;
        format!("| {quantity} | {most} | {why} | {by} | `{says}` | {kept} |")
    }
}

fn row(
    quantity: &'static str,
    most: impl ToString,
    why: &'static str,
    by: &'static str,
    says: &'static str,
    end: End,
) -> Row {
    Row { quantity, most: most.to_string(), why, by, says, end }
}

/// A command of these words and these arguments.
fn command_of(words: &[&str], arguments: &[&str]) -> End {
    End::Refused(words.iter().chain(arguments).map(|&argument| argument.to_owned()).collect())
}

/// A run of a program that is short, with further arguments.
fn run(arguments: &[&str]) -> End {
    command_of(&["run", "fetch-add"], arguments)
}

/// A comparison of a program over free inputs.
fn free(program: &str, inputs: &[&str]) -> End {
    let inputs: Vec<_> = inputs.iter().flat_map(|input| ["--free", input]).collect();
    command_of(&["compare", program, "--machine", "cm-5"], &inputs)
}

/// A run of traffic on a model, with further arguments.
fn traffic(arguments: &[&str]) -> End {
    command_of(&["run", "traffic", "--machine", "cm-5"], arguments)
}

fn times_and_threads() -> Vec<Row> {
    let over = (MAX_THREADS + 1).to_string();
    vec![
        row(
            "modelled time of a run",
            format!("{} s", Time::MAX.as_seconds() as u64),
            "64 bits of femtoseconds",
            "the run itself",
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
            "`--stall-limit`, `--trace-interval`",
            "this one is too large",
            run(&["--machine", "cm-5", "--stall-limit", "18447 s"]),
        ),
        row(
            "threads of a run, and so nodes",
            MAX_THREADS,
            "each has a stack",
            "`--nodes`, `--threads`",
            "threads in all",
            run(&["--machine", "cm-5", "--nodes", &over]),
        ),
    ]
}

fn processors() -> Vec<Row> {
    vec![
        row(
            "processors of a modelled node",
            65535,
            "16 bits number them",
            "`--processors`",
            "more than 65535 processors on one node in all",
            run(&["--machine", "hurricane-1", "--nodes", "1", "--processors", "65536"]),
        ),
        row(
            "processors of a model",
            4_194_304,
            "continuations are numbered in 28 bits",
            "`--nodes`, `--processors`",
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
            "`--nodes`, `--processors`",
            "more than 4096 processors in all",
            run(&["--machine", "native", "--nodes", "1", "--processors", "4097"]),
        ),
    ]
}

fn inputs() -> Vec<Row> {
    vec![
        row(
            "the seed",
            u64::MAX,
            "64 bits",
            "`--seed`",
            "a whole number from 0 to 18446744073709551615",
            run(&["--machine", "cm-5", "--seed", "18446744073709551616"]),
        ),
        row(
            "free inputs of a comparison",
            MOST_INPUTS,
            "their cases multiply",
            "`--free`",
            "expected 3 at most",
            free("em3d", &["nodes=320..640", "degree=2..4", "remote=10..20", "iterations=1..2"]),
        ),
        row(
            "cases of a comparison, each a value for every free input",
            MOST_CASES,
            "each row runs in each",
            "`--free`",
            "expected 16 at most",
            free("wator", &["steps=1,2,3,4,5,6", "draw=1,2,3"]),
        ),
        row(
            "an input that is a number; here `words` of fetch-add",
            16_777_216,
            "each input has its range, which `tradewind list programs NAME` prints",
            "`--input`",
            "expected an integer from 1 to 16777216",
            run(&["--machine", "cm-5", "--input", "words=16777217"]),
        ),
        row(
            "outboxes of a run on this host: messages of handlers that find their rings full",
            "1 GiB",
            "`Local::with_outboxes` gives more",
            "sends of handlers",
            "outboxes are full",
            End::Elsewhere(
                "crates/native/tests/hostile/bounds.rs",
                "a_handler_that_sends_for_ever_is_stopped",
                "outboxes are full (1 MiB; node 0 holds ",
            ),
        ),
    ]
}

fn messages_and_counts() -> Vec<Row> {
    let breach = "crates/conformance/src/breach.rs";
    vec![
        row(
            "words of a message, payload included, and of a deposit",
            MAX_WORDS,
            "a message fits two lines of 64 bytes",
            "`Thread::send_with`, `Thread::deposit`",
            "at most 14",
            End::Elsewhere(breach, "messages_have_a_greatest_length", "at most {MAX_WORDS}"),
        ),
        row(
            "messages under way in a model",
            8_388_608,
            "they take 2 GB of this host's memory",
            "sends",
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
            "`Operations::times`, `Operations::and`",
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
            "`Thread::signal`, `Handler::signal`",
            "a count has 64 bits",
            End::Elsewhere(
                "crates/tempest/src/data/event_tests.rs",
                "a_count_does_not_begin_again_at_nothing",
                "is at 18446744073709551615 and cannot count 1 more",
            ),
        ),
    ]
}

fn regions_and_segments() -> Vec<Row> {
    vec![
        row(
            "timed regions of a run",
            131_072,
            "each keeps its measurements to the end",
            "`Thread::phase`",
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
            "`Setup::segment`",
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
            "arrays of a `Layout`",
            "shared memory has at most 32 GiB",
            End::Elsewhere(
                "crates/tempest/src/memory/layout.rs",
                "what_cannot_be_is_refused_with_what_can",
                "shared memory has at most 32 GiB",
            ),
        ),
    ]
}

fn rings_and_frames() -> Vec<Row> {
    vec![
        row(
            "memory of all rings of a run on this host",
            "256 MiB",
            "there is a ring for each two nodes; rings get smaller first, down to 8 messages",
            "`--nodes`",
            "the rings between each two of them would take more than 256 MiB",
            run(&["--machine", "native", "--nodes", "1000", "--processors", "1"]),
        ),
        row(
            "frames of a node in a litmus test: pages of other nodes that it has room for",
            64,
            "with more than it uses, no page gives way to another",
            "`--frames`",
            "expected a whole number from 1 to 64",
            command_of(&["litmus", "SB.litmus"], &["--frames", "65"]),
        ),
    ]
}

fn loads_and_bursts() -> Vec<Row> {
    vec![
        row(
            "loads of a curve of traffic",
            64,
            "each is measured by itself",
            "`--input loads=`",
            "more than 64 loads",
            traffic(&["--input", "loads=0.01..1..0.01"]),
        ),
        row(
            "messages that a thread of traffic keeps under way, in a closed loop",
            65536,
            "chosen; a run measures up to 64 such numbers",
            "`--input windows=`",
            "expected up to 64 numbers from 1 to 65536",
            traffic(&["--input", "arrivals=closed", "--input", "windows=65537"]),
        ),
        row(
            "messages of a burst of traffic",
            100_000,
            "chosen",
            "`--input arrivals=`",
            "bursts:8 (at most 100000)",
            traffic(&["--input", "arrivals=bursts:100001"]),
        ),
        row(
            "bytes of a block of traffic; of a message, 112",
            "64 MiB",
            "chosen; a message has 14 words",
            "`--input size=`",
            "expected a multiple of 8 B, at most 64 MiB",
            traffic(&["--input", "size=72MiB"]),
        ),
        row(
            "threads of a node in traffic",
            128,
            "7 bits of a message's stamp number them",
            "`--threads`",
            "threads of a node: expected at most 128",
            traffic(&["--threads", "129"]),
        ),
    ]
}

fn lengths_of_files() -> Vec<Row> {
    vec![
        row(
            "bytes of a file that a person writes: machine, study, claims, litmus test",
            MAX_TEXT_BYTES,
            "people write shorter ones",
            "the file",
            "more than 1048576 bytes",
            End::File(&["litmus"], MAX_TEXT_BYTES + 1),
        ),
        row(
            "bytes of a file that a program writes: an input, results",
            MAX_BYTES,
            "six times the largest matrix of the Harwell-Boeing collection",
            "the file",
            "more than 268435456 bytes",
            End::File(&["run", "cholesky", "--machine", "cm-5", "--input"], MAX_BYTES + 1),
        ),
        row(
            "bytes that are read from a pipe",
            33_554_432,
            "its length is known only when it has been read",
            "the pipe",
            "more than 33554432 bytes",
            End::Elsewhere(
                "crates/tradewind/tests/it/bounds.rs",
                "a_pipe_is_read_up_to_its_bound",
                "more than 33554432 bytes",
            ),
        ),
        row(
            "growth of a compressed input",
            "100 times",
            "a small file must not fill the memory",
            "the file",
            "stream too large",
            End::Elsewhere(
                "crates/formats/tests/it/compression.rs",
                "a_stream_grows_a_hundredfold_at_most",
                "a_stream_grows_a_hundredfold_at_most",
            ),
        ),
    ]
}

fn tests_and_studies() -> Vec<Row> {
    let litmus = "crates/formats/tests/it/litmus.rs";
    vec![
        row(
            "threads of a litmus test",
            32,
            "it bounds the search of the oracle",
            "the test",
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
            "the test",
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
            "the test",
            "expected at most 100 levels",
            End::Elsewhere(litmus, "wrong_conditions", "expected at most 100 levels"),
        ),
        row(
            "runs of a study",
            format!("{}, with --yes {}", Study::MOST.0, Study::MOST_ASKED.0),
            "a sweep that was not meant would not end",
            "axes of the study",
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
    let rows = [
        times_and_threads(),
        processors(),
        inputs(),
        messages_and_counts(),
        regions_and_segments(),
        rings_and_frames(),
        loads_and_bursts(),
        lengths_of_files(),
        tests_and_studies(),
    ]
    .concat();
    let expected: Vec<_> = rows.iter().map(Row::line).collect();
    let is_row =
        |line: &&str| line.starts_with('|') && !line.starts_with("| quantity") && !line.starts_with("|---");
    let written: Vec<_> = PAGE.lines().filter(is_row).collect();
    assert_eq!(written, expected, "expected these rows:\n{}", expected.join("\n"));
    rows.iter().for_each(reach);
}
