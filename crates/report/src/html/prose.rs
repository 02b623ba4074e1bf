//! Sentences of documents in a page: code in back-ticks is set as code. This module must never know the subject of a sentence.

use maud::{Markup, html};

/// A text of a document. Code in back-ticks becomes an element of code without them; a back-tick without a partner stays.
pub(super) fn prose(text: &str) -> Markup {
    let pieces: Vec<_> = text.split('`').collect();
    html! {
        @for (at, piece) in pieces.iter().enumerate() {
            @if at % 2 == 0 { (piece) }
            @else if at + 1 == pieces.len() { "`" (piece) }
            @else { code { (piece) } }
        }
    }
}

/// A text of a document as a sentence: with a capital, and with a full stop if it has no other end.
pub(super) fn sentence(text: &str) -> Markup {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    prose(&format!("{first}{}{end}", letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_back_ticks_becomes_an_element() {
        let text = |text: &str| prose(text).into_string();
        assert_eq!(
            text("`can` has no `sender-injects`"),
            "<code>can</code> has no <code>sender-injects</code>"
        );
        assert_eq!(text("with `--set a=<b>`."), "with <code>--set a=&lt;b&gt;</code>.");
        assert_eq!(text("`a` and a ` alone"), "<code>a</code> and a ` alone");
        assert_eq!(text("none"), "none");
    }

    #[test]
    fn a_sentence_has_a_capital_and_an_end() {
        let text = |text: &str| sentence(text).into_string();
        assert_eq!(
            ["by default", "Why?", "`a` runs"].map(text),
            ["By default.", "Why?", "<code>a</code> runs."]
        );
    }
}
