//! Orders of customers known by name: a key is small and is copied, a name is not.
//!
//! ```text
//! cargo run -p tradewind-pdq --example string_keys
//! ```
//!
//! Three ways from a name to a key:
//!
//! 1. *Only a hash of it.* Wrong: two names with one hash are one key, so one entry of a table. Two customers share an account.
//! 2. *Interning*: each name gets a number when it is first seen. Right, and the fastest afterwards. Names are never forgotten.
//! 3. *A hash as the key, whole names in the entry.* Right, and nothing is remembered but the state itself. Two customers whose
//!    names collide take turns, and each finds the own account.
//!
//! A good hash of 64 bits hardly ever collides by accident, but an attacker that chooses the names may choose two
//! that do. The hash below has 16 bits, so that a collision is found at once. The example must never know more than
//! the public interface.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tradewind_pdq::{DispatcherId, Handling, Key, Keyed, Queue, execute, queue};

/// An order: a customer and a number of pieces.
type Order = (Arc<str>, u64);

fn main() {
    let (ann, bob) = two_names_with_one_hash();
    let orders =
        [(&ann, 1), (&bob, 10), (&ann, 100), (&bob, 1000)].map(|(name, pieces)| (name.clone(), pieces));

    let merged = by_hash_alone(&orders);
    println!("by hash alone:        {ann} and {bob} have {merged} together");
    assert_eq!(merged, 1111, "one account for two customers");

    let interned = by_interned_name(&orders);
    println!("by interned name:     {interned:?}");
    assert_eq!((interned[&ann], interned[&bob]), (101, 1010));

    let whole = by_hash_and_name(&orders);
    println!("by hash, then name:   {whole:?}");
    assert_eq!(whole, interned);
}

/// Way 1, which is wrong.
fn by_hash_alone(orders: &[Order]) -> u64 {
    let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
    let pieces = Keyed::sparse(queue.id(), |_| 0);
    run(
        &queue,
        orders,
        |name| hash(name).into(),
        |(_, more), mut handling| *pieces.open(handling.proof()) += more,
    );
    let entries = pieces.into_entries();
    assert_eq!(entries.len(), 1);
    entries[0].1
}

/// Way 2.
fn by_interned_name(orders: &[Order]) -> HashMap<Arc<str>, u64> {
    let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
    let pieces = Keyed::sparse(queue.id(), |_| 0);
    let names = Names::default();
    run(
        &queue,
        orders,
        |name| names.number(name),
        |(_, more), mut handling| *pieces.open(handling.proof()) += more,
    );
    pieces.into_entries().into_iter().map(|(number, sum)| (names.name(number), sum)).collect()
}

/// Way 3.
fn by_hash_and_name(orders: &[Order]) -> HashMap<Arc<str>, u64> {
    let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
    // State of one key: the accounts of all names with that hash, told apart by the whole name.
    let pieces = Keyed::sparse(queue.id(), |_| HashMap::new());
    run(
        &queue,
        orders,
        |name| hash(name).into(),
        |(name, more), mut handling| *pieces.open(handling.proof()).entry(name).or_insert(0) += more,
    );
    pieces.into_entries().into_iter().flat_map(|(_, accounts)| accounts).collect()
}

fn run(
    queue: &Queue<Order>,
    orders: &[Order],
    key: impl Fn(&str) -> u64,
    handler: impl Fn(Order, Handling<'_, '_, Order>) + Sync,
) {
    execute(queue, handler, || {
        for (name, pieces) in orders {
            queue.enqueue(Key::User(key(name)), (name.clone(), *pieces));
        }
    })
    .expect("no handler panics");
}

/// Gives each name a number, from 0 up.
#[derive(Default)]
struct Names(Mutex<Numbered>);

#[derive(Default)]
struct Numbered {
    numbers: HashMap<Arc<str>, u64>,
    names: Vec<Arc<str>>,
}

impl Names {
    fn number(&self, name: &str) -> u64 {
        let mut numbered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbered.numbers.get(name) {
            return *number;
        }
        let (name, number) = (Arc::<str>::from(name), numbered.names.len() as u64);
        numbered.names.push(name.clone());
        numbered.numbers.insert(name, number);
        number
    }

    fn name(&self, number: u64) -> Arc<str> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).names[number as usize].clone()
    }
}

/// A deliberately small hash.
fn hash(name: &str) -> u16 {
    name.bytes().fold(0, |hash: u16, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))
}

fn two_names_with_one_hash() -> (Arc<str>, Arc<str>) {
    let mut seen = HashMap::new();
    for number in 0.. {
        let name = Arc::<str>::from(format!("customer-{number}"));
        if let Some(other) = seen.insert(hash(&name), name.clone()) {
            return (other, name);
        }
    }
    unreachable!("there are more names than hashes")
}

#[cfg(test)]
#[test]
fn runs() {
    main();
}
