//! The matrices that are shipped with the project, for tests.

use formats::SparseMatrix;

pub(crate) const BUS: &str = "494_bus";
pub(crate) const JAGMESH: &str = "jagmesh7";
pub(crate) const STIFFNESS: &str = "bcsstk13";

/// One of the matrices.
pub(crate) fn input(name: &str) -> SparseMatrix {
    let bytes: &[u8] = match name {
        BUS => include_bytes!("../../../../inputs/494_bus.mtx"),
        JAGMESH => include_bytes!("../../../../inputs/jagmesh7.mtx"),
        _ => include_bytes!("../../../../inputs/bcsstk13.mtx.gz"),
    };
    formats::matrix_market::read(name, &formats::decompress(bytes).expect("a file that ships"))
        .expect("a matrix")
}
