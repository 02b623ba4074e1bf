//! Beside tokio: tasks wait for the network, the queue's threads compute.
//!
//! ```text
//! cargo run -p tradewind-pdq --example with_tokio
//! ```
//!
//! Handlers are plain functions that run to their end, so they belong on threads of their own and not on the runtime's. A task
//! enqueues without waiting and then awaits a oneshot channel, which the handler answers. Where the queue has a limit, a full
//! queue hands the item back; the task then waits for room on a thread that may block. The example must never know more than
//! the public interface.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::{JoinSet, spawn_blocking};
use tradewind_pdq::{DispatcherId, Executor, Key, Keyed, Queue, Refused, queue};

/// A number to add to the sum of a session, and where to send the new sum.
struct Add {
    number: u64,
    answer: oneshot::Sender<u64>,
}

/// The service is shutting down.
#[derive(Debug)]
struct Closed;

#[derive(Clone)]
struct Service(Arc<Executor<Add>>);

impl Service {
    fn start() -> Self {
        // At most 16 requests wait: more than that stay with their tasks.
        let config = queue::Config { limit: Some(16), ..queue::Config::servers(2) };
        let queue = Queue::new(DispatcherId::fresh(), config);
        let sums = Keyed::sparse(queue.id(), |_| 0);
        let handler = move |add: Add, mut handling: tradewind_pdq::Handling<'_, '_, Add>| {
            let sum = sums.open(handling.proof());
            *sum += add.number;
            // The task may have been cancelled: then the answer is not needed.
            let _ = add.answer.send(*sum);
        };
        Self(Arc::new(Executor::start(queue, handler)))
    }

    async fn add(&self, session: u64, number: u64) -> Result<u64, Closed> {
        let (answer, sum) = oneshot::channel();
        self.enqueue(Key::User(session), Add { number, answer }).await?;
        sum.await.map_err(|_| Closed)
    }

    async fn enqueue(&self, key: Key, add: Add) -> Result<(), Closed> {
        let add = match self.0.queue().try_enqueue(key, add) {
            Ok(()) => return Ok(()),
            Err(Refused::Closed(_)) => return Err(Closed),
            Err(Refused::Full(add)) => add,
        };
        let executor = self.0.clone();
        let placed = spawn_blocking(move || executor.queue().enqueue_when_room(key, add)).await;
        placed.expect("waiting for room does not panic").map_err(|_| Closed)
    }
}

async fn sessions(service: &Service) {
    let mut tasks = JoinSet::new();
    for session in 0..100 {
        let service = service.clone();
        tasks.spawn(async move {
            let mut last = 0;
            for number in 1..=20 {
                last = service.add(session, number).await.expect("the service runs");
            }
            last
        });
    }
    while let Some(last) = tasks.join_next().await {
        assert_eq!(last.expect("no task panics"), 210);
    }
}

fn main() {
    let runtime =
        runtime::Builder::new_multi_thread().worker_threads(2).build().expect("threads for the runtime");
    let service = Service::start();
    runtime.block_on(sessions(&service));

    // Refuses new requests, and runs those that wait.
    service.0.queue().close();
    runtime.block_on(service.add(1, 1)).expect_err("it is closed");
    let executor = Arc::into_inner(service.0).expect("all tasks have ended");
    let queue = executor.queue().statistics();
    executor.finish().expect("no handler has panicked");
    println!("100 sessions, {} requests, {} of them beyond the limit", queue.dispatched, queue.spilled);
    assert_eq!((queue.dispatched, queue.spilled), (2000, 0));
}

#[cfg(test)]
#[test]
fn runs() {
    main();
}
