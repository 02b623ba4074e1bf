//! Policies: the processors that inject messages and run handlers, the times, and the order. Mechanisms: the ways in
//! which data moves.
//!
//! Every arrangement of the studies combines the same choices, and the known combinations have names. A policy is
//! written `PRESET[:COUNT][+OPTION]…`, for example `fixed:2`, `floating+every=16` or `single+interrupt`.
//!
//! A policy lists the capabilities that it needs of a machine ([`Policy::needs`], in the words of machine files). A
//! world that lacks a capability refuses the policy and names it. This folder must never know how a world carries a
//! policy out.
//!
//! | module | contents |
//! |---|---|
//! | `arrangement` | a policy, its parts, and the named policies |
//! | `service` | the servers of a node's events, and the classes whose server a policy states |
//! | `options` | the table of options that may stand behind a name |
//! | `bad_policy` | the errors in the text of a policy |
//! | `reading` | the text of a policy: its reading, and the words of its errors |
//! | `mechanism` | the ways in which data moves |
//! | `adaptive` | the rule by which the adaptive policy dedicates processors |

pub(crate) mod adaptive;
mod arrangement;
mod bad_policy;
mod mechanism;
mod options;
mod reading;
mod service;

pub use arrangement::{Dispatch, Injector, Notice, PRESETS, Policy, Preset, Servers, Split, Turns};
pub use bad_policy::BadPolicy;
pub use mechanism::{Mechanism, UnknownMechanism};
pub use options::{OPTIONS, PolicyOption};
pub use service::Server;
