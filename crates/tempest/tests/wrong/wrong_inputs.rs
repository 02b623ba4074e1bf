//! A field of inputs without an attribute.
use tradewind_tempest::entry::{Given, Inputs};

#[derive(Clone, Inputs)]
struct Search {
    #[input(default = 8, range = 2..=9)]
    vertices: u32,
    seed: u64,
}

fn main() {
    let search = Search::from_given(&Given::default()).ok().unwrap();
    let _ = search.vertices + search.seed as u32;
}
