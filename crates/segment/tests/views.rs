//! Public views of a mapping: words in their width and in no other, packed copies, records side by side.
//!
//! All tests also run under Miri, which watches the addresses: `cargo +nightly miri test -p tradewind-segment`.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use tradewind_segment::{AtomicWord, Field, Form, Mapping, Pages, Width, Words};

/// Bytes of a stretch: below and above where memory comes from the system.
const SIZES: [usize; 2] = [192, if cfg!(miri) { 136 << 10 } else { 5 << 20 }];

fn elements(width: Width, bytes: usize) -> Arc<Mapping> {
    Arc::new(Mapping::new([(Form::elements(width), bytes)], Pages::Huge))
}

/// Every word of a stretch is another word, zero at first, and holds the value stored to it.
fn holds<A: AtomicWord<Value: Debug>>(number: impl Fn(usize) -> A::Value) {
    for bytes in SIZES {
        let width = Width::of::<A>();
        let words: Words<A> = elements(width, bytes).words(0).expect("it is of this width");
        assert_eq!(words.len(), bytes / width.bytes());
        assert!(words.as_ptr().addr().is_multiple_of(64), "words begin at a cache line");
        // Miri takes a view of a large slice apart byte by byte.
        let step = if cfg!(miri) { words.len() / 2 } else { 1 };
        let some = || (0..words.len()).step_by(step).chain([words.len() - 1]);
        assert!(some().all(|index| words[index].load(Relaxed) == A::Value::default()));
        some().for_each(|index| words[index].store(number(index), Relaxed));
        let again = words.clone();
        drop(words.mapping().clone());
        assert!(some().all(|index| again[index].load(Relaxed) == number(index)), "{bytes} bytes, {width}");
    }
}

#[test]
fn words_of_every_width_are_zero_and_then_what_was_stored() {
    holds::<AtomicU8>(|number| number as u8);
    holds::<AtomicU16>(|number| number as u16);
    holds::<AtomicU32>(|number| number as u32);
    holds::<AtomicU64>(|number| number as u64);
}

#[test]
fn bytes_are_seen_in_one_width_alone() {
    for width in Width::ALL {
        let mapping = elements(width, 64);
        let seen = [
            mapping.words::<AtomicU8>(0).is_ok(),
            mapping.words::<AtomicU16>(0).is_ok(),
            mapping.words::<AtomicU32>(0).is_ok(),
            mapping.words::<AtomicU64>(0).is_ok(),
        ];
        assert_eq!(seen, Width::ALL.map(|other| other == width));
    }
    let error = elements(Width::Four, 64).words::<AtomicU64>(0).unwrap_err().to_string();
    assert_eq!(error, "no word of 8 bytes begins at byte 0 of the records of stretch 0");
    assert!(elements(Width::Four, 64).words::<AtomicU32>(1).is_err(), "there is one stretch");
}

/// A record of a sum, a count, a flag and a kind, with a byte of nothing.
fn records(count: usize) -> Arc<Mapping> {
    let fields = [
        Field { name: "sum", offset: 0, width: Width::Eight },
        Field { name: "count", offset: 8, width: Width::Four },
        Field { name: "flag", offset: 12, width: Width::One },
        Field { name: "kind", offset: 14, width: Width::Two },
    ];
    let form = Form::record(16, &fields).expect("it is a record");
    Arc::new(Mapping::new([(Form::elements(Width::Eight), 8), (form, 16 * count)], Pages::Usual))
}

#[test]
fn fields_of_a_record_stand_side_by_side() {
    let mapping = records(8);
    let sums = mapping.column::<AtomicU64>(1, 0).unwrap();
    let counts = mapping.column::<AtomicU32>(1, 8).unwrap();
    let flags = mapping.column::<AtomicU8>(1, 12).unwrap();
    let kinds = mapping.column::<AtomicU16>(1, 14).unwrap();
    for index in 0..8 {
        sums.get(index).unwrap().store(u64::MAX - index as u64, Relaxed);
        counts.get(index).unwrap().store(100 + index as u32, Relaxed);
        flags.get(index).unwrap().store(index as u8, Relaxed);
        kinds.get(index).unwrap().store(1000 + index as u16, Relaxed);
    }
    assert!(sums.get(8).is_none() && mapping.column::<AtomicU32>(1, 12).is_err());
    for index in 0..8 {
        assert_eq!(sums.get(index).unwrap().load(Relaxed), u64::MAX - index as u64);
        assert_eq!(counts.get(index).unwrap().load(Relaxed), 100 + index as u32);
        assert_eq!(flags.get(index).unwrap().load(Relaxed), index as u8);
        assert_eq!(kinds.get(index).unwrap().load(Relaxed), 1000 + index as u16);
    }
    assert!(counts.stride(2..5).dense().is_none(), "other fields stand between");
    let some: Vec<_> = counts.stride(2..5).iter().map(|count| count.load(Relaxed)).collect();
    assert_eq!(
        (some, counts.stride(2..5).get(3).is_none(), counts.stride(8..8).len()),
        (vec![102, 103, 104], true, 0)
    );
}

#[test]
fn elements_without_a_gap_are_a_slice() {
    let mapping = elements(Width::Two, 64);
    mapping.words::<AtomicU16>(0).unwrap()[7].store(5, Relaxed);
    let column = mapping.column::<AtomicU16>(0, 0).unwrap();
    let some = column.stride(6..9).dense().expect("nothing stands between");
    assert_eq!(some.iter().map(|word| word.load(Relaxed)).collect::<Vec<_>>(), [0, 5, 0]);
    assert_eq!(column.stride(32..32).dense().map(<[_]>::len), Some(0));
}

#[test]
fn packed_copies_bring_every_field() {
    let (from, to) = (records(8), records(8));
    let count = |mapping: &Arc<Mapping>| mapping.column::<AtomicU32>(1, 8).unwrap();
    count(&from).get(3).unwrap().store(7, Relaxed);
    from.column::<AtomicU16>(1, 14).unwrap().get(3).unwrap().store(9, Relaxed);
    // The records begin at byte 64, behind the other stretch.
    let mut packed = [0; 4];
    from.load(64 + 2 * 16, &mut packed);
    to.store(64 + 4 * 16, &packed);
    assert_eq!(count(&to).get(5).unwrap().load(Relaxed), 7);
    assert_eq!(to.column::<AtomicU16>(1, 14).unwrap().get(5).unwrap().load(Relaxed), 9);
    assert_eq!(count(&to).get(3).unwrap().load(Relaxed), 0);
}

#[test]
fn packed_words_have_the_order_of_memory_in_every_width() {
    let packed = [u64::from_ne_bytes([1, 2, 3, 4, 5, 6, 7, 8]), 9];
    for width in Width::ALL {
        let mapping = elements(width, 64);
        mapping.store(8, &packed);
        let mut found = [0; 4];
        mapping.load(0, &mut found);
        assert_eq!(found, [0, packed[0], packed[1], 0], "{width}");
    }
    let bytes = elements(Width::One, 64);
    bytes.store(8, &packed);
    assert_eq!([8, 10, 15].map(|at| bytes.words::<AtomicU8>(0).unwrap()[at].load(Relaxed)), [1, 3, 8]);
}

#[test]
fn a_packed_copy_beyond_a_stretch_is_refused() {
    let mapping = records(4);
    for (at, words) in [(0, 2), (8, 1), (56, 2), (68, 1), (usize::MAX - 7, 1), (64 + 64, 1), (64, 64)] {
        let load = std::panic::AssertUnwindSafe(|| mapping.load(at, &mut vec![0; words]));
        let store = std::panic::AssertUnwindSafe(|| mapping.store(at, &vec![0; words]));
        assert!(std::panic::catch_unwind(load).is_err(), "{words} words at {at}");
        assert!(std::panic::catch_unwind(store).is_err(), "{words} words at {at}");
    }
}

#[test]
fn an_odd_number_of_elements_has_as_many() {
    let mapping = elements(Width::Four, 12);
    assert_eq!(mapping.words::<AtomicU32>(0).unwrap().len(), 3);
    mapping.store(8, &[u64::MAX]);
    assert_eq!(mapping.words::<AtomicU32>(0).unwrap()[2].load(Relaxed), u32::MAX);
}

#[test]
fn a_mapping_of_nothing_has_no_words() {
    let mapping = Arc::new(Mapping::new([(Form::elements(Width::Two), 0)], Pages::Usual));
    assert!(mapping.words::<AtomicU16>(0).unwrap().is_empty());
    assert_eq!(mapping.column::<AtomicU16>(0, 0).unwrap().len(), 0);
}

/// Two threads store the counters of one record, side by side in one word of 8 bytes: neither disturbs the other.
#[test]
fn neighbours_of_four_bytes_are_changed_by_two_threads() {
    let words: Words<AtomicU32> = elements(Width::Four, 64).words(0).unwrap();
    let rounds = if cfg!(miri) { 100 } else { 100_000 };
    std::thread::scope(|scope| {
        for word in [&words[6], &words[7]] {
            scope.spawn(move || (0..rounds).for_each(|_| word.store(word.load(Relaxed) + 1, Relaxed)));
        }
    });
    assert_eq!([6, 7, 5].map(|index: usize| words[index].load(Relaxed)), [rounds, rounds, 0]);
}

/// Words of memory that is given back are 0 and can be stored to again; their neighbours stay as they are.
#[test]
fn what_is_given_back_is_zero_and_the_rest_stays() {
    const PAGE: usize = 4096;
    for (bytes, at, len) in [(192, 64, 64), (SIZES[1], PAGE, 2 * PAGE), (SIZES[1], 8, 2 * PAGE + 24)] {
        let mapping = elements(Width::Four, bytes);
        let words: Words<AtomicU32> = mapping.words(0).expect("they have 4 bytes");
        // Miri takes a view of a large slice apart byte by byte: once, and few words of it.
        let words: &[AtomicU32] = &words;
        let given = at / 4..(at + len) / 4;
        let step = if cfg!(miri) { len / 16 } else { 1 };
        let around = || (given.start - 2..given.end + 2).step_by(step).chain(given.end - 1..given.end + 2);
        around().for_each(|word| words[word].store(7, Relaxed));
        mapping.give_back(at, len / 8);
        around().for_each(|word| {
            let left = if given.contains(&word) { 0 } else { 7 };
            assert_eq!(
                words[word].load(Relaxed),
                left,
                "word {word} of {bytes} bytes, {len} given back from {at} on"
            );
        });
        words[given.start].store(9, Relaxed);
        assert_eq!(words[given.start].load(Relaxed), 9);
    }
}

#[test]
#[should_panic(expected = "1 words of 8 bytes at byte 192 of a mapping lie in no stretch of it")]
fn nothing_is_given_back_that_is_not_there() {
    elements(Width::Eight, 192).give_back(192, 1);
}
