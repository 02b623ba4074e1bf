//! Tests of credit windows.

use tempest::world::MessageId;

use crate::rings::windows::Windows;

const ID: MessageId = MessageId(1);

/// Widens the window until it no longer changes. Returns it.
fn widest(windows: &Windows) -> u64 {
    (0..64).for_each(|_| windows.widen(ID, windows.of(ID)));
    windows.of(ID)
}

#[test]
fn a_window_widens_to_the_most_and_no_further() {
    let windows = Windows::new(2, 32, 100, 1_000);
    assert_eq!(windows.of(ID), 32);
    windows.widen(ID, 32);
    windows.widen(ID, 32);
    assert_eq!(windows.of(ID), 64, "two senders that run out together widen it once");
    assert_eq!(widest(&windows), 100);
    assert_eq!(windows.of(MessageId(0)), 32, "another kind has a window of its own");
    assert_eq!(Windows::new(1, 32, 3, 1_000).of(MessageId(0)), 3);
}

#[test]
fn a_window_follows_the_worst_handler() {
    let windows = Windows::new(2, 0, 4_096, 1_000);
    assert_eq!(windows.of(ID), 1, "one may always come");
    assert_eq!(widest(&windows), 1_000, "as if each left a word");
    windows.narrow(ID, 20);
    assert_eq!(windows.of(ID), 50);
    windows.narrow(ID, 10);
    assert_eq!(widest(&windows), 50);
    windows.narrow(ID, 5_000);
    assert_eq!(widest(&windows), 1);
}
