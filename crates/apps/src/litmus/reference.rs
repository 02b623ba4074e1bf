//! All final states of a litmus test on a sequentially consistent memory.
//!
//! The search follows every interleaving of the threads' accesses. It need not interleave instructions between two
//! accesses, as no other thread sees them. A state of registers and memory that was reached before is not followed
//! again. The search ends, as branches lead forward only.
//!
//! This module must never know any other memory than one word for each variable.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use formats::litmus::{Place, Test};

use super::core::{Access, Astray, Core};

/// A final state: the values of the registers and variables that a test observes, in the test's order.
pub type State = Vec<i64>;

/// The most states of registers and memory that the search follows. Published tests have thousands.
pub const MAX_STATES: usize = 300_000;

/// The reason why the final states of a test are not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The search would follow more than [`MAX_STATES`] states.
    TooMany,
    /// A thread may access an address at which there is no variable.
    Astray {
        /// The index of the thread.
        thread: usize,
        /// The address.
        address: i64,
    },
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => {
                write!(f, "more than {MAX_STATES} states: expected a test of fewer or shorter threads")
            }
            Self::Astray { thread, address } => {
                write!(f, "thread {thread} accesses address {address}: expected that of a variable")
            }
        }
    }
}

/// The state of threads and memory between two accesses.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Machine {
    cores: Vec<Core>,
    memory: Vec<i64>,
}

/// Finds all final states that satisfy the test's filter.
///
/// # Errors
/// [`Unknown`] if the test is too large, or a thread may access an address without a variable.
pub fn allowed(test: &Test) -> Result<BTreeSet<State>, Unknown> {
    let start = Machine {
        cores: test.threads.iter().map(Core::new).collect(),
        memory: test.locations.iter().map(|location| location.initial).collect(),
    };
    let mut met = HashSet::from([start.clone()]);
    let mut to_follow = vec![start];
    let mut finals = BTreeSet::new();
    while let Some(machine) = to_follow.pop() {
        let mut ended = machine.clone();
        let mut moved = false;
        for thread in 0..machine.cores.len() {
            let Some(next) = machine.step(test, thread, &mut ended.cores[thread])? else { continue };
            moved = true;
            if !met.contains(&next) {
                met.insert(next.clone());
                to_follow.push(next);
            }
        }
        if met.len() > MAX_STATES {
            return Err(Unknown::TooMany);
        }
        if !moved {
            finals.extend(ended.observe(test));
        }
    }
    Ok(finals)
}

impl Machine {
    /// The state after the next access of a thread. If the thread makes no further access, the result is `None` and
    /// `ended` is set to the thread's last state.
    fn step(&self, test: &Test, thread: usize, ended: &mut Core) -> Result<Option<Self>, Unknown> {
        let astray = |Astray(address)| Unknown::Astray { thread, address };
        let access = ended.advance(&test.threads[thread], self.memory.len()).map_err(astray)?;
        let Some(access) = access else { return Ok(None) };
        let mut next = self.clone();
        next.cores[thread] = ended.clone();
        match access {
            Access::Load { location, into } => next.cores[thread].loaded(into, self.memory[location]),
            Access::Store { location, value } => next.memory[location] = value,
        }
        Ok(Some(next))
    }

    /// The observed values of a final state; `None` if the test's filter rejects it.
    fn observe(&self, test: &Test) -> Option<State> {
        let value = |place| match place {
            Place::Register(thread, register) => self.cores[thread].register(register),
            Place::Location(location) => self.memory[location],
        };
        let passes = test.filter.as_ref().is_none_or(|filter| filter.holds(&value));
        passes.then(|| test.observed.iter().map(|&place| value(place)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(head: &str, rows: &str, condition: &str) -> Test {
        let text = format!("{head}\n{rows}\n{condition}\n");
        formats::litmus::read("test", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn states(test: &Test) -> Vec<State> {
        allowed(test).unwrap().into_iter().collect()
    }

    #[test]
    fn store_buffering_has_three_of_four() {
        let rows = "P0|P1;\nMOV [x],$1|MOV [y],$1;\nMOV EAX,[y]|MOV EAX,[x];";
        let test = test("X86 SB\n{}", rows, "exists (0:EAX=0 /\\ 1:EAX=0)");
        assert_eq!(states(&test), [[0, 1], [1, 0], [1, 1]]);
    }

    /// Both loads before both stores, one increment between the other's, and one after the other.
    #[test]
    fn increments_that_are_no_single_step_lose_one() {
        let rows = "P0|P1;\nMOV EAX,[x]|MOV EAX,[x];\nINC EAX|INC EAX;\nMOV [x],EAX|MOV [x],EAX;";
        let test = test("X86 inc\n{x=5;}", rows, "exists (x=7)");
        assert_eq!(states(&test), [[6], [7]]);
    }

    #[test]
    fn what_is_behind_the_last_access_is_executed() {
        let test = test("X86 tail\n{}", "P0;\nMOV EAX,[x];\nINC EAX;", "exists (0:EAX=1)");
        assert_eq!(states(&test), [[1]]);
    }

    #[test]
    fn branches_depend_on_what_is_read() {
        let rows = "P0|P1;\nsw x5,0(x6)|lw x7,0(x6);\n|beq x7,x0,L;\n|sw x5,0(x8);\n|L:;";
        let head = "RISCV ctrl\n{0:x5=1;0:x6=x;1:x5=1;1:x6=x;1:x8=y;}";
        let test = test(head, rows, "exists (1:x7=0 /\\ y=1)");
        assert_eq!(states(&test), [[0, 0], [1, 1]]);
    }

    #[test]
    fn half_a_word_extends_its_sign() {
        let rows = "P0;\nsw x5,0(x6);\nld x7,0(x6);";
        let test = test("RISCV w\n{0:x5=0xffffffff;0:x6=x;}", rows, "exists (0:x7=-1)");
        assert_eq!(states(&test), [[-1]]);
    }

    #[test]
    fn addresses_can_be_stored_and_followed() {
        let rows = "P0|P1;\nsd x5,0(x6)|ld x7,0(x6);\n|ld x8,0(x7);";
        let head = "RISCV pointer\n{x=y;y=3;z=4;0:x5=z;0:x6=x;1:x6=x;}";
        let test = test(head, rows, "exists (1:x8=4)");
        assert_eq!(states(&test), [[3], [4]]);
    }

    #[test]
    fn the_filter_passes_states_over() {
        let rows = "P0|P1;\nMOV [x],$1|MOV [x],$2;";
        let test = test("X86 f\n{}", rows, "filter (not x=1)\nexists (x=2)");
        assert_eq!(states(&test), [[2]]);
    }

    #[test]
    fn a_thread_that_goes_astray_is_told() {
        let test = test("RISCV a\n{0:x6=8;}", "P0;\nlw x5,4(x6);", "exists (0:x5=0)");
        let unknown = allowed(&test).unwrap_err();
        assert_eq!(unknown.to_string(), "thread 0 accesses address 12: expected that of a variable");
    }

    #[test]
    fn a_test_that_is_too_large_is_refused() {
        let heads: Vec<_> = (0..8).map(|thread| format!("P{thread}")).collect();
        let row = |step: usize| {
            let cells = (0..8).map(|thread| format!("MOV [x],${}", 10 * thread + step));
            cells.collect::<Vec<_>>().join("|") + ";"
        };
        let rows: Vec<_> = (0..6).map(row).collect();
        let test =
            test("X86 large\n{}", &format!("{};\n{}", heads.join("|"), rows.join("\n")), "exists (x=0)");
        assert_eq!(allowed(&test), Err(Unknown::TooMany));
    }
}
