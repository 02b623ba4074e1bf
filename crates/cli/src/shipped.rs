//! The claims and studies that travel inside the command, so that it works from any folder.

/// A file inside the command.
pub(crate) struct Shipped {
    /// The name of a study, or of a file as studies call it.
    pub(crate) name: &'static str,
    /// The path of the file in errors.
    pub(crate) path: &'static str,
    pub(crate) bytes: &'static [u8],
}

macro_rules! shipped {
    ($name:literal, $path:literal) => {
        Shipped { name: $name, path: $path, bytes: include_bytes!(concat!("../", $path)) }
    };
}

/// Claims of the literature.
pub(crate) static CLAIMS: &[Shipped] = &[
    shipped!("alewife", "claims/alewife.toml"),
    shipped!("fixed-floating", "claims/fixed-floating.toml"),
    shipped!("pdq", "claims/pdq.toml"),
    shipped!("split-c", "claims/split-c.toml"),
    shipped!("widget", "claims/widget.toml"),
];

/// Experiments.
pub(crate) static STUDIES: &[Shipped] = &[
    shipped!("alewife-bisection", "studies/alewife-bisection.toml"),
    shipped!("alewife-iccg", "studies/alewife-iccg.toml"),
    shipped!("alewife-latency", "studies/alewife-latency.toml"),
    shipped!("alewife-messages", "studies/alewife-messages.toml"),
    shipped!("alewife-network", "studies/alewife-network.toml"),
    shipped!("alewife-tables", "studies/alewife-tables.toml"),
    shipped!("fixed-floating-em3d", "studies/fixed-floating-em3d.toml"),
    shipped!("fixed-floating-gauss", "studies/fixed-floating-gauss.toml"),
    shipped!("fixed-floating-memory", "studies/fixed-floating-memory.toml"),
    shipped!("fixed-floating-model", "studies/fixed-floating-model.toml"),
    shipped!("fixed-floating-polling", "studies/fixed-floating-polling.toml"),
    shipped!("fixed-floating-programs", "studies/fixed-floating-programs.toml"),
    shipped!("fixed-floating-table2", "studies/fixed-floating-table2.toml"),
    shipped!("fixed-floating-tomcatv", "studies/fixed-floating-tomcatv.toml"),
    shipped!("pdq-blocks", "studies/pdq-blocks.toml"),
    shipped!("pdq-cholesky", "studies/pdq-cholesky.toml"),
    shipped!("pdq-configurations", "studies/pdq-configurations.toml"),
    shipped!("pdq-design", "studies/pdq-design.toml"),
    shipped!("pdq-dispatch", "studies/pdq-dispatch.toml"),
    shipped!("pdq-dispatch-queues", "studies/pdq-dispatch-queues.toml"),
    shipped!("pdq-em3d", "studies/pdq-em3d.toml"),
    shipped!("pdq-kernels", "studies/pdq-kernels.toml"),
    shipped!("pdq-saturation", "studies/pdq-saturation.toml"),
    shipped!("pdq-table1", "studies/pdq-table1.toml"),
    shipped!("split-c-bandwidth", "studies/split-c-bandwidth.toml"),
    shipped!("split-c-conclusions", "studies/split-c-conclusions.toml"),
    shipped!("split-c-polling", "studies/split-c-polling.toml"),
    shipped!("split-c-programs", "studies/split-c-programs.toml"),
    shipped!("split-c-table1", "studies/split-c-table1.toml"),
    shipped!("widget-em3d", "studies/widget-em3d.toml"),
    shipped!("widget-messages", "studies/widget-messages.toml"),
    shipped!("widget-operations", "studies/widget-operations.toml"),
    shipped!("widget-placement", "studies/widget-placement.toml"),
];

/// Machines that are a row of a table, by their names in studies.
pub(crate) static SURVEYS: &[Shipped] =
    &[shipped!("data/machine-survey.toml", "studies/data/machine-survey.toml")];

/// The claims that follow from others, though no expression shows it.
pub(crate) static BASIS: Shipped = shipped!("basis", "studies/basis.toml");

/// Causes: why claims differ.
pub(crate) static CAUSES: Shipped = shipped!("causes", "studies/causes.toml");

/// Tolerances of claims.
pub(crate) static TOLERANCES: Shipped = shipped!("tolerances", "studies/tolerances.toml");
