//! What each fuzz target asks of its reader: no panic, a value that keeps the promises of its type or a list
//! of mistakes that is not empty, and that a value, written again, is read as the same.
//!
//! It must never know what a mistake is: any list of them will do.

#![forbid(unsafe_code)]

use promises::{check_litmus, check_matrix, check_mesh, check_patches};
use tradewind_formats::{
    Errors, SparseMatrix, Symmetry, bezier, decompress_within, litmus, matrix,
    mesh::{self, Mesh},
};

// What the crate's own tests check and write with.
#[path = "../../crates/formats/tests/it/promises.rs"]
mod promises;
#[path = "../../crates/formats/tests/it/writers.rs"]
mod writers;

/// The most bytes that a compressed stream may hold here: a bomb would stop the fuzzer and show nothing.
const MOST_DECOMPRESSED: u64 = 1 << 20;

/// Written litmus tests with fewer parentheses than this nest no deeper than is read.
const MOST_PARENTHESES: usize = 90;

/// Matrix Market files.
pub fn matrix_market(bytes: &[u8]) {
    let Some(matrix) = checked(tradewind_formats::matrix_market::read("fuzz", bytes)) else { return };
    let written = tradewind_formats::matrix_market::write(&matrix);
    assert_eq!(tradewind_formats::matrix_market::read("again", written.as_bytes()), Ok(matrix));
}

/// Harwell-Boeing files.
pub fn harwell_boeing(bytes: &[u8]) {
    let Some(matrix) = checked(tradewind_formats::harwell_boeing::read("fuzz", bytes)) else { return };
    let written = writers::compressed_columns(&matrix, false);
    assert_eq!(tradewind_formats::harwell_boeing::read("again", written.as_bytes()), Ok(matrix));
}

/// Rutherford-Boeing files.
pub fn rutherford_boeing(bytes: &[u8]) {
    let Some(matrix) = checked(tradewind_formats::rutherford_boeing::read("fuzz", bytes)) else { return };
    let written = writers::compressed_columns(&matrix, true);
    assert_eq!(tradewind_formats::rutherford_boeing::read("again", written.as_bytes()), Ok(matrix));
}

/// Triplets, with and without a header.
pub fn triplet(bytes: &[u8]) {
    for symmetry in [Symmetry::General, Symmetry::Symmetric] {
        let Some(matrix) = checked(tradewind_formats::triplet::read("fuzz", bytes, symmetry)) else {
            continue;
        };
        let written = writers::triplets(&matrix.entries, 0);
        assert_eq!(tradewind_formats::triplet::read("again", written.as_bytes(), symmetry), Ok(matrix));
    }
    if let Some(matrix) = checked(tradewind_formats::triplet::read_either("fuzz", bytes)) {
        let written = writers::sized_triplets(&matrix);
        assert_eq!(tradewind_formats::triplet::read_either("again", written.as_bytes()), Ok(matrix));
    }
    let Some(matrix) = checked(tradewind_formats::triplet::read_headed("fuzz", bytes)) else { return };
    let written = writers::headed_triplets(&matrix);
    assert_eq!(tradewind_formats::triplet::read_headed("again", written.as_bytes()), Ok(matrix));
}

/// Medit meshes.
pub fn medit(bytes: &[u8]) {
    let Some(mesh) = checked_mesh(mesh::medit::read("fuzz", bytes)) else { return };
    assert_eq!(mesh::medit::read("again", writers::medit(&mesh).as_bytes()), Ok(mesh));
}

/// Mesh texts.
pub fn mesh_text(bytes: &[u8]) {
    let Some(mesh) = checked_mesh(mesh::text::read("fuzz", bytes)) else { return };
    assert_eq!(mesh::text::read("again", mesh::text::write(&mesh).as_bytes()), Ok(mesh));
}

/// Bézier patches.
pub fn bezier(bytes: &[u8]) {
    match bezier::read("fuzz", bytes) {
        Ok(patches) => {
            check_patches(&patches);
            assert_eq!(bezier::read("again", bezier::write(&patches).as_bytes()), Ok(patches));
        }
        Err(errors) => check_errors(errors),
    }
}

/// Litmus tests, and logs of them.
pub fn litmus(bytes: &[u8]) {
    if let Err(errors) = litmus::log::read("fuzz", bytes) {
        check_errors(errors);
    }
    match litmus::read("fuzz", bytes) {
        Ok(test) => {
            check_litmus(&test);
            let written = writers::litmus(&test);
            // The writer puts parentheses everywhere, which may nest deeper than is read.
            if written.matches('(').count() < MOST_PARENTHESES {
                assert_eq!(litmus::read("again", written.as_bytes()), Ok(test));
            }
        }
        Err(errors) => check_errors(errors),
    }
}

/// Files of any format, compressed or not, under names that lead to each reader.
pub fn detection(bytes: &[u8]) {
    if decompress_within(bytes, MOST_DECOMPRESSED).is_err() {
        return;
    }
    for name in
        ["fuzz", "fuzz.tri", "fuzz.tri.gz", "fuzz.mat.txt", "fuzz.mtx", "fuzz.mtx.zst", "fuzz.O", "fuzz.rb"]
    {
        if let Some(folded) = checked(matrix::read(name, bytes)).map(SparseMatrix::into_symmetric) {
            folded.map_or_else(|asymmetry| drop(asymmetry.to_string()), |matrix| check_matrix(&matrix));
        }
    }
    for name in ["fuzz", "fuzz.mesh.zst", "fuzz.txt"] {
        checked_mesh(mesh::read(name, bytes));
    }
}

fn checked(read: Result<SparseMatrix, Errors>) -> Option<SparseMatrix> {
    let matrix = read.map_err(check_errors).ok()?;
    check_matrix(&matrix);
    Some(matrix)
}

fn checked_mesh(read: Result<Mesh, Errors>) -> Option<Mesh> {
    let mesh = read.map_err(check_errors).ok()?;
    check_mesh(&mesh);
    Some(mesh)
}

fn check_errors(errors: Errors) {
    assert!(!errors.listed().is_empty() && !errors.to_string().is_empty());
}
