//! The machine files that ship, as text. This module must never know their contents.

/// A machine file that ships with tradewind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shipped {
    /// The name of the machine, which `--machine` and `extends` take.
    pub name: &'static str,
    /// The file's name in errors: its path in the repository.
    pub path: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped {
            name: $name,
            path: concat!("machines/", $name, ".toml"),
            text: include_str!(concat!("../../machines/", $name, ".toml")),
        }),*]
    };
}

/// Every machine that ships, by name.
pub static ALL: &[Shipped] = shipped![
    "alewife",
    "avalanche",
    "avalanche-memory",
    "avalanche-noncoherent",
    "avalanche-widget",
    "cm-5",
    "hurricane",
    "hurricane-1",
    "ideal",
    "meiko-cs2",
    "now",
    "paragon",
    "s-coma",
    "sparc20-myrinet",
    "t3d",
];
