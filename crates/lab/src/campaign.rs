//! Does the runs that are needed, several at a time: those in the record are looked up, the others become processes of
//! the command, and each answer is recorded when it is there. A command that is killed goes on from there the next time.
//! Must never know what an answer is for.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::Specification;
use crate::record::{Key, Record, Unusable};

/// How runs are done.
pub struct Campaign<'a> {
    /// The file of the `tradewind` command.
    pub executable: &'a Path,
    /// Its version, see [`version`](crate::record::version).
    pub version: &'a str,
    /// The digest of the machine of a run with its settings, or what is wrong with either.
    pub machine: &'a (dyn Fn(&Specification) -> Result<String, String> + Sync),
    /// Told of each run before it is done, and with `true` when it is.
    pub progress: &'a (dyn Fn(&Specification, bool) + Sync),
    /// So many processes at a time, at least 1.
    pub jobs: usize,
}

impl Campaign<'_> {
    /// Does all of them, in no particular order. The answers, or for people why there is none, are in the order of the
    /// runs.
    ///
    /// # Errors
    ///
    /// If the record cannot be read or written; the runs after that are not done.
    pub fn run(
        &self,
        record: Record,
        runs: &[&Specification],
    ) -> Result<Vec<Result<Value, String>>, Unusable> {
        let record = Mutex::new(record);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = runs.get(index) else { return Ok(done) };
                (self.progress)(run, false);
                let answer = self.one(&record, run);
                if answer.is_err() {
                    next.store(runs.len(), Ordering::Relaxed);
                }
                done.push((index, answer?));
                (self.progress)(run, true);
            }
        };
        let done: Result<Vec<_>, Unusable> = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
        });
        let mut done: Vec<_> = done?.into_iter().flatten().collect();
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, answer)| answer).collect())
    }

    fn one(&self, record: &Mutex<Record>, run: &Specification) -> Result<Result<Value, String>, Unusable> {
        let machine = match (self.machine)(run) {
            Ok(machine) => machine,
            Err(why) => return Ok(Err(why)),
        };
        let key = Key { specification: run.canonical(), machine, version: self.version.to_owned() };
        let locked = || record.lock().expect("nobody panics with the record");
        if let Some(answer) = locked().find(&key)? {
            return Ok(Ok(answer));
        }
        match run.run(self.executable) {
            Ok(answer) => locked().add(&key, &answer).map(Ok),
            Err(why) => Ok(Err(why)),
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
        let all = |digest: &str, seeds: &[u64]| {
            let campaign = Campaign {
                executable: &executable,
                version: "1",
                machine: &|_| Ok(digest.to_owned()),
                progress: &|_, _| (),
                jobs: 2,
            };
            let runs: Vec<_> = seeds.iter().map(|seed| run(*seed)).collect();
            let record = Record::open(&folder.path().join("record"), |_| ()).unwrap();
            let answers = campaign.run(record, &runs.iter().collect::<Vec<_>>()).unwrap();
            answers.into_iter().map(|answer| answer.map(|answer| numbers(&answer))).collect::<Vec<_>>()
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
