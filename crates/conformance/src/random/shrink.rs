//! Smaller cases that may fail in the same way.
//!
//! This module must never know how a case fails: the caller says whether one does.

use super::Case;
use super::script::{Act, Op, Script, phases_of};

/// Cases that are tried at most: each takes several runs.
const TRIES: usize = 300;

impl Case {
    /// The smallest case found that still `fails`, which asks a world: several times, because a run of threads may fail once in
    /// several. Returns this one if no smaller one does.
    #[must_use]
    pub fn shrunk(&self, mut fails: impl FnMut(&Self) -> bool) -> Self {
        let mut smallest = self.clone();
        let mut tries = 0;
        'smaller: loop {
            for script in smaller(&smallest.script) {
                tries += 1;
                if tries > TRIES {
                    return smallest;
                }
                let case = Self { script, ..smallest.clone() };
                if case.is_fair() && fails(&case) {
                    smallest = case;
                    continue 'smaller;
                }
            }
            return smallest;
        }
    }
}

/// Programs that do less, beginning with those that do much less.
fn smaller(script: &Script) -> Vec<Script> {
    let idle = (0..script.bodies.len()).filter(|&at| !script.bodies[at].is_empty());
    let idle = idle.map(|at| edited(script, |less| less.bodies[at] = phases_of(&script.bodies[at])));
    let lists = (0..script.bodies.len())
        .flat_map(|at| lists(&script.bodies[at]).map(move |body| (at, body)).collect::<Vec<_>>());
    let lists = lists.map(|(at, body)| edited(script, |less| less.bodies[at].clone_from(&body)));
    let kinds = (0..script.kinds.len()).flat_map(|at| kinds(script, at));
    let phases = (0..super::script::PHASES.len())
        .map(|phase| edited(script, |less| remove_phase(&mut less.bodies, phase)));
    phases.chain(idle).chain(kinds).chain(lists).filter(|less| less != script).collect()
}

fn edited(script: &Script, edit: impl FnOnce(&mut Script)) -> Script {
    let mut less = script.clone();
    edit(&mut less);
    less
}

/// Removes a phase, from all threads: they enter the same ones.
fn remove_phase(bodies: &mut [Vec<Op>], phase: usize) {
    for body in bodies {
        body.retain(|op| *op != Op::Phase(phase));
        for op in body {
            if let Op::Caught(inner) | Op::Guarded(inner) = op {
                remove_phase(std::slice::from_mut(inner), phase);
            }
        }
    }
}

/// Kind number `at` with less to do.
fn kinds(script: &Script, at: usize) -> Vec<Script> {
    let kind = &script.kinds[at];
    let acts = (0..kind.acts.len()).map(|act| {
        edited(script, |less| {
            less.kinds[at].acts.remove(act);
        })
    });
    let once = edited(script, |less| less.kinds[at].acts.iter_mut().for_each(once));
    let plain = edited(script, |less| {
        let kind = &mut less.kinds[at];
        (kind.work, kind.payload, kind.keys) = (0, 0, 1);
    });
    acts.chain([once, plain]).collect()
}

fn once(act: &mut Act) {
    if let Act::Send(sending) = act {
        sending.times = 1;
    }
}

/// Bodies with one operation removed or made smaller.
fn lists(body: &[Op]) -> impl Iterator<Item = Vec<Op>> {
    (0..body.len()).flat_map(|at| {
        let with = |instead: Vec<Op>| [&body[..at], &instead, &body[at + 1..]].concat();
        let removed = (!matches!(body[at], Op::Phase(_))).then(|| with(Vec::new()));
        let reduced = reduced(&body[at]).into_iter().map(with).collect::<Vec<_>>();
        removed.into_iter().chain(reduced)
    })
}

/// Smaller replacements of an operation.
fn reduced(op: &Op) -> Vec<Vec<Op>> {
    match op {
        Op::Send(sending) | Op::TrySend(sending) if sending.times > 1 => [sending.times / 2, 1]
            .map(|times| vec![Op::Send(super::script::Sending { times, ..*sending })])
            .to_vec(),
        Op::Hold { rule, key, acts } => (0..acts.len())
            .map(|at| {
                let mut acts = acts.clone();
                acts.remove(at);
                vec![Op::Hold { rule: *rule, key: *key, acts }]
            })
            .collect(),
        Op::Caught(inner) => wrapped(inner, Op::Caught),
        Op::Guarded(inner) => wrapped(inner, Op::Guarded),
        _ => Vec::new(),
    }
}

/// The operations inside another, without it or with less.
fn wrapped(inner: &[Op], wrap: fn(Vec<Op>) -> Op) -> Vec<Vec<Op>> {
    let less = lists(inner).map(|inner| vec![wrap(inner)]);
    std::iter::once(inner.to_vec()).chain(less.collect::<Vec<_>>()).collect()
}
