//! The machine files and inputs that travel inside the command, so that it works from any folder.

/// A file inside the command.
pub(crate) struct Shipped {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What to call it in errors.
    pub(crate) path: &'static str,
    pub(crate) bytes: &'static [u8],
}

macro_rules! shipped {
    ($name:literal, $path:literal) => {
        Shipped { name: $name, path: $path, bytes: include_bytes!(concat!("../../../", $path)) }
    };
}

/// Machine models.
pub(crate) static MACHINES: &[Shipped] =
    &[shipped!("hurricane-1", "machines/hurricane-1.toml"), shipped!("ideal", "machines/ideal.toml")];

/// Inputs of programs. See `inputs/README.md` for where they come from.
pub(crate) static INPUTS: &[Shipped] = &[
    shipped!("bcsstk13", "inputs/bcsstk13.mtx.gz"),
    shipped!("494_bus", "inputs/494_bus.mtx"),
    shipped!("jagmesh7", "inputs/jagmesh7.mtx"),
];

/// The shipped file of that name.
pub(crate) fn find<'a>(files: &'a [Shipped], name: &str) -> Option<&'a Shipped> {
    files.iter().find(|file| file.name == name)
}

/// All names, for people.
pub(crate) fn names(files: &[Shipped]) -> String {
    files.iter().map(|file| file.name).collect::<Vec<_>>().join(", ")
}
