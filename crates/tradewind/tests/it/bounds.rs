//! Tests that the command reads no more of a file than a stated bound, within 64 MiB of memory, whichever file a user names.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::command::command;

/// Runs the command in an address space of 64 MiB, with these bytes as standard input. It must end within ten seconds.
fn bounded(arguments: &[&str], stdin: Stdio) -> Output {
    let plain = command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 65536; exec timeout 10 \"$0\" \"$@\""]).arg(plain.get_program());
    shell.args(plain.get_args()).stdin(stdin).output().expect("a shell starts")
}

/// Asserts that the command refuses its input, with the reason in one line.
fn refused(arguments: &[&str], fragments: &[&str]) {
    refused_from(arguments, Stdio::null(), fragments);
}

fn refused_from(arguments: &[&str], stdin: Stdio, fragments: &[&str]) {
    let ran = bounded(arguments, stdin);
    let err = String::from_utf8(ran.stderr).expect("errors are UTF-8");
    assert_eq!(ran.status.code(), Some(2), "tradewind {arguments:?}: {err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    for fragment in fragments {
        assert!(err.contains(fragment), "tradewind {arguments:?}: expected `{fragment}` in {err}");
    }
}

/// A path in a folder, as text.
fn at(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a path of UTF-8").to_owned()
}

#[test]
fn what_is_no_file_is_refused_before_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = at(folder.path(), "pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let named = at(folder.path(), "");
    for (path, what) in [("/dev/zero", "a device"), (&pipe, "a named pipe"), (&named, "a folder")] {
        let matrix = format!("matrix={path}");
        for arguments in [
            &["explain", path][..],
            &["run", "iccg", "--machine", path],
            &["run", "iccg", "--input", &matrix],
        ] {
            refused(arguments, &[path, what]);
        }
    }
    refused(&["litmus", "/dev/zero"], &["/dev/zero: a device"]);
    refused(&["litmus", &pipe], &["a named pipe"]);
    refused(&["study", "/dev/zero"], &["/dev/zero: a device"]);
    refused(&["study", &pipe], &["a named pipe"]);
    refused(&["claims", "--record", "/dev/zero"], &["expected the name of a file"]);
    refused(&["explain", "-"], &["did you mean `/dev/stdin`?"]);
    refused(&["run", "iccg", "--input", "matrix=-"], &["/dev/stdin is standard input"]);
}

#[test]
fn a_file_that_is_too_long_is_refused_by_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let long = |name: &str| {
        let path = at(folder.path(), name);
        // A file of many bytes that take no room on the disk.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        path
    };
    let (machine, test, claims, matrix) = (long("m.toml"), long("t.litmus"), long("c.toml"), long("a.mtx"));
    let text = "more than 1048576 bytes, the most that a file of this kind may have";
    refused(&["explain", &machine], &[&machine, text]);
    refused(&["litmus", &test], &[&test, text]);
    fs::remove_file(&machine).unwrap();
    refused(&["claims", "--claims", &at(folder.path(), "")], &[&claims, text]);
    refused(&["run", "iccg", "--input", &matrix], &[&matrix, "more than 268435456 bytes"]);
}

#[test]
fn a_pipe_is_read_up_to_its_bound() {
    let yes = || Command::new("yes").stdout(Stdio::piped()).spawn().unwrap();
    for (arguments, bound) in [
        (&["explain", "/dev/stdin"][..], "more than 1048576 bytes"),
        (
            &["run", "iccg", "--input", "matrix=/dev/stdin"],
            "more than 33554432 bytes, the most that is read from a pipe",
        ),
    ] {
        let mut endless = yes();
        refused_from(arguments, endless.stdout.take().unwrap().into(), &["/dev/stdin", bound]);
        endless.wait().unwrap();
    }
    let machine = worlds::machines::text("paragon").unwrap();
    let mut told =
        command(&["explain", "/dev/stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    told.stdin.take().unwrap().write_all(machine.as_bytes()).unwrap();
    let out = String::from_utf8(told.wait_with_output().unwrap().stdout).unwrap();
    assert!(out.starts_with("paragon: "), "{out}");
}

#[test]
fn a_compressed_file_that_swells_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = at(folder.path(), "bomb.mtx.gz");
    let make = "head -c 1000000000 /dev/zero | gzip > \"$0\"";
    assert!(Command::new("sh").args(["-c", make, &path]).status().unwrap().success());
    refused(
        &["run", "iccg", "--input", &path],
        &["bomb.mtx.gz:1:1: gzip stream too large", "once decompressed"],
    );
}
