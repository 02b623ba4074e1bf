//! The text of one machine file: its TOML, and the places of its keys and values. This module must never know a key of a
//! machine.

use toml_edit::{Document, Item, TableLike};

use super::Error;
use super::notes::{self, Note};

/// The text of a file: the machine's own file, or a base of it.
pub(crate) struct SourceText {
    /// The file's name in errors.
    pub(crate) name: String,
    document: Document<String>,
    lines: Lines,
}

impl SourceText {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// The text is no TOML.
    pub(crate) fn new(name: &str, text: &str) -> Result<Self, Error> {
        let lines = Lines::new(text);
        let document = Document::parse(text.to_owned()).map_err(|error| Error {
            file: name.to_owned(),
            line: Some(error.span().map_or(1, |span| lines.at(span.start))),
            key: String::new(),
            value: None,
            expected: format!("TOML; its reader says: {}", error.message().trim()),
        })?;
        Ok(Self { name: name.to_owned(), document, lines })
    }

    /// The top level of the file.
    pub(crate) fn table(&self) -> &dyn TableLike {
        self.document.as_table()
    }

    /// The notes in the comment that the file begins with.
    pub(crate) fn notes(&self) -> Vec<Note> {
        notes::read(self.document.raw())
    }

    /// The line, from 1, of a place in the text.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.lines.at(offset)
    }

    /// The line of an item, if the parser noted where it stands.
    pub(crate) fn line_of(&self, item: &Item) -> Option<usize> {
        item.span().map(|span| self.line(span.start))
    }

    /// The line of a key of a table.
    pub(crate) fn line_of_key(&self, table: &dyn TableLike, key: &str) -> Option<usize> {
        let item = table.get(key).and_then(|item| self.line_of(item));
        item.or_else(|| Some(self.line(table.key(key)?.span()?.start)))
    }

    /// The comment that follows an item on its last line, without its `#`.
    pub(crate) fn comment_after(&self, item: &Item) -> Option<String> {
        let rest = self.document.raw().get(item.span()?.end..)?;
        let comment = rest.lines().next()?.trim_start().strip_prefix('#')?.trim();
        (!comment.is_empty()).then(|| comment.to_owned())
    }

    /// The text of a value as written, with its quotes. Of a table or a long array it is only the brackets.
    pub(crate) fn written(&self, item: &Item) -> String {
        if item.is_table_like() {
            return "{…}".to_owned();
        }
        match item.span().and_then(|span| self.document.raw().get(span)) {
            Some(text) if !text.contains('\n') => text.to_owned(),
            _ => "[…]".to_owned(),
        }
    }
}

/// The ends of a text's lines, of which the line of any place follows without another look at the text.
struct Lines {
    /// The offset of each line break, in ascending order.
    breaks: Vec<usize>,
}

impl Lines {
    fn new(text: &str) -> Self {
        Self { breaks: text.match_indices('\n').map(|(offset, _)| offset).collect() }
    }

    /// The line, from 1, of an offset in the text. A line break belongs to the line that it ends.
    fn at(&self, offset: usize) -> usize {
        1 + self.breaks.partition_point(|&end| end < offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_belongs_to_the_line_that_it_ends() {
        let lines = Lines::new("a\n\nbc\n");
        let told: Vec<_> = (0..=7).map(|offset| lines.at(offset)).collect();
        assert_eq!(told, [1, 1, 2, 3, 3, 3, 4, 4]);
        assert_eq!(Lines::new("").at(0), 1);
    }
}
