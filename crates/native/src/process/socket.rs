//! The socket between the launcher of a world and a process: messages of any length, with descriptors.
//!
//! A message is its length in four bytes, the number of its descriptors in four more, and its bytes. The descriptors travel beside the first
//! of them. This module must never know the meaning of a message.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::lock::lock;
use crate::process::coding::{Coded, decoded, encoded};

/// Maximum number of descriptors of a message: the system sends no more at once.
pub(crate) const MOST_DESCRIPTORS: usize = 250;

/// Maximum number of bytes of a message: the report of a node is far shorter.
const MOST_BYTES: u32 = 1 << 30;

/// Size of the head of a message.
const HEAD: usize = 8;

/// The error for bytes that are no message.
fn no_message() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "bytes that are no message of Tradewind")
}

/// Whether an error says that the other end was closed within a message: its process has gone.
pub(crate) fn is_ended(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset)
}

/// An end of the socket. Several threads may send; one receives.
pub(crate) struct Socket {
    sending: Mutex<()>,
    stream: UnixStream,
}

impl Socket {
    /// The end of this stream.
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self { sending: Mutex::new(()), stream }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the other end is closed.
    pub(crate) fn send(&self, message: &impl Coded) -> io::Result<()> {
        self.send_with(message, &[])
    }

    /// Sends a message with descriptors, which the receiver then has as well.
    ///
    /// # Errors
    /// If the other end is closed, or there are more than [`MOST_DESCRIPTORS`].
    pub(crate) fn send_with(&self, message: &impl Coded, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let bytes = encoded(message);
        let len = u32::try_from(bytes.len()).ok().filter(|len| *len <= MOST_BYTES);
        let len = len.ok_or_else(|| io::Error::other("a message of more than 1 GiB"))?;
        let mut head = [0; HEAD];
        head[..4].copy_from_slice(&len.to_le_bytes());
        head[4..].copy_from_slice(&(descriptors.len() as u32).to_le_bytes());
        let _sending = lock(&self.sending);
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut beside = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(descriptors)) {
            return Err(io::Error::other("too many descriptors for a message"));
        }
        // Without a signal where the other end is closed: the error says it.
        let sent = sendmsg(&self.stream, &[IoSlice::new(&head)], &mut beside, SendFlags::NOSIGNAL)?;
        let mut stream = &self.stream;
        stream.write_all(&head[sent..])?;
        stream.write_all(&bytes)
    }

    /// Receives a message with its descriptors. `None` if the other end is closed.
    ///
    /// # Errors
    /// If the bytes are no message of this type. [Ended](is_ended) if the other end was closed within a message.
    pub(crate) fn receive<T: Coded>(&self) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
        let mut head = [0; HEAD];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let iov = &mut [IoSliceMut::new(&mut head)];
        let got = loop {
            match recvmsg(&self.stream, iov, &mut beside, RecvFlags::CMSG_CLOEXEC) {
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::CONNRESET) => return Ok(None),
                got => break got?,
            }
        };
        let (got, is_cut) = (got.bytes, got.flags.contains(ReturnFlags::CTRUNC));
        if got == 0 {
            return Ok(None);
        }
        let mut descriptors = Vec::new();
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(some) = message {
                descriptors.extend(some);
            }
        }
        let mut stream = &self.stream;
        stream.read_exact(&mut head[got..])?;
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (len, count) = (number(0), number(4));
        if is_cut {
            return Err(io::Error::other(format!(
                "the system allows this process fewer open files than the {count} of a message: expected a higher `ulimit -n`"
            )));
        }
        if len > MOST_BYTES || count as usize != descriptors.len() {
            return Err(no_message());
        }
        let mut bytes = Vec::new();
        stream.take(len.into()).read_to_end(&mut bytes)?;
        if bytes.len() < len as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let message = decoded(&bytes);
        message.map(|message| Some((message, descriptors))).ok_or_else(no_message)
    }

    /// Closes both directions: the other end, and a thread that receives here, see it at once.
    pub(crate) fn close(&self) {
        _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn pair() -> (Socket, UnixStream) {
        let (here, there) = UnixStream::pair().unwrap();
        (Socket::new(here), there)
    }

    #[test]
    fn messages_arrive_with_their_descriptors() {
        let (here, there) = pair();
        let there = Socket::new(there);
        here.send_with(&"first".to_owned(), &[here.as_fd(), here.as_fd()]).unwrap();
        here.send(&vec![7_u64; 1000]).unwrap();
        let (text, descriptors) = there.receive::<String>().unwrap().unwrap();
        assert_eq!((text.as_str(), descriptors.len()), ("first", 2));
        let (numbers, descriptors) = there.receive::<Vec<u64>>().unwrap().unwrap();
        assert_eq!((numbers, descriptors.len()), (vec![7; 1000], 0));
        here.close();
        assert!(there.receive::<String>().unwrap().is_none());
    }

    #[test]
    fn bytes_that_are_no_message_are_an_error() {
        for bytes in
            [&[3, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9][..], &[1, 0, 0], &[255; 20], &[1, 0, 0, 0, 1, 0, 0, 0, 1]]
        {
            let (here, mut there) = pair();
            there.write_all(bytes).unwrap();
            drop(there);
            assert!(here.receive::<String>().is_err(), "{bytes:?}");
        }
    }
}
