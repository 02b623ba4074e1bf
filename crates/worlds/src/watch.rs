//! The watch over a run on a model, whose program may loop without a call that takes modelled time. Nothing in the model can
//! notice that: the one thread of the host that runs it never comes back. This module must never know how an error looks.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tempest::outcome::{Failure, RunProgress};
use units::Time;

use crate::FailedRun;

/// The longest time of this host between two looks at a run.
const STEP: Duration = Duration::from_secs(1);

/// The number of looks in which a short limit is divided.
const LOOKS: u32 = 4;

/// A limit of this host's time for a run on a model to come to its next modelled event, and the action when it is
/// exceeded.
///
/// Time in which the process is stopped does not count.
#[derive(Clone)]
pub struct HostLimit {
    limit: Time,
    exceeded: Arc<dyn Fn(FailedRun) + Send + Sync>,
}

impl HostLimit {
    /// A limit of this host's time. Where a run exceeds it, another thread calls `exceeded` with the error, once. The program's own
    /// thread cannot be stopped, so `exceeded` should end the process.
    pub fn new(limit: Time, exceeded: impl Fn(FailedRun) + Send + Sync + 'static) -> Self {
        Self { limit, exceeded: Arc::new(exceeded) }
    }

    /// Does `work`, a run that tells in `progress` how far it is, and watches it. `failed` makes the error of the run.
    pub(crate) fn watch<R>(
        &self,
        progress: &RunProgress,
        failed: impl FnOnce(Failure) -> FailedRun + Send,
        work: impl FnOnce() -> R,
    ) -> R {
        thread::scope(|scope| {
            let (over, ends) = mpsc::channel();
            let watch = thread::Builder::new().name("host-limit".to_owned());
            // Without a thread the run is not watched, and works.
            let _ = watch.spawn_scoped(scope, move || {
                let why = self.look(progress, ends);
                why.map(failed).into_iter().for_each(|failed| (self.exceeded)(failed));
            });
            let done = work();
            drop(over);
            done
        })
    }

    /// Looks at a run now and then, until it is over. Returns its error if it has exceeded the limit.
    fn look(&self, progress: &RunProgress, over: Receiver<()>) -> Option<Failure> {
        let limit = Duration::from_nanos(self.limit.as_femtoseconds() / 1_000_000);
        let step = (limit / LOOKS).clamp(Duration::from_millis(1), STEP);
        let (mut answers, mut silent) = (progress.answers(), Duration::ZERO);
        loop {
            progress.ask();
            if over.recv_timeout(step) != Err(RecvTimeoutError::Timeout) {
                return None;
            }
            match progress.running() {
                Some(running) if progress.answers() == answers => {
                    silent += step;
                    if silent >= limit {
                        let at = progress.time();
                        return Some(Failure::Unresponsive { limit: self.limit, at, running });
                    }
                }
                _ => (answers, silent) = (progress.answers(), Duration::ZERO),
            }
        }
    }
}

impl fmt::Debug for HostLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostLimit").field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tempest::Mechanism;

    use crate::USUAL_POLICY;

    use super::*;

    /// Watches a run of `work` under a limit of 40 ms. Returns the error, if there was one.
    fn watched(work: impl FnOnce(&RunProgress)) -> Option<FailedRun> {
        let (told, progress) = (Arc::new(Mutex::new(None)), RunProgress::default());
        let tell = Arc::clone(&told);
        let limit = HostLimit::new(Time::from_microseconds(40_000), move |failure| {
            *tell.lock().expect("nobody panics") = Some(failure);
        });
        let failed = |failure| FailedRun {
            program: "em3d",
            mechanism: Mechanism::Messages,
            target: "paragon".to_owned(),
            policy: USUAL_POLICY.parse().expect("a preset is a policy"),
            failure,
        };
        limit.watch(&progress, failed, || work(&progress));
        told.lock().expect("nobody panics").take()
    }

    /// Waits longer than the limit, and calls `each` all the while.
    fn long(each: impl Fn()) {
        (0..400).for_each(|_| {
            each();
            thread::sleep(Duration::from_millis(1));
        });
    }

    #[test]
    fn a_fiber_that_never_comes_to_an_event_is_named() {
        let failure = watched(|progress| {
            progress.enter(3, Some(1));
            long(|| ());
        });
        let said = failure.expect("the limit was exceeded").to_string();
        let start = "em3d by messages on paragon under `floating`: no modelled event for 40 ms of this host's time: node 3 thread 1 has run";
        assert!(said.starts_with(start), "{said}");
    }

    #[test]
    fn a_run_that_answers_or_runs_no_fiber_goes_on() {
        let answers = watched(|progress| {
            progress.enter(3, Some(1));
            long(|| progress.note(Time::ZERO));
        });
        assert_eq!(answers, None);
        assert_eq!(watched(|_| long(|| ())), None, "the world is at work: it prepares, or verifies");
    }
}
