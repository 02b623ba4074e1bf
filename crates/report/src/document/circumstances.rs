//! The circumstances in which a result comes about: build, day, host and load. This module must never find them out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
#[cfg(feature = "command")]
use serde_json::Value;

/// The circumstances in which a result comes about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Circumstances {
    /// The version of the command.
    pub build: String,
    /// The commit of the build.
    ///
    /// Null if the build does not know it.
    pub commit: Option<String>,
    /// The day, such as `2026-11-28`, in the calendar of Greenwich.
    pub date: String,
    /// This host in one line.
    pub host: String,
    /// The mean number of processes of this host that were ready to run in the last minute.
    ///
    /// Null if the system does not tell.
    pub load: Option<f64>,
}

#[cfg(feature = "command")]
impl Circumstances {
    /// The circumstances in the answer of a run; `None` of a run on a model.
    pub fn read(answered: &Value) -> Option<Self> {
        serde_json::from_value(answered.clone()).ok()
    }

    /// The circumstances as short facts for people, the build first.
    pub(crate) fn facts(&self) -> Vec<String> {
        let commit = self.commit.as_ref().map_or_else(String::new, |commit| format!(" ({commit})"));
        let build = format!("tradewind {}{commit}", self.build);
        let load = self.load.map(|load| format!("load {load:.1}"));
        let facts = [build, self.date.clone(), format!("on {}", self.host)].into_iter();
        facts.chain(load).collect()
    }
}
