//! Each mistake a Medit file can have, with its place; and the variants that are none.

use tradewind_formats::mesh::{Face, Mesh, medit::read};

const HEAD: &str = "MeshVersionFormatted 1\nDimension 3\n";
/// Two tetrahedra that share a face.
const VERTICES: &str = "Vertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n";
const TRIANGLES: &str = "Triangles\n1\n2 1 3 4\n";
const TETRAHEDRA: &str = "Tetrahedra\n2\n1 2 3 4 0\n5 4 3 2 0\n";

fn whole() -> String {
    format!("{HEAD}{VERTICES}{TRIANGLES}{TETRAHEDRA}End\n")
}

fn mesh(text: &str) -> Mesh {
    read("m.mesh", text.as_bytes()).expect("the file is right")
}

/// Checks all mistakes of a file, given as they are displayed behind the file's name.
#[track_caller]
fn assert_mistakes(text: &str, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|mistake| format!("m.mesh:{mistake}")).collect();
    let errors = read("m.mesh", text.as_bytes()).expect_err("the file has a mistake");
    assert_eq!(errors.to_string(), expected.join("\n"));
}

/// Checks all mistakes of the whole file with one piece replaced.
#[track_caller]
fn assert_replaced(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(whole().matches(old).count(), 1, "{old}");
    assert_mistakes(&whole().replace(old, new), expected);
}

#[test]
fn edges_are_those_of_the_tetrahedra() {
    let mesh = mesh(&whole());
    assert_eq!(mesh.points[4], [1.0, 1.0, 1.0]);
    assert_eq!(mesh.tetrahedra, [[0, 1, 2, 3], [4, 3, 2, 1]]);
    assert_eq!(mesh.faces, [Face { nodes: [1, 0, 2], marker: 4 }]);
    assert_eq!(mesh.edges, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]]);
}

#[test]
fn accepts_what_circulates() {
    let expected = mesh(&whole());
    let spread =
        whole().replace("Dimension 3", "# comment\n\nDimension\n\n 3 ").replace("Vertices\n5", " Vertices 5");
    assert_eq!(mesh(&spread), expected);
    assert_eq!(mesh(&whole().replace('\n', " \r\n")), expected);
    assert_eq!(mesh(&whole().replace(' ', "\t")), expected);
    assert_eq!(mesh(whole().trim_end()), expected, "the last newline is optional");
    let skipped = "Corners\n2\n1\n2\nNormals\n1\n0 0 1\n\
                   NormalAtVertices\n1\n1 1\nEdges 1\n1 2 3\nRidges 0\nHexahedra 0\n";
    assert_eq!(mesh(&whole().replace("Triangles", &format!("{skipped}Triangles"))), expected);
    let no_faces = mesh(&whole().replace(TRIANGLES, ""));
    assert_eq!(no_faces, Mesh { faces: vec![], ..expected });
}

#[test]
fn header() {
    assert_mistakes("", &["1:1: keyword missing: expected MeshVersionFormatted"]);
    assert_mistakes("solid x\n", &["1:1: keyword solid: expected MeshVersionFormatted"]);
    assert_mistakes("MeshVersionFormatted 5\n", &["1:22: version 5: expected 1..=4"]);
    assert_mistakes("MeshVersionFormatted", &["1:21: version missing: expected 1..=4"]);
    assert_mistakes("MeshVersionFormatted 1\nVertices\n", &["2:1: keyword Vertices: expected Dimension"]);
    assert_mistakes(
        "MeshVersionFormatted 1\nDimension 2\n",
        &["2:11: dimension 2: expected 3, the only one read"],
    );
}

#[test]
fn sections() {
    assert_replaced(
        VERTICES,
        "",
        &[
            "3:1: section Triangles: expected Vertices before it",
            "6:1: section Tetrahedra: expected Vertices before it",
            "10:1: section Vertices missing: expected it before End",
        ],
    );
    assert_replaced(TETRAHEDRA, "", &["13:1: section Tetrahedra missing: expected it before End"]);
    assert_replaced(TRIANGLES, &TRIANGLES.repeat(2), &["13:1: section Triangles: expected each once"]);
    assert_replaced(
        "Triangles",
        "Hexahedra 1\n1 2 3 4 5 6 7 8 0\nTriangles",
        &["10:1: section Hexahedra of 1 records: expected none: only meshes of tetrahedra are read"],
    );
    assert_replaced("End\n", "", &["17:1: keyword missing: expected End; is the file truncated?"]);
    assert_replaced(
        "End\n",
        "End\n\n more\n",
        &["19:2: trailing text more: expected the end of the file behind End"],
    );
    let unknown = read("m", whole().replace("Triangles", "Trangles").as_bytes()).expect_err("misspelt");
    let shown = unknown.to_string();
    assert!(shown.starts_with("m:10:1: keyword Trangles: expected one of Vertices, Triangles, "), "{shown}");
    assert_eq!(unknown.listed().len(), 1, "{shown}");
}

#[test]
fn records() {
    assert_replaced("1 0 0 0", "1 0 nan 0", &["6:5: coordinate nan: expected a finite number"]);
    assert_replaced("1 0 0 0", "nan 0 0 0", &["6:1: coordinate nan: expected a finite number"]);
    assert_replaced("1 0 0 0", "1e999 0 0 0", &["6:1: coordinate 1e999: expected a finite number"]);
    assert_replaced("1 0 0 0", "1 0 0 x", &["6:7: marker x: expected an integer, -2147483648..=2147483647"]);
    assert_replaced("1 0 0 0", " 1 0 0", &["6:2: vertex of 3 numbers: expected 4"]);
    assert_replaced("2 1 3 4", "2 1 6 4", &["12:5: node 6: expected 1..=5"]);
    assert_replaced("2 1 3 4", "0 1 2 4", &["12:1: node 0: expected 1..=5"]);
    assert_replaced("2 1 3 4", "2 1 2 4", &["12:5: node 2: expected 3 different ones"]);
    assert_replaced(
        "2 1 3 4",
        "2 1 3 4294967296",
        &["12:7: marker 4294967296: expected an integer, -2147483648..=2147483647"],
    );
    assert_replaced(
        "5 4 3 2 0",
        "4 3 2 1 9",
        &["16:1: tetrahedron 1 2 3 4: expected each once, this one is on line 15 too"],
    );
}

#[test]
fn counts() {
    assert_replaced(
        "Tetrahedra\n2",
        "Tetrahedra\n3",
        &["17:1: number of records 2: expected 3 as the section, line 13, says"],
    );
    assert_replaced(
        "Tetrahedra\n2",
        "Tetrahedra\n1",
        &["16:1: number of records 2: expected 1 as the section, line 13, says"],
    );
    assert_replaced(
        "Vertices\n5",
        "Vertices\n4",
        &["9:1: number of records 5: expected 4 as the section, line 3, says"],
    );
    assert_replaced("Vertices\n5", "Vertices\n-5", &["4:1: number of records -5: expected 0..=4294967295"]);
    assert_replaced(
        "Vertices\n5",
        "Vertices\n4294967296",
        &["4:1: number of records 4294967296: expected 0..=4294967295"],
    );
}

/// Records of another shape than the section's are told by two of them, not by each.
#[test]
fn wrong_shapes_are_reported_twice() {
    let text = whole().replace("Corners", "").replace(VERTICES, &VERTICES.replace(" 0\n", "\n"));
    assert_mistakes(&text, &["5:1: vertex of 3 numbers: expected 4", "6:1: vertex of 3 numbers: expected 4"]);
}

#[test]
fn wrong_records_that_are_not_neighbours_are_all_reported() {
    let text =
        whole().replace("1 0 0 0\n", "1 0 0\n").replace("0 0 1 0\n", "0 0 1\n").replace("1 1 1 0", "1 1 1 x");
    assert_mistakes(
        &text,
        &[
            "6:1: vertex of 3 numbers: expected 4",
            "8:1: vertex of 3 numbers: expected 4",
            "9:7: marker x: expected an integer, -2147483648..=2147483647",
        ],
    );
}

#[test]
fn every_truncation_is_noticed() {
    let whole = whole();
    for length in 0..whole.len() - 1 {
        assert!(read("m", &whole.as_bytes()[..length]).is_err(), "cut at {length}");
    }
}
