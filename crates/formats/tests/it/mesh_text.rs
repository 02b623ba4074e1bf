//! Each mistake a mesh text can have, with its place; and the variants that are none.

use std::collections::BTreeSet;

use tradewind_formats::{
    decompress,
    mesh::{
        Face, Mesh,
        text::{read, write},
    },
};

/// A tetrahedron with two of its edges and two faces.
const WHOLE: &str =
    "# comment\n4 2 1 2\n0 0 0\n1 0 0\n0 1 0\n0 0 1.5\n0 1\n3 2\n0 1 2 3\n2 1 0 1\n1 2 3 -2\n";

fn mesh(text: &str) -> Mesh {
    read("m.txt", text.as_bytes()).expect("the file is right")
}

/// Checks all mistakes of a file, given as they are displayed behind the file's name.
#[track_caller]
fn assert_mistakes(text: &str, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|mistake| format!("m.txt:{mistake}")).collect();
    let errors = read("m.txt", text.as_bytes()).expect_err("the file has a mistake");
    assert_eq!(errors.to_string(), expected.join("\n"));
}

/// Checks all mistakes of the whole file with one piece replaced.
#[track_caller]
fn assert_replaced(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(WHOLE.matches(old).count(), 1, "{old}");
    assert_mistakes(&WHOLE.replace(old, new), expected);
}

#[test]
fn all_parts() {
    let mesh = mesh(WHOLE);
    assert_eq!(mesh.points[3], [0.0, 0.0, 1.5]);
    assert_eq!(mesh.edges, [[0, 1], [3, 2]]);
    assert_eq!(mesh.tetrahedra, [[0, 1, 2, 3]]);
    assert_eq!(mesh.faces, [Face { nodes: [2, 1, 0], marker: 1 }, Face { nodes: [1, 2, 3], marker: -2 }]);
}

#[test]
fn accepts_what_circulates() {
    let expected = mesh(WHOLE);
    assert_eq!(mesh(&WHOLE.replace('\n', "\r\n")), expected);
    assert_eq!(mesh(&WHOLE.replace(' ', "\t")), expected);
    assert_eq!(mesh(&WHOLE.replace('\n', "\n# between\n\n")), expected);
    assert_eq!(mesh(WHOLE.trim_end()), expected, "the last newline is optional");
    assert_eq!(mesh("0 0 0 0"), Mesh::default());
}

#[test]
fn counts() {
    assert_mistakes(
        "# x\n",
        &["2:1: line of counts missing: expected the numbers of nodes, edges, tetrahedra and faces"],
    );
    assert_replaced(
        "4 2 1 2",
        "4 x 1 4294967296 5",
        &[
            "2:3: number of edges x: expected 0..=4294967295",
            "2:7: number of faces 4294967296: expected 0..=4294967295",
            "2:18: trailing text 5: expected the end of the line",
        ],
    );
    assert_replaced(
        "4 2 1 2",
        "4 2 1 3",
        &["12:1: number of faces 2: expected 3 as the line of counts says; is the file truncated?"],
    );
    assert_replaced("4 2 1 2", "4 2 1 1", &["11:1: trailing text 1 2 3 -2: expected the end of the file"]);
    assert_replaced(
        "4 2 1 2",
        "4294967295 2 1 2",
        &["7:1: point of 2 numbers: expected 3", "8:1: point of 2 numbers: expected 3"],
    );
    assert_replaced(
        "4 2 1 2",
        "3 2 1 2",
        &[
            "6:1: edge of 3 numbers: expected 2",
            "8:1: tetrahedron of 2 numbers: expected 4",
            "10:1: face 0 1 2: expected each once, this one is on line 9 too",
            "11:1: trailing text 1 2 3 -2: expected the end of the file",
        ],
    );
}

#[test]
fn records() {
    assert_replaced("0 0 1.5", "0 inf 1.5", &["6:3: coordinate inf: expected a finite number"]);
    assert_replaced("3 2\n", "3 4\n", &["8:3: node 4: expected 0..=3"]);
    assert_replaced("3 2\n", "3 3\n", &["8:3: node 3: expected 2 different ones"]);
    assert_replaced("3 2\n", "1 0\n", &["8:1: edge 0 1: expected each once, this one is on line 7 too"]);
    assert_replaced("3 2\n", "3 2 1\n", &["8:1: edge of 3 numbers: expected 2"]);
    assert_replaced("0 1 2 3", "0 1 2 x", &["9:7: node x: expected 0..=3"]);
    assert_replaced(
        "1 2 3 -2",
        "0 1 2 -2",
        &["11:1: face 0 1 2: expected each once, this one is on line 10 too"],
    );
    assert_replaced(
        "1 2 3 -2",
        "1 2 3 .5",
        &["11:7: marker .5: expected an integer, -2147483648..=2147483647"],
    );
}

/// The file ends in a number of one digit, so that no cut inside a number can go unnoticed.
#[test]
fn every_truncation_is_noticed() {
    let whole = WHOLE.replace("-2", "2");
    for length in 0..whole.len() - 1 {
        assert!(read("m", &whole.as_bytes()[..length]).is_err(), "cut at {length}");
    }
}

#[test]
fn a_wing_in_a_box() {
    let bytes = decompress(include_bytes!("../data/mesh2k.txt.zst")).expect("whole");
    let mesh = read("mesh2k", &bytes).expect("right");
    let Mesh { points, edges, tetrahedra, faces } = &mesh;
    assert_eq!((points.len(), edges.len(), tetrahedra.len(), faces.len()), (2796, 16_822, 12_530, 2996));
    let ascending = |[i, j]: [u32; 2]| (i.min(j), i.max(j));
    let pairs = |nodes: &[u32; 4]| {
        let [a, b, c, d] = *nodes;
        [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]]
    };
    let stated: BTreeSet<_> = edges.iter().copied().map(ascending).collect();
    let derived: BTreeSet<_> = tetrahedra.iter().flat_map(pairs).map(ascending).collect();
    assert_eq!(stated, derived);
    assert_eq!(read("again", write(&mesh).as_bytes()), Ok(mesh));
}
