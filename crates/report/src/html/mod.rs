//! Results as one HTML file each: tables, pictures and sentences, without a script and without anything outside of the file. It reads
//! on a screen, light or dark, and on paper. This module must never decide a verdict, rank anything, or know where a file lies.
//!
//! | module | contents |
//! |---|---|
//! | `report` | studies beside the literature, paper by paper, and the machines that they ran on |
//! | `comparison` | one program by every mechanism under every policy |
//! | `parts` | the parts of a report |
//! | `study`, `machine` | the part of a report on one study, on one machine |
//! | `claims` | claims with their verdicts, and the score |
//! | `numbers` | the tables of a study's numbers |
//! | `prose` | sentences of documents, with their code set as code |
//! | `shell` | the frame of every page: head, style, table of contents, figures |

mod claims;
mod comparison;
mod machine;
mod numbers;
mod parts;
mod prose;
mod report;
mod shell;
mod study;

pub use comparison::comparison;
pub use parts::{Machine, Paper, Studied};
pub use report::Report;
