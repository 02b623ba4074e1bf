//! The page `docs/machine-file.md` and the machine file inside.

use std::path::PathBuf;

use machine::Capability;

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

#[test]
fn the_page_has_every_word_of_can_with_its_meaning() {
    let row = |can: &Capability| format!("| `{can}` | {} |\n", can.meaning());
    let rows: String = Capability::ALL.iter().map(row).collect();
    let expected = format!("<!-- words of can -->\n\n| word | meaning |\n|---|---|\n{rows}<!-- end -->\n");
    assert!(page().contains(&expected), "docs/machine-file.md: expected\n{expected}");
}
