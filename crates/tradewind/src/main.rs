//! The `tradewind` command.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    tradewind::main()
}
