//! Outcomes of runs → ranking, finding, agreement, prediction: plain data that serializes. It must never know text for
//! people, programs, or worlds.

#![forbid(unsafe_code)]
