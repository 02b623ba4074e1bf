//! matmul: the product of two square matrices of doubles, by two programs.
//!
//! | program | traffic |
//! |---|---|
//! | [`mm`] | blocks of both factors, read whenever they are needed from an array that is spread over all nodes |
//! | [`cannon`] | large blocks of both factors, shifted round the rows and columns of a grid of threads |
//!
//! Elements of the factors are random numbers between -1 and 1. Both programs charge the same work for a multiplication and an
//! addition, and verify each element against a sequential product.

pub mod cannon;
mod grid;
mod kernel;
pub mod mm;
mod problem;
