//! The `tradewind` command: the applications with every subcommand.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    tradewind::main(apps::ALL)
}
