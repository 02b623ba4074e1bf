//! An argument of a type that is no plain data, and that the attribute does not know.
#![forbid(unsafe_code)]

use tradewind_tempest::*;

#[derive(Clone, Copy)]
struct Point {
    x: u32,
    heavy: bool,
}

struct Points;

#[handlers]
impl Points {
    #[message(key = point.x)]
    fn add(&self, point: Point, _cx: &mut Handler<'_>) {
        assert!(point.heavy);
    }
}

impl Protocol for Points {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self
    }
}

fn main() {}
