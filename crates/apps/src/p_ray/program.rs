//! p-ray over a global address space: each thread renders lines, and reads the triangles that its rays may meet.
//!
//! Object i, which is some triangles, is in the memory of node i mod nodes, and so is line i of the image. A thread stores the pixels of
//! a line together, or some at a time.
//!
//! This module must never know how a ray finds a triangle.

use std::sync::Arc;

use protocols::split_phase::{LocalPtr, Plan, SplitPhase, SpreadArray};
use tempest::{
    Cells, FinalState, Mechanism, Merge, NodeId, Protocol, Report, Setup, Shape, Thread, handlers,
};

use super::balance::Balance;
use super::objects::{Cached, Counts};
use super::problem::Problem;
use super::surface::WORDS;
use super::trace::Tracer;

/// The part of a run that all nodes share.
pub(super) struct Config {
    pub(super) problem: Arc<Problem>,
    /// The mechanism that carries triangles and lines: messages or bulk.
    pub(super) mechanism: Mechanism,
}

/// The state of p-ray on one node.
pub(super) struct PRay {
    problem: Arc<Problem>,
    node: NodeId,
    shape: Shape,
    split: Arc<SplitPhase>,
    /// Objects of as many triangles each.
    objects: SpreadArray<u64>,
    image: SpreadArray<u64>,
    /// By thread: the slots of its cache.
    slots: LocalPtr<u64>,
    /// The number of lines that have been taken, on node 0.
    counter: LocalPtr<u64>,
    counts: Totals,
}

/// The sums of the counts of a node's threads.
struct Totals {
    rays: Cells<u64>,
    found: Cells<u64>,
    read: Cells<u64>,
    checked: Cells<u64>,
    wrong: Cells<u64>,
}

impl Totals {
    fn new() -> Self {
        let [rays, found, read, checked, wrong] = [(); 5].map(|()| Cells::new(1, 0));
        Self { rays, found, read, checked, wrong }
    }

    fn add(&self, thread: &Thread<'_>, counts: Counts) {
        self.rays.add(thread, 0, counts.rays);
        self.found.add(thread, 0, counts.found);
        self.read.add(thread, 0, counts.read);
    }
}

impl Protocol for PRay {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Config { problem, mechanism } = &**config;
        let shape = setup.shape();
        let mut plan = Plan::new(shape.nodes).blocks_by(*mechanism);
        let size = problem.asked.size;
        let words = problem.object() * WORDS as u32;
        let objects = plan.spread(problem.objects(), words);
        let image = plan.spread(size, size);
        let counter = plan.local(1);
        let slots = plan.local(shape.threads * problem.cache() * words);
        Self {
            problem: Arc::clone(problem),
            node: setup.node(),
            shape,
            split: setup.install::<SplitPhase>(&plan),
            objects,
            image,
            slots,
            counter,
            counts: Totals::new(),
        }
    }
}

#[handlers]
impl PRay {
    /// Puts the node's objects into its memory.
    fn fill(&self, thread: &Thread<'_>) {
        let objects = self.problem.triangles.chunks(self.problem.object() as usize);
        for (row, object) in (0..).zip(objects.skip(self.node.0 as usize).step_by(self.shape.nodes as usize))
        {
            let first = self.objects.row(self.node, row).offset() as usize;
            for (at, triangle) in (first..).step_by(WORDS).zip(object) {
                self.split.arena().write(thread, at, &triangle.words());
            }
        }
    }

    /// Renders lines until none is left.
    fn render(&self, thread: &Thread<'_>) {
        let asked = &self.problem.asked;
        let memory = self.split.on(thread);
        let (cache, object) = (self.problem.cache(), self.problem.object());
        let slots = self.slots + i64::from(thread.index()) * i64::from(cache * object) * WORDS as i64;
        let objects = Cached::new(thread, &self.split, (self.objects, object), (slots, cache));
        let (size, reflections) = (asked.size, asked.reflections);
        let mut tracer = Tracer { scene: &self.problem.scene, objects, size, reflections };
        let (mut line, span) = (vec![0; size as usize], self.problem.span());
        let first = thread.index() * self.shape.nodes + self.node.0;
        let mut dealt = (first..size).step_by((self.shape.nodes * self.shape.threads) as usize);
        loop {
            let next = match asked.balance {
                Balance::Dealt => dealt.next(),
                Balance::Counter => {
                    let taken = memory.fetch_add(self.counter.on(NodeId(0)), 1);
                    (taken < u64::from(size)).then_some(taken as u32)
                }
            };
            let Some(y) = next else { break };
            for (first, pixels) in (0..).step_by(span).zip(line.chunks_mut(span)) {
                for (x, pixel) in (first..).zip(&mut *pixels) {
                    *pixel = tracer.pixel([x, y]);
                    tracer.objects.tell();
                }
                memory.bulk_store(self.image.at(y) + i64::from(first), pixels);
            }
        }
        self.counts.add(thread, tracer.objects.counts);
    }

    /// Compares lines of the node with the lines of the sequential image. The node's threads share them.
    fn check(&self, thread: &Thread<'_>) {
        let size = self.problem.asked.size as usize;
        let mut line = vec![0; size];
        let lines = self.image.rows(self.node);
        for row in (thread.index()..lines).step_by(self.shape.threads as usize) {
            self.split.arena().read(thread, self.image.row(self.node, row).offset() as usize, &mut line);
            let y = (row * self.shape.nodes + self.node.0) as usize;
            let expected = &self.problem.image()[y * size..][..size];
            let wrong = line.iter().zip(expected).filter(|(pixel, expected)| pixel != expected).count();
            self.counts.wrong.add(thread, 0, wrong as u64);
            self.counts.checked.add(thread, 0, size as u64);
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let memory = self.split.on(thread);
        if thread.index() == 0 {
            self.fill(thread);
        }
        memory.barrier();
        thread.phase("render");
        self.render(thread);
        memory.all_store_sync();
        thread.phase("check");
        self.check(thread);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Totals { rays, found, read, checked, wrong } = &self.counts;
        let (node, wrong) = (self.node, wrong.get(end, 0));
        let failures = if wrong > 0 {
            vec![format!("{wrong} pixels of the lines of {node} differ from the sequential image")]
        } else {
            Vec::new()
        };
        let report = Report { checks: checked.get(end, 0), failures, ..Report::default() };
        report
            .figure("rays", rays.get(end, 0) as f64, Merge::Sum)
            .figure("objects read", read.get(end, 0) as f64, Merge::Sum)
            .figure("objects found in caches", found.get(end, 0) as f64, Merge::Sum)
    }
}
