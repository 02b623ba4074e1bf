//! Data → tables, sentences and JSON: the only room that knows how results look. It must never know arguments, worlds or
//! any one program.

#![forbid(unsafe_code)]
