//! Texts from outside the program: their control characters are escaped, and bytes that are no UTF-8 are kept.
//!
//! A name of a file is bytes. [`of`] makes a text of any name and [`os`] gives the name back, so that a name can go wherever a text
//! goes. A byte that is no UTF-8 stands in the text as an unused character: one of the last 128 of the last private
//! plane. [`shown`] writes such a byte, and every character that a terminal would obey, as an escape for people.
//!
//! ```
//! use tradewind_units::text;
//!
//! assert_eq!(text::shown("\u{1b}[31mred"), r"\u{1b}[31mred");
//! assert_eq!(text::os(&text::of("dir/file.mtx")), "dir/file.mtx");
//! ```
//!
//! This module must never know where a text comes from.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;

/// Code point for the byte 0, the origin of the characters that stand for bytes 128 to 255.
const RAW: u32 = 0x10_ff00;

/// The name of a file as a text. A byte that is no UTF-8 becomes an unused character, which [`os`] turns back into the byte.
pub fn of(name: impl AsRef<OsStr>) -> String {
    let mut text = String::new();
    for chunk in name.as_ref().as_encoded_bytes().utf8_chunks() {
        for letter in chunk.valid().chars() {
            match byte(letter) {
                // A character that stands for a byte is kept as its own bytes.
                Some(_) => text.extend(letter.encode_utf8(&mut [0; 4]).bytes().filter_map(raw)),
                None => text.push(letter),
            }
        }
        text.extend(chunk.invalid().iter().copied().filter_map(raw));
    }
    text
}

/// The name of the file of which [`of`] made `text`.
#[cfg(unix)]
pub fn os(text: &str) -> OsString {
    use std::os::unix::ffi::OsStringExt;

    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match byte(letter) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    OsString::from_vec(bytes)
}

/// The name of the file of which [`of`] made `text`; on this system a name with other characters than Unicode's is not found again.
#[cfg(not(unix))]
pub fn os(text: &str) -> OsString {
    text.into()
}

/// The name of a file as a text for people, with escapes as in [`shown`].
pub fn path(name: impl AsRef<OsStr>) -> String {
    shown(&of(name)).into_owned()
}

/// The text with an escape, such as `\u{1b}` or `\xff`, in place of each character that [`is_obeyed`] and each byte that is no
/// UTF-8. Line ends and tabs stay.
pub fn shown(text: &str) -> Cow<'_, str> {
    let stays = |letter: char| matches!(letter, '\n' | '\t') || !is_obeyed(letter) && byte(letter).is_none();
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        let written = match byte(letter) {
            _ if stays(letter) => shown.write_char(letter),
            Some(byte) => write!(shown, "\\x{byte:02x}"),
            None => write!(shown, "{}", letter.escape_unicode()),
        };
        written.expect("a String takes all that is written");
    }
    Cow::Owned(shown)
}

/// Whether a terminal may interpret a character instead of showing it: a control character, or a character that turns the direction
/// of writing.
pub fn is_obeyed(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The character that stands for a byte which is not UTF-8.
fn raw(byte: u8) -> Option<char> {
    char::from_u32(RAW + u32::from(byte))
}

/// The byte that a character stands for; `None` if for itself.
fn byte(letter: char) -> Option<u8> {
    let byte = (letter as u32).checked_sub(RAW)?;
    u8::try_from(byte).ok().filter(|byte| !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_is_shown() {
        let controls = (0..=0x9f).filter_map(char::from_u32).filter(|letter| letter.is_control());
        let kept: Vec<_> = controls.filter(|letter| shown(&letter.to_string()).contains(*letter)).collect();
        assert_eq!(kept, ['\t', '\n']);
        assert_eq!(shown("a\u{1b}]0;t\u{7}\u{9b}31m\u{202e}b"), r"a\u{1b}]0;t\u{7}\u{9b}31m\u{202e}b");
        assert_eq!(shown(r"C:\x1b é"), r"C:\x1b é");
        assert!(matches!(shown("plain"), Cow::Borrowed("plain")));
    }

    #[cfg(unix)]
    #[test]
    fn every_name_comes_back_and_bytes_are_shown() {
        use std::os::unix::ffi::{OsStrExt, OsStringExt};

        let name = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
        let all: Vec<u8> = (1..=255).collect();
        let taken: String = ['\u{10ff7f}', '\u{10ff80}', '\u{10ffff}', 'é'].iter().collect();
        for bytes in [&all[..], b"m\xe9.mtx", b"", b"plain", taken.as_bytes(), b"\xf4\x8f\xbf"] {
            let text = of(name(bytes));
            assert_eq!(os(&text).into_vec(), bytes, "{text:?}");
            assert!(!path(name(bytes)).contains(|letter| byte(letter).is_some()), "{text:?}");
        }
        assert_eq!(path(name(b"m\xe9\x1b.mtx")), r"m\xe9\u{1b}.mtx");
    }
}
