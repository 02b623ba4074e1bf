//! The narrow waist: the interface of a program or protocol to the world it runs in.
//!
//! A *program* is written once against this crate and runs unmodified on real threads of this host and in simulations
//! of parallel machines. The *world* that runs it is a **value chosen at run time** ([`World`](world::World)), never a
//! type parameter: [`Thread`] and [`Handler`] are concrete handles whose frequent operations are inline, and only rare
//! ones go through the object-safe traits that a world implements: [`Messages`](world::Messages),
//! [`Scheduling`](world::Scheduling) and, in a simulator, [`Accounting`](world::Accounting).
//!
//! This crate is mechanism, not policy: send a message, hold a key, block a thread, charge for work. A [`Policy`]
//! states which processors run handlers, and when; the world carries the policy out.
//!
//! # The pieces
//!
//! | piece | meaning |
//! |---|---|
//! | [`Message`] | plain data with a [`key`](Message::key) and a [handler](Message::handle) that runs on arrival |
//! | [`Protocol`], [`Program`] | state, one value per node; a program adds a body for its threads and a report |
//! | [`handlers`], [`program`] | attributes that write messages and programs out |
//! | [`Handlers`] | the list of a protocol's messages |
//! | [`Setup`] | the node during installation: makes keyed tables and segments, installs other protocols |
//! | [`Handler`] | the handle of a running handler: its key's entries, sends, resumes, signals, charges |
//! | [`Thread`] | the handle of a program thread: blocking sends, waits, polls, holds, phases |
//! | [`FinalState`] | the handle of a program's report: a node at the end, with all its keyed state |
//! | [`Event`], [`Cells`] | a counter that threads wait for; an array of words that handlers and threads share |
//! | [`Segment`], [`Rights`], [`SegmentWords`](thread::SegmentWords) | memory of a node that other nodes write by transfers and deposits; the rights of other nodes to it; the loads and stores of its own threads |
//! | [`Mapped`] | a segment of another node as plain loads and stores, where memory is shared |
//! | [`Layout`], [`Memory`], [`Shared`] | fine-grain shared memory: pages with homes, blocks with tags, typed arrays |
//! | [`Private`], [`Element`] | an array of one thread, whose bytes a simulator finds or misses in its caches; data with a layout on the modelled machine |
//! | [`Access`], [`MemoryEvents`](outcome::MemoryEvents) | accesses to words of segments that a program reports to a simulator; the counts of a modelled memory system |
//! | [`Operations`], [`Primitive`] | the cost of a step: time in a simulation, free natively |
//! | [`Mechanism`] | the way in which data moves: messages, bulk transfers, deposits, shared memory |
//! | [`Policy`] | the processors that inject messages and run handlers, the times, and the order |
//! | [`entry`] | programs and coherence protocols as people choose them, with their inputs |
//!
//! The root has the names that most programs need. These modules have the others:
//!
//! | module | contents |
//! |---|---|
//! | [`outcome`] | the result of a run with all its measurements, or the reason why there is none |
//! | [`world`] | the trait of worlds, the description of a run, and the interface for implementations of a world |
//! | [`entry`] | programs and coherence protocols with their inputs |
//! | [`policy`] | the parts of a policy, the table of named policies, the errors in its text |
//! | [`data`], [`memory`], [`message`], [`thread`] | types that appear in the signatures of the root's |
//!
//! # A complete program
//!
//! Every node sends a greeting to the next node and waits for the greeting of the node before.
//!
//! ```
//! use tradewind_tempest::*;
//!
//! /// Nodes greet each other round a ring.
//! #[program]
//! struct Ring {
//!     /// greetings of each node
//!     #[input(default = 1, range = 1..=1000)]
//!     greetings: u32,
//!     #[event]
//!     greeted: Event,
//! }
//!
//! #[handlers]
//! impl Ring {
//!     /// Greets a node.
//!     #[message]
//!     fn hello(&self, cx: &mut Handler<'_>) {
//!         cx.signal(&self.greeted, 1);
//!     }
//!
//!     fn main(&self, thread: &Thread<'_>) {
//!         for _ in thread.share(0..self.greetings) {
//!             thread.send(thread.next_node(), Self::hello());
//!         }
//!         thread.wait(&self.greeted, self.greetings.into());
//!     }
//!
//!     fn report(&self, end: &mut FinalState<'_>) -> Report {
//!         let greeted = self.greeted.count(end);
//!         Report::checked(greeted == self.greetings.into(), || format!("greeted {greeted} times"))
//!     }
//! }
//!
//! assert_eq!(Ring::ENTRY.name, "ring");
//! ```
//!
//! [`#[handlers]`](handlers) makes the method `hello` a message: `Self::hello()` is one, and the method's body is its handler.
//! [`#[program]`](program) makes the fields inputs and state. Below these attributes stand the traits [`Message`],
//! [`Handlers`], [`Protocol`] and [`Program`], which can be implemented by hand, as a generic message is.
//!
//! # Promises
//!
//! * **Order.** Messages of one source, destination and key are delivered in happens-before order.
//! * **Exclusion.** Handlers of equal keys never overlap; a [`Key::Sequential`] handler runs alone on its node.
//! * **Placement.** Words that a thread transferred or deposited to a node before it sent a message there are in place
//!   when that message is handled. So are words that the thread put into [mapped](Mapped) memory of any node.
//! * **Shared memory.** An access that passed its test completes before the loss of that right takes effect. An access
//!   whose fault was served is done once before the right is taken away again. The module [`memory`] describes the
//!   steps.
//! * **Back-pressure.** A thread's [`try_send`](Thread::try_send) that finds no room receives messages once and then
//!   returns its message to the caller. A handler's send never fails and never waits. A run whose handlers send more
//!   than the world has memory for ends with an error.
//! * **Ending.** A run ends when every thread has returned and nothing is in flight. Every world reports threads that
//!   all wait with nothing in flight as [`Failure::Deadlock`](outcome::Failure::Deadlock), exactly. Simulators report
//!   threads that [`spin`](Thread::spin) with nothing in flight as [`Failure::Livelock`](outcome::Failure::Livelock).
//!
//! The compiler refuses code that would break these promises. A handler cannot reach two entries at once:
//!
//! ```compile_fail,E0499
//! use tradewind_tempest::*;
//! fn two_at_once(cx: &mut Handler<'_>, table: &Keyed<u64>) {
//!     cx.with(table, |one, _| { cx.with(table, |two, _| std::mem::swap(one, two)) });
//! }
//! ```
//!
//! nor keep a borrow of keyed state beyond the handler that holds the key:
//!
//! ```compile_fail
//! use tradewind_tempest::*;
//! fn escape<'a>(cx: &'a mut Handler<'_>, table: &'a Keyed<Vec<u64>>) -> &'static Vec<u64> {
//!     cx.with(table, |entry, _| &*entry)
//! }
//! ```
//!
//! nor may a handle leave its processor for another OS thread:
//!
//! ```compile_fail,E0277
//! fn must_be_send<T: Send>() {}
//! must_be_send::<tradewind_tempest::Thread<'static>>();
//! ```
//!
//! This crate must never know: any implementation of a world, OS threads, sockets, wall or simulated clocks.

#![forbid(unsafe_code)]

// The attributes name this crate as its users do, in its own tests and examples too.
extern crate self as tradewind_tempest;

pub mod data;
pub mod entry;
#[doc(hidden)]
pub mod expansion;
#[cfg(all(test, target_os = "linux", not(miri)))]
mod exports_tests;
pub mod memory;
pub mod message;
pub mod outcome;
mod plain;
pub mod policy;
mod problem;
mod processor;
mod run;
mod sync;
pub mod thread;
pub mod world;

/// Makes each `#[message]` method of an `impl` a kind of message, and the `impl` the list of them.
///
/// ```
/// use tradewind_tempest::*;
///
/// struct Histogram {
///     bins: Keyed<u64>,
/// }
///
/// #[handlers]
/// impl Histogram {
///     /// Counts a value in its bin.
///     #[message(key = bin)]
///     fn count(&self, bin: u64, cx: &mut Handler<'_>) {
///         cx.with(&self.bins, |count, _| *count += 1);
///     }
///
///     /// Counts each word of the payload.
///     #[message(key = bin, class = System, volume = Request, bytes = 4)]
///     fn count_all(&self, bin: u64, payload: &[u64], cx: &mut Handler<'_>) {
///         cx.with(&self.bins, |count, _| *count += payload.len() as u64);
///     }
/// }
///
/// impl Protocol for Histogram {
///     type Config = ();
///     fn install(_: &(), setup: &mut Setup<'_>) -> Self {
///         Histogram { bins: setup.keyed(64, |_| 0) }
///     }
/// }
///
/// fn tell(thread: &Thread<'_>, to: NodeId) {
///     thread.send(to, Histogram::count(5));
///     thread.send_with(to, Histogram::count_all(5), &[1, 2, 3]);
/// }
/// ```
///
/// The method `count` becomes a type `Count`, plain data with a field for each argument; a function `Histogram::count(bin)`
/// that makes the message; and the message's handler, whose body is the method's. The type and the function have the
/// method's visibility and documentation. `#[handlers]` also writes the list of messages, [`Handlers`], in the order of the
/// source.
///
/// A message method has `&self`, the arguments, and `cx: &mut Handler<'_>` at the end. Arguments are plain data and travel as
/// `repr(C)` lays them, at most 14 words of 8 bytes together. A parameter `payload: &[u64]` before `cx` is given the words
/// that [`send_with`](Thread::send_with) sends behind the arguments.
///
/// | option of `#[message]` | meaning | without it |
/// |---|---|---|
/// | `key = …` | the key of the handler: an expression over the arguments that is a `u64`, a `u32`, a [`Block`], `Sequential`, `NoSync` or any other [`Key`]; `Self` is the protocol | `NoSync` |
/// | `class = …` | a [`Class`]: which processors may run the handler | `User` |
/// | `volume = …` | a [`Volume`]: which part of the volume the bytes are | `Data` |
/// | `bytes = …` | modelled bytes of the arguments | their size |
/// | `payload_word_bytes = …` | modelled bytes of one payload word | 8 |
/// | `name = …` | the name of the type | the method's name, as `CountAll` of `count_all` |
///
/// A message whose code is written by hand, such as a generic message, takes its place in the list as
/// `#[message] type Any = Name;`.
///
/// An `impl` with `main` and `report` becomes a [`Program`] too: both move to that trait. A protocol has one `impl`
/// with `#[handlers]`; the bodies of long handlers may call methods of other `impl`s.
pub use ::macros::handlers;
/// Makes a struct a program that a person can choose by name. Writes the program's inputs, its state on each node, and
/// its entry in the list of programs.
///
/// ```
/// use tradewind_tempest::*;
///
/// /// Threads of each node count squares into 64 bins of the next node.
/// #[program]
/// struct Histogram {
///     /// values of each node
///     #[input(default = 9999, range = 1..=999_999)]
///     values: u32,
///     #[keyed(64)]
///     bins: Keyed<u64>,
/// }
///
/// #[handlers]
/// impl Histogram {
///     /// Counts a value in its bin.
///     #[message(key = bin)]
///     fn count(&self, bin: u64, cx: &mut Handler<'_>) {
///         cx.with(&self.bins, |count, _| *count += 1);
///     }
///
///     fn main(&self, thread: &Thread<'_>) {
///         for value in thread.share(0..self.values) {
///             thread.send(thread.next_node(), Self::count(value * value % 64));
///         }
///     }
///
///     fn report(&self, end: &mut FinalState<'_>) -> Report {
///         let due = |bin| (0..u64::from(self.values)).filter(|value| value * value % 64 == bin).count() as u64;
///         let wrong = (0..64).filter(|bin| *end.get(&self.bins, *bin) != due(*bin)).count();
///         Report::checked(wrong == 0, || format!("{wrong} bins hold another count than a sequential run's"))
///     }
/// }
///
/// assert_eq!(Histogram::ENTRY.name, "histogram");
/// assert_eq!(Histogram::ENTRY.summary, "threads of each node count squares into 64 bins of the next node");
/// ```
///
/// The struct is the program's state on one node. `#[program]` writes its [`Protocol`], a struct `HistogramInputs` of
/// its inputs, and a constant [`ENTRY`](entry::Entry), which a command lists. [`#[handlers]`](handlers) with `main`
/// and `report` writes the rest.
///
/// The attribute of a field says how it is made. Expressions may use the inputs by their names, and `setup`, the
/// [`Setup`] of the node.
///
/// | attribute | field | it is |
/// |---|---|---|
/// | `#[input(default = 8, range = 1..=9)]` | a number, text or file | an input, with all options of [`Inputs`](entry::Inputs) |
/// | `#[keyed(64)]` | `Keyed<T>` | a table with an entry for each key below 64, an integer of any type, at first `T::default()`; `init = \|key\| …` makes others |
/// | `#[keyed]` | `Keyed<T>` | a table whose entries come into being when they are first reached |
/// | `#[cells(64)]` | `Cells<T>` | 64 words, at first `T::default()` or `value = …` |
/// | `#[event]` | `Event` | an event, called `histogram.done` of a field `done`; `#[event("name")]` calls it otherwise |
/// | `#[segment(64)]` | `Segment<T>` | 64 words that other nodes may write, or access by `rights = …`; `value = …` as for cells |
/// | `#[shared(64)]` | `Shared<T>` | an array of shared memory that all nodes have, its pages dealt out in turn, or by `homes = …` of [`Homes`] |
/// | `#[install]` | `Arc<P>` | another protocol, installed with `()`; `#[install(config)]` gives it another configuration |
/// | `#[problem]` | `Arc<T>` | the result of `prepare` |
/// | `#[make(expression)]` | anything | the value of the expression |
///
/// | option of `#[program]` | meaning | without it |
/// |---|---|---|
/// | `name = "…"` | the program's name on the command line | the struct's, as `shared-histogram` of `SharedHistogram` |
/// | `summary = "…"` | one line for people | the first sentence of the struct's documentation |
/// | `mechanisms = […]` | the [`Mechanism`]s that the program is written for | `Messages`; with shared arrays `SharedMemory` |
/// | `problem = T` | the type of the result of `prepare` | that of the field with `#[problem]` |
/// | `install` | the program has a function `install` | each field has an attribute |
/// | `nodes = …`, `processors = …`, `threads = …` | the least number of nodes, of processors of each, and of threads on each computing processor: expressions over `inputs`. Where a person does not say the number, it is at least this | 1 |
///
/// Two functions in the program's `impl` do more:
///
/// * `fn prepare(inputs: &HistogramInputs, shape: Shape, seed: u64) -> Result<T, InputError>` makes a problem, such as a
///   graph, that all nodes of a process share. It runs once for a run, and gives the same problem for the same arguments on
///   every process.
/// * `fn install(problem: &T, setup: &mut Setup<'_>) -> Self` makes the state of a node, where attributes cannot make
///   every field. In a program without `prepare` the first parameter of `install` is the inputs, `&HistogramInputs`.
pub use ::macros::program;
pub use data::{Cells, Element, Event, Keyed, Mapped, Place, Private, Rights, Segment};
pub use memory::{Array, Homes, Layout, Memory, Right, Shared, Tag};
pub use message::{Actions, Handler, Handlers, Message, Messages, Protocol, Setup};
pub use outcome::{Merge, Report};
pub use plain::{
    Access, Block, Class, Key, MAX_WORDS, NodeId, Operations, Primitive, Shape, ThreadId, Volume, Waiter,
};
pub use policy::{Mechanism, Policy};
pub use run::{FinalState, Job, Program};
pub use thread::Thread;
