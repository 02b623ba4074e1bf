//! Serving: moving outboxes on, receiving from the lanes if no other processor does, and running events.
//!
//! This module must never know when a processor serves.

use crate::dispatch::{handle, keyed, looks, receive, serial};
use crate::link::send;
use crate::padding::bump;
use crate::parts::core::Processor;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::endpoint::Endpoint;
use crate::parts::service::Service;
use crate::parts::tuning::BATCHES_PER_TIMED;

/// Moves messages on and runs handlers. Returns the number of events.
pub(crate) fn serve(processor: &Processor) -> usize {
    serve_if(processor, looks::sees_events)
}

/// Moves messages on and runs handlers, but leaves messages that the node sent to itself to the processor
/// that holds the contention hint.
pub(crate) fn serve_due(processor: &Processor) -> usize {
    serve_if(processor, looks::sees_events_due)
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
