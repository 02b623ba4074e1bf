//! cholesky on the matrices of SPLASH-2, which do not travel with the project. They lie where an environment variable tells:
//!
//! ```sh
//! TRADEWIND_DATA=folder cargo test --release -p tradewind-apps --test splash -- --ignored
//! ```

use std::path::PathBuf;

use tempest::entry::{File, Given};
use tradewind_apps::cholesky;

/// Matrices in their own order, with the entries, the fundamental supernodes and the flops of their factors. The numbers were
/// computed by another program.
const FACTORS: &[(&str, [&str; 3])] = &[("tk29.O.gz", ["1694796", "3231", "393059150"])];

#[test]
#[ignore = "needs the matrices of SPLASH-2"]
fn factors_have_the_entries_and_supernodes_that_are_known() {
    let data = std::env::var_os("TRADEWIND_DATA").map(PathBuf::from).expect("TRADEWIND_DATA names a folder");
    for (name, known) in FACTORS {
        let path = data.join("cholesky").join(name);
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut given = Given::default();
        given.files.insert("matrix".into(), File { name: (*name).into(), bytes });
        given.values.insert("order".into(), "file".into());
        let instance = (cholesky::ENTRY.load)(&given).unwrap_or_else(|errors| panic!("{errors:?}"));
        let facts = instance.describe();
        let fact = |name: &str| facts.iter().find(|fact| fact.0 == name).map(|fact| fact.1.as_str());
        let found = ["entries of the factor", "fundamental supernodes", "flops"].map(fact);
        assert_eq!(found, known.map(Some), "{name}");
    }
}
