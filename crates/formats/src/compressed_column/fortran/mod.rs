//! Fortran formats, and the numbers written under them.
//!
//! The rules are those of ANSI X3.9-1978 (FORTRAN 77), section 13, with the descriptors `ESw.d` and `ENw.d` of
//! Fortran 90. Not read are descriptors of values that a matrix does not have (`A`, `L`, `B`, `O`, `Z`) and unlimited
//! repetition (`*`). This module must never know the use of a number.

mod layout;
mod number;
mod syntax;

pub(super) use layout::{Card, Format, Numbers, Slot, format};
pub(super) use number::real;
