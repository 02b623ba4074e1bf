//! The input files that a study needs and that do not travel with it. This module must never know whether a file is there.

use super::contents::{Origin, OwnFile, Source};
use super::figure;
use crate::toml::Table;

/// Reads the files of `[files]`. A file that no run reads is a mistake, unless the runs have mistakes themselves.
pub(super) fn files(top: &Table<'_>, sources: &[Source], are_read: bool) -> Vec<OwnFile> {
    let Some(table) = top.table("files") else { return Vec::new() };
    let own = |(name, what): (String, String)| OwnFile { place: table.place_of(&name), name, what };
    let files: Vec<_> = figure::labels(&table).into_iter().map(own).collect();
    let reads = |file: &OwnFile, source: &Source| match &source.origin {
        Origin::Run(run) => file.is_read_by(run),
        _ => false,
    };
    for file in files.iter().filter(|_| are_read) {
        if !sources.iter().any(|source| reads(file, source)) {
            table.refuse(&file.name, "a file that an input of a run names");
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use crate::study::read;

    const STUDY: &str = r#"
summary = "s"
[files]
"m.mtx" = "a matrix of one's own"

[[run]]
program = "toy"
machine = "cm-5"
inputs = { matrix = "m.mtx" }
"#;

    #[test]
    fn a_study_says_which_files_it_needs_and_a_run_reads_each() {
        let study = read("s.toml", STUDY).unwrap();
        let [file] = study.files.as_slice() else { panic!("{:?}", study.files) };
        assert_eq!(
            (file.name.as_str(), file.what.as_str(), file.place.line),
            ("m.mtx", "a matrix of one's own", 4)
        );
        let unread = read("s.toml", &STUDY.replace("matrix = \"m.mtx\"", "matrix = \"n.mtx\"")).unwrap_err();
        let expected = "s.toml:4:11: files.m.mtx = \"a matrix of one's own\": expected a file that an input of a run names";
        assert_eq!(unread[0].to_string(), expected);
    }
}
