//! The dispatch routine of a node whose software switches its processors between threads and handlers: carries out the
//! decisions of [`routine`](crate::dispatch::routine).
//!
//! This module must never choose between processors or events: [`dispatch`](crate::dispatch) does.

use machine::SoftwareDispatch;
use units::Time;

use super::Cluster;
use crate::dispatch::{Dispatch, Noticed, Start};
use crate::processor::core::Activity;

/// Lets the routine go on, or return, on an idle `core`. After a return `core` takes a thread, or calls in a loop.
pub(super) fn go_on(cluster: &mut Cluster, core: usize) {
    let (node, number) = (cluster.cores[core].node(), cluster.cores[core].number());
    let dedicated = cluster.cores[core].is_dedicated();
    let (first, number) = (cluster.nodes[node].first_core, usize::from(number));
    let Dispatch::Routine(routine) = &mut cluster.nodes[node].dispatch.way else { return };
    let SoftwareDispatch { enter, notice, .. } = routine.prices;
    let released = routine.release_held(number);
    if let Some(held) = released.map(|held| first + held).filter(|&held| held != core)
        && cluster.cores[held].is_idle()
    {
        cluster.back_to_thread(held);
    }
    let from_thread = matches!(cluster.cores[core].activity(), Activity::Thread(_));
    let way_in = if from_thread { enter } else { Time::ZERO };
    if call_goes_on(cluster, core) && cluster.start_handler(core, Noticed::AT_ONCE) {
        return;
    }
    let returned = return_from_call(cluster, core);
    if dedicated && cluster.serve(core, Noticed::AT_ONCE) {
        return;
    }
    if !cluster.takes_threads(core) || !cluster.back_to_thread(core) {
        cluster.idle(core);
    }
    let_held_go_on(cluster, node);
    let (dispatch, view) = cluster.parts(node);
    let waited = returned || dispatch.serving.had_turn(number);
    let caller = if waited { dispatch.next_caller(view) } else { dispatch.caller(view) };
    if let Some(caller) = caller {
        let notice = if returned { Time::ZERO } else { notice };
        let after = if caller == number { way_in } else { notice };
        cluster.start_handler(first + caller, Noticed::Look { after });
    } else if returned && let Some(Start::Interrupt { number }) = dispatch.interruption(view) {
        // A message has come during the call. The call takes only messages that waited when it began.
        cluster.interrupt(first + number);
    }
}

/// Whether the call of the routine on `core` has more to do.
fn call_goes_on(cluster: &mut Cluster, core: usize) -> bool {
    let (dispatch, number) = cluster.dispatch_of(core);
    matches!(&dispatch.way, Dispatch::Routine(routine) if routine.goes_on(number))
}

/// Lets the thread on `core` poll. If it is its turn to call the routine and a call would find an event, returns the time
/// that the call takes.
pub(crate) fn begin_call(cluster: &mut Cluster, core: usize) -> Option<Time> {
    let (node, number) = (cluster.cores[core].node(), cluster.cores[core].number());
    let (dispatch, view) = cluster.seen(node);
    let Dispatch::Routine(routine) = &dispatch.way else { return None };
    if !dispatch.serving.has_turn(number.into(), view.cores, |number| dispatch.holds(number)) {
        return None;
    }
    let find = routine.prices.find;
    cluster.pay_look(core, Time::ZERO);
    Some(find)
}

/// The modelled address and the size of the data that the dispatch routine of `core`'s node uses with every handler; `None` if
/// there is no routine.
#[inline]
pub(crate) fn data(cluster: &Cluster, core: usize) -> Option<(u64, u64)> {
    cluster.setting.machine.software_dispatch.as_ref()?;
    let Dispatch::Routine(routine) = &cluster.nodes[cluster.cores[core].node()].dispatch.way else {
        return None;
    };
    routine.data()
}

/// Ends the call on `core`, if there is one, and passes the turn on. Returns whether there was one.
fn return_from_call(cluster: &mut Cluster, core: usize) -> bool {
    let (dispatch, number) = cluster.dispatch_of(core);
    let Dispatch::Routine(routine) = &mut dispatch.way else { return false };
    let returned = routine.ends(number);
    if returned {
        pass_turn(cluster, core);
    }
    returned
}

/// Passes the turn from `core` to the next processor of its node.
pub(crate) fn pass_turn(cluster: &mut Cluster, core: usize) {
    let (dispatch, number) = cluster.dispatch_of(core);
    dispatch.serving.pass_turn(number);
}

/// Lets held, idle processors take threads, if all handlers of the node wait for a key that such a thread may hold.
fn let_held_go_on(cluster: &mut Cluster, node: usize) {
    for core in cluster.cores_of(node) {
        let number = cluster.cores[core].number();
        let dispatch = &cluster.nodes[node].dispatch;
        if dispatch.lets_go_on(number.into()) && cluster.cores[core].is_idle() {
            cluster.back_to_thread(core);
        }
    }
}
