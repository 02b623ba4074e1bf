//! How results look: tables, sentences, JSON documents. The only room that knows how anything looks; it prints nothing
//! itself.
//!
//! | module | contents |
//! |---|---|
//! | [`document`] | what each command found, as plain types: the JSON documents |
//! | [`words`] | findings, agreements and predictions as English sentences |
//! | [`quantity`] | numbers with few digits and a unit |
//! | [`text`] | documents and comparisons as text for people |
//! | [`html`] | studies and comparisons as one HTML file |
//! | [`page`] | the page that text is written on: width, characters, colours |
//! | [`picture`] | what commands found, as pictures |
//! | `figures` | the tables among a program's figures |
//! | [`tsv`] | a study's results as tab-separated values |
//! | `table` | tables that fit their page |
//! | `bar` | bars of the six parts of time |
//! | `grouped` | values by their keys |
//! | `names` | names of the parts of time, and of the parts of a machine |
//!
//! Without the feature `command` there are documents and sentences only: no terminal, no laboratory. This room must
//! never know a world that runs programs, a program, or an argument of the command line.

#![forbid(unsafe_code)]

#[cfg(feature = "command")]
mod bar;
pub mod document;
#[cfg(feature = "command")]
mod figures;
#[cfg(feature = "command")]
mod grouped;
#[cfg(feature = "command")]
pub mod html;
mod names;
#[cfg(feature = "command")]
pub mod page;
#[cfg(feature = "command")]
pub mod picture;
pub mod quantity;
#[cfg(feature = "command")]
mod table;
#[cfg(feature = "command")]
pub mod text;
pub mod tsv;
pub mod words;

#[cfg(feature = "command")]
pub use page::Page;
