//! `#[handlers]`: the form of the messages that it makes, and the order in which they are registered.

#![forbid(unsafe_code)]

use tradewind_tempest::*;

struct Everything {
    counts: Keyed<u64>,
}

/// A message whose code is written by hand.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct ByHand(u64);

impl Message for ByHand {
    type Protocol = Everything;
    fn key(&self) -> Key {
        Key::NoSync
    }
    fn handle(self, _: &Everything, _: &[u64], _: &mut Handler<'_>) {}
}

#[handlers]
impl Everything {
    /// Has padding between two fields and behind the last.
    #[message(key = word, class = System, volume = Request, bytes = 4, payload_word_bytes = 4)]
    fn padded(&self, small: u16, word: u64, last: u8, payload: &[u64], cx: &mut Handler<'_>) {
        assert!(payload.is_empty() && small > 0 && last > 0);
        cx.with(&self.counts, |count, _| *count += word);
    }

    #[message]
    type Listed = ByHand;

    #[message(key = Block(block))]
    fn about_a_block(&self, block: u32, _cx: &mut Handler<'_>) {
        let _ = block;
    }

    #[message(key = Sequential, name = Alone)]
    fn runs_alone(&self, _cx: &mut Handler<'_>) {}

    #[message(key = Self::key_of(number))]
    fn keyed_by_the_protocol(&self, number: u32, _cx: &mut Handler<'_>) {
        let _ = number;
    }

    /// Takes identities of a block, a node and a waiter, which are plain data too.
    #[message(key = block)]
    fn names(&self, block: Block, home: NodeId, waiter: Waiter, _cx: &mut Handler<'_>) {
        let _ = (home, waiter);
    }

    /// Has a keyword as its name, and arguments with names that the attribute uses in the code that it writes.
    #[message(key = payload)]
    fn r#move(&self, payload: u64, cx: u8, messages: u8, words: &[u64], handler: &mut Handler<'_>) {
        assert_eq!((cx, messages, words.len()), (1, 2, 0));
        handler.with(&self.counts, |count, _| *count += 1);
    }

    #[cfg(any())]
    #[message(key = missing)]
    fn left_out(&self, small: u8, large: Missing, _cx: &mut Handler<'_>) {}

    const SHIFT: u32 = { 3 };

    fn key_of(number: u32) -> u64 {
        u64::from(number) << Self::SHIFT
    }
}

impl Protocol for Everything {
    type Config = ();
    fn install(_: &(), setup: &mut Setup<'_>) -> Self {
        Self { counts: setup.keyed(4, |_| 0) }
    }
}

#[test]
fn fields_lie_as_a_struct_by_hand_would_have_them() {
    #[repr(C)]
    struct Hand {
        small: u16,
        word: u64,
        last: u8,
    }
    assert_eq!(size_of::<Padded>(), size_of::<Hand>());
    assert_eq!(std::mem::offset_of!(Padded, word), std::mem::offset_of!(Hand, word));
    assert_eq!(std::mem::offset_of!(Padded, last), std::mem::offset_of!(Hand, last));
    assert_eq!(size_of::<AboutABlock>(), 4);
    assert_eq!(size_of::<Alone>(), 0);
    assert_eq!(size_of::<Names>(), 16);
}

#[test]
fn options_are_those_of_the_message() {
    assert_eq!((Padded::CLASS, Padded::VOLUME), (Class::System, Volume::Request));
    assert_eq!((Padded::BYTES, Padded::PAYLOAD_WORD_BYTES), (4, 4));
    assert_eq!((AboutABlock::CLASS, AboutABlock::VOLUME), (Class::User, Volume::Data));
    assert_eq!((AboutABlock::BYTES, AboutABlock::PAYLOAD_WORD_BYTES), (4, 8));
}

/// The code that the attributes write names everything by its whole path.
mod shadows {
    use tradewind_tempest::{Cells, FinalState, Handler, Homes, Thread};

    #[allow(dead_code)]
    struct Option;
    #[allow(dead_code)]
    struct Result;
    #[allow(dead_code)]
    struct Some;
    #[allow(dead_code)]
    struct Vec;
    #[allow(dead_code)]
    struct String;
    #[allow(dead_code)]
    trait Protocol {}

    /// Inputs have the names of variables of the generated code.
    #[tradewind_tempest::program]
    struct Program {
        #[input(default = 3)]
        task: u32,
        #[input(default = 4)]
        layout: u64,
        #[input(default = 5)]
        r#type: u32,
        #[input(default = 6)]
        inputs: std::option::Option<u32>,
        #[cells(inputs.unwrap_or(task) as usize)]
        plan: Cells<u64>,
        #[shared(layout as usize, homes = Parts)]
        memory: tradewind_tempest::Shared<u64>,
    }

    #[tradewind_tempest::handlers]
    impl Program {
        #[message(key = u64::from(key))]
        fn message(&self, key: u8, _: &mut Handler<'_>) {}

        #[message]
        fn handlers(&self, _: &mut Handler<'_>) {}

        fn main(&self, thread: &Thread<'_>) {
            let _ = (&self.plan, &self.memory, self.task, self.layout, self.inputs, Homes::Parts);
            thread.send(thread.next_node(), Self::message(self.r#type as u8));
            thread.send(thread.next_node(), Self::handlers());
        }

        fn report(&self, _: &mut FinalState<'_>) -> tradewind_tempest::Report {
            tradewind_tempest::Report::default()
        }
    }

    pub(crate) fn inputs() -> [&'static str; 4] {
        [0, 1, 2, 3].map(|at| Program::ENTRY.inputs[at].key)
    }
}

#[test]
fn names_of_a_user_do_not_disturb_what_is_written() {
    assert_eq!(shadows::inputs(), ["task", "layout", "type", "inputs"]);
    assert_eq!(Everything::r#move(5, 1, 2).key(), Key::User(5));
}

#[test]
fn keys_are_those_stated() {
    assert_eq!(Everything::padded(1, 9, 1).key(), Key::User(9));
    assert_eq!(Everything::about_a_block(7).key(), Block(7).key());
    assert_eq!(Everything::runs_alone().key(), Key::Sequential);
    let waiter = Waiter { thread: 1, generation: 2 };
    assert_eq!(Everything::names(Block(3), NodeId(4), waiter).key(), Key::Block(Block(3)));
    assert_eq!(Everything::keyed_by_the_protocol(2).key(), Key::User(16));
}
