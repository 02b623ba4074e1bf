//! The whole collection of matrices and meshes that the project is measured with. It does not travel with the project,
//! since not all of it may be given on; an environment variable names its folder:
//!
//! ```sh
//! TRADEWIND_DATA=folder cargo test -p tradewind-formats -- --ignored
//! ```
//!
//! The folder has `matrices`, `cholesky`, `meshes` and `bale`. The sizes are those of the collection's list.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use tradewind_formats::{
    Entry, SparseMatrix, Symmetry,
    Symmetry::{General, Symmetric},
    Values,
    Values::{Pattern, Real},
    matrix,
    mesh::{self, Mesh},
};

use crate::promises::{check_matrix, check_mesh};

/// File, rows, columns, stored entries, which of them, and whether they carry numbers.
const MATRICES: [(&str, u32, u32, usize, Symmetry, Values); 18] = [
    ("matrices/494_bus.mat.txt", 494, 494, 1666, General, Real),
    ("matrices/bcsstk01.rb", 48, 48, 224, Symmetric, Real),
    ("matrices/bcsstk01.tri", 48, 48, 224, Symmetric, Real),
    ("matrices/bcsstk02.rsa", 66, 66, 2211, Symmetric, Real),
    ("matrices/bcsstk13.mtx.gz", 2003, 2003, 42_943, Symmetric, Real),
    ("matrices/bcsstk16.tri.gz", 4884, 4884, 147_631, Symmetric, Real),
    ("matrices/bcsstk32.mtx.zst", 44_609, 44_609, 1_029_655, Symmetric, Pattern),
    ("matrices/jagmesh7.mtx", 1138, 1138, 4294, Symmetric, Pattern),
    ("cholesky/lshp.O.gz", 3466, 3466, 13_681, Symmetric, Pattern),
    ("cholesky/tk14.O.gz", 1806, 1806, 32_630, Symmetric, Pattern),
    ("cholesky/tk15.O.gz", 3948, 3948, 60_882, Symmetric, Pattern),
    ("cholesky/tk16.O.gz", 4884, 4884, 147_631, Symmetric, Pattern),
    ("cholesky/tk17.O.gz", 10_974, 10_974, 219_812, Symmetric, Pattern),
    ("cholesky/tk18.O.gz", 11_948, 11_948, 80_519, Symmetric, Pattern),
    ("cholesky/tk23.O.gz", 3134, 3134, 24_156, Symmetric, Pattern),
    ("cholesky/tk25.O.gz", 15_439, 15_439, 133_840, Symmetric, Pattern),
    ("cholesky/tk29.O.gz", 13_992, 13_992, 316_740, Symmetric, Pattern),
    ("cholesky/wr10.O.gz", 5300, 5300, 13_571, Symmetric, Pattern),
];

/// File, nodes and tetrahedra.
const MESHES: [(&str, usize, usize); 6] = [
    ("meshes/bunny.mesh.gz", 5433, 34_055),
    ("meshes/hand.mesh.gz", 7234, 29_998),
    ("meshes/mesh10k.txt.zst", 9418, 45_653),
    ("meshes/mesh2k.txt.zst", 2796, 12_530),
    ("meshes/octopus-low.mesh.gz", 452, 1140),
    ("meshes/tinyBoxt.mesh.gz", 11_866, 63_434),
];

/// File and edges, where the list states them.
const EDGES: [(&str, usize); 5] = [
    ("meshes/bunny.mesh.gz", 39_822),
    ("meshes/hand.mesh.gz", 42_009),
    ("meshes/mesh10k.txt.zst", 59_312),
    ("meshes/mesh2k.txt.zst", 16_822),
    ("meshes/octopus-low.mesh.gz", 2040),
];

/// File and marked faces, where the list states them.
const FACES: [(&str, usize); 2] = [("meshes/mesh10k.txt.zst", 8486), ("meshes/mesh2k.txt.zst", 2996)];

/// The folders that hold nothing but matrices or meshes, so that no file is passed over.
const LISTED_WHOLE: [&str; 3] = ["matrices", "cholesky", "meshes"];

fn folder() -> PathBuf {
    env::var_os("TRADEWIND_DATA").expect("TRADEWIND_DATA names the folder of the collection").into()
}

fn bytes(path: &str) -> Vec<u8> {
    fs::read(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn read(path: &str) -> SparseMatrix {
    let matrix = matrix::read(path, &bytes(path)).unwrap_or_else(|errors| panic!("{errors}"));
    check_matrix(&matrix);
    matrix
}

fn read_mesh(path: &str) -> Mesh {
    let mesh = mesh::read(path, &bytes(path)).unwrap_or_else(|errors| panic!("{errors}"));
    check_mesh(&mesh);
    mesh
}

/// The names of the files in a folder, as the tables have them.
fn names(of: &str) -> Vec<String> {
    let entries = fs::read_dir(folder().join(of)).unwrap_or_else(|error| panic!("{of}: {error}"));
    let name = |entry: fs::DirEntry| format!("{of}/{}", entry.file_name().to_string_lossy());
    entries.map(|entry| name(entry.expect("a readable folder"))).collect()
}

fn by_position(entries: &[Entry]) -> BTreeMap<(u32, u32), f64> {
    entries.iter().map(|entry| ((entry.column, entry.row), entry.value)).collect()
}

#[test]
#[ignore = "needs the collection of matrices and meshes in TRADEWIND_DATA"]
fn matrices_have_the_sizes_stated() {
    for (path, rows, columns, stored, symmetry, values) in MATRICES {
        let matrix = read(path);
        assert_eq!((matrix.rows, matrix.columns, matrix.entries.len()), (rows, columns, stored), "{path}");
        assert_eq!((matrix.symmetry, matrix.values), (symmetry, values), "{path}");
    }
}

#[test]
#[ignore = "needs the collection of matrices and meshes in TRADEWIND_DATA"]
fn meshes_have_the_sizes_stated() {
    for (path, nodes, tetrahedra) in MESHES {
        let mesh = read_mesh(path);
        assert_eq!((mesh.points.len(), mesh.tetrahedra.len()), (nodes, tetrahedra), "{path}");
        assert_eq!(mesh::read("again", mesh::text::write(&mesh).as_bytes()), Ok(mesh), "{path}");
    }
    for (path, edges) in EDGES {
        assert_eq!(read_mesh(path).edges.len(), edges, "{path}");
    }
    for (path, faces) in FACES {
        assert_eq!(read_mesh(path).faces.len(), faces, "{path}");
    }
}

#[test]
#[ignore = "needs the collection of matrices and meshes in TRADEWIND_DATA"]
fn no_file_is_passed_over() {
    let matrices = MATRICES.iter().map(|row| row.0);
    let listed: Vec<_> = matrices.chain(MESHES.iter().map(|row| row.0)).collect();
    for name in LISTED_WHOLE.into_iter().flat_map(names) {
        assert!(listed.contains(&name.as_str()), "{name} is in none of the tables");
    }
    for name in names("bale").iter().filter(|name| name.ends_with(".mm")) {
        assert!(!read(name).entries.is_empty(), "{name}");
    }
}

#[test]
#[ignore = "needs the collection of matrices and meshes in TRADEWIND_DATA"]
fn the_same_matrix_in_two_formats_is_the_same() {
    let [cards, triplets] = ["matrices/bcsstk01.rb", "matrices/bcsstk01.tri"].map(read);
    assert_eq!(by_position(&cards.entries), by_position(&triplets.entries));

    let both = read("matrices/494_bus.mat.txt").into_symmetric().expect("a symmetric matrix");
    let shipped = include_bytes!("../../../../inputs/494_bus.mtx");
    let lower = matrix::read("494_bus.mtx", shipped).expect("right");
    assert_eq!(by_position(&both.entries), by_position(&lower.entries));
}

/// The rows are numbered differently, so only values independent of the numbering are compared.
#[test]
#[ignore = "needs the collection of matrices and meshes in TRADEWIND_DATA"]
fn a_permuted_matrix_has_the_same_degrees() {
    let degrees = |path: &str| {
        let matrix = read(path);
        let mut degrees = vec![0_u32; matrix.rows as usize];
        for entry in matrix.entries.iter().filter(|entry| entry.row != entry.column) {
            degrees[entry.row as usize] += 1;
            degrees[entry.column as usize] += 1;
        }
        degrees.sort_unstable();
        degrees
    };
    assert_eq!(degrees("cholesky/tk16.O.gz"), degrees("matrices/bcsstk16.tri.gz"));
}
