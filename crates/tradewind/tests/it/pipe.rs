//! Tests a closed pipe: if no process reads its output, the command ends in silence.

use std::io;
use std::process::Stdio;

use crate::command::command;

#[test]
fn a_reader_that_has_left_causes_no_panic() {
    let run = ["run", "iccg", "--machine", "ideal", "--input", "matrix=494_bus", "--json"];
    let asked: [&[&str]; 6] =
        [&["list"], &["list", "--json"], &run, &["run", "--help"], &["completions", "bash"], &["man"]];
    for arguments in asked {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let done = command(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let err = String::from_utf8(done.stderr).unwrap();
        assert!(err.is_empty(), "tradewind {}: {err}", arguments.join(" "));
        assert_eq!(done.status.code(), Some(0), "tradewind {}", arguments.join(" "));
    }
}
