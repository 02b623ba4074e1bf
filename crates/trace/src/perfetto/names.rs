//! Interned names of a trace: each is written once, with a number, and events refer to the number.
//!
//! This module must never know an event; its users give the names.

use std::collections::HashMap;

use super::schema::{InternedData, Name};
use crate::Cast;

/// Words of our own, known from the start: their numbers are their places in this list, from one.
const WORDS: [&str; 8] = [
    "send",
    "arrive",
    "deposit",
    "place",
    "interrupt",
    "thread runs",
    "before the first phase",
    "unknown message",
];

pub(crate) const SEND: u64 = 1;
pub(crate) const ARRIVE: u64 = 2;
pub(crate) const DEPOSIT: u64 = 3;
pub(crate) const PLACE: u64 = 4;
pub(crate) const INTERRUPT: u64 = 5;
pub(crate) const THREAD_RUNS: u64 = 6;
pub(crate) const BEFORE_PHASES: u64 = 7;
const UNKNOWN_MESSAGE: u64 = 8;

/// Names of the annotations of events, numbered separately.
const ANNOTATIONS: [&str; 4] = ["to", "from", "bytes", "message"];

pub(crate) const TO: u64 = 1;
pub(crate) const FROM: u64 = 2;
pub(crate) const BYTES: u64 = 3;
pub(crate) const MESSAGE: u64 = 4;

/// Numbers of event names: ours, then the messages, then the threads, then the program's words as they come.
///
/// A message has the same number as an event name and as the value of an annotation.
pub(crate) struct Names {
    messages: u64,
    threads: u64,
    words: HashMap<&'static str, u64>,
}

impl Names {
    /// Makes the names of a cast, and the packet data that interns them.
    pub(crate) fn new(cast: &Cast) -> (Self, InternedData) {
        let messages = cast.messages.len() as u64;
        let names = Self { messages, threads: cast.threads.into(), words: HashMap::new() };
        let message = || cast.messages.iter().map(|path| last_segments(path));
        let mut event_names = numbered(1, WORDS);
        event_names.extend(numbered(names.first_message(), message()));
        let threads = (0..cast.threads).map(|thread| format!("thread {thread}"));
        event_names.extend(numbered(names.first_thread(), threads));
        let mut values = numbered(names.first_message(), message());
        values.push(name(UNKNOWN_MESSAGE, WORDS[UNKNOWN_MESSAGE as usize - 1]));
        let data = InternedData {
            event_names,
            debug_annotation_names: numbered(1, ANNOTATIONS),
            debug_annotation_string_values: values,
        };
        (names, data)
    }

    /// The name of a message; one and the same for all that the cast does not know.
    pub(crate) fn message(&self, message: u16) -> u64 {
        let message = u64::from(message);
        if message < self.messages { self.first_message() + message } else { UNKNOWN_MESSAGE }
    }

    /// The name of a thread that the cast knows.
    pub(crate) fn thread(&self, thread: u32) -> u64 {
        self.first_thread() + u64::from(thread)
    }

    /// Number of a word, and at its first use the packet data that interns it.
    pub(crate) fn word(&mut self, word: &'static str) -> (u64, Option<InternedData>) {
        let next = self.first_thread() + self.threads + self.words.len() as u64;
        let iid = *self.words.entry(word).or_insert(next);
        let data =
            (iid == next).then(|| InternedData { event_names: vec![name(iid, word)], ..Default::default() });
        (iid, data)
    }

    fn first_message(&self) -> u64 {
        1 + WORDS.len() as u64
    }

    fn first_thread(&self) -> u64 {
        self.first_message() + self.messages
    }
}

fn numbered(first: u64, names: impl IntoIterator<Item = impl Into<String>>) -> Vec<Name> {
    (first..).zip(names).map(|(iid, text)| name(iid, text)).collect()
}

fn name(iid: u64, name: impl Into<String>) -> Name {
    Name { iid: Some(iid), name: Some(name.into()) }
}

/// The path of a type without where it stands: `a::Update<b::Wide>` is `Update<Wide>`.
fn last_segments(path: &str) -> String {
    let mut short = String::new();
    for segment in path.split("::") {
        let kept = short.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_').len();
        short.truncate(kept);
        short.push_str(segment);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shortened_also_inside() {
        for (path, short) in [
            ("", ""),
            ("Add", "Add"),
            ("apps::em3d::Update", "Update"),
            ("a::Update<b::Wide, c::d::Deep<e::Er>>", "Update<Wide, Deep<Er>>"),
        ] {
            assert_eq!(last_segments(path), short);
        }
    }

    #[test]
    fn no_two_names_share_a_number() {
        let cast = Cast { messages: vec!["a::A", "b::A"], threads: 3, ..Cast::default() };
        let (mut names, data) = Names::new(&cast);
        let (lock, first) = names.word("lock");
        let (barrier, second) = names.word("barrier");
        let mut all = data.event_names;
        all.extend([first, second].into_iter().flatten().flat_map(|data| data.event_names));
        let numbers: Vec<_> = all.iter().filter_map(|name| name.iid).collect();
        assert_eq!(numbers, (1..=WORDS.len() as u64 + 2 + 3 + 2).collect::<Vec<_>>());
        let text = |iid: u64| all[iid as usize - 1].name.as_deref();
        assert_eq!([names.message(1), names.message(2)].map(text), [Some("A"), Some("unknown message")]);
        assert_eq!(text(names.thread(2)), Some("thread 2"));
        assert_eq!([lock, barrier].map(text), [Some("lock"), Some("barrier")]);
        assert_eq!(names.word("lock"), (lock, None));
    }

    #[test]
    fn our_words_have_the_numbers_that_we_say() {
        let word = |iid: u64| WORDS[iid as usize - 1];
        assert_eq!(
            [SEND, ARRIVE, DEPOSIT, PLACE, INTERRUPT, THREAD_RUNS, BEFORE_PHASES, UNKNOWN_MESSAGE].map(word),
            WORDS
        );
        assert_eq!([TO, FROM, BYTES, MESSAGE].map(|iid| ANNOTATIONS[iid as usize - 1]), ANNOTATIONS);
    }
}
