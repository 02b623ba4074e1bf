//! The `tradewind` command: every subcommand, for the shipped programs.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    tradewind::main(apps::ALL)
}
