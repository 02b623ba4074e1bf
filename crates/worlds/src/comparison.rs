//! A program on several targets, by every mechanism under every policy that each of them can do. Ranks nothing.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use compare::refusal::{LeftOut, Omitted};
use compare::{Combination, Free, MachineShape, Ranking, Refusal, Way};
use tempest::entry::Least;
use tempest::policy::{Dispatch, PRESETS};
use tempest::{Mechanism, Policy};
use units::Time;

use crate::rounds::{End, Together};
use crate::shape::{self, AskedShape};
use crate::{Error, HostLimit, Hosting, Mistake, Repeat, Setting, Subject, Target, cores};

/// A comparison to be run: a program, targets, and the settings common to all runs.
///
/// ```
/// # let entry = tempest::entry::find("histogram", apps::ALL).unwrap();
/// use tradewind_worlds::{Comparison, Subject, Target};
///
/// let targets = vec![Target::find("ideal", &[])?, Target::find("paragon", &[])?];
/// let comparison = Comparison::new(Subject::load(entry, &[("values", "20")])?, targets);
/// for compared in comparison.run() {
///     let ranking = compared.ranking();
///     let fastest = &ranking.places[0].row;
///     println!("{}: {} in {}", ranking.machine.name, fastest.policies[0], fastest.outcome.timed());
/// }
/// # Ok::<(), tradewind_worlds::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The program with its inputs.
    pub subject: Subject,
    /// The free inputs, and the values of each case; that of `subject` is the first. [`free`](Self::free) sets them.
    pub freed: Free,
    /// The program with the inputs of each further case.
    pub cases: Vec<Subject>,
    /// The machines.
    pub targets: Vec<Target>,
    /// The nodes and processors of every machine: a table for each machine in each shape.
    pub shapes: Vec<MachineShape>,
    /// Whether a run on this host may have more processors than there are cores. They then take turns and times mean
    /// little. If not, such a run is refused.
    pub crowded: bool,
    /// The place of the nodes of runs on this host.
    pub hosting: Hosting,
    /// The number of the program's threads on each computing processor.
    pub threads: u32,
    /// The policies; if empty, every preset that a machine can do.
    pub policies: Vec<Policy>,
    /// The mechanisms; if empty, every mechanism that the program is written for and a machine can do.
    pub mechanisms: Vec<Mechanism>,
    /// The number of runs of each combination on this host. A model gives the same result every time and runs
    /// once.
    pub repeat: Repeat,
    /// The seed of everything left to chance.
    pub seed: u64,
    /// The time without any progress after which a run is given up, in the world's own time; `None` for no
    /// limit.
    pub stall_limit: Option<Time>,
    /// The limit of this host's time for a run on a model without a modelled event; `None` for no limit.
    pub host_limit: Option<HostLimit>,
}

/// A run of a comparison that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct Step<'c> {
    /// The number of finished runs of the comparison.
    pub done: usize,
    /// The number of all runs of the comparison, as far as is known: under [`Repeat::Auto`], and where a combination is refused,
    /// it changes from step to step.
    pub all: usize,
    /// The machine.
    pub target: &'c Target,
    /// The number of the case in [`Comparison::freed`]; 0 where no input is free.
    pub case: usize,
    /// The nodes and processors of the machine.
    pub shape: MachineShape,
    /// The mechanism by which data moves.
    pub mechanism: Mechanism,
    /// The policy: which processors inject messages and run handlers, and when.
    pub policy: &'c Policy,
    /// The number of this run of its combination, from 1; 0 of a run that warms up and does not count.
    pub run: u32,
    /// The number of runs of the combination that count, as far as is known.
    pub runs: u32,
}

/// The result of a comparison on one machine in one shape.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The machine.
    pub target: Target,
    /// The nodes and processors of the machine.
    pub shape: MachineShape,
    /// Every combination that ran to its end, in the order in which they ran.
    pub ran: Vec<(Setting, Combination)>,
    /// The combinations that were asked for and that the machine cannot do.
    pub refused: Vec<Refusal>,
    /// Combinations that were not asked for by name and cannot run here: policies with too few processors, and
    /// mechanisms that the machine lacks.
    pub left_out: Vec<LeftOut>,
    /// The runs that began and did not end well.
    pub failed: Vec<Refusal>,
    /// The combinations of which no run was over when the comparison was stopped.
    pub missing: Vec<Way>,
}

/// A policy that is to run, with the others that it stands for.
struct Standing {
    policy: Policy,
    same: Vec<String>,
}

impl Standing {
    fn alone(policy: &Policy) -> Self {
        Self { policy: policy.clone(), same: Vec::new() }
    }
}

/// The combinations of a machine that are to be run, and the combinations that it cannot do.
#[derive(Default)]
struct Candidates {
    run: Vec<(Mechanism, Standing)>,
    refused: Vec<Refusal>,
    left_out: Vec<LeftOut>,
}

impl Comparison {
    /// Makes a comparison of a program on these machines. Defaults: the [default shapes](shape), as many threads on
    /// each computing processor as the program needs, every policy and mechanism, as many runs of each combination on
    /// this host as its interval needs, the seed 1.
    pub fn new(subject: Subject, targets: Vec<Target>) -> Self {
        let least = subject.instance.least();
        Self {
            shapes: shapes(AskedShape::default(), least, &targets),
            crowded: false,
            hosting: Hosting::default(),
            threads: least.threads,
            subject,
            freed: Free::default(),
            cases: Vec::new(),
            targets,
            policies: Vec::new(),
            mechanisms: Vec::new(),
            repeat: Repeat::Auto,
            seed: 1,
            stall_limit: None,
            host_limit: None,
        }
    }

    /// Sets the shapes to the requested ones. A requested shape is kept even if this host has too few cores for it: its
    /// processors then take turns.
    pub fn ask(&mut self, asked: AskedShape) {
        self.shapes = shapes(asked, self.subject.instance.least(), &self.targets);
        self.crowded = !asked.is_nothing();
    }

    /// Runs everything, shape by shape and machine by machine in their order.
    pub fn run(&self) -> Vec<Compared> {
        self.run_with(|_| ControlFlow::Continue(()))
    }

    /// Runs everything, shape by shape and machine by machine in their order, and calls `tell` before each run. If that breaks,
    /// the run does not begin, and the result is that of the runs before it.
    pub fn run_with(&self, tell: impl FnMut(Step<'_>) -> ControlFlow<()>) -> Vec<Compared> {
        let comparing = self.begin();
        comparing.run(tell);
        comparing.so_far()
    }

    /// Makes ready to run everything.
    pub fn begin(&self) -> Comparing<'_> {
        let tables =
            |subject| self.shapes.iter().flat_map(move |shape| self.tables(subject, *shape)).collect();
        Comparing { tables: tables(&self.subject), cases: self.cases.iter().map(tables).collect() }
    }

    /// Tables of a shape, machine by machine, with the settings to run.
    fn tables<'c>(&'c self, subject: &'c Subject, shape: MachineShape) -> impl Iterator<Item = Table<'c>> {
        self.targets.iter().map(move |target| {
            let candidates = self.candidates(shape, target);
            let setting = |(mechanism, Standing { policy, same })| {
                let setting = self.setting(shape, target, mechanism, policy);
                (Setting { subject: subject.clone(), ..setting }, same)
            };
            let (settings, same): (Vec<_>, _) = candidates.run.into_iter().map(setting).unzip();
            // A model gives the same result every time.
            let repeat = if target.is_native() { self.repeat } else { Repeat::Times(1) };
            let together = Together::new(settings, repeat);
            Table {
                target,
                shape,
                together,
                same,
                refused: candidates.refused,
                left_out: candidates.left_out,
            }
        })
    }

    /// The combinations for a machine: every mechanism under every policy, sorted into runs and refusals.
    fn candidates(&self, shape: MachineShape, target: &Target) -> Candidates {
        let (mut candidates, is_asked) = (Candidates::default(), !self.policies.is_empty());
        for &mechanism in self.mechanisms_in(shape) {
            if let Err(mistake) = self.room(shape, target) {
                candidates.refused.push(Refusal { mechanism, policy: None, reason: mistake.to_string() });
                continue;
            }
            let before = candidates.run.len();
            let canonical = |policy: &Policy| target.canonical(policy, shape.processors);
            for policy in self.policies_on(mechanism, target, shape.processors) {
                // Unless policies are asked for, equivalent ones run once.
                let stands_for = |other: &Policy| !is_asked && canonical(other) == canonical(&policy);
                match self.fit(&policy, shape, target) {
                    Ok(()) => candidates.add(mechanism, &policy, stands_for),
                    Err(why) => candidates.refuse(mechanism, &policy, &why, is_asked),
                }
            }
            if candidates.run.len() == before && !is_asked {
                candidates.refused.push(self.lacking(mechanism, shape, target));
            }
        }
        // If any combination runs, mechanisms that were not asked for are noted and not refused.
        if self.mechanisms.is_empty() && !is_asked && !candidates.run.is_empty() {
            candidates.left_out.extend(candidates.refused.drain(..).map(|lacking| LeftOut {
                what: Omitted::Mechanism(lacking.mechanism),
                reason: lacking.reason,
            }));
        }
        candidates
    }

    /// The mechanisms to run in a shape: the requested ones, or all of the program. A single node beside other shapes
    /// runs the program's first mechanism only: it is there to show policies, and no data leaves it.
    fn mechanisms_in(&self, shape: MachineShape) -> &[Mechanism] {
        let all = self.subject.entry.mechanisms;
        match self.mechanisms.as_slice() {
            [] if shape.nodes == 1 && self.shapes.iter().any(|other| other.nodes > 1) => &all[..1],
            [] => all,
            asked => asked,
        }
    }

    /// The policies to run on nodes of `processors` processors: the requested ones, or every preset that the machine
    /// can do. The machine itself refuses a requested policy that it cannot do.
    fn policies_on(&self, mechanism: Mechanism, target: &Target, processors: u32) -> Vec<Policy> {
        if !self.policies.is_empty() {
            return self.policies.clone();
        }
        let can = |policy: &Policy| target.check(mechanism, policy).is_ok();
        // A machine that dispatches one event at a time has the policies that are keyed elsewhere in that order.
        presets(processors)
            .filter_map(|policy| if can(&policy) { Some(policy) } else { serial(&policy).filter(can) })
            .collect()
    }

    /// Checks that a machine can have a shape: this host only as many processors as it has cores.
    fn room(&self, shape: MachineShape, target: &Target) -> Result<(), Mistake> {
        let is_wide = |shape: MachineShape| shape::processors(shape) as usize > cores();
        if self.crowded || !target.is_native() || !is_wide(shape) {
            return Ok(());
        }
        // The least that would do is more to the point than a shape that was chosen for the models.
        let least = shape::least(self.subject.instance.least());
        let shape = if is_wide(least) { least } else { shape };
        Err(Mistake::TooFewCores { program: self.subject.entry.name, shape, cores: cores() })
    }

    /// Whether there are enough processors for a policy.
    fn fit(&self, policy: &Policy, shape: MachineShape, target: &Target) -> Result<(), Mistake> {
        let split = policy.split(shape.processors).map_err(Mistake::Policy)?;
        let processors = shape.nodes * (split.computing + split.dedicated);
        let is_asked = self.crowded && shape::processors(shape) as usize > cores();
        if !target.is_native() || is_asked || processors as usize <= cores() {
            return Ok(());
        }
        Err(Mistake::PolicyNeedsCores { policy: policy.clone(), processors, cores: cores() })
    }

    /// The reason why a machine can do a mechanism under no policy.
    fn lacking(&self, mechanism: Mechanism, shape: MachineShape, target: &Target) -> Refusal {
        let why: Vec<_> = presets(shape.processors)
            .filter_map(|policy| {
                let fits = target.check(mechanism, &policy).and_then(|()| policy.split(shape.processors));
                fits.err()
            })
            .map(|refusal| refusal.to_string())
            .collect();
        let first = why.first().cloned().unwrap_or_default();
        // A reason that every policy shares is the mechanism's.
        let reason = match why.iter().all(|why| *why == first) {
            true => first,
            false if !target.mechanisms().contains(&mechanism) => {
                let can: Vec<_> = target.mechanisms().iter().map(|able| able.name()).collect();
                let name = target.name();
                format!("mechanism `{mechanism}`: machine `{name}` runs programs by {} only", can.join(", "))
            }
            false => format!("no policy can be had; {first}"),
        };
        Refusal { mechanism, policy: None, reason: target.refusing(reason) }
    }

    fn setting(&self, shape: MachineShape, target: &Target, mechanism: Mechanism, policy: Policy) -> Setting {
        Setting {
            subject: self.subject.clone(),
            target: target.clone(),
            mechanism,
            nodes: shape.nodes,
            processors: shape.processors,
            threads: self.threads,
            policy,
            seed: self.seed,
            hosting: self.hosting,
            stall_limit: self.stall_limit,
            host_limit: self.host_limit.clone(),
            trace: None,
            progress: None,
        }
    }
}

impl Candidates {
    /// Adds a policy that there are processors for, to the runs or to a run that stands for it too.
    fn add(&mut self, mechanism: Mechanism, policy: &Policy, stands_for: impl Fn(&Policy) -> bool) {
        let of_it = self.run.iter_mut().filter(|(other, _)| *other == mechanism);
        match of_it.map(|(_, standing)| standing).find(|standing| stands_for(&standing.policy)) {
            Some(standing) => standing.same.push(policy.to_string()),
            None => self.run.push((mechanism, Standing::alone(policy))),
        }
    }

    /// Adds a policy that there are too few processors for; `is_asked` says that a person named it.
    fn refuse(&mut self, mechanism: Mechanism, policy: &Policy, why: &Mistake, is_asked: bool) {
        let (policy, reason) = (policy.to_string(), why.to_string());
        if is_asked {
            return self.refused.push(Refusal { mechanism, policy: Some(policy), reason });
        }
        let left_out = LeftOut { what: Omitted::Policy(policy), reason };
        if !self.left_out.contains(&left_out) {
            self.left_out.push(left_out);
        }
    }
}

/// A comparison that is being run. Another thread may ask for the result of the runs that are over while one is in progress.
#[derive(Debug)]
pub struct Comparing<'c> {
    tables: Vec<Table<'c>>,
    /// The tables of each further case.
    cases: Vec<Vec<Table<'c>>>,
}

impl<'c> Comparing<'c> {
    /// All tables, each with the number of its case.
    fn all(&self) -> impl Iterator<Item = (usize, &Table<'c>)> {
        let further = self.cases.iter().enumerate();
        let further = further.flat_map(|(case, tables)| tables.iter().map(move |table| (case + 1, table)));
        self.tables.iter().map(|table| (0, table)).chain(further)
    }

    /// Runs everything, case by case, shape by shape and machine by machine in their order, and calls `tell` before each run; if that
    /// breaks, no further run begins.
    pub fn run(&self, mut tell: impl FnMut(Step<'_>) -> ControlFlow<()>) {
        let mut ahead: usize = self.all().map(|(_, table)| table.together.at_first()).sum();
        let mut done = 0;
        let mut over = ControlFlow::Continue(());
        for (case, table) in self.all() {
            ahead -= table.together.at_first();
            let before = done;
            table.together.run(&mut |turn| {
                over?;
                let setting = &table.together.settings()[turn.index];
                done = before + turn.done;
                over = tell(Step {
                    done,
                    all: before + turn.all + ahead,
                    target: table.target,
                    case,
                    shape: table.shape,
                    mechanism: setting.mechanism,
                    policy: &setting.policy,
                    run: turn.run,
                    runs: turn.runs,
                });
                // A run that begins will be over when anything is told again.
                done += usize::from(over.is_continue());
                over
            });
        }
    }

    /// Whether some machine runs a combination in this comparison.
    pub fn has(&self, way: &Way) -> bool {
        self.tables.iter().any(|table| {
            let settings = table.together.settings().iter().zip(&table.same);
            let stands_for = |same: &[String]| same.contains(&way.policy);
            settings.into_iter().any(|(setting, same)| {
                setting.mechanism == way.mechanism && (setting.way() == *way || stands_for(same))
            })
        })
    }

    /// The result of the runs that are over, machine by machine.
    pub fn so_far(&self) -> Vec<Compared> {
        self.tables.iter().map(Table::compared).collect()
    }

    /// The result of the runs of each further case that are over, machine by machine.
    pub fn further(&self) -> Vec<Vec<Compared>> {
        self.cases.iter().map(|tables| tables.iter().map(Table::compared).collect()).collect()
    }
}

/// The combinations of one machine in one shape.
#[derive(Debug)]
struct Table<'c> {
    target: &'c Target,
    shape: MachineShape,
    together: Together,
    /// For each combination, the other policies that it stands for.
    same: Vec<Vec<String>>,
    refused: Vec<Refusal>,
    left_out: Vec<LeftOut>,
}

impl Table<'_> {
    /// The table with the result of each combination so far.
    fn compared(&self) -> Compared {
        let mut compared = Compared {
            target: self.target.clone(),
            shape: self.shape,
            ran: Vec::new(),
            refused: self.refused.clone(),
            left_out: self.left_out.clone(),
            failed: Vec::new(),
            missing: Vec::new(),
        };
        for (index, end) in self.together.ends().into_iter().enumerate() {
            compared.add(&self.together.settings()[index], self.way(index), &self.same[index], end);
        }
        compared
    }

    /// The name of a combination. Repeated listings are distinguished by their number: `single (2nd)`.
    fn way(&self, index: usize) -> Way {
        let settings = self.together.settings();
        let way = settings[index].way();
        match settings[..index].iter().filter(|other| other.way() == way).count() {
            0 => way,
            earlier => Way { policy: format!("{} ({})", way.policy, nth(earlier + 1)), ..way },
        }
    }
}

impl Compared {
    /// Ranks the combinations: right answers first, the fastest first.
    pub fn ranking(self) -> Ranking {
        let ran = self.ran.into_iter().map(|(_, ran)| ran).collect();
        let ranking = Ranking::new(self.target.described(), self.shape, ran, self.refused, self.failed);
        Ranking { missing: self.missing, left_out: self.left_out, ..ranking }
    }

    /// Stores the end of a combination named `way`, which stands for the policies `same` too. A failure does not keep
    /// the other combinations from being reported.
    fn add(&mut self, setting: &Setting, way: Way, same: &[String], end: End) {
        let policy = way.policy.clone();
        let refusal = |reason: String| Refusal { mechanism: setting.mechanism, policy: Some(policy), reason };
        match end {
            End::Ran(ran) => {
                self.ran.push((setting.clone(), ran.named(way).standing_for(same.to_vec())));
            }
            End::Stopped => self.missing.push(way),
            End::Failed(Error::Wrong(mistakes)) => {
                let told: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
                self.refused.push(refusal(told.join("; ")));
            }
            End::Failed(failure) => self.failed.push(refusal(failure.to_string())),
        }
    }
}

/// An ordinal number from 2 on.
fn nth(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// The shapes of a comparison on these machines, as far as a person did not choose them.
fn shapes(asked: AskedShape, least: Least, targets: &[Target]) -> Vec<MachineShape> {
    let cores = targets.iter().any(Target::is_native).then(|| cores() as u32);
    let mut own = targets.iter().map(|target| target.shape(asked, least));
    match own.next() {
        // Models that are alike in size stand in that size.
        Some(first) if cores.is_none() && own.all(|other| other == first) => vec![first],
        _ => shape::of_comparison(asked, least, cores),
    }
}

/// Every preset; with a count, for one processor, for two, and on a node of `processors` for an eighth and a quarter as many.
fn presets(processors: u32) -> impl Iterator<Item = Policy> {
    let counts: BTreeSet<u32> = [1, 2, processors / 8, processors / 4].into_iter().collect();
    let texts = PRESETS.iter().flat_map(move |preset| match preset.counted {
        true => counts.iter().map(|count| format!("{}:{count}", preset.name)).collect(),
        false => vec![preset.name.to_owned()],
    });
    // No policy has a count of 0.
    texts.filter_map(|text| text.parse().ok())
}

/// A policy with handlers that run one at a time; `None` if its handlers do so already.
pub fn serial(policy: &Policy) -> Option<Policy> {
    let keyed = policy.dispatch == Dispatch::Keyed;
    keyed.then(|| format!("{policy}+serial").parse().ok()).flatten()
}
