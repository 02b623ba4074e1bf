//! Tests of the breakdown of processors' time: the parts add up, and a processor without threads is idle.

use std::time::{Duration, Instant};

use tempest::outcome::{Outcome, Resource, Utilization};
use tempest::world::{Launch, World};
use tempest::{Event, FinalState, Handler, Job, NodeId, Protocol, Report, Setup, Thread, handlers};
use tradewind_native::Local;
use units::Time;

/// Time for which the first thread of node 0 computes.
const COMPUTES: Duration = Duration::from_millis(50);

/// A thread of node 0 computes and then tells node 1, whose thread waits for that. The thread of node 2 returns at once.
struct Uneven {
    told: Event,
}

impl Protocol for Uneven {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { told: Event::new("the end of the computation") }
    }
}

#[handlers]
impl Uneven {
    #[message]
    fn tell(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.told, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        // All threads have started; on a busy host some wait for the others here.
        thread.phase("uneven");
        match thread.node().0 {
            0 => {
                let begun = Instant::now();
                while begun.elapsed() < COMPUTES {
                    std::hint::spin_loop();
                }
                thread.send(NodeId(1), Self::tell());
            }
            1 => thread.wait(&self.told, 1),
            _ => {}
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

fn run(policy: &str, processors: u32) -> Outcome {
    let policy = policy.parse().expect("a policy");
    let launch = Launch { nodes: 3, processors, ..Launch::new(Job::new::<Uneven>(()), policy) };
    Local::new().run(&launch).expect("it runs")
}

#[test]
fn a_processor_whose_thread_has_returned_is_idle_and_one_whose_thread_waits_synchronizes() {
    let outcome = run("single", 1);
    let spent = outcome.breakdown;
    assert_eq!(spent.total(), outcome.time * 3);
    let parts = [spent.compute, spent.synchronization, spent.idle];
    assert!(parts.iter().all(|part| *part > Time::ZERO), "{spent:?}");
    assert!(outcome.phases[0].breakdown.idle <= spent.idle, "{spent:?}");
    assert_eq!((outcome.protocol.len(), outcome.counters.empty_polls), (0, None));
}

#[test]
fn the_time_of_dedicated_processors_is_accounted_for_too() {
    let outcome = run("fixed:1", 2);
    let [spent] = outcome.protocol[..] else { panic!("one kind: {:?}", outcome.protocol) };
    assert_eq!((spent.processors, spent.total()), (Resource::DedicatedProcessor, (outcome.time * 3).into()));
    assert!(spent.idle > Time::ZERO, "{spent:?}");
    let entry =
        |resource| Utilization::find(&outcome.utilization, resource).expect("there are such processors");
    assert_eq!(entry(Resource::DedicatedProcessor).count, 3);
    let computing = entry(Resource::ComputingProcessor);
    assert!(
        computing.count == 3 && computing.mean <= computing.most && computing.most <= 1.0,
        "{computing:?}"
    );
}
