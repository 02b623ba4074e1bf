//! Does the necessary runs, several at a time: answers in the record are looked up, the other runs become processes of
//! the command, and each answer is recorded as it arrives. A killed command goes on from there the next time. This
//! module must never know the use of an answer.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use machine::NATIVE;
use serde_json::Value;

use crate::record::{Key, Record, Row, Unusable};
use crate::{NoAnswer, Runner, Specification};

/// A campaign: the means to do runs.
pub struct Campaign<'a> {
    /// The `tradewind` command, which does them.
    pub runner: &'a Runner,
    /// The version of the command, see [`version`](crate::record::version).
    pub version: &'a str,
    /// Makes the digests of the machine and files that a run reads, or their mistakes.
    pub digests: &'a (dyn Fn(&Specification) -> Result<Digests, String> + Sync),
    /// Called for each run when it begins, and for its answer when that arrives.
    pub tell: &'a (dyn Fn(Event<'_>) + Sync),
    /// The number of processes at a time, at least 1. A run on this host is always the only one.
    pub jobs: usize,
}

/// Digests of the machine and files that a run reads besides its specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    /// Digest of the machine with its settings; for this host, the description that identifies it.
    pub machine: String,
    /// Digest of the bytes of each input file of a person, with the input's name; empty if there is none.
    pub inputs: String,
}

/// Something that happens in a campaign. Runs are named by their place among all runs.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The record has been searched for all runs, and the first of the others begins.
    Searched {
        /// The number of runs that were on record.
        found: usize,
        /// The number of all runs.
        all: usize,
    },
    /// The answer of a run on record is damaged: the run is done again.
    Damaged(usize),
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
    /// Does all runs that are not on record: first the runs on models, several at a time and in no particular order,
    /// then the runs on this host, one after the other in their order. Answers are passed on as they arrive.
    ///
    /// # Errors
    ///
    /// If the record cannot be read or written. Earlier answers have been passed on; no further run is begun.
    pub fn run(&self, record: Record, runs: &[&Specification]) -> Result<(), Unusable> {
        let (mut left, mut found) = (Vec::new(), 0);
        for (place, run) in runs.iter().enumerate() {
            match self.look_up(&record, place, run)? {
                Looked::Found => found += 1,
                Looked::Refused => {}
                Looked::Left(key) => left.push((place, key)),
            }
        }
        (self.tell)(Event::Searched { found, all: runs.len() });
        let record = Mutex::new(record);
        let (native, models): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(place, _)| runs[*place].machine == NATIVE);
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let Some((place, key)) = models.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    return Ok(());
                };
                let done = self.one(&record, *place, runs[*place], key);
                if done.is_err() {
                    next.store(models.len(), Ordering::Relaxed);
                }
                done.map(drop)?;
            }
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
        })?;
        // Nothing of ours disturbs a measurement of this host.
        let mut refused = BTreeMap::new();
        native
            .iter()
            .try_for_each(|(place, key)| self.round(&record, *place, (runs[*place], key), &mut refused))
    }

    /// Does a round of a run, unless an earlier one was refused: then it would be refused again.
    fn round(
        &self,
        record: &Mutex<Record>,
        place: usize,
        (run, key): (&Specification, &Key),
        refused: &mut BTreeMap<String, NoAnswer>,
    ) -> Result<(), Unusable> {
        let rounds = Specification { round: 0, ..run.clone() }.canonical();
        if let Some(none) = refused.get(&rounds) {
            (self.tell)(Event::Begins(place));
            (self.tell)(Event::Ends { place, answer: &Err(none.clone()), is_recorded: false });
            return Ok(());
        }
        let none = self.one(record, place, run, key)?;
        refused.extend(none.filter(|none| matches!(none, NoAnswer::Refused(_))).map(|none| (rounds, none)));
        Ok(())
    }

    /// Looks a run up, and tells its answer if the record has one, or why there can be none.
    fn look_up(&self, record: &Record, place: usize, run: &Specification) -> Result<Looked, Unusable> {
        let ends = |answer, is_recorded| {
            (self.tell)(Event::Begins(place));
            (self.tell)(Event::Ends { place, answer: &answer, is_recorded });
        };
        let Digests { machine, inputs } = match (self.digests)(run) {
            Ok(digests) => digests,
            Err(why) => {
                ends(Err(NoAnswer::Refused(why)), false);
                return Ok(Looked::Refused);
            }
        };
        let key = Key { specification: run.canonical(), machine, inputs, version: self.version.to_owned() };
        match record.find(&key)? {
            Row::Answer(answer) => {
                ends(Ok(answer), true);
                return Ok(Looked::Found);
            }
            Row::Damaged => (self.tell)(Event::Damaged(place)),
            Row::Nothing => {}
        }
        Ok(Looked::Left(key))
    }

    /// Does a run, records its answer under a key, and tells it; the result is why there is none.
    fn one(
        &self,
        record: &Mutex<Record>,
        place: usize,
        run: &Specification,
        key: &Key,
    ) -> Result<Option<NoAnswer>, Unusable> {
        (self.tell)(Event::Begins(place));
        let ended = |answer| (self.tell)(Event::Ends { place, answer: &answer, is_recorded: false });
        match self.runner.run(run) {
            Ok(answer) => {
                let added = record.lock().expect("nobody panics with the record").add(key, &answer);
                // An answer that cannot be kept is an answer all the same.
                let (answer, added) = match added {
                    Ok(kept) => (kept, Ok(())),
                    Err(unusable) => (answer, Err(unusable)),
                };
                ended(Ok(answer));
                added.map(|()| None)
            }
            Err(none) => {
                ended(Err(none.clone()));
                Ok(Some(none))
            }
        }
    }
}

/// State of a run after the look-up.
enum Looked {
    /// The answer is on record.
    Found,
    /// The run cannot be done, because of a mistake in its machine or a file.
    Refused,
    /// The run is still to do, to be recorded under this key.
    Left(Key),
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::specification::numbers;

    /// A command that counts its runs, and answers with the value of `--seed`.
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
        let events = Mutex::new(Vec::new());
        let all = |digest: &str, seeds: &[u64]| {
            let answers = Mutex::new(vec![None; seeds.len()]);
            let keep = |event: Event<'_>| match event {
                Event::Ends { place, answer, .. } => {
                    let told = answer.as_ref().map(numbers).map_err(|none| none.clone().why());
                    answers.lock().unwrap()[place] = Some(told);
                }
                Event::Damaged(place) => events.lock().unwrap().push(format!("damaged {place}")),
                Event::Searched { found, all } => {
                    events.lock().unwrap().push(format!("{found} of {all} on record"));
                }
                Event::Begins(_) => {}
            };
            let (machine, inputs) = digest.split_at(1);
            let digests = Digests { machine: machine.to_owned(), inputs: inputs.to_owned() };
            let digests = |_: &Specification| Ok(digests.clone());
            let campaign =
                Campaign { runner: &runner, version: "1", digests: &digests, tell: &keep, jobs: 2 };
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
        // Other bytes of an input are another run.
        assert_eq!(all("b matrix", &[1]), [seed(1.0)]);
        assert_eq!(done(), 7);
        // Of an interrupted campaign the record has some; a damaged answer is told, and its run is done again.
        let path = folder.path().join("record");
        let rows = fs::read_to_string(&path).unwrap();
        let place =
            rows.find("\"a\",\"\",\"1\"]\t{\"report\":{\"failures\":[],\"figures\":{\"seed\":1").unwrap();
        let damaged = rows[place..].replacen("\"seed\":1", "\"seed\":9", 1);
        fs::write(&path, rows[..place].to_owned() + &damaged).unwrap();
        let before = events.lock().unwrap().len();
        assert_eq!(all("a", &[1, 2, 4]), [seed(1.0), seed(2.0), seed(4.0)]);
        assert_eq!(events.lock().unwrap()[before..], ["damaged 0", "1 of 3 on record"]);
        assert_eq!(done(), 9);
        assert_eq!(all("a", &[1, 2, 4]), [seed(1.0), seed(2.0), seed(4.0)]);
        assert_eq!(done(), 9);
    }

    #[test]
    fn runs_on_this_host_are_done_alone_and_last() {
        let folder = tempfile::tempdir().unwrap();
        let executable = folder.path().join("command");
        // Each run says when it begins and ends.
        let command = "#!/bin/sh\nlog=\"$(dirname \"$0\")/log\"\necho \"+$4\" >> \"$log\"\nsleep 0.05\necho \"-$4\" >> \"$log\"\necho '{}'\n";
        fs::write(&executable, command).unwrap();
        fs::set_permissions(&executable, Permissions::from_mode(0o755)).unwrap();
        let on = |machine: &str, seed| Specification { machine: machine.to_owned(), ..run(seed) };
        let runs = [on("native", 1), on("toy", 1), on("native", 2), on("toy", 2)];
        let campaign = Campaign {
            runner: &Runner::new(executable),
            version: "1",
            digests: &|_| Ok(Digests::default()),
            tell: &|_| (),
            jobs: 4,
        };
        let record = Record::open(&folder.path().join("record"), |_| ()).unwrap();
        campaign.run(record, &runs.iter().collect::<Vec<_>>()).unwrap();
        let log = fs::read_to_string(folder.path().join("log")).unwrap();
        let lines: Vec<_> = log.lines().collect();
        assert_eq!(lines[4..], ["+native", "-native", "+native", "-native"], "{log}");
    }

    #[test]
    fn what_is_refused_in_one_round_is_not_tried_in_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let executable = folder.path().join("command");
        fs::write(&executable, COMMAND).unwrap();
        fs::set_permissions(&executable, Permissions::from_mode(0o755)).unwrap();
        let round = |seed, round| Specification { machine: NATIVE.to_owned(), round, ..run(seed) };
        let runs = [round(3, 0), round(1, 0), round(1, 1), round(3, 1), round(3, 2)];
        let told = Mutex::new(Vec::new());
        let tell = |event: Event<'_>| {
            if let Event::Ends { place, answer, .. } = event {
                told.lock().unwrap().push((place, answer.as_ref().err().cloned()));
            }
        };
        let campaign = Campaign {
            runner: &Runner::new(executable),
            version: "1",
            digests: &|_| Ok(Digests::default()),
            tell: &tell,
            jobs: 1,
        };
        let record = Record::open(&folder.path().join("record"), |_| ()).unwrap();
        campaign.run(record, &runs.iter().collect::<Vec<_>>()).unwrap();
        let refused = || Some(NoAnswer::Refused("no such policy".to_owned()));
        let expected = [(0, refused()), (1, None), (2, None), (3, refused()), (4, refused())];
        assert_eq!(told.into_inner().unwrap(), expected);
        assert_eq!(fs::read_to_string(folder.path().join("runs")).unwrap().lines().count(), 3);
    }
}
