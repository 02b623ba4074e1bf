//! The verdict of a comparison, in a sentence for each question: which mechanism, which policy. This module must never compare
//! anything itself.

use compare::finding::TooFew;
use compare::verdict::{self, Behind, Lead, Verdict};
use compare::{MachineShape, Ranking};
use tempest::Mechanism;
use units::plural::several;

use super::{label, sure};
use crate::quantity::{list, listed, percent};

/// The ratio from which it is said how many times as long; below, how many percent.
const TIMES: f64 = 2.0;

/// The ratio from which a tenth is not told.
const TENFOLD: f64 = 10.0;

/// The number of equally good choices that are named; of more only the number is told.
pub(crate) const NAMED: usize = 2;

/// The verdict on a program in words: at least one sentence, the first of which begins with the program's name.
pub fn verdict(program: &str, rankings: &[Ranking]) -> Vec<String> {
    let verdicts = verdict::of(rankings);
    let Some(first) = verdicts.first() else {
        return vec![format!("{program}: there is no right answer, so nothing is ranked.")];
    };
    let mut said = answered(program, first.shape, &questions(&verdicts));
    if said.is_empty() {
        let way = |verdict: &Verdict| {
            let way = &verdict.way;
            format!("{} under {} on {}", way.mechanism, way.policy, place(verdict, true))
        };
        let ways: Vec<_> = verdicts.iter().map(way).collect();
        said.push(format!("{program} ran in one way only, {}: there is nothing to compare.", list(&ways)));
    }
    if let Some(crowded) = verdicts.iter().find(|verdict| verdict.oversubscribed) {
        let place = place(crowded, false);
        said.push(format!("On {place} processors took turns on too few cores: its times mean little."));
    }
    if let Some(share) = verdicts.iter().filter_map(|verdict| verdict.busy).max_by(f64::total_cmp) {
        said.push(capital(&busy(share)));
    }
    said.extend(silent(rankings, &verdicts));
    said
}

/// A clause on a host that took this share of the processors' time away.
pub(crate) fn busy(share: f64) -> String {
    format!("this host is busy: {} of the time the processors were taken away.", percent(share))
}

/// A sentence for each question, unless it repeats another.
fn answered(program: &str, first: MachineShape, questions: &[Question<'_>]) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let mut nothings = Vec::new();
    for question in questions {
        let opening = match (said.is_empty(), question.shape == first) {
            (true, _) => Opening::Program(program),
            (false, true) => Opening::Best,
            (false, false) => Opening::Of(question.shape),
        };
        let nothing = (question.shape, nothing(question));
        let is_known = groups(&question.answers).is_empty() && nothings.contains(&nothing);
        if !is_known {
            said.push(sentence(question, opening));
        }
        nothings.push(nothing);
    }
    said
}

/// A sentence for each machine that has nothing to say in the others: nothing ran there, or no answer was right.
fn silent(rankings: &[Ranking], verdicts: &[Verdict]) -> Vec<String> {
    let mut silent: Vec<(String, bool)> = Vec::new();
    for Ranking { machine, .. } in rankings {
        let tables = || rankings.iter().filter(|ranking| ranking.machine == *machine);
        let name = machine_name(&machine.name, machine.file.as_deref(), machine.native);
        let is_told = verdicts.iter().any(|verdict| verdict.is_of(machine));
        // What a stopped comparison had no time for is told elsewhere.
        let is_stopped = tables().any(|ranking| !ranking.missing.is_empty());
        if !is_told && !is_stopped && silent.iter().all(|(other, _)| *other != name) {
            silent.push((name, tables().all(|ranking| ranking.rows().is_empty())));
        }
    }
    let say = |(name, is_empty)| match is_empty {
        true => format!("On {name} nothing could run."),
        false => format!("On {name} no answer was right."),
    };
    silent.into_iter().map(say).collect()
}

/// The subject of a question.
#[derive(Clone, Copy, PartialEq)]
enum Topic {
    Mechanism,
    Policy,
}

/// A question, with the machines that answer it.
struct Question<'v> {
    topic: Topic,
    shape: MachineShape,
    answers: Vec<Answer<'v>>,
}

/// The answer of a machine to a question.
#[derive(Clone)]
struct Answer<'v> {
    place: String,
    lead: &'v Lead,
    too_few: Option<TooFew>,
}

/// The beginning of a sentence.
#[derive(Clone, Copy)]
enum Opening<'p> {
    /// `em3d is fastest with`
    Program(&'p str),
    /// `The best policy is`
    Best,
    /// `On 1 node of 2 processors the best policy is`
    Of(MachineShape),
}

/// Every question that a machine answers, shape by shape.
fn questions(verdicts: &[Verdict]) -> Vec<Question<'_>> {
    let mut questions: Vec<Question<'_>> = Vec::new();
    for verdict in verdicts {
        for (topic, lead) in [(Topic::Mechanism, &verdict.mechanism), (Topic::Policy, &verdict.policy)] {
            let Some(lead) = lead else { continue };
            let is_this = |asked: &&Question<'_>| (asked.shape, asked.topic) == (verdict.shape, topic);
            let is_first = questions.first().is_none_or(|first| is_this(&first));
            let answer = Answer { place: place(verdict, is_first), lead, too_few: verdict.too_few };
            match questions.iter_mut().find(|asked| is_this(&&**asked)) {
                Some(question) => question.answers.push(answer),
                None => questions.push(Question { topic, shape: verdict.shape, answers: vec![answer] }),
            }
        }
    }
    questions
}

/// The machine of a verdict: `this host`, or `paragon`, which at first is called `paragon (a model)`.
fn place(verdict: &Verdict, is_first: bool) -> String {
    let (name, file) = (&verdict.on.machine, verdict.on.file.as_deref());
    match (verdict.native, is_first, file) {
        (false, true, Some(file)) => format!("{name} (a model, {file})"),
        (false, true, None) => format!("{name} (a model)"),
        (native, ..) => machine_name(name, file, native),
    }
}

pub(super) fn machine_name(name: &str, file: Option<&str>, native: bool) -> String {
    if native { "this host".to_owned() } else { label(name, file) }
}

/// Machines on which the same is the best.
struct Group<'v> {
    /// The best choices on all of them.
    best: Vec<String>,
    answers: Vec<Answer<'v>>,
}

/// The answers in which something is slower, those with a common best together.
fn groups<'v>(answers: &[Answer<'v>]) -> Vec<Group<'v>> {
    let mut groups: Vec<Group<'v>> = Vec::new();
    for answer in answers.iter().filter(|answer| answer.lead.next.is_some()) {
        let common = |group: &Group<'_>| -> Vec<String> {
            group.best.iter().filter(|name| answer.lead.best.contains(name)).cloned().collect()
        };
        match groups.iter_mut().find(|group| !common(group).is_empty()) {
            Some(group) => {
                group.best = common(group);
                group.answers.push(answer.clone());
            }
            None => groups.push(Group { best: answer.lead.best.clone(), answers: vec![answer.clone()] }),
        }
    }
    groups
}

fn sentence(question: &Question<'_>, opening: Opening<'_>) -> String {
    let topic = question.topic;
    let groups = groups(&question.answers);
    let nothing = nothing(question);
    let [noun, _] = topic.nouns();
    let shape = |shape: MachineShape| super::shape(shape.nodes, shape.processors);
    if groups.is_empty() {
        return match opening {
            Opening::Program(program) => format!("{program}: {nothing}."),
            Opening::Best => capital(&format!("{nothing}.")),
            Opening::Of(of) => format!("On {}, {nothing}.", shape(of)),
        };
    }
    let begun = match opening {
        Opening::Program(program) => format!("{program} is fastest"),
        Opening::Best => format!("The best {noun} is"),
        Opening::Of(of) => format!("On {} the best {noun} is", shape(of)),
    };
    let told = groups.iter().map(|group| group.told(topic, opening));
    let unclear = question.answers.iter().filter_map(|answer| answer.unclear(topic));
    let rest = (!nothing.is_empty()).then_some(nothing);
    format!("{begun} {}.", told.chain(unclear).chain(rest).collect::<Vec<_>>().join("; "))
}

impl Answer<'_> {
    /// The choices that may be as good as the best, where another is slower; `None` if there is none.
    fn unclear(&self, topic: Topic) -> Option<String> {
        let Lead { unclear, next, .. } = self.lead;
        let names = topic.names(unclear, "and");
        (!unclear.is_empty() && next.is_some())
            .then(|| format!("on {} runs differ too much to tell {names} from the best", self.place))
    }
}

/// The machines on which nothing is slower, and whether anything could have been told there; empty if there are none.
fn nothing(question: &Question<'_>) -> String {
    let equal = question.answers.iter().filter(|answer| answer.lead.next.is_none());
    let (few, enough): (Vec<_>, Vec<_>) = equal.partition(|answer| answer.too_few.is_some());
    let (unclear, enough): (Vec<_>, Vec<_>) =
        enough.into_iter().partition(|answer| !answer.lead.unclear.is_empty());
    let places = |answers: &[&Answer<'_>]| {
        let places: Vec<_> = answers.iter().map(|answer| format!("on {}", answer.place)).collect();
        list(&places)
    };
    let [_, choices] = question.topic.nouns();
    let shown = (!enough.is_empty()).then(|| format!("{} {choices} show no difference", places(&enough)));
    let disturbed = (!unclear.is_empty())
        .then(|| format!("{} runs differ too much to tell {choices} apart", places(&unclear)));
    let runs = few.first().and_then(|answer| answer.too_few).map(|missing| {
        let tell = if missing.runs == 1 { "tells" } else { "tell" };
        let runs = several(missing.runs as u64, "run");
        format!("{} {runs} of each {tell} nothing apart", places(&few))
    });
    shown.into_iter().chain(disturbed).chain(runs).collect::<Vec<_>>().join("; ")
}

impl Group<'_> {
    /// The best choices, their machines, and their margins.
    fn told(&self, topic: Topic, opening: Opening<'_>) -> String {
        let best = topic.phrase(&self.best, opening);
        let is_clear = |answer: &&Answer<'_>| answer.lead.best.len() == self.best.len();
        if let [Answer { place, lead, .. }] = &self.answers[..] {
            return format!("{best} on {place}, {}", margin(lead));
        }
        // A machine on which something else is as good comes last: it has the least to say.
        let (told, tied): (Vec<_>, Vec<_>) = self.answers.iter().partition(is_clear);
        let told = told.into_iter().map(|answer| format!("{} on {}", margin(answer.lead), answer.place));
        let tied = tied.into_iter().map(|Answer { place, lead, .. }| {
            let others: Vec<_> = lead.best.iter().filter(|name| !self.best.contains(name)).cloned().collect();
            format!("tied with {} on {place}", topic.names(&others, "and"))
        });
        format!("{best}: {}", told.chain(tied).collect::<Vec<_>>().join(", "))
    }
}

impl Topic {
    /// The noun for a choice, and its plural.
    const fn nouns(self) -> [&'static str; 2] {
        match self {
            Self::Mechanism => ["mechanism", "mechanisms"],
            Self::Policy => ["policy", "policies"],
        }
    }

    /// The best choices, behind the beginning of a sentence.
    fn phrase(self, best: &[String], opening: Opening<'_>) -> String {
        let names = self.names(best, "or");
        match (self, opening) {
            (Self::Mechanism, Opening::Program(_)) => format!("with {names}"),
            (Self::Policy, Opening::Program(_)) => format!("under the policy {names}"),
            (_, Opening::Best | Opening::Of(_)) => names,
        }
    }

    /// Names as one says them: `a or b`.
    fn names(self, names: &[String], between: &str) -> String {
        let shown = if names.len() == NAMED + 1 { NAMED + 1 } else { NAMED };
        let say = |name: &String| match self {
            Self::Mechanism => in_words(name).to_owned(),
            Self::Policy => name.clone(),
        };
        let mut said: Vec<_> = names.iter().take(shown).map(say).collect();
        if names.len() > shown {
            said.push(format!("{} others", names.len() - shown));
        }
        listed(&said, between)
    }
}

/// A mechanism as one says it.
pub(super) fn in_words(name: &str) -> &str {
    match name.parse() {
        Ok(Mechanism::Messages) => "small messages",
        Ok(Mechanism::Bulk) => "bulk transfers",
        Ok(Mechanism::Deposit) => "deposits",
        Ok(Mechanism::SharedMemory) => "shared memory",
        Err(_) => name,
    }
}

/// How much faster the best is than the next, and on how many more processors; where that is not known to within itself, how much it
/// is at least.
fn margin(lead: &Lead) -> String {
    let Some(Behind { margin, .. }) = &lead.next else { return String::new() };
    let sure = sure(margin);
    let by = match margin.known() {
        ratio if ratio >= TENFOLD => format!("by a factor of {sure}{ratio:.0}"),
        ratio if ratio >= TIMES => format!("by a factor of {sure}{ratio:.1}"),
        ratio => format!("by {sure}{}", percent(ratio - 1.0)),
    };
    let more = margin.at_work;
    let more = more.map(|of| format!(" with {} processors a node against {}", of.winner, of.loser));
    by + &more.unwrap_or_default()
}

/// A text that begins with a capital letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use compare::samples::{ranking, rows};
    use compare::{Interval, Row, interval};
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    use super::*;

    fn said(tables: &[(&str, &[Row])]) -> String {
        let rankings: Vec<_> = tables.iter().map(|(name, rows)| ranking(name, rows)).collect();
        verdict("em3d", &rankings).join(" ")
    }

    #[test]
    fn a_winner_with_more_processors_is_said_to_have_them() {
        let mut rows = rows(&[(Messages, "hurricane-1:2", 100), (Messages, "single", 197)]);
        rows[0].split.dedicated = 2;
        assert_eq!(
            said(&[("toy", &rows)]),
            "em3d is fastest under the policy hurricane-1:2 on toy (a model), by 97 % with 4 processors a node against 2."
        );
    }

    #[test]
    fn one_mechanism_on_all_machines_is_told_once() {
        let native = rows(&[(Bulk, "single", 100), (Messages, "single", 118), (Deposit, "single", 900)]);
        let model = rows(&[(Bulk, "inject", 100), (Messages, "inject", 147), (Bulk, "proc", 300)]);
        assert_eq!(
            said(&[("native", &native), ("paragon", &model)]),
            "em3d is fastest with bulk transfers: by 18 % on this host, by 47 % on paragon (a model). The best policy is \
             inject on paragon, by a factor of 3.0."
        );
        assert_eq!(
            said(&[("native", &native)]),
            "em3d is fastest with bulk transfers on this host, by 18 %."
        );
    }

    #[test]
    fn what_is_as_good_on_one_machine_only_is_told_of_that_machine() {
        let native = rows(&[(Bulk, "single", 100), (Messages, "single", 101), (Deposit, "single", 9000)]);
        let model = rows(&[(Bulk, "single", 100), (Messages, "single", 147)]);
        assert_eq!(
            said(&[("native", &native), ("toy", &model)]),
            "em3d is fastest with bulk transfers: by 47 % on toy (a model), tied with small messages on this host."
        );
        assert_eq!(
            said(&[("native", &native)]),
            "em3d is fastest with bulk transfers or small messages on this host, by a factor of 90."
        );
    }

    #[test]
    fn machines_that_differ_are_told_one_by_one() {
        let native = rows(&[(Bulk, "single", 100), (Messages, "single", 118)]);
        let model = rows(&[(Messages, "single", 100), (Deposit, "single", 100), (Bulk, "single", 120)]);
        assert_eq!(
            said(&[("native", &native), ("toy", &model)]),
            "em3d is fastest with bulk transfers on this host, by 18 %; with small messages or deposits on toy (a model), \
             by 20 %."
        );
    }

    #[test]
    fn what_makes_no_difference_is_said_to_make_none() {
        let mut native = rows(&[(Messages, "single", 100)]);
        native[0].policies.extend(["floating".to_owned(), "adaptive".to_owned()]);
        let model = rows(&[(Messages, "receive", 1000), (Messages, "single", 1200)]);
        assert_eq!(
            said(&[("native", &native), ("toy", &model)]),
            "em3d is fastest under the policy receive on toy (a model), by 20 %; on this host policies show no \
             difference."
        );
        assert_eq!(said(&[("native", &native)]), "em3d: on this host policies show no difference.");
        let bulk = [native.clone(), rows(&[(Bulk, "single", 300)])].concat();
        assert_eq!(
            said(&[("native", &bulk)]),
            "em3d is fastest with small messages on this host, by a factor of 3.0. On this host policies show no \
             difference."
        );
    }

    #[test]
    fn too_few_runs_are_not_said_to_show_anything() {
        let mut native = rows(&[(Messages, "single", 100), (Messages, "floating", 900)]);
        for row in &mut native {
            row.interval = Interval::of_median(&row.samples, interval::level(2));
        }
        assert_eq!(said(&[("native", &native)]), "em3d: on this host 1 run of each tells nothing apart.");
        // Of neither question, and said once.
        native[1].mechanism = Bulk;
        native.push(Row { policies: vec!["np".to_owned()], ..native[0].clone() });
        assert_eq!(said(&[("native", &native)]), "em3d: on this host 1 run of each tells nothing apart.");
    }

    #[test]
    fn what_may_be_as_good_is_not_called_the_best() {
        let native = rows(&[(Bulk, "single", 100), (Messages, "single", 140), (Deposit, "single", 900)]);
        let shares = [0.01, 0.5, 0.01];
        let native: Vec<_> = native.into_iter().zip(shares).map(|(row, share)| row.within(share)).collect();
        assert_eq!(
            said(&[("native", &native)]),
            "em3d is fastest with bulk transfers on this host, by a factor of 9.0; on this host runs differ too much to \
             tell small messages from the best."
        );
    }

    #[test]
    fn no_factor_is_told_that_is_not_known_to_within_itself() {
        let native = rows(&[(Messages, "single", 3059), (Messages, "floating", 26_000)]);
        let wide: Vec<_> =
            native.iter().zip([0.99, 0.2]).map(|(row, share)| row.clone().within(share)).collect();
        assert_eq!(
            said(&[("native", &wide)]),
            "em3d is fastest under the policy single on this host, by a factor of at least 3.4."
        );
        let narrow = rows(&[(Messages, "single", 1000), (Messages, "floating", 1210)]);
        let narrow: Vec<_> = narrow.into_iter().map(|row| row.within(0.07)).collect();
        assert!(said(&[("native", &narrow)]).ends_with("on this host, by at least 5 %."));
    }

    #[test]
    fn rows_that_lost_their_time_show_nothing_not_even_that_there_is_no_difference() {
        let native = rows(&[(Messages, "single", 4700), (Bulk, "single", 4701)]);
        let native: Vec<_> = native.into_iter().map(|row| row.within(0.01).robbed(0.7)).collect();
        assert_eq!(
            said(&[("native", &native)]),
            "em3d: on this host runs differ too much to tell mechanisms apart. This host is busy: 70 % of the time the \
             processors were taken away."
        );
    }

    #[test]
    fn a_machine_that_says_nothing_is_named() {
        let toy = rows(&[(Messages, "single", 100), (Messages, "np", 200)]);
        assert_eq!(
            said(&[("toy", &toy), ("native", &[])]),
            "em3d is fastest under the policy single on toy (a model), by a factor of 2.0. On this host nothing could run."
        );
        let mut wrong = rows(&[(Messages, "single", 100)]);
        wrong[0].verified = false;
        assert!(said(&[("toy", &toy), ("native", &wrong)]).ends_with("On this host no answer was right."));
    }

    #[test]
    fn a_second_shape_has_a_sentence_of_its_own() {
        let messages = rows(&[(Messages, "single", 100), (Bulk, "single", 200)]);
        let policies = rows(&[(Messages, "floating", 100), (Messages, "single", 110)]);
        let mut rankings = [ranking("native", &messages), ranking("native", &policies)];
        rankings[1].shape = MachineShape { nodes: 1, processors: 2 };
        let said = verdict("em3d", &rankings);
        assert_eq!(said[1], "On 1 node of 2 processors the best policy is floating on this host, by 10 %.");
    }

    #[test]
    fn one_way_is_no_choice_and_a_wrong_answer_none() {
        let mut one = rows(&[(Messages, "single", 100)]);
        assert_eq!(
            said(&[("toy", &one)]),
            "em3d ran in one way only, messages under single on toy (a model): there is nothing to compare."
        );
        one[0].oversubscribed = true;
        assert!(
            said(&[("native", &one)])
                .ends_with("On this host processors took turns on too few cores: its times mean little.")
        );
        one[0].verified = false;
        assert_eq!(said(&[("native", &one)]), "em3d: there is no right answer, so nothing is ranked.");
    }

    #[test]
    fn of_many_equally_good_choices_some_are_named() {
        let names = |names: &[&str]| {
            Topic::Policy.names(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), "or")
        };
        assert_eq!(names(&["a"]), "a");
        assert_eq!(names(&["a", "b", "c"]), "a, b or c");
        assert_eq!(names(&["a", "b", "c", "d"]), "a, b or 2 others");
    }
}
