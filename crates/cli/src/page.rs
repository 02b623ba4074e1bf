//! What results are written on: how wide it is, which characters and colours it has. Must never know what is written.
//!
//! The width is what `--width` says, else `COLUMNS`, else that of the terminal, else 80. Colour is for terminals, and
//! `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE` are heard. Characters beyond ASCII need a UTF-8 locale. Nothing is ever
//! said by colour alone.

use std::env;
use std::io::{self, Stdout};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use terminal_size::{Width, terminal_size_of};

/// The width where nobody says.
const USUAL_WIDTH: usize = 80;

/// The narrowest page that is laid out for; on a narrower one lines are longer than it.
pub(crate) const LEAST_WIDTH: u16 = 40;

/// Prose and tables are not wider than this on any page: eyes lose the line.
const WIDEST: usize = 160;

/// What a line does not begin with after a number.
const UNITS: [&str; 12] = ["%", "s", "ms", "us", "ns", "B", "kB", "MB", "KiB", "MiB", "MB/s", "MHz"];

/// Titles and what came first.
pub(crate) const STRONG: Style = Style::new().bold();

/// What need not be read: heads of columns, notes.
pub(crate) const QUIET: Style = Style::new().dimmed();

/// What must not be missed.
pub(crate) const ALARM: Style = AnsiColor::Red.on_default().bold();

/// Where results go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// Columns.
    pub(crate) width: usize,
    /// Whether styles can be shown.
    pub(crate) colour: bool,
    /// Whether characters beyond ASCII can.
    pub(crate) unicode: bool,
}

impl Page {
    /// Standard output, of this width if one is given.
    pub(crate) fn find(width: Option<u16>) -> Self {
        let columns = || env::var("COLUMNS").ok()?.trim().parse().ok().filter(|columns| *columns > 0);
        let terminal = || terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns);
        let width = width.or_else(columns).or_else(terminal).map_or(USUAL_WIDTH, usize::from);
        Self {
            width: width.clamp(usize::from(LEAST_WIDTH), WIDEST),
            colour: AutoStream::<Stdout>::choice(&io::stdout()) != ColorChoice::Never,
            unicode: is_unicode(),
        }
    }

    /// `text` in a style, if there are styles here.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// `text` after `head`, broken between words into lines, those after the first indented as far. A number and its
    /// unit stay together.
    pub(crate) fn fold(&self, head: &str, text: &str) -> String {
        let indent = head.chars().count();
        let (mut folded, mut column) = (head.to_owned(), indent);
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let unit = words.next_if(|next| is_quantity(word, next));
            let word = unit.map_or_else(|| word.to_owned(), |unit| format!("{word} {unit}"));
            let width = word.chars().count();
            if column > indent && column + 1 + width > self.width {
                folded += &format!("\n{:indent$}", "");
                column = indent;
            } else if column > indent {
                folded.push(' ');
                column += 1;
            }
            folded += &word;
            column += width;
        }
        folded
    }
}

/// Whether two words are a number and its unit.
fn is_quantity(number: &str, unit: &str) -> bool {
    let unit = unit.trim_end_matches([',', '.', ';', ':', ')']);
    number.ends_with(|last: char| last.is_ascii_digit()) && UNITS.contains(&unit)
}

/// Whether characters beyond ASCII can be shown.
pub(crate) fn is_unicode() -> bool {
    is_utf8(|name| env::var(name).ok())
}

/// Whether the locale that is in force for characters is one of UTF-8.
fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &&str| variable(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set).unwrap_or_default().to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_broken_between_words() {
        let page = Page { width: 80, colour: false, unicode: true };
        let folded = page.fold("  why: ", &"eight88 ".repeat(12));
        let lines: Vec<_> = folded.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  why: eight88") && lines[0].len() <= 80);
        assert!(lines[1].starts_with("       eight88") && !lines[1].ends_with(' '));
        assert_eq!(page.fold("a: ", "b"), "a: b");
        let narrow = Page { width: 10, ..page };
        assert_eq!(narrow.fold("", "takes 27 %, at 5 most"), "takes\n27 %, at 5\nmost");
        // A word is never broken.
        assert_eq!(page.fold("", &"x".repeat(99)).len(), 99);
    }

    #[test]
    fn the_first_locale_variable_that_is_set_decides() {
        let locale = |set: &'static [(&str, &str)]| {
            is_utf8(move |name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(locale(&[("LANG", "en_GB.UTF-8")]));
        assert!(locale(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")]));
        assert!(!locale(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(!locale(&[]));
    }

    #[test]
    fn a_page_without_colour_shows_none() {
        let page = Page { width: 80, colour: false, unicode: true };
        assert_eq!(page.paint(ALARM, "no"), "no");
        assert!(Page { colour: true, ..page }.paint(ALARM, "no").starts_with('\x1b'));
    }
}
