//! The contract of `pdq`, checked from outside: named promises, refinement of a model, and threads under stress.

#[cfg(feature = "low-level")]
mod device;
mod dispatcher;
mod executor;
mod history;
mod history_faults;
mod keyed;
mod keys;
mod load;
mod model;
mod parking;
mod promises;
mod queue;
mod refinement;
mod regressions;
mod rows;
mod scripts;
mod seizure;
mod sharing;
mod specification;
mod stress;
mod worker;
