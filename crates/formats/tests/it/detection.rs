//! Which format a file is taken for: by its content, else by its name, else by none.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tradewind_formats::{Errors, SparseMatrix, Symmetry, matrix, mesh};

const MARKET: &str = "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 5\n";
const BOEING: &str = "t\n\nRSA                        1             1             1             0\n\
                      (2I1)           (1I1)           (1F2.0)\n12\n1\n5.\n";
const TRIANGLE: &str = "0 0 5\n";
const HEADED: &str = "1 1 1\n1 1 5\n";
const MEDIT: &str = "MeshVersionFormatted 1\nDimension 3\nVertices 0\nTetrahedra 0\nEnd\n";
const MESH_TEXT: &str = "# comment\n0 0 0 0\n";

fn matrix(name: &str, text: &str) -> SparseMatrix {
    matrix::read(name, text.as_bytes()).expect("the file is right")
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("a Vec takes all that is written");
    encoder.finish().expect("a Vec takes all that is written")
}

fn shown<T>(read: Result<T, Errors>) -> String {
    read.err().map_or_else(|| "right".to_owned(), |errors| errors.to_string())
}

#[test]
fn the_content_decides_over_the_name() {
    let expected = matrix("m", MARKET);
    for (name, text) in [("m.tri", MARKET), ("m", BOEING), ("m.mtx", BOEING), ("dir/M.TRI", TRIANGLE)] {
        assert_eq!(matrix(name, text), expected, "{name}");
    }
    let headed = matrix("m.mat.txt", HEADED);
    assert_eq!(headed.symmetry, Symmetry::General);
    assert_eq!(headed.into_symmetric(), Ok(expected));
}

#[test]
fn compression_is_undone() {
    let expected = matrix("m.tri", TRIANGLE);
    let zstd = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    assert_eq!(matrix::read("m.tri.gz", &gzip(TRIANGLE)), Ok(expected.clone()));
    assert_eq!(matrix::read("m.tri.zst", &zstd(TRIANGLE)), Ok(expected.clone()));
    assert_eq!(matrix::read("m", &gzip(MARKET)), Ok(expected));
    assert!(mesh::read("m", &zstd(MEDIT)).is_ok());
    assert!(mesh::read("m", &gzip(MESH_TEXT)).is_ok());
}

#[test]
fn damaged_files_are_taken_for_what_they_are() {
    let lead = |read: Result<SparseMatrix, Errors>| shown(read).split(": expected").next().map(str::to_owned);
    let unnamed = |text: &str| lead(matrix::read("m", text.as_bytes()));
    assert_eq!(unnamed(&BOEING.replace("(2I1)", "[2I1]")).as_deref(), Some("m:4:1: pointer format [2I1]"));
    assert_eq!(unnamed(&BOEING.replace("RSA", "X  ")).as_deref(), Some("m:3:1: matrix type X"));
    let named = |name: &str| lead(matrix::read(name, b"x"));
    assert_eq!(named("m.mtx.gz").as_deref(), Some("m.mtx.gz:1:1: banner x"));
    assert_eq!(named("tk.O").as_deref(), Some("tk.O:1:2: header of 1 cards"));
    assert_eq!(named("m.rb").as_deref(), Some("m.rb:1:2: header of 1 cards"));
    let mesh = |name: &str| shown(mesh::read(name, b"x\n"));
    assert_eq!(mesh("m.mesh"), "m.mesh:1:1: keyword x: expected MeshVersionFormatted");
    assert!(mesh("m.txt").starts_with("m.txt:1:1: number of nodes x: expected 0..=4294967295\n"));
}

#[test]
fn unknown_formats_are_one_mistake() {
    assert_eq!(
        shown(matrix::read("m.txt", b" 1 2 3\n4\n")),
        "m.txt:1:1: matrix format 1 2 3: expected Matrix Market (%%MatrixMarket …), Harwell-Boeing, \
         Rutherford-Boeing, or triplets in a file called .tri or .mat.txt; each plain, gzip or zstd"
    );
    assert!(shown(mesh::read("m", b"0 0 0 0 0\n")).starts_with("m:1:1: mesh format 0 0 0 0 0: expected "));
    assert_eq!(
        shown(mesh::read("m", b"# only\n")),
        "m:1:1: mesh format missing: expected Medit (MeshVersionFormatted …) or mesh text (nodes edges tets \
         faces, then records); each plain, gzip or zstd"
    );
}

#[test]
fn broken_streams_are_one_mistake() {
    let whole = gzip(MARKET);
    let shown = shown(matrix::read("m.mtx.gz", &whole[..whole.len() - 9]));
    assert!(shown.starts_with("m.mtx.gz:1:1: gzip stream truncated or corrupt ("), "{shown}");
    assert!(shown.ends_with("): expected a whole one"), "{shown}");
}
