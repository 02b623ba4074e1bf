//! Written traces follow the published schema, decoded by independent code.

use prost_reflect::prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor, Value};
use tradewind_trace::{Cast, Counter, Event, Sample, Summary};
use units::Time;

use crate::traced_with;

/// The message `Trace` of the schema.
fn schema() -> MessageDescriptor {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let files = protox::compile(["perfetto_subset.proto"], [folder]).expect("the schema is well-formed");
    let pool =
        prost_reflect::DescriptorPool::from_file_descriptor_set(files).expect("the schema is complete");
    pool.get_message_by_name("perfetto.protos.Trace").expect("the schema has traces")
}

/// Every kind of event, in an order that makes sense.
fn everything() -> (Cast, Vec<(Time, Event)>) {
    let cast = Cast {
        machine: "model".into(),
        nodes: 2,
        computing: 1,
        dedicated: 1,
        threads: 1,
        messages: vec!["a::Add"],
        counters: vec![
            Counter { node: None, name: "link 0→1".into(), unit: "%" },
            Counter { node: Some(1), name: "dispatch queue".into(), unit: "events" },
        ],
    };
    let (node, processor, thread, message, bytes) = (0, 0, 0, 0, 48);
    let flow = 1 << 40;
    let events = [
        Event::Phase { index: 0, name: "solve" },
        Event::Run { node, processor, thread },
        Event::ThreadStart { node, thread },
        Event::Send { node, processor, to: 1, message, bytes, flow },
        Event::Arrive { node: 1, from: 0, message, flow },
        Event::HandlerStart { node: 1, processor: 1, message, source: 0, flow },
        Event::Block { node, thread, what: "reply" },
        Event::Leave { node, processor, thread },
        Event::HandlerEnd { node: 1, processor: 1 },
        Event::Interrupt { node, processor },
        Event::Resume { node, thread },
        Event::Run { node, processor, thread },
        Event::Deposit { node, processor, to: 1, bytes, flow: 7 },
        Event::Place { node: 1, from: 0, flow: 7 },
        Event::ThreadEnd { node, thread },
        Event::Leave { node, processor, thread },
    ];
    let times = (1..).map(|index| Time::from_nanoseconds(index * 1000));
    (cast, times.zip(events).collect())
}

/// The trace of these events and of a sample of each counter.
fn sampled(cast: &Cast, events: &[(Time, Event)]) -> (Vec<u8>, Summary) {
    let at = Time::from_nanoseconds(1500);
    let samples: Vec<_> =
        (0..cast.counters.len() as u32).map(|counter| Sample { at, counter, value: 0.5 }).collect();
    traced_with(cast, events, &samples)
}

/// All messages within a message, itself included.
fn walk(message: &DynamicMessage, visit: &mut impl FnMut(&DynamicMessage)) {
    visit(message);
    for (_, value) in message.fields() {
        match value {
            Value::Message(inner) => walk(inner, visit),
            Value::List(list) => {
                list.iter().filter_map(Value::as_message).for_each(|inner| walk(inner, visit));
            }
            _ => {}
        }
    }
}

#[test]
fn every_byte_is_in_the_schema() {
    let (cast, events) = everything();
    let (bytes, summary) = sampled(&cast, &events);
    assert_eq!((summary.lost, summary.moved), (0, 0));
    let trace = DynamicMessage::decode(schema(), &bytes[..]).unwrap();
    let mut messages = 0;
    walk(&trace, &mut |message| {
        messages += 1;
        assert_eq!(message.unknown_fields().count(), 0, "{message:?}");
    });
    assert!(messages > 50, "only {messages} messages: is this the trace?");
    // Written again by the schema's rules it is the same: also numbers' encodings, and lists being packed or not.
    assert!(trace.encode_to_vec() == bytes);
}

#[test]
fn every_field_of_the_subset_is_used() {
    let (cast, events) = everything();
    let (bytes, _) = sampled(&cast, &events);
    let trace = DynamicMessage::decode(schema(), &bytes[..]).unwrap();
    let mut used = std::collections::BTreeSet::new();
    walk(&trace, &mut |message| used.extend(message.fields().map(|(field, _)| field.full_name().to_owned())));
    let pool = schema().parent_pool().clone();
    let known: std::collections::BTreeSet<_> = pool
        .all_messages()
        .flat_map(|message| message.fields().collect::<Vec<_>>())
        .map(|field| field.full_name().to_owned())
        .collect();
    assert_eq!(used, known);
}

#[test]
fn enumerations_have_only_values_of_the_schema() {
    let (cast, events) = everything();
    let (bytes, _) = sampled(&cast, &events);
    let trace = DynamicMessage::decode(schema(), &bytes[..]).unwrap();
    walk(&trace, &mut |message| {
        for (field, value) in message.fields() {
            if let (prost_reflect::Kind::Enum(kind), Value::EnumNumber(number)) = (field.kind(), value) {
                assert!(kind.get_value(*number).is_some(), "{} = {number}", field.full_name());
            }
        }
    });
}
