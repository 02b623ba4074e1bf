//! What holds for all matrices and for all bytes.

use std::collections::BTreeMap;

use formats::{
    Entry, SparseMatrix, Symmetry, Values, decompress_within,
    matrix_market::{read, write},
};
use proptest::{collection, num, prelude::*};

/// Any matrix of up to 40 x 40 that keeps the promises of its type.
fn matrices() -> impl Strategy<Value = SparseMatrix> {
    let finite = num::f64::NORMAL | num::f64::SUBNORMAL | num::f64::ZERO;
    let values = prop_oneof![Just(Values::Real), Just(Values::Pattern)];
    (1..40_u32, 1..40_u32, any::<bool>(), values).prop_flat_map(move |(rows, other, symmetric, values)| {
        let columns = if symmetric { rows } else { other };
        let symmetry = if symmetric { Symmetry::Symmetric } else { Symmetry::General };
        collection::vec((0..rows, 0..columns, finite), 0..60).prop_map(move |drawn| {
            let entries = distinct(&drawn, symmetric, values);
            SparseMatrix { rows, columns, symmetry, values, entries }
        })
    })
}

fn distinct(drawn: &[(u32, u32, f64)], symmetric: bool, values: Values) -> Vec<Entry> {
    let lower =
        |row: u32, column: u32| if symmetric { (row.max(column), row.min(column)) } else { (row, column) };
    let unique: BTreeMap<_, _> =
        drawn.iter().map(|&(row, column, value)| (lower(row, column), value)).collect();
    let number = |value| if values == Values::Pattern { 1.0 } else { value };
    unique.into_iter().map(|((row, column), value)| Entry { row, column, value: number(value) }).collect()
}

/// Text made of the words of the format, which reaches further into the reader than noise does.
fn nearly_files() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("%%MatrixMarket matrix coordinate real general\n".to_owned()),
        Just("%%MatrixMarket matrix coordinate pattern symmetric\n".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n% ".to_owned()),
        "[0-9]{1,3} ",
        "[-+]?[0-9]{1,2}\\.[0-9]{0,3}([eEdD][-+]?[0-9]{1,3})? ",
        "\\PC{0,3}",
    ];
    collection::vec(word, 0..40).prop_map(|words| words.concat())
}

/// A reader's whole contract on unknown bytes: a value or a list of at least one mistake, never a panic.
fn answers(bytes: &[u8]) -> bool {
    let Ok(plain) = decompress_within(bytes, 1 << 20) else { return true };
    read("any", &plain).map_or_else(|errors| !errors.listed().is_empty(), |_| true)
}

proptest! {
    #[test]
    fn written_matrices_read_back_equal(matrix in matrices()) {
        prop_assert_eq!(read("written", write(&matrix).as_bytes()), Ok(matrix));
    }

    #[test]
    fn any_bytes_are_answered(bytes: Vec<u8>) {
        prop_assert!(answers(&bytes));
    }

    #[test]
    fn any_compressed_bytes_are_answered(bytes: Vec<u8>, zstd: bool) {
        let magic: &[u8] = if zstd { b"\x28\xb5\x2f\xfd" } else { b"\x1f\x8b" };
        prop_assert!(answers(&[magic, &bytes].concat()));
    }

    #[test]
    fn near_files_are_answered(text in nearly_files()) {
        let under_banner = ["%%MatrixMarket matrix coordinate real symmetric\n", &text].concat();
        prop_assert!(answers(text.as_bytes()) && answers(under_banner.as_bytes()));
    }

    #[test]
    fn cut_and_changed_files_are_answered(matrix in matrices(), at: prop::sample::Index, byte: u8) {
        let mut file = write(&matrix).into_bytes();
        let at = at.index(file.len());
        prop_assert!(answers(&file[..at]));
        file[at] = byte;
        prop_assert!(answers(&file));
    }
}
