//! The launcher's messages as this test forges them: bytes written by hand, in the form of `process/socket.rs` and `process/orders.rs`.
//!
//! This module must never know a real launcher.

/// A message: its length, no descriptors, and its bytes.
fn message(bytes: &[u8]) -> Vec<u8> {
    let len = bytes.len() as u32;
    [&len.to_le_bytes()[..], &0_u32.to_le_bytes(), bytes].concat()
}

/// The first message of a launcher, with this job and this executable.
pub(crate) fn join(job: u128, build: u64) -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend(job.to_le_bytes());
    bytes.extend(build.to_le_bytes());
    // The first node is node 0, one node in each process, after no other world.
    [0_u64, 1, 0].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    // No order, empty terms, and a beat every 0.1 s.
    bytes.push(0);
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(100_000_000_u64.to_le_bytes());
    // Without a trace.
    bytes.push(0);
    message(&bytes)
}

/// A message that no process gets first: the search for the end.
pub(crate) fn search() -> Vec<u8> {
    message(&[3])
}

/// The beginning of a message whose end never comes.
pub(crate) fn cut() -> Vec<u8> {
    let mut bytes = message(&[0; 100]);
    bytes.truncate(20);
    bytes
}
