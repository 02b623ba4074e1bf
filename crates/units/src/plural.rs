//! Counts with the noun of the counted things. This module must never know the things.

/// A number of things with their noun, in the plural unless there is one.
///
/// ```
/// use tradewind_units::plural::several;
/// assert_eq!([1_u32, 2].map(|nodes| several(nodes, "node")), ["1 node", "2 nodes"]);
/// ```
pub fn several(number: impl Into<u64>, noun: &str) -> String {
    match number.into() {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}
