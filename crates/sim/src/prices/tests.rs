//! Price lists in round numbers, and the lists of every shipped machine against the plain sums of their prices.

use super::*;

fn ns(n: u64) -> Time {
    Time::from_nanoseconds(n)
}

fn price(n: u64) -> Option<ByClass<Cost>> {
    Some(ByClass::uniform(Cost { path: ns(n), ..Cost::default() }))
}

impl PriceLists {
    /// Price lists from one list, with round numbers for work, lines and queues.
    pub(crate) fn in_round_numbers(general: &Primitives, alone: Alone<'_>) -> Self {
        Self::in_sections(general, None, None, alone)
    }

    /// Price lists from the lists of each kind of processor.
    fn in_sections(
        general: &Primitives,
        network: Option<&Primitives>,
        embedded: Option<&Primitives>,
        alone: Alone<'_>,
    ) -> Self {
        let operations = hardware::Prices::new(&WORK);
        let own_operations = [operations.clone(), operations.clone()];
        Self {
            machine: "pencil".to_owned(),
            lists: Self::lists(general, [network, embedded], &operations, own_operations, alone),
            has_embedded: embedded.is_some(),
            fetch: ns(6),
            check: ns(0),
            visible: ns(9),
        }
    }
}

/// General prices of some primitives.
fn general() -> Primitives {
    Primitives {
        dispatch: price(10),
        dispatch_fault: price(20),
        extract: price(3),
        extract_own: price(1),
        receive_word: price(2),
        take: price(7),
        send_header: price(5),
        ..Primitives::default()
    }
}

const WORK: machine::WorkCosts = machine::WorkCosts {
    flop: Time::from_nanoseconds(4),
    integer: Time::from_nanoseconds(1),
    load: Time::from_nanoseconds(1),
    store: Time::from_nanoseconds(2),
};

/// Price lists for tests: general prices of some primitives. The network processor receives words for less
/// and has no price for sending.
fn lists() -> PriceLists {
    let network = Primitives { dispatch: price(100), receive_word: price(1), ..Primitives::default() };
    PriceLists::in_sections(&general(), Some(&network), None, &|_| None)
}

/// The path of receiving a message with all its words.
fn path(lists: &PriceLists, list: List, receipt: Receipt) -> Time {
    lists.reception(list, Class::User, receipt).1.cost.path
}

#[test]
fn a_message_costs_its_header_its_words_and_the_way_into_its_handler() {
    let lists = lists();
    let path = |list, receipt| path(&lists, list, receipt);
    assert_eq!(
        path(List::General, Receipt::Message { own: false, words: 4, interrupts: false }),
        ns(10 + 3 + 4 * 2)
    );
    assert_eq!(path(List::General, Receipt::Message { own: true, words: 0, interrupts: false }), ns(10 + 1));
    assert_eq!(
        path(List::Network, Receipt::Message { own: false, words: 4, interrupts: false }),
        ns(100 + 4)
    );
}

#[test]
fn a_message_that_interrupts_has_a_price_of_its_own_where_the_machine_states_one() {
    let message = |interrupts| Receipt::Message { own: true, words: 0, interrupts };
    let path = |lists: &PriceLists, receipt| path(lists, List::General, receipt);
    let without = lists();
    assert_eq!([true, false].map(|interrupts| path(&without, message(interrupts))), [ns(11), ns(11)]);
    let general = Primitives { dispatch_interrupt: price(40), ..general() };
    let with = PriceLists::in_round_numbers(&general, &|_| None);
    assert_eq!([true, false].map(|interrupts| path(&with, message(interrupts))), [ns(41), ns(11)]);
    assert_eq!(path(&with, Receipt::Fault), ns(20), "a fault interrupts nothing");
}

#[test]
fn embedded_processors_have_the_general_prices_unless_they_have_a_list() {
    let without = lists();
    let own = Primitives { dispatch: price(1), ..Primitives::default() };
    let with = PriceLists::in_sections(&general(), None, Some(&own), &|_| None);
    let path = |lists: &PriceLists| lists.of(List::Embedded, Primitive::Dispatch, Class::User).path;
    assert_eq!((path(&without), path(&with)), (ns(10), ns(1)));
    assert_eq!(with.of(List::General, Primitive::Dispatch, Class::User).path, ns(10));
}

#[test]
fn what_was_read_before_is_not_read_again() {
    let lists = lists();
    let path = |receipt| path(&lists, List::General, receipt);
    assert_eq!(path(Receipt::Forwarded), ns(7));
    assert_eq!(path(Receipt::Fault), ns(20));
    assert_eq!(path(Receipt::Resumed), ns(10));
}

#[test]
fn handing_over_without_a_price_is_stores_into_memory() {
    assert_eq!(lists().hand_over(List::General, Class::User, 3).path, ns(4 * 2));
}

#[test]
fn nothing_is_free_by_omission() {
    let unpriced = |list| {
        let panic = std::panic::catch_unwind(|| lists().of(list, Primitive::SetTag, Class::User));
        *panic.expect_err("it has no price").downcast::<String>().expect("the refusal is text")
    };
    assert_eq!(unpriced(List::General), "machine `pencil` gives no price for `primitives.set_tag`");
    assert_eq!(
        unpriced(List::Network),
        "machine `pencil` gives no price for `network_processor.primitives.set_tag`"
    );
}

/// The machines that ship.
fn shipped() -> Vec<Machine> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines");
    let text_of = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file that ships");
    let base = |_: &str, name: &str| Ok((format!("{name}.toml"), text_of(&format!("{name}.toml"))));
    let files = std::fs::read_dir(&folder).expect("the folder that ships");
    let names = files.map(|file| file.expect("a file").file_name().into_string().expect("a name in ASCII"));
    let machines = names.filter(|name| name.ends_with(".toml")).map(|name| {
        let known = machine::Known { bases: &base, ..machine::Known::default() };
        Machine::parse_with::<&str, &str>(&name, &text_of(&name), &[], known)
            .unwrap_or_else(|errors| panic!("{errors}"))
    });
    machines.collect()
}

#[test]
fn flattened_prices_of_every_machine_are_the_plain_sums() {
    let mut flattened = 0;
    for machine in shipped() {
        let lists = PriceLists::new(&machine);
        let network = machine.network_processor.as_ref().map(|network| &network.primitives);
        let embedded = machine.embedded_processor.as_ref().map(|embedded| &embedded.primitives);
        let sections = [
            (List::General, &machine.primitives),
            (List::Network, network.unwrap_or(&machine.primitives)),
            (List::Embedded, embedded.unwrap_or(&machine.primitives)),
        ];
        for (list, stated) in sections {
            for class in Class::ALL {
                flattened += check_sending(&machine, &lists, (list, stated), class);
                check_receptions(&lists, list, stated, class);
            }
        }
    }
    assert!(flattened > 100, "only {flattened} prices of sends are flattened");
}

/// Compares the prices of sending with the sums of header and words. Returns how many there are.
fn check_sending(
    machine: &Machine,
    lists: &PriceLists,
    (list, stated): (List, &Primitives),
    class: Class,
) -> usize {
    let of = |price: &Option<ByClass<Cost>>| price.as_ref().map(|price| price.of(class));
    let bus = machine.node_memory.as_ref();
    let mut flattened = 0;
    for (own, words) in [false, true].iter().flat_map(|own| (0..=MOST_WORDS).map(move |words| (*own, words)))
    {
        let header = of(&stated.send_own).filter(|_| own).or(of(&stated.send_header));
        let parts = header.zip(of(&stated.send_word));
        let flat = lists.sending(list, class, own, words);
        assert_eq!(flat.is_some(), parts.is_some(), "{list:?} {class}");
        flattened += usize::from(flat.is_some());
        let (Some((price, sent)), Some((header, word))) = (flat, parts) else { continue };
        let sum = (0..words).fold(header, |sum, _| sum.and(word));
        let alone = bus.map_or(Time::ZERO, |bus| bus.uncontended_all(sum.bus, machine.memory.line));
        assert_eq!((sent.own + alone, price.header.1 + sent.words), (sum.path, sum.path));
        assert_eq!(sent.occupancy, sum.occupancy);
        let made = bus.map_or(Transactions::NONE, |_| sum.bus);
        let rest = sent.rest.map_or_else(Default::default, |rest| (rest.wait, rest.bus, rest.after));
        assert_eq!(rest, (sum.wait, made, sum.after));
    }
    flattened
}

/// Compares the prices of receiving with the sums of dispatch, extraction and words.
fn check_receptions(lists: &PriceLists, list: List, stated: &Primitives, class: Class) {
    let of = |price: &Option<ByClass<Cost>>| price.as_ref().map(|price| price.of(class));
    let [dispatch, extract, word] = [&stated.dispatch, &stated.extract, &stated.receive_word].map(of);
    let interrupted = of(&stated.dispatch_interrupt).or(dispatch);
    let extract_own = of(&stated.extract_own).or(extract);
    let mut ways = vec![
        (Receipt::Forwarded, of(&stated.take), None),
        (Receipt::Fault, of(&stated.dispatch_fault), None),
        (Receipt::Resumed, dispatch, None),
    ];
    for words in 0..=word.map_or(0, |_| MAX_WORDS as u64) {
        for (interrupts, enter) in [(false, dispatch), (true, interrupted)] {
            ways.push((Receipt::Message { own: false, words, interrupts }, enter, extract));
            ways.push((Receipt::Message { own: true, words, interrupts }, enter, extract_own));
        }
    }
    for (receipt, enter, extract) in ways {
        let Some(enter) = enter else { continue };
        let (reception, received, name) = lists.reception(list, class, receipt);
        let words = (0..receipt.words()).filter_map(|_| word);
        let all = words.fold(enter.and(extract.unwrap_or_default()), Cost::and);
        assert_eq!(received.cost, all, "{list:?} {class} {receipt:?}");
        assert_eq!((reception.dispatch.2, reception.extract), (enter.path, extract.map(|cost| cost.path)));
        let parts = reception.dispatch.2 + reception.extract.unwrap_or_default() + received.words;
        assert_eq!((parts, name.is_some()), (all.path, receipt.words() > 0));
    }
}

#[test]
fn each_primitive_stands_at_its_place() {
    assert!(PRIMITIVES.iter().enumerate().all(|(place, &primitive)| place == primitive as usize));
}
