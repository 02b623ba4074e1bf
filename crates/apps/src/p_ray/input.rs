//! The reader of p-ray's inputs, and the jobs made from them.
//!
//! This module must never know how a ray finds a triangle.

use std::sync::Arc;

use tempest::Job;
use tempest::entry::{BadPlan, Given, Inputs, Instance, Loaded, Plan, Reader};

use super::problem::{Options, Problem};
use super::program::{Config, PRay};
use super::surface::WORDS;

/// The most words of 8 bytes that the arena of a node may have.
const MOST_WORDS: u64 = 1 << 31;

/// Reads the inputs, and the surface out of its file.
pub(super) fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, Options::INPUTS);
    let asked = Options::read(&mut reader);
    // The surface is read even if another input is wrong, so that a person sees all mistakes at once.
    let patches = given.files.get("scene").and_then(|file| {
        let read = formats::bezier::read(&file.name, &file.bytes);
        read.map_err(|errors| errors.to_string().lines().for_each(|line| reader.refuse(line.to_owned()))).ok()
    });
    let made = patches.zip(asked).and_then(|(patches, asked)| {
        let name = Arc::clone(&asked.scene);
        let refused = |problem| reader.refuse(format!("{}: {problem}", name.name));
        Problem::new(asked, &patches).map_err(refused).ok()
    });
    reader.finish()?;
    let problem = made.expect("whatever is missing was refused");
    Ok(Box::new(System(Arc::new(problem))))
}

/// The program with its inputs read.
struct System(Arc<Problem>);

impl System {
    /// Refuses caches that the memory of a node cannot be numbered with.
    fn check_room(&self, plan: &Plan) -> Result<(), BadPlan> {
        let (threads, nodes) = (u64::from(plan.shape.threads), u64::from(plan.shape.nodes));
        let object = u64::from(self.0.object());
        let (cache, words) = (u64::from(self.0.cache()) * object, WORDS as u64);
        let size = u64::from(self.0.asked.size);
        let own = u64::from(self.0.objects()).div_ceil(nodes) * object * words;
        let others = own + size.div_ceil(nodes) * size + 1;
        let room = MOST_WORDS.saturating_sub(others + threads) / words / threads;
        if cache < room {
            return Ok(());
        }
        let caches = format!("{threads} threads of a node with {cache} triangles each");
        Err(format!("{caches}: expected fewer than {room}, --input cache={}", room.saturating_sub(1)).into())
    }
}

impl Instance for System {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        self.check_room(plan)?;
        // All nodes need it, and only rendering is timed.
        self.0.image();
        Ok(Job::new::<PRay>(Arc::new(Config { problem: Arc::clone(&self.0), mechanism: plan.mechanism })))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let mut facts = self.0.asked.describe();
        facts.push(("triangles", self.0.triangles.len().to_string()));
        facts
    }
}

#[cfg(test)]
mod tests {
    use tempest::{Mechanism, Shape};

    use super::*;
    use crate::kit::matrices::{assert_say, mistakes};
    use crate::p_ray::problem::tests::{TEAPOT, given};

    #[test]
    fn the_mistakes_of_inputs_and_file_come_together() {
        let wrong = given(b"1\n3 2\n", &[("balance", "fair"), ("size", "0")]);
        assert_say(&mistakes(load(&wrong)), &["size", "balance", "pot.bpt:2:3: degrees of a patch 3 2"]);
    }

    #[test]
    fn a_surface_without_area_is_refused_by_name() {
        let point = format!("1\n3 3\n{}", "1 1 1\n".repeat(16));
        assert_say(&mistakes(load(&given(point.as_bytes(), &[]))), &["pot.bpt: a surface without extent"]);
        let line: String = (0..16).map(|at| format!("{at} 0 0\n")).collect();
        let line = format!("1\n3 3\n{line}");
        assert_say(&mistakes(load(&given(line.as_bytes(), &[]))), &["pot.bpt: a surface without area"]);
    }

    #[test]
    fn caches_that_do_not_fit_are_refused_with_what_would() {
        let instance = load(&given(TEAPOT, &[("size", "8"), ("cache", "1048576")])).unwrap();
        let plan = |threads| Plan::new(Mechanism::Messages, Shape { nodes: 2, threads });
        assert!(instance.job(&plan(100)).is_ok());
        let error = instance.job(&plan(100_000)).unwrap_err().to_string();
        assert!(
            error.contains("100000 threads of a node with 4032 triangles each: expected fewer than 1192"),
            "{error}"
        );
    }
}
