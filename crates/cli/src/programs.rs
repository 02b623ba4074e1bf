//! The programs and coherence protocols that the command knows. Must never know what any of them does.

use std::sync::LazyLock;

use tempest::entry::{Coherence, Table};

/// All programs.
pub(crate) fn programs() -> &'static Table {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| Table::new(&[apps::ALL, probes::ALL]).unwrap_or_else(|twice| panic!("{twice}")));
    &TABLE
}

/// All protocols that keep shared memory coherent; the first is used unless a person says another.
pub(crate) fn protocols() -> &'static [Coherence] {
    protocols::COHERENCE
}
