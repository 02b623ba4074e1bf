//! scratch
use tempest::*;
struct Ring {
    greeted: Event,
    table: Keyed<u64>,
    done: Event,
}
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Ask {
    slot: u64,
}
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Reply {
    old: u64,
}
impl Message for Ask {
    type Protocol = Ring;
    fn key(&self) -> Key {
        Key::User(self.slot)
    }
    fn handle(self, ring: &Ring, _p: &[u64], cx: &mut Handler<'_>) {
        let to = cx.source();
        cx.charge(Operations::NONE.loads(1).stores(1));
        cx.with(&ring.table, |v, cx| {
            *v += 1;
            cx.send(to, Reply { old: *v }, &[]);
        });
    }
}
impl Message for Reply {
    type Protocol = Ring;
    fn key(&self) -> Key {
        Key::NoSync
    }
    fn handle(self, ring: &Ring, _p: &[u64], cx: &mut Handler<'_>) {
        cx.signal(&ring.greeted, 1);
    }
}
impl Protocol for Ring {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        node.message::<Ask>();
        node.message::<Reply>();
        Ring { greeted: Event::new("greeted"), table: node.keyed(16, |_| 0), done: Event::new("done") }
    }
}
const N: u64 = 200;
impl Program for Ring {
    fn main(&self, t: &Thread<'_>) {
        t.phase("go");
        for i in 0..N {
            let to = NodeId((t.node().0 + 1 + (i as u32 % (t.nodes() - 1))) % t.nodes());
            t.send(to, Ask { slot: i % 16 }, &[]);
            t.charge(Operations::NONE.flops(10));
            t.poll();
            if i % 8 == 7 {
                t.hold(Key::User(i % 16), |cx| cx.with(&self.table, |v, _| *v += 0));
            }
        }
        t.wait(&self.greeted, N * t.threads() as u64);
        t.signal(&self.done, 1);
    }
    fn report(&self) -> Report {
        let n = self.greeted.count();
        Report::checked(n > 0 && n % N == 0, || format!("{n}")).figure("replies", n as f64, Merge::Sum)
    }
}
#[test]
fn ring() {
    let text = std::fs::read_to_string("../../machines/hurricane-1.toml").unwrap();
    for policy in [
        "single",
        "single+interrupt",
        "fixed:1",
        "fixed:2",
        "floating",
        "floating+keyed",
        "floating+interrupt",
        "partitioned:2",
        "partitioned:1",
        "hurricane-1:2",
        "hurricane-1-mult",
        "proc",
    ] {
        let model = sim::Model::new(machine::Machine::parse("h", &text).unwrap());
        let launch = |seed| Launch {
            job: Job::new::<Ring>(()),
            nodes: 4,
            processors: 4,
            threads: 2,
            policy: policy.parse().unwrap(),
            seed,
            stall_limit: None,
        };
        let o = model.run(&launch(1)).unwrap();
        let again = model.run(&launch(1)).unwrap();
        assert_eq!(o, again);
        let other = model.run(&launch(2)).unwrap();
        println!(
            "{policy:20} {} msgs {} int {} wait {:?} util {:?} {:?} digest {:x?} {:x?}",
            o.time,
            o.counters.messages,
            o.counters.interrupts,
            o.dispatching.mean_wait,
            o.utilization,
            o.breakdown,
            o.digest,
            other.digest
        );
        assert!(o.report.verified());
        let b = o.breakdown;
        let total = b.compute + b.memory + b.overhead + b.synchronization;
        println!("   total {} ", total);
    }
}
