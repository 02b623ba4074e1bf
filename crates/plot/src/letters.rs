//! The width of a text, and its breaks into lines. This module must never know where a text stands.
//!
//! A picture is shown in the font of its viewer. The widths are measured in DejaVu Sans, a wide font: elsewhere a text takes
//! less room than it was given.

use textwrap::core::display_width;

/// The widths of the printable characters of ASCII, the space first, in hundredths of the size.
const WIDTHS: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,
    61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97,
    63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// The width of a character that is not in the table, for each column that it takes on a terminal.
const OTHER: f64 = 1.0;

/// The width of a bold text as a multiple of a plain text's.
const BOLD: f64 = 1.15;

/// The size and weight of a text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Font {
    /// The height of a line without the space between lines, in units of the picture.
    pub(super) size: f64,
    pub(super) bold: bool,
}

impl Font {
    pub(super) const fn plain(size: f64) -> Self {
        Self { size, bold: false }
    }

    pub(super) const fn bold(size: f64) -> Self {
        Self { size, bold: true }
    }

    /// From one line to the next.
    pub(super) fn line(self) -> f64 {
        (self.size * 1.3).round()
    }

    /// The width of a text.
    pub(super) fn width(self, text: &str) -> f64 {
        let letter = |letter: char| match (letter as usize).checked_sub(32).and_then(|at| WIDTHS.get(at)) {
            Some(width) => f64::from(*width) / 100.0,
            None => display_width(letter.encode_utf8(&mut [0; 4])) as f64 * OTHER,
        };
        text.chars().map(letter).sum::<f64>() * self.size * if self.bold { BOLD } else { 1.0 }
    }

    /// The lines of a text, each at most this wide. A wider word is broken.
    pub(super) fn wrap(self, text: &str, most: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in clean(text).split_whitespace() {
            let joined = lines.last().map(|line| format!("{line} {word}"));
            match joined.filter(|line| self.width(line) <= most) {
                Some(line) => *lines.last_mut().expect("there is a line to join") = line,
                None => lines.extend(self.broken(word, most)),
            }
        }
        lines
    }

    /// The first lines of a text; three dots stand for the rest.
    pub(super) fn wrap_to(self, text: &str, most: f64, lines: usize) -> Vec<String> {
        let mut wrapped = self.wrap(text, most);
        if wrapped.len() > lines {
            wrapped.truncate(lines);
            if let Some(last) = wrapped.last_mut() {
                while !last.is_empty() && self.width(&format!("{last}…")) > most {
                    last.pop();
                }
                last.push('…');
            }
        }
        wrapped
    }

    /// The width of the widest line.
    pub(super) fn widest(self, lines: &[String]) -> f64 {
        lines.iter().map(|line| self.width(line)).fold(0.0, f64::max)
    }

    /// A word in pieces, each at most this wide or a single character.
    fn broken(self, word: &str, most: f64) -> Vec<String> {
        let mut pieces = vec![String::new()];
        for letter in word.chars() {
            let last = pieces.last_mut().expect("there is a piece");
            if !last.is_empty() && self.width(&format!("{last}{letter}")) > most {
                pieces.push(letter.to_string());
            } else {
                last.push(letter);
            }
        }
        pieces
    }
}

/// A text that XML allows and that every font can show: control characters, marks that turn the direction of writing, and characters
/// of private use are replaced by their escapes.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if letter.is_whitespace() => cleaned.push(' '),
            '\u{fffe}' | '\u{ffff}' => cleaned.push('\u{fffd}'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => {
                cleaned.extend(letter.escape_unicode());
            }
            letter if letter.is_control() => cleaned.extend(letter.escape_unicode()),
            letter => cleaned.push(letter),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_it_may_be() {
        let font = Font::plain(12.0);
        let text = "floating, two processors, anoverlongwordwithoutanyplacewhereitcouldbebroken";
        for most in [30.0, 60.0, 200.0, 2000.0] {
            let lines = font.wrap(text, most);
            assert!(font.widest(&lines) <= most, "{most}: {lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
            let few = font.wrap_to(text, most, 2);
            assert!(few.len() <= 2 && font.widest(&few) <= most, "{few:?}");
            assert_eq!(few != lines, few.last().unwrap().ends_with('…'));
        }
        assert!(font.wrap("", 100.0).is_empty());
    }

    #[test]
    fn a_control_character_is_shown() {
        assert_eq!(clean("a\u{1}b\nc\u{ffff}\u{10ffe9}"), "a\\u{1}b c\u{fffd}\\u{10ffe9}");
    }
}
