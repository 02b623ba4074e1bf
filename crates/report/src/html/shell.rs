//! The frame of every page: head, style, table of contents, figures. This module must never know the subject of a page.

use std::fmt::Write;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::prose::prose;
use plot::Picture;

/// The style of all pages, without the colours of pictures.
const STYLE: &str = include_str!("style.css");

/// A page with its parts.
pub(super) struct Shell {
    /// The title of the page and of its window.
    pub(super) title: String,
    /// The text below the title.
    pub(super) head: Markup,
    /// The table of contents.
    pub(super) contents: Vec<Entry>,
    /// The parts, one after the other.
    pub(super) body: Markup,
    /// The last line.
    pub(super) foot: String,
}

/// A line of the table of contents.
pub(super) enum Entry {
    /// A word over the entries that follow.
    Group(String),
    /// A part of the page, and the name of its place.
    Part(String, String),
}

impl Shell {
    /// The page as a text, whole.
    pub(super) fn page(&self) -> String {
        let Self { title, head, contents, body, foot } = self;
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="generator" content=(concat!("tradewind ", env!("CARGO_PKG_VERSION")));
                    link rel="icon" href="data:,";
                    title { (title) }
                    style { (PreEscaped(STYLE)) (PreEscaped(dark())) }
                }
                body {
                    div.sheet {
                        header { h1 { (title) } (head) }
                        nav aria-label="Contents" {
                            p { "Contents" }
                            ol { @for entry in contents { (line(entry)) } }
                        }
                        main { (body) footer { (prose(foot)) } }
                    }
                }
            }
        };
        page.into_string() + "\n"
    }
}

fn line(entry: &Entry) -> Markup {
    match entry {
        Entry::Group(word) => html! { li.group { (word) } },
        Entry::Part(name, place) => html! { li { a href=(format!("#{place}")) { (name) } } },
    }
}

/// The colours that pictures have on a dark page. Pictures by themselves have light ones only.
fn dark() -> String {
    let mut rules = String::from("@media screen and (prefers-color-scheme: dark) {\n");
    for (light, dark) in plot::DARK {
        for kind in ["fill", "stroke"] {
            let _ = writeln!(rules, "  svg [{kind}=\"{light}\"] {{ {kind}: {dark}; }}");
        }
    }
    rules + "}\n"
}

/// A picture within a page, under a name that no other picture of the page has.
pub(super) fn figure(name: &str, picture: &Picture) -> Markup {
    let place = place(name);
    html! {
        figure id=(place) { (PreEscaped(plot::svg(picture))) }
    }
}

/// The heads of the columns of a table; `#` marks a column of numbers.
pub(super) fn heads(heads: &[&str]) -> Markup {
    html! {
        thead {
            tr {
                @for head in heads {
                    @if let Some(head) = head.strip_prefix('#') { th.number scope="col" { (head) } }
                    @else { th scope="col" { (head) } }
                }
            }
        }
    }
}

/// The name of a place, made of letters, digits and hyphens.
pub(super) fn place(name: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_nothing_is_loaded() {
        let shell = Shell {
            title: "<script>alert(1)</script> & more".to_owned(),
            head: html! { p { "a < b" } },
            contents: vec![
                Entry::Group("Studies".to_owned()),
                Entry::Part("one".to_owned(), place("A study: 1")),
            ],
            body: figure("a b", &Picture { title: "x < y".to_owned(), ..Picture::default() }),
            foot: String::new(),
        };
        let page = shell.page();
        assert!(
            !page.contains("<script") && page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; more")
        );
        assert!(page.contains("href=\"#a-study--1\"") && page.contains("id=\"a-b\""));
        for loaded in ["src=", "@import", "url(http", "<link rel=\"stylesheet"] {
            assert!(!page.contains(loaded), "{loaded}");
        }
    }
}
