//! The parts of each price that contains bus transactions: the processor's own time, and the time of each transaction
//! on an idle bus. This module must never know a policy.

use machine::{ByClass, Class, Cost, Machine, NodeMemory, Primitives};
use report::document::Derived;
use report::quantity::duration;
use units::{Bytes, Time};

use super::derived::time;

/// A row for each such price; a price that differs with the class of message has a row for each group of classes.
pub(super) fn derive(machine: &Machine) -> Vec<Derived> {
    let Some(memory) = &machine.node_memory else { return Vec::new() };
    let idle = (memory, machine.memory.line);
    let embedded = machine.embedded_processor.as_ref().map(|own| &own.primitives);
    let lists = [("", Some(&machine.primitives)), ("embedded ", embedded)];
    let prices = |(prefix, list): (&'static str, Option<&Primitives>)| {
        let prices = list.into_iter().flat_map(Primitives::iter);
        prices.flat_map(|(name, price)| rows(&format!("{prefix}{name}"), price, idle)).collect::<Vec<_>>()
    };
    lists.into_iter().flat_map(prices).collect()
}

fn rows(name: &str, price: &ByClass<Cost>, idle: (&NodeMemory, Bytes)) -> Vec<Derived> {
    let mut groups: Vec<(Cost, Vec<&str>)> = Vec::new();
    for class in Class::ALL {
        let cost = price.of(class);
        match groups.iter_mut().find(|(other, _)| *other == cost) {
            Some((_, classes)) => classes.push(class.name()),
            None => groups.push((cost, vec![class.name()])),
        }
    }
    let several = groups.len() > 1;
    let row = |(cost, classes): &(Cost, Vec<&str>)| {
        let of = if several { format!(" of {}", classes.join(", ")) } else { String::new() };
        (!cost.bus.is_empty()).then(|| time(format!("{name}{of}"), cost.path, sum(*cost, idle)))
    };
    groups.iter().filter_map(row).collect()
}

/// `own 7.5 ns + invalidate 20 ns + line 100 ns`.
fn sum(cost: Cost, (memory, line): (&NodeMemory, Bytes)) -> String {
    let own = cost.path.saturating_sub(memory.uncontended_all(cost.bus, line));
    let said = |what: &str, time: Time| format!("{what} {}", duration(time.as_seconds()));
    let made = cost.bus.iter().map(|one| {
        let name = machine::Transaction::NAMES[one as usize];
        said(name, memory.uncontended(one, line))
    });
    let own = (!own.is_zero()).then(|| said("own", own));
    own.into_iter().chain(made).collect::<Vec<_>>().join(" + ")
}
