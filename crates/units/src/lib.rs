//! Quantities with units: time, frequency, cycles, bytes, bandwidth; the confidence of the median of measured values;
//! the spelling of names; counts with their noun; and values of an input as ranges and lists.
//!
//! Every quantity is an integer newtype, so two runs that compute the same thing get the same bits, and every
//! quantity reads and prints the spelling a person would write: `"2.5 us"`, `"400 MHz"`, `"64 KiB"`,
//! `"175 MB/s"`, `"16 cycles"`. A number that is written down is held exactly or refused; nothing is rounded
//! silently on the way in, and a printed quantity parses back to the same value.
//!
//! ```
//! use tradewind_units::{Frequency, Span, Time};
//!
//! let clock: Frequency = "400 MHz".parse()?;
//! let latency: Span = "100 cycles".parse()?;
//! assert_eq!(latency.resolve(clock, None), Some(Time::from_nanoseconds(250)));
//! assert_eq!("50 Mhz".parse::<Frequency>().unwrap_err().to_string(),
//!            "expected a frequency such as \"400 MHz\"; did you mean \"MHz\"?");
//! # Ok::<(), tradewind_units::ParseError>(())
//! ```
//!
//! This crate must never know that machines, simulators or files exist.

#![forbid(unsafe_code)]

mod bandwidth;
mod bytes;
mod cycles;
mod decimal;
mod error;
mod frequency;
pub mod median;
pub mod names;
pub mod plural;
mod scale;
mod span;
pub mod text;
mod time;
mod total;
pub mod values;

use std::fmt::Display;
use std::str::FromStr;

pub use bandwidth::{Bandwidth, BytesPerCycle, Rate};
pub use bytes::Bytes;
pub use cycles::Cycles;
pub use error::ParseError;
pub use frequency::Frequency;
pub use span::Span;
pub use time::Time;
pub use total::TotalTime;
pub use values::Values;

/// A quantity that is read from a text with its unit, and printed as such a text.
///
/// `quantity.to_string().parse()` gives the same quantity back.
pub trait Quantity: FromStr<Err = ParseError> + Display + Copy {
    /// The expected quantity, with an example: `a frequency such as "400 MHz"`.
    const EXPECTED: &'static str;
}
