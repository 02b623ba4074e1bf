//! Speed of the simulator: one table, each figure beside the fastest loop that could stand in for the run, with an aim
//! and a floor. Every answer is checked.
//!
//! `cargo bench -p tradewind-sim --bench speed [-- NAME…]` measures all rows, or the named ones. Times are wall time of
//! one host thread. A run and its bound are measured in turn in each round, the ratio is taken within the round, and
//! medians over rounds are printed. A run that shows its memory has a process of its own.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

mod accesses;
mod alone;
mod bare;
mod by_hand;
mod cases;
mod rows;
mod trial;

use tradewind_bench::table;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if let [what @ (alone::ALONE | alone::PREPARE), ..] =
        asked.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        return alone::serve(what, &asked[1..]);
    }
    table::head();
    let groups = rows::GROUPS.iter();
    groups
        .filter(|(name, _)| asked.is_empty() || asked.iter().any(|asked| asked == name))
        .flat_map(|(_, rows)| rows())
        .for_each(|row| table::print(&row));
}
