//! From `--machine` and `--set` to machines, or all that is wrong with them.

use worlds::machines::is_same;
use worlds::{NATIVE, Target};

use crate::quantity::several;
use crate::{Problem, both};

/// The cores that this command may use, in words: `the 2 cores of this host`.
pub(crate) fn cores() -> String {
    format!("the {} of this host", several(worlds::cores() as u32, "core", "cores"))
}

/// The name of a machine, and its file if it has one.
pub(crate) fn label(name: &str, file: Option<&str>) -> String {
    file.map_or_else(|| name.to_owned(), |file| format!("{name} ({file})"))
}

/// `KEY=VALUE` of every `--set`, and what is wrong with the others: they must not hide mistakes in the good ones.
pub(crate) fn settings(texts: &[String]) -> (Vec<(String, String)>, Result<(), Problem>) {
    let split = |text: &String| {
        let pair = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.ok_or_else(|| format!("--set {text}: expected KEY=VALUE, such as network.latency=\"1 us\""))
    };
    let (good, bad): (Vec<_>, Vec<_>) = texts.iter().map(split).partition(Result::is_ok);
    let mistakes: Vec<_> = bad.into_iter().filter_map(Result::err).collect();
    let verdict = if mistakes.is_empty() { Ok(()) } else { Err(Problem::Wrong(mistakes)) };
    (good.into_iter().flatten().collect(), verdict)
}

/// The machine of this name with these settings.
pub(crate) fn find(name: &str, settings: &[String]) -> Result<Target, Problem> {
    let (settings, verdict) = self::settings(settings);
    let target = Target::find(name, &settings).map_err(Problem::from);
    both(verdict, target).map(|((), target)| target)
}

/// The machines of these names, each once, the models with these settings.
pub(crate) fn find_all(machines: &[String], settings: &[String]) -> Result<Vec<Target>, Problem> {
    let (settings, verdict) = self::settings(settings);
    // Settings are values of models; in a comparison with this host they concern the models alone.
    let find = |name: &String| match name == NATIVE && machines.len() > 1 {
        true => Target::find(name, &[]),
        false => Target::find(name, &settings),
    };
    let mut mistakes = Vec::new();
    let mut targets = Vec::new();
    for (index, name) in machines.iter().enumerate() {
        if machines[..index].iter().any(|earlier| is_same(earlier, name)) {
            mistakes.push(format!("--machine {name}: given twice; expected each machine once"));
            continue;
        }
        match find(name).map_err(Problem::from) {
            Ok(target) => targets.push(target),
            Err(Problem::Wrong(lines)) => mistakes.extend(lines),
            Err(other) => return Err(other),
        }
    }
    let targets = if mistakes.is_empty() { Ok(targets) } else { Err(Problem::Wrong(mistakes)) };
    both(verdict, targets).map(|((), targets)| targets)
}
