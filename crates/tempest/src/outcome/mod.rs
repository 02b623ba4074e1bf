//! The end of a run: its outcome with all measurements, or the reason why there is none.
//!
//! These are plain values, which a world fills in and the lab reads. They must never know any one world.
//!
//! | module | contents |
//! |---|---|
//! | `result` | the result of a run that ended well, and of each timed region |
//! | `meter` | counts, processor time by use, volume by purpose |
//! | `utilization` | the share of the time for which each part was busy |
//! | `anatomy` | the cost of protocol events, step by step |
//! | `report` | the program's own check and figures |
//! | `failure` | the reasons why a run has no outcome |
//! | `refusal` | the reasons why a world refuses a run before anything runs |
//! | `checks` | the checks of a policy and of a mechanism against a machine |
//! | `spinning` | threads that run and get no further |
//! | `progress` | the progress of a run, for another thread of the host |
//! | `blame` | the words of a failure that a panic caused |
//! | `disposal` | the end of a program's state, whose destructors may fail the run |

mod anatomy;
pub(crate) mod blame;
mod checks;
pub(crate) mod disposal;
mod failure;
mod meter;
mod progress;
mod refusal;
mod report;
mod result;
mod spinning;
mod utilization;

pub use crate::plain::MemoryEvents;
pub use crate::policy::adaptive::{Adjustment, Why};
pub use anatomy::{Stage, Step};
pub use failure::{Blocked, Failure, Late};
pub use meter::{Breakdown, Counters, Dispatching, ProtocolTime, VolumeBytes};
pub use progress::{RunProgress, Running};
pub use refusal::{Refusal, Size, Unobeyed};
pub use report::{Figure, Merge, Report};
pub use result::{Outcome, PhaseRecord};
pub use spinning::{Attempt, Spinning};
pub use utilization::{Resource, Utilization};
