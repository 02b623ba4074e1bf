//! The notes at the head of a machine file: the works that its sources name by number, and the meanings of its words
//! for a source.
//!
//! The comment that a file begins with has them, each on a line of its own that further lines may continue, indented:
//!
//! ```text
//! # [1] A. Author, "A Machine", A Conference 1996. What the file says about the machine comes from there: the clock,
//! #     the network.
//! # "fit: CLAIM": not stated in [1]; chosen so that the claim of that name comes out.
//! ```
//!
//! All other lines of that comment are for readers of the file. This module must never know which numbers and words there are.

/// A note on sources, from the comment at the head of a machine file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The mark by which a value's source names the note: `[1]`, or a word such as `fit`.
    pub mark: String,
    /// The text of the note, on one line.
    pub text: String,
}

/// The indentation of a line that continues a note, in blanks behind the `#`.
const INDENTED: &str = "  ";

/// The notes in the comment that a file begins with.
pub(crate) fn read(text: &str) -> Vec<Note> {
    let head = text.lines().map_while(|line| line.strip_prefix('#'));
    let mut notes: Vec<Note> = Vec::new();
    let mut open = false;
    for line in head {
        if line.starts_with(INDENTED) {
            if let Some(note) = notes.last_mut().filter(|_| open) {
                note.text = [&note.text, " ", &words(line)].concat();
            }
            continue;
        }
        let begun = begin(line.trim());
        open = begun.is_some();
        notes.extend(begun);
    }
    notes
}

/// The note that a line begins.
fn begin(line: &str) -> Option<Note> {
    let (mark, text) = match line.strip_prefix('"') {
        Some(rest) => {
            let (phrase, text) = rest.split_once("\":")?;
            (phrase.split([':', ' ']).next()?, text)
        }
        None => {
            let (mark, text) = line.split_once(' ')?;
            let number = mark.strip_prefix('[')?.strip_suffix(']')?;
            if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            (mark, text)
        }
    };
    Some(Note { mark: mark.to_owned(), text: words(text) })
}

/// A text with one blank between words.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_at_the_head_has_works_and_words() {
        let text = "# A machine. [2] is no note here.\n#\n# [1] A. Author, \"A Machine\",\n#     1996.\n\
                    # \"fit: CLAIM\": not stated;\n#     chosen:  a  table\n# \"held\": kept\n# \"cycles\" are those of\n\
                    #     the processor\n# [1], \"split\" as elsewhere\n\n# [3] Not at the head.\nname = \"x\"\n";
        let notes = read(text);
        let told: Vec<_> = notes.iter().map(|note| (note.mark.as_str(), note.text.as_str())).collect();
        assert_eq!(
            told,
            [
                ("[1]", "A. Author, \"A Machine\", 1996."),
                ("fit", "not stated; chosen: a table"),
                ("held", "kept")
            ]
        );
        assert_eq!(read("name = \"x\"\n# [1] A. Author\n"), []);
    }
}
