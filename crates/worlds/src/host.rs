//! The description of this host, in words. This module must never measure it.

use std::{env, fs};

use crate::target::cores;

/// This host in one line: its processor where the system names it, its architecture, its operating system, and the number of
/// cores that the process may use.
pub fn host() -> String {
    let cores = match cores() {
        1 => "1 core".to_owned(),
        several => format!("{several} cores"),
    };
    [processor(), Some(env::consts::ARCH.to_owned()), Some(env::consts::OS.to_owned()), Some(cores)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

/// The name of the processor, where the system tells it.
fn processor() -> Option<String> {
    let told = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = told.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
