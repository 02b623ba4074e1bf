//! Memory of a file that several processes map, seen by two mappings of one process.

#![cfg(all(target_os = "linux", not(miri)))]

use std::fs::File;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};

use rustix::fs::{SealFlags, fcntl_add_seals};
use tradewind_segment::{Form, Mapping, MemorySource, Pages, SharedFile, Width, Words};

/// The size of a page of the system.
fn page() -> usize {
    rustix::param::page_size()
}

fn eight(bytes: usize) -> [(Form, usize); 1] {
    [(Form::elements(Width::Eight), bytes)]
}

fn file() -> Arc<SharedFile> {
    Arc::new(SharedFile::new().expect("Linux has memory files"))
}

/// Allocates words of 8 bytes.
fn allocate(file: &Arc<SharedFile>, bytes: usize) -> Arc<Mapping> {
    Arc::new(MemorySource::Shared(Arc::clone(file)).mapping(eight(bytes), Pages::Huge))
}

/// Adopts a file by a duplicate of its descriptor, as another process does.
fn adopted(file: &SharedFile) -> std::io::Result<SharedFile> {
    SharedFile::adopt(file.descriptor().try_clone_to_owned().expect("a descriptor can be duplicated"))
}

fn words(mapping: Mapping) -> Words<AtomicU64> {
    Arc::new(mapping).words(0).expect("words of 8 bytes")
}

/// The text of the panic of an allocation.
fn refused(allocates: impl FnOnce() -> Arc<Mapping>) -> String {
    let panic = catch_unwind(AssertUnwindSafe(allocates)).expect_err("the allocation is refused");
    panic.downcast_ref::<String>().expect("it says why").clone()
}

#[test]
fn two_mappings_of_one_piece_show_the_same_words() {
    let file = file();
    let first = allocate(&file, 24);
    let source = MemorySource::Shared(Arc::clone(&file));
    let forms = || [(Form::elements(Width::Two), 6), (Form::elements(Width::Eight), 5 << 20)];
    let second = Arc::new(source.mapping(forms(), Pages::Huge));
    assert_eq!((first.place_in_file(), second.place_in_file()), (Some(0), Some(page() as u64)));
    // 64 bytes and 5 MiB in whole pages, behind the page of the first piece.
    assert_eq!(file.len(), (page() + (64_usize + (5 << 20)).next_multiple_of(page())) as u64);
    let last = (5 << 20) / 8 - 1;
    second.words::<AtomicU64>(1).unwrap()[last].store(7, Relaxed);
    second.words::<AtomicU16>(0).unwrap()[2].store(5, Relaxed);
    let same = words(file.map(0, eight(24)).unwrap());
    file.seal().unwrap();
    file.seal().unwrap();
    let there = adopted(&file).unwrap();
    let again = Arc::new(there.map(page() as u64, forms()).unwrap());
    assert_eq!((there.len(), again.place_in_file()), (file.len(), Some(page() as u64)));
    assert_eq!(again.words::<AtomicU64>(1).unwrap()[last].load(Relaxed), 7);
    assert_eq!(again.words::<AtomicU16>(0).unwrap()[2].load(Relaxed), 5);
    same[2].store(9, Relaxed);
    words(there.map(0, eight(24)).unwrap())[1].store(8, Relaxed);
    let first: Words<AtomicU64> = first.words(0).unwrap();
    assert_eq!([0, 1, 2].map(|at: usize| first[at].load(Relaxed)), [0, 8, 9]);
    // A mapping needs neither the file's handle nor its descriptor.
    drop((file, there, source));
    again.store(64, &[3]);
    assert_eq!(second.words::<AtomicU64>(1).unwrap()[0].load(Relaxed), 3);
}

#[test]
fn memory_of_this_process_alone_lies_in_no_file() {
    let mapping = MemorySource::default().mapping(eight(5 << 20), Pages::Huge);
    assert_eq!(mapping.place_in_file(), None);
}

#[test]
fn a_file_that_could_become_shorter_is_not_adopted() {
    let ordinary = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
    let error = SharedFile::adopt(ordinary.into()).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            ErrorKind::InvalidData,
            "a file to be shared is not sealed: expected a memory file whose length is sealed against change"
        )
    );
    let file = file();
    allocate(&file, 8);
    assert_eq!(adopted(&file).unwrap_err().kind(), ErrorKind::InvalidData);
    for seal in [SealFlags::GROW, SealFlags::SHRINK] {
        fcntl_add_seals(file.descriptor(), seal).unwrap();
        assert_eq!(adopted(&file).unwrap_err().kind(), ErrorKind::InvalidData, "{seal:?} is not all");
    }
    file.seal().unwrap();
    assert!(adopted(&file).is_ok());
}

#[test]
fn a_piece_beyond_the_end_or_between_pages_is_not_mapped() {
    let file = file();
    allocate(&file, 2 * page());
    let (page, bytes) = (page() as u64, page());
    let end = 2 * page;
    let places = [
        (8, 64),
        (page / 2, 64),
        (page, bytes + 1),
        (end, 0),
        (end, 64),
        (0, usize::MAX),
        (0, 1 << 62),
        (u64::MAX - page + 1, bytes),
        (u64::MAX, 64),
    ];
    for (at, bytes) in places {
        let error = file.map(at, eight(bytes)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{bytes} bytes at {at}: {error}");
    }
    assert_eq!(
        file.map(8, eight(64)).unwrap_err().to_string(),
        format!(
            "a piece of 64 bytes at byte 8 of a shared file of {end} bytes: expected a multiple of {page} and a piece \
             within the file"
        )
    );
    assert!(words(file.map(page, eight(0)).unwrap()).is_empty());
    assert_eq!(words(file.map(page, eight(bytes)).unwrap()).len(), bytes / 8);
}

#[test]
fn a_sealed_file_has_no_room_for_more() {
    let file = file();
    allocate(&file, 8);
    file.seal().unwrap();
    let says = "the system has no room for a mapping of 64 bytes: the shared file is sealed";
    assert_eq!(refused(|| allocate(&file, 8)), says);
    assert_eq!(refused(|| allocate(&Arc::new(adopted(&file).unwrap()), 8)), says);
    assert!(File::from(file.descriptor().try_clone_to_owned().unwrap()).set_len(0).is_err());
    assert_eq!(file.len(), page() as u64);
}

#[test]
fn more_than_can_be_addressed_is_refused_and_leaves_the_file_as_it_was() {
    let file = file();
    for bytes in [1 << 48, 1 << 62] {
        let says = refused(|| allocate(&file, bytes));
        let expected = format!("the system has no room for a mapping of {bytes} bytes: ");
        assert!(says.starts_with(&expected), "{says}");
    }
    assert_eq!(allocate(&file, 8).place_in_file(), Some(0));
    assert_eq!(
        File::from(file.descriptor().try_clone_to_owned().unwrap()).metadata().unwrap().len(),
        file.len()
    );
}

#[test]
fn memory_that_is_given_back_is_zero_in_every_mapping() {
    let file = file();
    allocate(&file, 8);
    let mapping = allocate(&file, 4 * page());
    file.seal().unwrap();
    let there = words(adopted(&file).unwrap().map(page() as u64, eight(4 * page())).unwrap());
    // Whole pages, and part of a page.
    for (at, bytes) in [(page(), 2 * page()), (8, page())] {
        there.iter().for_each(|word| word.store(7, Relaxed));
        let memory = || File::from(file.descriptor().try_clone_to_owned().unwrap());
        let taken = || std::os::unix::fs::MetadataExt::blocks(&memory().metadata().unwrap());
        let before = taken();
        mapping.give_back(at, bytes / 8);
        // A load takes memory again.
        assert_eq!(taken() < before, at == page(), "whole pages go back");
        let given = at / 8..(at + bytes) / 8;
        let wrong = |&word: &usize| there[word].load(Relaxed) != if given.contains(&word) { 0 } else { 7 };
        assert_eq!((0..there.len()).find(wrong), None, "{bytes} bytes from {at} on");
        there[given.start].store(9, Relaxed);
        assert_eq!(mapping.words::<AtomicU64>(0).unwrap()[given.start].load(Relaxed), 9);
    }
}
