//! The page `docs/machine-file.md` and the machine file inside.

use std::path::PathBuf;

/// The page.
pub(crate) fn page() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/machine-file.md");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The machine file in it.
pub(crate) fn template() -> String {
    let page = page();
    let block = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    block.expect("the page has a block of toml").to_owned()
}
