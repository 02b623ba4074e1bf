//! Serving: moving outboxes on, receiving from the lanes if no other processor does, and running events. Tests for waiting work: messages,
//! events that may be dispatched, downgrades that can go on.
//!
//! This module must never know when a processor serves, or the purpose of the work.

use crate::dispatch::{handle, keyed, receive, serial};
use crate::link::send;
use crate::memory::downgrades;
use crate::padding::bump;
use crate::parts::core::Processor;
use crate::parts::dispatcher::{Dispatcher, Shared};
use crate::parts::endpoint::Endpoint;
use crate::parts::queue_state::QueueState;
use crate::parts::service::Service;
use crate::parts::tuning::BATCHES_PER_TIMED;
use crate::rings::lane::Lane;

/// Moves messages on and runs handlers. Returns the number of events.
pub(crate) fn serve(processor: &Processor) -> usize {
    serve_if(processor, sees_events)
}

/// Moves messages on and runs handlers, but leaves messages that the node sent to itself to the processor
/// that holds the contention hint.
pub(crate) fn serve_due(processor: &Processor) -> usize {
    serve_if(processor, sees_events_due)
}

#[inline]
fn serve_if(processor: &Processor, sees_events: impl FnOnce(&Endpoint, &Service) -> bool) -> usize {
    send::move_on(&processor.endpoint);
    let is_sampled = processor.service.is_sampled();
    // A node of one processor skips this test: receiving is as cheap. A sampled batch makes it all the
    // same, so as not to read the clock for nothing.
    if (is_sampled || !processor.endpoint.is_alone() || processor.node().has_set_aside())
        && !sees_events(&processor.endpoint, &processor.service)
    {
        return 0;
    }
    let timed = is_sampled.then(|| processor.world().now_ns());
    let done = handle::run_handlers(processor, || match &processor.node().dispatcher {
        Dispatcher::Own(_) => serial::receive_serial(processor),
        Dispatcher::Serial(_) => {
            receive::try_receive(&processor.endpoint).map_or(0, |_guard| serial::receive_serial(processor))
        }
        Dispatcher::Keyed(shared) => keyed::serve_by_key(processor, shared),
    });
    send::tell_acknowledged(&processor.endpoint, &processor.service);
    if done > 0 {
        processor.service.count_batch();
        if let Some(start) = timed {
            let took = (processor.world().now_ns() - start) * u64::from(BATCHES_PER_TIMED);
            bump(&processor.gauge().overhead_ns, took);
            bump(&processor.gauge().serving_ns, took);
        }
    }
    done
}

/// Whether there are events or a backlog, including events that only a thorough search finds.
pub(crate) fn sees_any_service(endpoint: &Endpoint, service: &Service) -> bool {
    sees_service(endpoint, service) || sees_hidden_events(endpoint, service)
}

/// Whether there are events to run or a backlog to move on.
pub(crate) fn sees_service(endpoint: &Endpoint, service: &Service) -> bool {
    sees_events(endpoint, service) || endpoint.node().backlog.is_left()
}

/// Whether the dispatch queue has to be searched: it has changed since this processor's last fruitless search, or a repetition is due.
#[inline]
pub(crate) fn sees_dispatchable(queue: &QueueState, shared: &Shared) -> bool {
    queue.is_search_due(&shared.changes)
}

/// Whether there are events that only a thorough search finds. For a processor that is about to sleep.
pub(crate) fn sees_hidden_events(endpoint: &Endpoint, service: &Service) -> bool {
    let Dispatcher::Keyed(shared) = &endpoint.node().dispatcher else { return false };
    let queue = &shared.queue;
    let server = endpoint.server();
    let hides = || queue.shows(server) && queue.search(server);
    let sees = hides() || queue.seized_for().is_some() && !queue.is_empty();
    if sees {
        service.queue.search_next();
    }
    sees
}

/// Whether there may be events to receive or to run.
#[inline]
pub(crate) fn sees_events(endpoint: &Endpoint, service: &Service) -> bool {
    sees_events_but(endpoint, service, |_| true)
}

/// Whether events wait for this processor. Messages that the node sent to itself do not count while
/// another processor holds the contention hint.
#[inline]
pub(crate) fn sees_events_due(endpoint: &Endpoint, service: &Service) -> bool {
    match endpoint.hint() {
        None => sees_events(endpoint, service),
        Some(hint) => sees_events_but(endpoint, service, |own| {
            hint.may_be_free_for(&endpoint.hint_view)
                && own.has_message()
                && hint.is_free_for(&endpoint.hint_view)
        }),
    }
}

/// Whether there may be events to receive or to run. `counts` tests the lane from the node to itself.
#[inline]
fn sees_events_but(endpoint: &Endpoint, service: &Service, counts: impl Fn(&Lane) -> bool) -> bool {
    let node = endpoint.node();
    let changed = match &node.dispatcher {
        Dispatcher::Keyed(shared) => {
            sees_dispatchable(&service.queue, shared) || downgrades::sees_change(endpoint, service)
        }
        _ if node.has_set_aside() => return downgrades::sees_change(endpoint, service),
        _ => false,
    };
    let mut lanes = endpoint.world().lanes_into(node.id).zip(0..);
    changed || lanes.any(|(lane, source)| (source != node.id.0 || counts(lane)) && lane.has_message())
}

/// Whether there is a reason not to sleep.
#[inline]
pub(crate) fn sees_work(endpoint: &Endpoint, service: &Service) -> bool {
    endpoint.sees_own_work() || endpoint.serves() && sees_events(endpoint, service)
}
