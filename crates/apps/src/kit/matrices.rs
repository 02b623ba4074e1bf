//! The matrices that are shipped with the project, and inputs that have a matrix of a few lines, for tests.

use formats::SparseMatrix;
use tempest::entry::{File, Given, Loaded};

/// A pattern of three rows, whose first column is full.
pub(crate) const SMALL: &[u8] = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n";

/// A matrix whose second entry has two mistakes.
pub(crate) const WRONG: &[u8] = b"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n3 1 x\n";

/// The inputs of a program: the text of a matrix file, and one value.
pub(crate) fn given(matrix: &[u8], (key, value): (&str, &str)) -> Given {
    let mut given = Given::default();
    given.files.insert("matrix".into(), File { name: "small.mtx".into(), bytes: matrix.into() });
    given.values.insert(key.into(), value.into());
    given
}

/// The mistakes of inputs that are refused.
pub(crate) fn mistakes(loaded: Loaded) -> Vec<String> {
    loaded.map(|_| ()).unwrap_err().texts()
}

/// Asserts that each of the mistakes contains the text of `says` at its index.
pub(crate) fn assert_say(mistakes: &[String], says: &[&str]) {
    assert_eq!(mistakes.len(), says.len(), "{mistakes:?}");
    assert!(mistakes.iter().zip(says).all(|(mistake, says)| mistake.contains(says)), "{mistakes:?}");
}

pub(crate) const BUS: &str = "494_bus";
pub(crate) const JAGMESH: &str = "jagmesh7";
pub(crate) const STIFFNESS: &str = "bcsstk13";

/// Reads the matrix of this name.
pub(crate) fn input(name: &str) -> SparseMatrix {
    let bytes: &[u8] = match name {
        BUS => include_bytes!("../../../../inputs/494_bus.mtx"),
        JAGMESH => include_bytes!("../../../../inputs/jagmesh7.mtx"),
        _ => include_bytes!("../../../../inputs/bcsstk13.mtx.gz"),
    };
    formats::matrix_market::read(name, &formats::decompress(bytes).expect("a file that ships"))
        .expect("a matrix")
}
