//! The page that results are written on: its width, its characters, its colours. This module must never know what is
//! written.
//!
//! The width is that of `--width`, else of `COLUMNS`, else of the terminal, else 80. Colour is for terminals, and
//! `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE` are heeded. Characters beyond ASCII need a UTF-8 locale. Nothing is ever
//! said by colour alone.

use std::env;
use std::io::{self, Stdout};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use terminal_size::{Width, terminal_size_of};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use units::text;

/// The width where nothing states one.
const USUAL_WIDTH: usize = 80;

/// The narrowest page that is laid out for; on a narrower one lines are longer than it.
pub const LEAST_WIDTH: u16 = 40;

/// The width beyond which no prose and no table goes on any page: eyes lose the line.
const WIDEST: usize = 160;

/// Units: a line does not begin with one.
const UNITS: [&str; 12] = ["%", "s", "ms", "us", "ns", "B", "kB", "MB", "KiB", "MiB", "MB/s", "MHz"];

/// A space at which no line is broken.
const FIRM_SPACE: &str = "\u{a0}";

/// The style of titles and of what came first.
pub const STRONG: Style = Style::new().bold();

/// The style of heads of columns and of notes.
pub const QUIET: Style = Style::new().dimmed();

/// The style of what must not be missed.
pub const ALARM: Style = AnsiColor::Red.on_default().bold();

/// The colours in which parts of a bar are told apart.
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const MAGENTA: Style = AnsiColor::Magenta.on_default();
pub(crate) const RED: Style = AnsiColor::Red.on_default();

/// The styles that a page shows.
const STYLES: [Style; 7] = [STRONG, QUIET, ALARM, GREEN, YELLOW, MAGENTA, RED];

/// A page.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Columns.
    pub width: usize,
    /// Whether styles can be shown.
    pub colour: bool,
    /// Whether characters beyond ASCII can be shown.
    pub unicode: bool,
}

impl Page {
    /// The page of standard output, of this width if one is given.
    pub fn find(width: Option<u16>) -> Self {
        let columns = || env::var("COLUMNS").ok()?.trim().parse().ok().filter(|columns| *columns > 0);
        let terminal = || terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns);
        let width = width.or_else(columns).or_else(terminal).map_or(USUAL_WIDTH, usize::from);
        Self {
            width: width.clamp(usize::from(LEAST_WIDTH), WIDEST),
            colour: AutoStream::<Stdout>::choice(&io::stdout()) != ColorChoice::Never,
            unicode: is_unicode(),
        }
    }

    /// `text` in a style, if the page has styles.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A line to be printed, with an escape in place of each character that a terminal would obey, but for the styles of this page.
    pub fn shown(&self, line: &str) -> String {
        if !self.colour {
            return text::shown(line).into_owned();
        }
        let styles: Vec<_> =
            STYLES.iter().flat_map(|style| [format!("{style}"), format!("{style:#}")]).collect();
        let mut shown = String::new();
        let mut rest = line;
        while !rest.is_empty() {
            let style = styles.iter().find(|style| rest.starts_with(style.as_str()));
            let next = style.map_or_else(|| rest.chars().next().map_or(0, char::len_utf8), String::len);
            let (piece, behind) = rest.split_at(next);
            shown += &style.map_or_else(|| text::shown(piece), |style| style.as_str().into());
            rest = behind;
        }
        shown
    }

    /// `text` after `head`, broken between words into lines, those after the first indented as far. A number and its unit
    /// stay together, and no word is broken.
    pub fn fold(&self, head: &str, text: &str) -> String {
        self.fold_under(head, columns(head), text)
    }

    /// [`fold`](Self::fold) in a style.
    pub(crate) fn fold_in(&self, style: Style, head: &str, text: &str) -> String {
        self.paint(style, &self.fold(head, text))
    }

    /// `text` after `head`, broken as [`fold`](Self::fold) breaks it, the lines after the first indented by `indent` columns.
    pub(crate) fn fold_under(&self, head: &str, indent: usize, text: &str) -> String {
        let indent = " ".repeat(indent);
        let options = Options::new(self.width)
            .initial_indent(head)
            .subsequent_indent(&indent)
            .break_words(false)
            .word_separator(WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit);
        let text = firm(text);
        let text = if self.unicode { text } else { text.replace('→', "->") };
        if text.is_empty() {
            head.to_owned()
        } else {
            textwrap::fill(&text, options).replace(FIRM_SPACE, " ")
        }
    }

    /// `text` after `head` on one line, whose end is left out where the page is too narrow for it.
    pub(crate) fn cut(&self, head: &str, text: &str) -> String {
        let (whole, mark) = (format!("{head}{text}"), if self.unicode { "…" } else { "..." });
        if columns(&whole) <= self.width {
            return whole;
        }
        let mut line = head.to_owned();
        for word in text.split_whitespace() {
            let longer =
                format!("{line}{}{word}", if line.is_empty() || line.ends_with(' ') { "" } else { " " });
            if columns(&longer) + columns(mark) > self.width {
                break;
            }
            line = longer;
        }
        line.trim_end_matches([',', ':', ';', ' ']).to_owned() + mark
    }

    /// [`fold`](Self::fold), with the first `name` in the text in the style of titles.
    pub(crate) fn fold_strong(&self, name: &str, head: &str, text: &str) -> String {
        self.fold(head, text).replacen(name, &self.paint(STRONG, name), 1)
    }
}

/// The number of columns that a text takes; escape sequences take none.
pub(crate) fn columns(text: &str) -> usize {
    textwrap::core::display_width(text)
}

/// The words of a text with one space between them, a firm one between a number and its unit.
fn firm(text: &str) -> String {
    let mut joined = String::new();
    for word in text.split_whitespace() {
        let unit = word.trim_end_matches([',', '.', ';', ':', ')']);
        let is_quantity = joined.ends_with(|last: char| last.is_ascii_digit()) && UNITS.contains(&unit);
        match joined.is_empty() {
            true => {}
            false if is_quantity => joined += FIRM_SPACE,
            false => joined.push(' '),
        }
        joined += word;
    }
    joined
}

/// Whether characters beyond ASCII can be shown.
pub fn is_unicode() -> bool {
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
        assert_eq!(page.fold("a: ", ""), "a: ");
        let narrow = Page { width: 10, ..page };
        assert_eq!(narrow.fold("", "takes 27 %, at 5 most"), "takes\n27 %, at 5\nmost");
        // A word is never broken.
        assert_eq!(page.fold("", &"x-y".repeat(33)).len(), 99);
    }

    #[test]
    fn what_is_not_seen_takes_no_room() {
        let page = Page { width: 12, colour: true, unicode: true };
        let folded = page.fold("", &format!("{} words here", page.paint(ALARM, "six")));
        assert_eq!(folded.lines().count(), 2, "{folded:?}");
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
