//! The circumstances in which a result comes about: the build, the day, this host and its load. This module must never know a result.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use report::document::Circumstances;

/// The circumstances of now. A build has a commit if `TRADEWIND_COMMIT` was set for it.
pub(crate) fn now() -> Circumstances {
    Circumstances {
        build: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("TRADEWIND_COMMIT").map(str::to_owned),
        date: today(),
        host: worlds::host(),
        load: load(),
    }
}

/// The mean number of processes that were ready to run in the last minute; `None` where the system does not tell.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The day, in the calendar of Greenwich.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    day(seconds / 86_400)
}

/// Date of the day `since` days after the first of January 1970. A year is counted from March on, so that the leap day
/// is its last; 400 years have 146097 days.
fn day(since: u64) -> String {
    let days = since + 719_468;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", days / 146_097 * 400 + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_the_dates_of_the_calendar() {
        assert_eq!(day(0), "1970-01-01");
        // 30 years with the leap days of 1972 to 1996; then a leap day, and the day after.
        assert_eq!(day(30 * 365 + 7), "2000-01-01");
        assert_eq!(day(30 * 365 + 7 + 59), "2000-02-29");
        assert_eq!(day(30 * 365 + 7 + 60), "2000-03-01");
        assert_eq!(day(30 * 365 + 7 + 365), "2000-12-31");
    }
}
