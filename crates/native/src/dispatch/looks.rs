//! Tests for waiting work: messages, events that may be dispatched, downgrades that can go on.
//!
//! This module must never know the purpose of the work.

use crate::memory::downgrades;
use crate::parts::dispatcher::{Dispatcher, Shared};
use crate::parts::endpoint::Endpoint;
use crate::parts::queue_state::QueueState;
use crate::parts::service::Service;
use crate::rings::receiver::Receiver;

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
fn sees_events_but(endpoint: &Endpoint, service: &Service, counts: impl Fn(&Receiver) -> bool) -> bool {
    let node = endpoint.node();
    let changed = match &node.dispatcher {
        Dispatcher::Keyed(shared) => {
            sees_dispatchable(&service.queue, shared) || downgrades::sees_change(endpoint, service)
        }
        _ if node.has_set_aside() => return downgrades::sees_change(endpoint, service),
        _ => false,
    };
    let mut lanes = node.links.incoming().iter().zip(0..);
    changed || lanes.any(|(lane, source)| (source != node.id.0 || counts(lane)) && lane.has_message())
}

/// Whether there is a reason not to sleep.
#[inline]
pub(crate) fn sees_work(endpoint: &Endpoint, service: &Service) -> bool {
    endpoint.sees_own_work() || endpoint.serves() && sees_events(endpoint, service)
}
