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
pub(crate) static MACHINES: &[Shipped] = &[
    shipped!("alewife", "machines/alewife.toml"),
    shipped!("avalanche", "machines/avalanche.toml"),
    shipped!("avalanche-memory", "machines/avalanche-memory.toml"),
    shipped!("avalanche-noncoherent", "machines/avalanche-noncoherent.toml"),
    shipped!("avalanche-widget", "machines/avalanche-widget.toml"),
    shipped!("cm-5", "machines/cm-5.toml"),
    shipped!("hurricane", "machines/hurricane.toml"),
    shipped!("hurricane-1", "machines/hurricane-1.toml"),
    shipped!("ideal", "machines/ideal.toml"),
    shipped!("meiko-cs2", "machines/meiko-cs2.toml"),
    shipped!("now", "machines/now.toml"),
    shipped!("paragon", "machines/paragon.toml"),
    shipped!("s-coma", "machines/s-coma.toml"),
    shipped!("sparc20-myrinet", "machines/sparc20-myrinet.toml"),
    shipped!("t3d", "machines/t3d.toml"),
];

/// Inputs of programs. See `inputs/README.md` for where they come from.
pub(crate) static INPUTS: &[Shipped] = &[
    shipped!("bcsstk13", "inputs/bcsstk13.mtx.gz"),
    shipped!("494_bus", "inputs/494_bus.mtx"),
    shipped!("jagmesh7", "inputs/jagmesh7.mtx"),
];

/// What the literature says.
pub(crate) static CLAIMS: &[Shipped] = &[
    shipped!("alewife", "claims/alewife.toml"),
    shipped!("fixed-floating", "claims/fixed-floating.toml"),
    shipped!("pdq", "claims/pdq.toml"),
    shipped!("split-c", "claims/split-c.toml"),
    shipped!("widget", "claims/widget.toml"),
];

/// Experiments.
pub(crate) static STUDIES: &[Shipped] = &[
    shipped!("alewife-tables", "studies/alewife-tables.toml"),
    shipped!("fixed-floating-model", "studies/fixed-floating-model.toml"),
    shipped!("fixed-floating-table2", "studies/fixed-floating-table2.toml"),
    shipped!("pdq-saturation", "studies/pdq-saturation.toml"),
    shipped!("pdq-table1", "studies/pdq-table1.toml"),
    shipped!("split-c-bandwidth", "studies/split-c-bandwidth.toml"),
    shipped!("split-c-polling", "studies/split-c-polling.toml"),
    shipped!("split-c-table1", "studies/split-c-table1.toml"),
    shipped!("widget-messages", "studies/widget-messages.toml"),
    shipped!("widget-operations", "studies/widget-operations.toml"),
];

/// Machines that are a row of a table, by their names in studies.
pub(crate) static SURVEYS: &[Shipped] =
    &[shipped!("data/machine-survey.toml", "studies/data/machine-survey.toml")];

/// How far a metric may be from a claim.
pub(crate) static TOLERANCES: Shipped = shipped!("tolerances", "studies/tolerances.toml");

/// The shipped file of that name.
pub(crate) fn find<'a>(files: &'a [Shipped], name: &str) -> Option<&'a Shipped> {
    files.iter().find(|file| file.name == name)
}

/// All names, for people.
pub(crate) fn names(files: &[Shipped]) -> String {
    files.iter().map(|file| file.name).collect::<Vec<_>>().join(", ")
}
