//! Packets on their way out: encoded into one buffer, which is written whenever it is full.
//!
//! This module must never know the contents of a packet, nor the destination of the bytes.

use std::io::{self, Write};

use super::schema::TracePacket;

/// The buffer is written when it holds this many bytes; it grows by at most one packet more.
const FULL: usize = 64 << 10;

/// The field of `Trace` that every packet is.
const PACKET: u32 = 1;

/// The writer, the bytes written to it, and its first error.
pub(crate) struct Output {
    out: Box<dyn Write + Send>,
    buffer: Vec<u8>,
    written: u64,
    error: Option<io::Error>,
}

impl Output {
    pub(crate) fn new(out: impl Write + Send + 'static) -> Self {
        Self { out: Box::new(out), buffer: Vec::with_capacity(FULL), written: 0, error: None }
    }

    /// Adds a packet.
    pub(crate) fn packet(&mut self, packet: &TracePacket) {
        prost::encoding::message::encode(PACKET, packet, &mut self.buffer);
        if self.buffer.len() >= FULL {
            self.write();
        }
    }

    /// Writes and flushes all there is. The bytes written in all, or the first error of all, which is told once.
    pub(crate) fn finish(&mut self) -> io::Result<u64> {
        self.write();
        if self.error.is_none() {
            self.error = self.out.flush().err();
        }
        self.error.take().map_or(Ok(self.written), Err)
    }

    /// Hands the buffer on. After an error the rest is dropped: half a trace with a hole in it is no trace.
    fn write(&mut self) {
        if self.error.is_none() {
            match self.out.write_all(&self.buffer) {
                Ok(()) => self.written += self.buffer.len() as u64,
                Err(error) => self.error = Some(error),
            }
        }
        self.buffer.clear();
    }
}
