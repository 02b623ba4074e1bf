//! Properties of all matrices, meshes, patches, litmus tests and bytes.

use proptest::{collection, prelude::*, sample::Index};
use tradewind_formats::{
    Errors, SparseMatrix, Symmetry, Values,
    bezier::{self, Patch},
    decompress_within, harwell_boeing,
    litmus::{self, Test},
    matrix, matrix_market,
    mesh::{self, Mesh},
    rutherford_boeing, triplet,
};

use crate::{
    promises::{check_litmus, check_matrix, check_mesh, check_patches},
    strategies::{self, matrices, meshes, patches},
    writers,
};

/// Text made of the words of the formats, which reaches further into the readers than noise does.
fn nearly_files() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("%%MatrixMarket matrix coordinate real general\n".to_owned()),
        Just("%%MatrixMarket matrix coordinate pattern symmetric\n".to_owned()),
        Just("\nRSA                        3             3             4             0\n".to_owned()),
        Just("(4I2)           (3I1)           (1P,2E8.2)\n 1 3 4 5\n123\n3\n".to_owned()),
        Just("MeshVersionFormatted 2\nDimension 3\nVertices 1\n".to_owned()),
        Just("\nTetrahedra\n".to_owned()),
        Just("\nEnd\n".to_owned()),
        Just("2\n3 3\n1 0 .5\n".to_owned()),
        Just("\n{ x=1; 0:x5=x; }\n P0 | P1 ;\n".to_owned()),
        Just(" lw.aq x6,0(x5) | L: ;\n".to_owned()),
        Just("MOV [x],$1;".to_owned()),
        Just("exists (not (x=1 /\\ 1:x5=0)".to_owned()),
        Just("Test SB Allowed\nStates 1\n0:x5=0; [x]=1;\n".to_owned()),
        Just("Observation SB Never 0 1\n".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n% ".to_owned()),
        "[0-9]{1,3} ",
        "[-+]?[0-9]{1,2}\\.[0-9]{0,3}([eEdD][-+]?[0-9]{1,3})? ",
        "\\PC{0,3}",
    ];
    collection::vec(word, 0..40).prop_map(|words| words.concat())
}

type Reader = fn(&str, &[u8]) -> Result<SparseMatrix, Errors>;

/// A reader's whole contract on unknown bytes: a value that keeps its promises or a list of mistakes that
/// begins with one, never a panic.
fn answers(bytes: &[u8]) {
    let Ok(plain) = decompress_within(bytes, 1 << 20) else { return };
    let readers: [Reader; 8] = [
        matrix::read,
        matrix_market::read,
        harwell_boeing::read,
        rutherford_boeing::read,
        |name, bytes| triplet::read(name, bytes, Symmetry::General),
        |name, bytes| triplet::read(name, bytes, Symmetry::Symmetric),
        triplet::read_headed,
        |_, bytes| matrix::read("any.tri.gz", bytes),
    ];
    for read in readers {
        read("any", &plain).map_or_else(|errors| check_errors(&errors), |matrix| check_matrix(&matrix));
    }
    for read in [mesh::read, mesh::medit::read, mesh::text::read] {
        read("any", &plain).map_or_else(|errors| check_errors(&errors), |mesh| check_mesh(&mesh));
    }
    bezier::read("any", &plain)
        .map_or_else(|errors| check_errors(&errors), |patches| check_patches(&patches));
    litmus::read("any", &plain).map_or_else(|errors| check_errors(&errors), |test| check_litmus(&test));
    litmus::log::read("any", &plain)
        .map_or_else(|errors| check_errors(&errors), |tests| assert!(!tests.is_empty()));
}

fn check_errors(errors: &Errors) {
    assert!(!errors.listed().is_empty() && !errors.to_string().is_empty());
}

/// Every format's file of a matrix, a mesh, patches or a litmus test.
fn files(matrix: &SparseMatrix, mesh: &Mesh, patches: &[Patch], test: &Test) -> [String; 9] {
    [
        matrix_market::write(matrix),
        writers::compressed_columns(matrix, false),
        writers::compressed_columns(matrix, true),
        writers::triplets(&matrix.entries, 0),
        writers::headed_triplets(matrix),
        writers::medit(mesh),
        mesh::text::write(mesh),
        bezier::write(patches),
        writers::litmus(test),
    ]
}

proptest! {
    #[test]
    fn written_matrices_read_back_equal(matrix in matrices()) {
        let market = matrix_market::write(&matrix);
        prop_assert_eq!(matrix::read("written", market.as_bytes()), Ok(matrix.clone()));
        for rutherford in [false, true] {
            let cards = writers::compressed_columns(&matrix, rutherford);
            prop_assert_eq!(matrix::read("written", cards.as_bytes()), Ok(matrix.clone()));
            let dos = cards.replace('\n', "\r\n");
            prop_assert_eq!(matrix::read("written", dos.as_bytes()), Ok(matrix.clone()));
        }
    }

    #[test]
    fn written_triplets_read_back_equal(mut matrix in matrices()) {
        let sized = writers::sized_triplets(&matrix);
        // Without entries nothing tells a pattern.
        if matrix.values == Values::Real || !matrix.entries.is_empty() {
            prop_assert_eq!(triplet::read_either("written.tri", sized.as_bytes()), Ok(matrix.clone()));
        }
        matrix.values = Values::Real;
        let bare = writers::triplets(&matrix.entries, 0);
        let read = triplet::read("written", bare.as_bytes(), matrix.symmetry).expect("as written");
        prop_assert!(read.rows <= matrix.rows && read.columns <= matrix.columns);
        prop_assert_eq!(SparseMatrix { rows: matrix.rows, columns: matrix.columns, ..read }, matrix.clone());
        matrix.symmetry = Symmetry::General;
        let headed = writers::headed_triplets(&matrix);
        prop_assert_eq!(matrix::read("written.mat.txt", headed.as_bytes()), Ok(matrix));
    }

    #[test]
    fn both_triangles_fold_into_one(matrix in matrices()) {
        let Symmetry::Symmetric = matrix.symmetry else { return Ok(()) };
        let mut both = SparseMatrix { symmetry: Symmetry::General, ..matrix.clone() };
        for entry in matrix.entries.iter().filter(|entry| entry.row != entry.column) {
            both.entries.push(tradewind_formats::Entry { row: entry.column, column: entry.row, ..*entry });
        }
        prop_assert_eq!(both.into_symmetric(), Ok(matrix.clone()));
        prop_assert_eq!(matrix.clone().into_symmetric(), Ok(matrix));
    }

    #[test]
    fn written_meshes_read_back_equal(mesh in meshes()) {
        for text in [writers::medit(&mesh), mesh::text::write(&mesh)] {
            prop_assert_eq!(mesh::read("written", text.as_bytes()), Ok(mesh.clone()));
            prop_assert_eq!(mesh::read("written", text.replace('\n', " \r\n").as_bytes()), Ok(mesh.clone()));
        }
    }

    #[test]
    fn written_patches_read_back_equal(patches in patches()) {
        let text = bezier::write(&patches);
        prop_assert_eq!(bezier::read("written", text.as_bytes()), Ok(patches.clone()));
        prop_assert_eq!(bezier::read("written", text.replace('\n', " \r\n\n").as_bytes()), Ok(patches));
    }

    #[test]
    fn written_litmus_tests_read_back_equal(test in strategies::litmus()) {
        check_litmus(&test);
        let text = writers::litmus(&test);
        prop_assert_eq!(litmus::read("written", text.as_bytes()), Ok(test.clone()), "{}", text);
        let spread = text.replace(';', " (* ; *)\r\n;\t");
        prop_assert_eq!(litmus::read("written", spread.as_bytes()), Ok(test), "{}", spread);
    }

    /// These formats say themselves where they end, and their numbers how long they are.
    #[test]
    fn cut_files_are_mistakes(matrix in matrices(), mesh in meshes(), at: Index) {
        let cut = |file: &str| file[..at.index(file.len() - 1)].to_owned();
        let cards = cut(&writers::compressed_columns(&matrix, false));
        prop_assert!(harwell_boeing::read("cut", cards.as_bytes()).is_err());
        let cards = cut(&writers::compressed_columns(&matrix, true));
        prop_assert!(rutherford_boeing::read("cut", cards.as_bytes()).is_err());
        let sections = cut(&writers::medit(&mesh));
        prop_assert!(mesh::medit::read("cut", sections.as_bytes()).is_err());
    }

    #[test]
    fn any_bytes_are_answered(bytes: Vec<u8>) {
        answers(&bytes);
    }

    #[test]
    fn any_compressed_bytes_are_answered(bytes: Vec<u8>, zstd: bool) {
        let magic: &[u8] = if zstd { b"\x28\xb5\x2f\xfd" } else { b"\x1f\x8b" };
        answers(&[magic, &bytes].concat());
    }

    #[test]
    fn near_files_are_answered(text in nearly_files()) {
        answers(text.as_bytes());
        let market = "%%MatrixMarket matrix coordinate real symmetric\n";
        let code = "RISCV SB\n{ }\n P0 | P1 ;\n";
        for start in [market, "MeshVersionFormatted 1\nDimension 3\n", "X86 SB\n{ x=1;", code] {
            answers([start, &text].concat().as_bytes());
        }
    }

    #[test]
    fn cut_and_changed_files_are_answered(
        matrix in matrices(), mesh in meshes(), patches in patches(), test in strategies::litmus(), at: Index,
        byte: u8,
    ) {
        for file in files(&matrix, &mesh, &patches, &test) {
            let mut file = file.into_bytes();
            if file.is_empty() {
                continue;
            }
            let at = at.index(file.len());
            answers(&file[..at]);
            file[at] = byte;
            answers(&file);
            file.remove(at);
            answers(&file);
        }
    }
}
