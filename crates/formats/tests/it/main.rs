//! The readers, each by its mistakes, and all by properties of every file.
//!
//! `data` reads a collection that does not travel with the project: see there for how to run it.

mod bezier;
mod compression;
mod damage;
mod data;
mod detection;
mod harwell_boeing;
mod herd_log;
mod litmus;
mod matrix_market;
mod medit;
mod mesh_text;
mod promises;
mod properties;
mod rutherford_boeing;
mod sparse;
mod strategies;
mod triplet;
mod writers;
