//! What `pdq` promises, checked from outside: named promises, refinement of a model, and threads under stress.

mod dispatcher;
mod keyed;
mod model;
mod promises;
mod queue;
mod refinement;
mod specification;
mod stress;
