//! Does the runs that are needed, several at a time: those in the record are looked up, the others become processes of
//! the command, and each answer is recorded when it is there. A command that is killed goes on from there the next time.
//! Must never know what an answer is for.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::record::{Key, Record, Unusable};
use crate::{NoAnswer, Runner, Specification};

/// How runs are done.
pub struct Campaign<'a> {
    /// The `tradewind` command, which does them.
    pub runner: &'a Runner,
    /// The version of the command, see [`version`](crate::record::version).
    pub version: &'a str,
    /// The digest of the machine of a run with its settings, or what is wrong with either.
    pub machine: &'a (dyn Fn(&Specification) -> Result<String, String> + Sync),
    /// Told of each run when it begins, and of its answer when that is there.
    pub tell: &'a (dyn Fn(Event<'_>) + Sync),
    /// The number of processes at a time, at least 1.
    pub jobs: usize,
}

/// Something that happens in a campaign. Runs are named by their place among all runs.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A run begins, or is looked up.
    Begins(usize),
    /// A run has ended.
    Ends {
        /// The place of the run.
        place: usize,
        /// The answer, or why there is none.
        answer: &'a Result<Value, NoAnswer>,
        /// Whether the answer was in the record already.
        is_recorded: bool,
    },
}

impl Campaign<'_> {
    /// Does all runs, in no particular order. Answers are told as they come.
    ///
    /// # Errors
    ///
    /// If the record cannot be read or written. The answers that are there by then have been told; no further run is begun.
    pub fn run(&self, record: Record, runs: &[&Specification]) -> Result<(), Unusable> {
        let record = Mutex::new(record);
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = runs.get(place) else { return Ok(()) };
                (self.tell)(Event::Begins(place));
                let done = self.one(&record, place, run);
                if done.is_err() {
                    next.store(runs.len(), Ordering::Relaxed);
                }
                done?;
            }
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
        })
    }

    /// Looks a run up or does it, and tells its answer.
    fn one(&self, record: &Mutex<Record>, place: usize, run: &Specification) -> Result<(), Unusable> {
        let ended = |answer, is_recorded| (self.tell)(Event::Ends { place, answer: &answer, is_recorded });
        let machine = match (self.machine)(run) {
            Ok(machine) => machine,
            Err(why) => {
                ended(Err(NoAnswer::Failed(why)), false);
                return Ok(());
            }
        };
        let key = Key { specification: run.canonical(), machine, version: self.version.to_owned() };
        let locked = || record.lock().expect("nobody panics with the record");
        if let Some(answer) = locked().find(&key)? {
            ended(Ok(answer), true);
            return Ok(());
        }
        match self.runner.run(run) {
            Ok(answer) => {
                let added = locked().add(&key, &answer);
                // An answer that cannot be kept is an answer all the same.
                let (answer, added) = match added {
                    Ok(kept) => (kept, Ok(())),
                    Err(unusable) => (answer, Err(unusable)),
                };
                ended(Ok(answer), false);
                added
            }
            none => {
                ended(none, false);
                Ok(())
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::specification::numbers;

    /// A command that counts how often it is run, and answers with what stands behind `--seed`.
    const COMMAND: &str = "#!/bin/sh\necho run >> \"$(dirname \"$0\")/runs\"\nfor last; do seed=$before; before=$last; done\n\
        [ \"$seed\" = 3 ] && { echo 'no such policy' >&2; exit 2; }\n\
        echo \"{ \\\"report\\\": { \\\"failures\\\": [], \\\"figures\\\": { \\\"seed\\\": $seed } } }\"\n";

    fn run(seed: u64) -> Specification {
        let (program, machine) = ("toy".to_owned(), "toy".to_owned());
        Specification { program, machine, seed, ..Specification::default() }
    }

    #[test]
    fn what_is_recorded_is_not_run_again_and_a_changed_machine_is() {
        let folder = tempfile::tempdir().unwrap();
        let executable = folder.path().join("command");
        fs::write(&executable, COMMAND).unwrap();
        fs::set_permissions(&executable, Permissions::from_mode(0o755)).unwrap();
        let runner = Runner::new(executable);
        let all = |digest: &str, seeds: &[u64]| {
            let answers = Mutex::new(vec![None; seeds.len()]);
            let keep = |event: Event<'_>| {
                if let Event::Ends { place, answer, .. } = event {
                    let told = answer.as_ref().map(numbers).map_err(|none| none.clone().why());
                    answers.lock().unwrap()[place] = Some(told);
                }
            };
            let machine = |_: &Specification| Ok(digest.to_owned());
            let campaign =
                Campaign { runner: &runner, version: "1", machine: &machine, tell: &keep, jobs: 2 };
            let runs: Vec<_> = seeds.iter().map(|seed| run(*seed)).collect();
            let record = Record::open(&folder.path().join("record"), |_| ()).unwrap();
            campaign.run(record, &runs.iter().collect::<Vec<_>>()).unwrap();
            answers.into_inner().unwrap().into_iter().map(Option::unwrap).collect::<Vec<_>>()
        };
        let seed = |seed: f64| Ok(vec![("report.figures.seed".to_owned(), seed)]);
        let done = || fs::read_to_string(folder.path().join("runs")).unwrap().lines().count();
        let failed = || Err("no such policy".to_owned());
        assert_eq!(all("a", &[1, 2, 3]), [seed(1.0), seed(2.0), failed()]);
        assert_eq!(done(), 3);
        // A run that failed is tried again; the others are looked up.
        assert_eq!(all("a", &[3, 2, 1]), [failed(), seed(2.0), seed(1.0)]);
        assert_eq!(done(), 4);
        assert_eq!(all("b", &[1, 2]), [seed(1.0), seed(2.0)]);
        assert_eq!(done(), 6);
        assert_eq!(all("b", &[1, 2]), [seed(1.0), seed(2.0)]);
        assert_eq!(done(), 6);
    }
}
