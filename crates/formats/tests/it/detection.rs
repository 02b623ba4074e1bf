//! Recognition of formats: by the content, else by the name, else none.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tradewind_formats::{Errors, SparseMatrix, Symmetry, bezier, matrix, mesh};

const MARKET: &str = "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 5\n";
const BOEING: &str = "t\n\nRSA                        1             1             1             0\n\
                      (2I1)           (1I1)           (1F2.0)\n12\n1\n5.\n";
const TRIANGLE: &str = "0 0 5\n";
const SIZED: &str = "1 1 1 -1\n0 0 5\n";
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
fn the_content_decides() {
    let expected = matrix("m", MARKET);
    for (name, text) in [
        ("m.txt", MARKET),
        ("M.MTX", MARKET),
        ("m", BOEING),
        ("m.rb", BOEING),
        ("dir/M.TRI", TRIANGLE),
        ("m.tri", SIZED),
        ("m.tri", HEADED),
    ] {
        assert_eq!(matrix(name, text), expected, "{name}");
    }
    let headed = matrix("m.mat.txt", HEADED);
    assert_eq!(headed.symmetry, Symmetry::General);
    assert_eq!(headed.into_symmetric(), Ok(expected));
}

#[test]
fn a_name_that_disagrees_with_the_content_is_refused() {
    let refused = |name: &str, bytes: &[u8]| shown(matrix::read(name, bytes));
    assert_eq!(
        refused("m.tri", MARKET.as_bytes()),
        "m.tri:1:1: name .tri: expected a name that ends in .mtx, as the content is Matrix Market"
    );
    for name in ["m.mtx", "m.MM.gz", "m.tri", "m.mat.txt"] {
        let bytes = if name.ends_with(".gz") { gzip(BOEING) } else { BOEING.into() };
        let refused = refused(name, &bytes);
        let expected = "as the content is Harwell-Boeing or Rutherford-Boeing";
        assert!(
            refused.starts_with(&format!("{name}:1:1: name .")) && refused.ends_with(expected),
            "{refused}"
        );
    }
    assert_eq!(
        refused("m.mtx.gz", MARKET.as_bytes()),
        "m.mtx.gz:1:1: start %%MatrixMarket m: expected a gzip stream; a file that is not compressed has no .gz"
    );
    assert_eq!(
        refused("m.mtx.zst", &gzip(MARKET)),
        "m.mtx.zst:1:1: name .zst: expected a name that ends in .gz, as the content is a gzip stream"
    );
    assert!(refused("m.mat.txt", b"0 0 1.5\n").contains(":1:1: size line 0 0 1.5: expected rows, columns"));
    let mesh = |name: &str, text: &str| shown(mesh::read(name, text.as_bytes()));
    assert_eq!(
        mesh("m.mesh", MESH_TEXT),
        "m.mesh:1:1: name .mesh: expected a name that ends in .txt, as the content is mesh text"
    );
    assert_eq!(
        mesh("m.txt", MEDIT),
        "m.txt:1:1: name .txt: expected a name that ends in .mesh, as the content is Medit"
    );
}

#[test]
fn compressions_that_are_not_undone_are_named_with_the_command_that_undoes_them() {
    for (bytes, expected) in [
        (&b"\xfd7zXZ\0rest"[..], "m:1:1: compression xz: expected plain, gzip or zstd; xz -dk m unpacks it"),
        (b"BZh91AY&SY", "m:1:1: compression bzip2: expected plain, gzip or zstd; bunzip2 -k m unpacks it"),
        (b"PK\x03\x04", "m:1:1: compression zip: expected plain, gzip or zstd; unzip m unpacks it"),
    ] {
        assert_eq!(shown(matrix::read("m", bytes)), expected);
        assert_eq!(shown(mesh::read("m", bytes)), expected);
        assert_eq!(shown(bezier::read("m", bytes)), expected);
    }
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
    assert_eq!(named("m.mtx").as_deref(), Some("m.mtx:1:1: banner x"));
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
fn bezier_patches_may_be_compressed() {
    assert_eq!(bezier::read("pot.bpt.gz", &gzip("0\n")), Ok(Vec::new()));
}

#[test]
fn broken_streams_are_one_mistake() {
    let whole = gzip(MARKET);
    let shown = shown(matrix::read("m.mtx.gz", &whole[..whole.len() - 9]));
    assert!(shown.starts_with("m.mtx.gz:1:1: gzip stream truncated or corrupt ("), "{shown}");
    assert!(shown.ends_with("): expected a whole one"), "{shown}");
}
