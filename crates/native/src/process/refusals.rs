//! The errors of a host that has too little for a run, each with the way to need less. This module must never know a run.

use std::io;

use tempest::outcome::Refusal;

/// The refusal where the system makes no memory file.
pub(crate) fn no_file(error: &io::Error) -> Refusal {
    let expected = "expected memfd_create to be allowed and room in shared memory, or --world local";
    Refusal::Host(format!("the system refuses a memory file: {error}; {expected}"))
}

/// The error where the system has no room for the memory between nodes.
pub(crate) fn no_room(error: io::Error) -> io::Error {
    let expected = "expected room in shared memory, fewer --nodes or shorter rings";
    io::Error::new(error.kind(), format!("the memory between nodes has no room: {error}; {expected}"))
}

/// The reason where a process gets no control thread.
pub(crate) fn no_thread(error: &io::Error) -> String {
    format!("the host refuses a control thread of a process: {error}; expected fewer --nodes")
}
