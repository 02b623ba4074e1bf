//! The description of this host, in words. This module must never measure it.

use std::{env, fs, thread};

use report::quantity::several;

/// This host and how many of its cores may be used, in one line.
pub(crate) fn description() -> String {
    [processor(), Some(env::consts::ARCH.to_owned()), Some(env::consts::OS.to_owned())]
        .into_iter()
        .flatten()
        .chain([several(cores(), "core")])
        .collect::<Vec<_>>()
        .join(", ")
}

/// The number of cores that the command may use.
pub(crate) fn cores() -> u32 {
    thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

/// The name of the processor, where the system tells.
fn processor() -> Option<String> {
    let told = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = told.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
