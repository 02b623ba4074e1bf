//! Protocols and their messages: plain data with a handler.
//!
//! This module must never know how packets move.

use std::marker::PhantomData;

use bytemuck::Pod;

use super::handler::Handler;
use super::node::Node;
use super::setup::Setup;
use crate::{Class, Key, Volume};

/// A message: plain data, and the handler that runs on the node where it arrives.
///
/// The handler is short, runs to completion and never blocks. It may access the state that the message's
/// [`key`](Self::key) names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no message",
    label = "expected what a `#[message]` method makes",
    note = "`Self::count(bin)` makes the message of the method `count`; `send(to, message)` names the node first"
)]
pub trait Message: Pod {
    /// The protocol to which the message belongs. The handler receives its state on the receiving node.
    type Protocol: Protocol;

    /// The class of the message, which decides which processors may run the handler.
    const CLASS: Class = Class::User;

    /// The kind of traffic under which the message's bytes are counted.
    const VOLUME: Volume = Volume::Data;

    /// The size in bytes at which the message's fields are counted, without header and payload. A message states it if
    /// the modelled machine has narrower integers than this host.
    const BYTES: usize = size_of::<Self>();

    /// The size in bytes at which one payload word is counted.
    const PAYLOAD_WORD_BYTES: usize = 8;

    /// Returns the key of the message: the name of the state that its handler accesses. It must be a pure function of
    /// the message. The receiver evaluates it, so that it need not trust the sender.
    fn key(&self) -> Key;

    /// Handles the message on the receiving node. `protocol` is the protocol's state there, `payload` the words behind
    /// the message's fields. The handler has [`Handler::STACK_BYTES`] (128 KiB) of stack.
    fn handle(self, protocol: &Self::Protocol, payload: &[u64], cx: &mut Handler<'_>);
}

/// A protocol, or a program, which is a protocol with threads. A value of this type is the protocol's state on one
/// node.
///
/// Handlers and threads share the value as `&Self`. State that changes lives in [`Keyed`](crate::Keyed) tables,
/// [`Cells`](crate::Cells) and [`Event`](crate::Event)s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no protocol",
    label = "neither a program nor a protocol",
    note = "write `#[program]` before `struct {Self}`, or `impl Protocol for {Self}`"
)]
pub trait Protocol: Handlers + Send + Sync + 'static {
    /// The configuration of the protocol, which is the same on every node, such as the problem and its parameters.
    type Config: Send + Sync + 'static;

    /// Installs the protocol on a node: makes its tables, and installs the protocols that it uses. Returns the
    /// protocol's state on that node.
    fn install(config: &Self::Config, node: &mut Setup<'_>) -> Self;
}

/// The list of a protocol's messages. Every [`Protocol`] implements it, and [`Setup::install`] registers the messages,
/// so that none can be forgotten.
///
/// [`#[handlers]`](crate::handlers) writes this implementation. By hand, a protocol and its message are:
///
/// ```
/// use tradewind_tempest::*;
///
/// struct Histogram {
///     bins: Keyed<u64>,
/// }
///
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Count {
///     bin: u64,
/// }
///
/// impl Message for Count {
///     type Protocol = Histogram;
///     fn key(&self) -> Key {
///         Key::User(self.bin)
///     }
///     fn handle(self, histogram: &Histogram, _payload: &[u64], cx: &mut Handler<'_>) {
///         cx.with(&histogram.bins, |count, _| *count += 1);
///     }
/// }
///
/// impl Handlers for Histogram {
///     fn register(messages: &mut Messages<'_, Self>) {
///         messages.add::<Count>();
///     }
/// }
///
/// impl Protocol for Histogram {
///     type Config = ();
///     fn install(_: &(), setup: &mut Setup<'_>) -> Self {
///         Histogram { bins: setup.keyed(64, |_| 0) }
///     }
/// }
/// ```
///
/// Message numbers follow the order of this list. A protocol's own messages come before the messages of the protocols
/// that it [installs](Protocol::install).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not state its messages",
    label = "no list of messages",
    note = "write `#[handlers]` before `impl {Self} {{ … }}`; with no `#[message]` in it the list is empty"
)]
pub trait Handlers: Sized + 'static {
    /// Adds each message type of the protocol to `messages`.
    fn register(messages: &mut Messages<'_, Self>);
}

/// The list of messages to which [`Handlers::register`] adds the messages of protocol `P`.
pub struct Messages<'a, P> {
    pub(super) node: &'a mut Node,
    /// The number of the protocol on its node.
    pub(super) protocol: usize,
    pub(super) of: PhantomData<fn(P)>,
}
