//! The input files that ship, as bytes. This module must never know their contents.

/// An input file that ships with tradewind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shipped {
    /// The name of the input, which `--input` takes in place of a path.
    pub name: &'static str,
    /// The file's name in errors: its path in the repository.
    pub path: &'static str,
    /// The contents of the file as it ships: compressed by gzip if `path` ends in `.gz`.
    pub bytes: &'static [u8],
}

macro_rules! shipped {
    ($($name:literal = $file:literal),* $(,)?) => {
        &[$(Shipped {
            name: $name,
            path: concat!("inputs/", $file),
            bytes: include_bytes!(concat!("../../inputs/", $file)),
        }),*]
    };
}

/// Every input file that ships. `inputs/README.md` says where each comes from.
pub static ALL: &[Shipped] = shipped![
    "bcsstk13" = "bcsstk13.mtx.gz",
    "494_bus" = "494_bus.mtx",
    "jagmesh7" = "jagmesh7.mtx",
    "teapot" = "teapot.bpt",
];
