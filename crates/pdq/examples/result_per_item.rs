//! A result for each item: the item carries the channel on which its handler answers.
//!
//! ```text
//! cargo run -p tradewind-pdq --example result_per_item
//! ```
//!
//! The queue itself returns nothing: for most items no caller waits. A caller that does wait must not be a handler of
//! the queue, because the item it waits for may be behind it. If a handler panics, its item is dropped, and with it
//! the sender: the caller gets an error instead of waiting for ever. The example must never know more than the public
//! interface.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::mpsc::{Receiver, RecvError, Sender, channel};
use std::thread;

use tradewind_pdq::{DispatcherId, Executor, Key, Keyed, Queue, queue};

/// Request on an account, with the channel of the answer.
enum Request {
    Withdraw { sum: u64, answer: Sender<Result<u64, Overdrawn>> },
    Audit { answer: Sender<u64> },
}

/// There is less in the account than was asked for.
#[derive(Debug, PartialEq)]
struct Overdrawn {
    balance: u64,
}

struct Bank(Executor<Request>);

impl Bank {
    /// Accounts 0 to 9, with 100 each.
    fn open() -> Self {
        let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(2));
        let accounts = Keyed::dense(queue.id(), 0, 10, |_| 100);
        Self(Executor::start(queue, move |request, mut handling| match request {
            Request::Withdraw { sum, answer } => {
                assert!(sum > 0, "nothing to withdraw");
                // The caller may have gone: then the answer is not needed.
                let _ = answer.send(withdraw(accounts.open(handling.proof()), sum));
            }
            Request::Audit { answer } => {
                let total = accounts.entries(&mut handling.proof()).map(|(_, balance)| *balance).sum();
                let _ = answer.send(total);
            }
        }))
    }

    /// Returns at once; the channel will carry the new balance.
    fn withdraw(&self, account: u64, sum: u64) -> Receiver<Result<u64, Overdrawn>> {
        let (answer, result) = channel();
        self.0.queue().enqueue(Key::User(account), Request::Withdraw { sum, answer });
        result
    }

    /// Returns at once; the channel will carry the sum of all balances at one instant.
    fn audit(&self) -> Receiver<u64> {
        let (answer, result) = channel();
        self.0.queue().enqueue(Key::Sequential, Request::Audit { answer });
        result
    }
}

fn withdraw(balance: &mut u64, sum: u64) -> Result<u64, Overdrawn> {
    *balance = balance.checked_sub(sum).ok_or(Overdrawn { balance: *balance })?;
    Ok(*balance)
}

fn main() {
    let bank = Bank::open();
    // Many requests under way at a time; each caller picks up its own result.
    thread::scope(|scope| {
        for account in 0..10 {
            let bank = &bank;
            scope.spawn(move || {
                let results = [60, 60, 40].map(|sum| bank.withdraw(account, sum));
                let results = results.map(|result| result.recv().expect("the handler answers"));
                assert_eq!(results, [Ok(40), Err(Overdrawn { balance: 40 }), Ok(0)], "in order");
            });
        }
    });
    assert_eq!(bank.audit().recv(), Ok(0));
    println!("every caller got the results of its own requests, in order");

    let nothing = bank.withdraw(3, 0);
    assert_eq!(nothing.recv(), Err(RecvError), "the handler has panicked");
    assert_eq!(bank.withdraw(3, 1).recv(), Ok(Err(Overdrawn { balance: 0 })), "its key is free again");
    let panicked = bank.0.finish().expect_err("a handler has panicked");
    println!("reported at the end: {panicked}");
}

#[cfg(test)]
#[test]
fn runs() {
    main();
}
