//! The document of `litmus`, and what follows from it. This module must never know how a test is read or run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document that `tradewind litmus --json` prints.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Litmus {
    /// The version of this document's form.
    pub version: u32,
    /// The number of times that each test ran in each world; every second round with all variables in one block.
    pub rounds: u32,
    /// The seed of schedules and delays.
    pub seed: u64,
    /// Bytes of a coherence block.
    pub block_bytes: u32,
    /// The protocol that kept the memory coherent.
    pub protocol: String,
    /// The pages of other nodes that a node had room for.
    ///
    /// Null if it had room for all.
    pub frames: Option<u32>,
    /// Threads prefetched variables before their accesses.
    pub prefetch: bool,
    /// The machines, in the order in which they were named.
    pub worlds: Vec<World>,
    /// Every test that was read, in the order of paths and names.
    pub tests: Vec<Test>,
    /// The mistakes in files that were not run, as on standard error. The exit is 2 if there is one and nothing worse.
    pub unread: Vec<String>,
}

/// A machine, and the counts over all tests on it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct World {
    /// `native`, or the `name` in the machine file.
    pub machine: String,
    /// The machine file, as it was named.
    ///
    /// Null natively, and of a shipped machine.
    pub machine_file: Option<String>,
    /// `local` (this host, all nodes in one process), `processes` (this host, nodes in processes of their own) or `model`.
    pub world: String,
    /// 16 hexadecimal digits: the digest of all values of the model, `--set` included.
    ///
    /// Null natively.
    pub machine_digest: Option<String>,
    /// The policy in full: `fixed` is written `fixed:1`.
    pub policy: String,
    /// Processors of each node.
    pub processors: u32,
    /// The counts over all tests.
    #[serde(flatten)]
    pub counts: Tally,
}

/// The counts over all tests in one world.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Tests whose run ended well.
    pub tests_run: usize,
    /// Tests whose run did not end well. The exit is 1 if there is one.
    pub tests_failed: usize,
    /// Final states of all tests that were seen and that sequential consistency does not allow. The exit is 1 if there
    /// is one.
    pub states_forbidden: usize,
    /// Final states of all tests that sequential consistency allows.
    pub states_allowed: usize,
    /// Allowed final states of all tests that were seen.
    pub states_reached: usize,
    /// Tests that allow more than one final state.
    pub tests_with_several: usize,
    /// Tests of which more than one allowed final state was seen.
    pub tests_showing_several: usize,
}

/// A litmus test, and its result in each world.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// The file of the test.
    pub file: String,
    /// The name that the test gives itself.
    pub name: String,
    /// The architecture: `X86` or `RISCV`.
    pub architecture: String,
    /// The number of threads of the test.
    pub threads: usize,
    /// The condition of the test, in full parentheses.
    pub condition: String,
    /// Final states that sequential consistency allows.
    pub allowed: usize,
    /// The results in each of `worlds`.
    pub results: Vec<Trial>,
    /// Every state that is allowed or was seen.
    pub states: Vec<State>,
}

/// The result of a litmus test in one world.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// `ok`, `forbidden` (a state was seen that is not allowed) or `failed` (the run did not end well).
    pub verdict: String,
    /// Allowed states that were seen.
    pub reached: usize,
    /// The condition's formula held `Never`, `Sometimes` or `Always`.
    ///
    /// Null if the run failed.
    pub observation: Option<String>,
    /// Rounds after which the formula held.
    pub positive: u64,
    /// Rounds after which the formula did not hold.
    pub negative: u64,
    /// The reason why the run did not end well.
    ///
    /// Null if the run ended well.
    pub failure: Option<String>,
}

/// A final state of a test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The final state, such as `0:x5=1; [x]=2;`.
    pub state: String,
    /// Sequential consistency allows the state.
    pub allowed: bool,
    /// The condition's formula holds in the state.
    pub holds: bool,
    /// The number of times that the state was seen in each of `worlds` with every variable in a block of its own.
    pub apart: Vec<u64>,
    /// The number of times that the state was seen in each of `worlds` with all variables in one block.
    pub together: Vec<u64>,
}

impl Litmus {
    /// The document with the counts of every world, which are those of its tests.
    #[must_use]
    pub fn counted(mut self) -> Self {
        for (index, world) in self.worlds.iter_mut().enumerate() {
            world.counts = Tally::default();
            self.tests.iter().for_each(|test| world.counts.add(test, index));
        }
        self
    }
}

impl Tally {
    fn add(&mut self, test: &Test, world: usize) {
        let trial = &test.results[world];
        let failed = trial.failure.is_some();
        self.tests_run += usize::from(!failed);
        self.tests_failed += usize::from(failed);
        self.states_forbidden += test.forbidden(world).count();
        self.states_allowed += test.allowed;
        self.states_reached += trial.reached;
        self.tests_with_several += usize::from(test.allowed > 1);
        self.tests_showing_several += usize::from(trial.reached > 1);
    }

    /// Whether every run ended well and no forbidden state was seen.
    pub fn is_clean(&self) -> bool {
        self.tests_failed == 0 && self.states_forbidden == 0
    }
}

impl Test {
    /// The states that were seen in a world though they are not allowed.
    pub(crate) fn forbidden(&self, world: usize) -> impl Iterator<Item = &State> {
        self.states.iter().filter(move |state| !state.allowed && state.is_seen(world))
    }
}

impl State {
    /// Whether the state was seen in a world.
    pub(crate) fn is_seen(&self, world: usize) -> bool {
        self.apart[world] + self.together[world] > 0
    }
}

impl Trial {
    /// Makes the result of a test in world number `world` from the final states. `failure` is the reason why a run did not
    /// end well.
    pub fn new(states: &[State], world: usize, failure: Option<String>) -> Self {
        let seen: Vec<_> = states.iter().filter(|state| state.is_seen(world)).collect();
        let rounds = |holds: bool| -> u64 {
            let of = seen.iter().filter(|state| state.holds == holds);
            of.map(|state| state.apart[world] + state.together[world]).sum()
        };
        let (positive, negative) = (rounds(true), rounds(false));
        let verdict = match () {
            () if failure.is_some() => "failed",
            () if seen.iter().any(|state| !state.allowed) => "forbidden",
            () => "ok",
        };
        let observation = match (positive, negative) {
            (0, _) => "Never",
            (_, 0) => "Always",
            _ => "Sometimes",
        };
        Self {
            verdict: verdict.to_owned(),
            reached: seen.iter().filter(|state| state.allowed).count(),
            observation: failure.is_none().then(|| observation.to_owned()),
            positive,
            negative,
            failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Store buffering: three states are allowed, and in the last the condition holds.
    fn states(seen: [u64; 4]) -> Vec<State> {
        let state = |(index, seen): (usize, u64)| State {
            state: index.to_string(),
            allowed: index > 0,
            holds: index == 3,
            apart: vec![seen],
            together: vec![0],
        };
        seen.into_iter().enumerate().map(state).collect()
    }

    fn litmus(seen: [u64; 4], failure: Option<&str>) -> Litmus {
        let states = states(seen);
        let results = vec![Trial::new(&states, 0, failure.map(str::to_owned))];
        let test = Test { allowed: 3, results, states, ..Test::default() };
        let litmus = Litmus { worlds: vec![World::default()], tests: vec![test], ..Litmus::default() };
        litmus.counted()
    }

    #[test]
    fn a_forbidden_state_is_told_and_counted() {
        let litmus = litmus([1, 7, 0, 0], None);
        let (world, trial) = (&litmus.worlds[0], &litmus.tests[0].results[0]);
        assert_eq!((trial.verdict.as_str(), trial.reached), ("forbidden", 1));
        assert_eq!(
            (world.counts.states_forbidden, world.counts.states_reached, world.counts.states_allowed),
            (1, 1, 3)
        );
        assert!(!world.counts.is_clean());
    }

    #[test]
    fn the_observation_says_how_often_the_formula_held() {
        let observe = |seen| {
            let litmus = litmus(seen, None);
            let Trial { observation, positive, negative, .. } = litmus.tests[0].results[0].clone();
            (observation.unwrap(), positive, negative)
        };
        assert_eq!(observe([0, 2, 3, 0]), ("Never".to_owned(), 0, 5));
        assert_eq!(observe([0, 0, 3, 2]), ("Sometimes".to_owned(), 2, 3));
        assert_eq!(observe([0, 0, 0, 2]), ("Always".to_owned(), 2, 0));
    }

    #[test]
    fn a_run_that_did_not_end_well_is_no_success() {
        let litmus = litmus([0; 4], Some("deadlock"));
        assert_eq!(litmus.tests[0].results[0].verdict, "failed");
        assert!(!litmus.worlds[0].counts.is_clean() && litmus.worlds[0].counts.tests_run == 0);
    }
}
