//! One run as text. This module must never measure anything.

use compare::Part;
use tempest::Policy;
use tempest::outcome::Resource;
use tempest::policy::Servers;
use units::plural::several;

use super::brief::{SCREEN, height};
use super::{anatomy, cores, figures, kind, partial, sharing};
use crate::bar;
use crate::document::{Baseline, Change, Interval, ProtocolBreakdown, Region, Run};
use crate::figures::{grids, single, unit};
use crate::names::{self, part as name};
use crate::page::{ALARM, Page, QUIET, STRONG};
use crate::quantity::{bytes, number, percent, seconds, time};
use crate::words;

/// The widest bar of a single run.
const LONGEST_BAR: usize = 40;

/// The most changes of roles that are listed one by one.
const LISTED: usize = 12;

/// The lines of a run on a host with this number of cores: all of them, or as many as a screen has room for.
pub fn run(run: &Run, page: &Page, host_cores: usize, all: bool) -> Vec<String> {
    if all { full(run, page, host_cores) } else { brief(run, page, host_cores) }
}

/// The lines that a screen of 24 lines has room for: answer, figures and times first. Errors are always shown.
fn brief<'p>(run: &Run, page: &'p Page, host_cores: usize) -> Vec<String> {
    let mut sheet = Sheet::begun(run, page);
    sheet.row("policy, size", &format!("{}, {}", run.combination.policy, size(run)));
    sheet.sharing(run);
    sheet.answer(run);
    sheet.disturbed(run);
    let mut last =
        Sheet { page, lines: vec![page.paint(QUIET, "  --all has the inputs, and all that was counted")] };
    last.turns(run, host_cores);
    let parts: [fn(&mut Sheet<'p>, &Run); 5] =
        [Sheet::grids, Sheet::single, Sheet::times, Sheet::spent_in_brief, Sheet::more_in_brief];
    for part in parts {
        let mut next = Sheet { page, lines: Vec::new() };
        part(&mut next, run);
        if height(&sheet.lines) + height(&next.lines) + height(&last.lines) <= SCREEN {
            sheet.lines.extend(next.lines);
        }
    }
    sheet.lines.extend(last.lines);
    sheet.lines
}

/// All lines.
fn full(run: &Run, page: &Page, host_cores: usize) -> Vec<String> {
    let (asked, with) = (&run.asked, &run.combination);
    let mut sheet = Sheet::begun(run, page);
    sheet.row("policy", &with.policy);
    sheet.row("size", &size(run));
    sheet.sharing(run);
    asked.input.iter().for_each(|(name, value)| sheet.row(name, value));
    run.circumstances.iter().for_each(|now| sheet.row("measured", &now.facts().join(", ")));
    sheet.blank();
    sheet.answer(run);
    sheet.single(run);
    sheet.grids(run);
    sheet.blank();
    sheet.times(run);
    sheet.breakdown(run);
    sheet.disturbed(run);
    sheet.traffic(run);
    sheet.parts(run);
    sheet.roles(run);
    sheet.anatomy(run);
    sheet.digest(run);
    sheet.turns(run, host_cores);
    sheet.lines
}

fn size(run: &Run) -> String {
    let with = &run.combination;
    format!(
        "{}, {} each{}",
        with.at_work(),
        several(with.threads, "thread"),
        words::as_processes(&with.world)
    )
}

/// Lines of a name and a value.
struct Sheet<'p> {
    page: &'p Page,
    lines: Vec<String>,
}

impl<'p> Sheet<'p> {
    /// The program and its machine, with the values of the machine file that are not sure.
    fn begun(run: &Run, page: &'p Page) -> Self {
        let (asked, with) = (&run.asked, &run.combination);
        let kind = kind(with.machine_digest.is_none(), with.machine_file.as_deref());
        let title = format!("{} by {} on {} ({kind})", asked.program, with.mechanism, with.machine);
        let mut lines = partial(run.partial.as_ref(), page);
        lines.push(page.paint(STRONG, &title));
        let mut sheet = Self { page, lines };
        if let Some(keys) = &with.machine_disturbed {
            let said = format!("disturbed, so that these values are not sure: {keys}");
            sheet.row("calibration", &page.paint(ALARM, &said));
        }
        sheet
    }

    fn blank(&mut self) {
        self.lines.push(String::new());
    }

    fn row(&mut self, name: &str, value: &str) {
        // Long names take half of a narrow page, and no more than they need of others.
        let names = 30.min(self.page.width * 3 / 8);
        self.lines.push(self.page.fold(&format!("  {name:<names$} "), value));
    }

    /// Names and values in one row.
    fn values(&mut self, name: &str, values: &[(&str, String)]) {
        let values: Vec<_> = values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        self.row(name, &values.join(", "));
    }

    fn answer(&mut self, run: &Run) {
        let report = &run.measured.report;
        if report.verified {
            let said = format!("verified against the sequential one ({} checks)", report.checks);
            return self.row("answer", &said);
        }
        let said = self.page.fold("  WRONG: ", &report.failures.join("; "));
        self.lines.push(self.page.paint(ALARM, &said));
    }

    /// The coherence of shared memory, if the run used it.
    fn sharing(&mut self, run: &Run) {
        if let (Some(block), Some(protocol)) = (run.combination.block_bytes, &run.combination.protocol) {
            self.row("shared memory", &sharing(block, protocol));
        }
    }

    /// Adds the note that processors took turns on too few cores, if they did.
    fn turns(&mut self, run: &Run, host_cores: usize) {
        if run.combination.oversubscribed {
            let note = format!(
                "More processors than {}: they took turns, and times mean little.",
                cores(host_cores)
            );
            self.blank();
            self.lines.push(self.page.fold("* ", &note));
        }
    }

    /// The figures that stand alone.
    fn single(&mut self, run: &Run) {
        let report = &run.measured.report;
        for (name, value) in single(report) {
            let value = value.map_or_else(|| "not finite".to_owned(), number);
            self.row(name, format!("{value} {}", unit(report, name)).trim_end());
        }
    }

    /// The figures that are tables.
    fn grids(&mut self, run: &Run) {
        for grid in grids(&run.measured.report) {
            self.blank();
            self.lines.extend(figures::table(&grid, self.page));
        }
    }

    fn times(&mut self, run: &Run) {
        let measured = &run.measured;
        for (index, phase) in measured.phases.iter().enumerate() {
            let counts = if index == 0 { " <- what counts" } else { "" };
            self.row(&format!("phase `{}`", phase.name), &format!("{}{counts}", time(phase.time_ns)));
        }
        self.row("whole run", &time(measured.whole_run_ns));
        if let Some(interval) = measured.interval.as_ref().filter(|_| measured.runs > 1) {
            let Interval { low_ns, high_ns, level, .. } = interval;
            let ends = format!("{} to {} with {}", time(*low_ns), time(*high_ns), percent(*level));
            self.row(&format!("median of {} runs", measured.runs), &ends);
        }
        run.baseline.iter().for_each(|baseline| self.baseline(baseline));
    }

    /// Adds the speed-up over the baseline.
    fn baseline(&mut self, baseline: &Baseline) {
        let Baseline { name, time_ns, memory_ns, speedup, work, verified, .. } = baseline;
        let speedup = speedup.map_or_else(|| "none".to_owned(), |speedup| format!("{speedup:.2}"));
        let mut said = format!("{speedup}; {name} takes {}", time(*time_ns));
        if *memory_ns > 0.0 {
            said += &format!(", {} of it waiting for memory", percent(memory_ns / time_ns));
        }
        said += &work
            .map_or_else(String::new, |work| format!("; the run computes {work:.2} times as long in all"));
        self.row("speed-up", &said);
        if !verified {
            let wrong = self.page.fold("  WRONG: ", &format!("the answer of {name}"));
            self.lines.push(self.page.paint(ALARM, &wrong));
        }
    }

    /// The bar of the parts of the time that counts.
    fn bar(&mut self, run: &Run) {
        let shares = run.measured.region().breakdown.shares();
        let cells = self.page.width.saturating_sub(self.page.width * 3 / 8 + 4).min(LONGEST_BAR);
        self.row("where it went", &bar::bar(self.page, shares, cells));
    }

    /// Adds the parts of the timed region's time, a row each.
    fn breakdown(&mut self, run: &Run) {
        self.bar(run);
        let shares = run.measured.region().breakdown.shares();
        let taken = run.measured.region().breakdown.taken;
        for (part, share) in Part::ALL.into_iter().zip(shares) {
            let share = match part {
                // Nobody takes anything from a model.
                Part::Taken if taken.is_none() && run.measured.interval.is_none() => continue,
                Part::Taken if taken.is_none() => "unknown".to_owned(),
                _ => percent(share),
            };
            let value = format!("{} {share}", bar::key(self.page, part));
            self.row(&format!("  {}", name(part)), &value);
        }
    }

    /// The time that the operating system took, if it is too much.
    fn disturbed(&mut self, run: &Run) {
        if let Some(share) = run.measured.taken.filter(|_| run.measured.disturbed) {
            self.row("disturbed", &self.page.paint(ALARM, &words::busy(share)));
        }
    }

    /// Adds the parts of the timed region's time that are not zero, in one row.
    fn spent_in_brief(&mut self, run: &Run) {
        let shares = run.measured.region().breakdown.shares();
        self.bar(run);
        let parts = Part::ALL.into_iter().zip(shares).filter(|(_, share)| *share > 0.0);
        let parts: Vec<_> = parts.map(|(part, share)| (name(part), percent(share))).collect();
        self.values("", &parts);
    }

    /// The busiest part of the machine, and the digest.
    fn more_in_brief(&mut self, run: &Run) {
        self.busiest(run);
        self.digest(run);
    }

    /// Adds the rows about messages and bytes of the timed region.
    fn traffic(&mut self, run: &Run) {
        let Region { counters: counted, volume, .. } = run.measured.region();
        let mut sent = vec![counted.messages.to_string()];
        if counted.transfers > 0 {
            sent.push(format!("{} of them block transfers", counted.transfers));
        }
        if counted.deposits > 0 {
            sent.push(format!("and {} deposits", counted.deposits));
        }
        self.row("messages", &sent.join(", "));
        let sizes = [
            ("data", volume.data),
            ("headers", volume.headers),
            ("requests", volume.requests),
            ("invalidations", volume.invalidations),
        ];
        self.values("volume", &sizes.map(|(name, size)| (name, bytes(size))));
        let events = [
            ("handlers", counted.handlers),
            ("interrupts", counted.interrupts),
            ("waits of threads", counted.blocks),
            ("refused sends", counted.refused),
        ];
        let polls = counted.empty_polls.map(|polls| ("polls that found nothing", polls));
        let events: Vec<_> =
            events.into_iter().chain(polls).map(|(name, count)| (name, count.to_string())).collect();
        self.values("events", &events);
    }

    /// Adds the rows about the parts of the machine in the timed region.
    fn parts(&mut self, run: &Run) {
        let Region { protocol, utilization, .. } = run.measured.region();
        let busy =
            utilization.iter().filter_map(|entry| Some((names::all(entry.resource()?), percent(entry.mean))));
        self.values("busy", &busy.collect::<Vec<_>>());
        self.busiest(run);
        for spent in protocol {
            let name = Resource::named(&spent.processors).map_or("", names::all);
            self.values(name, &shares(spent));
        }
        let dispatching = run.measured.dispatching;
        let wait = dispatching.mean_wait_ns.map(|wait| format!("{} on average", seconds(wait * 1e-9)));
        let keys = format!("{} on a busy key", dispatching.waited_on_key);
        self.row("wait for dispatch", &wait.into_iter().chain([keys]).collect::<Vec<_>>().join(", "));
        if dispatching.spilled > 0 {
            let said = format!("{} events came to a full queue and spilled to memory", dispatching.spilled);
            self.row("dispatch queue", &said);
        }
    }

    /// Adds the row of the busiest part that computes nothing.
    fn busiest(&mut self, run: &Run) {
        let utilization = &run.measured.region().utilization;
        let others =
            utilization.iter().filter(|entry| entry.resource() != Some(Resource::ComputingProcessor));
        if let Some(entry) = others.max_by(|one, other| one.most.total_cmp(&other.most))
            && let Some(part) = entry.resource()
        {
            let said = format!("{}, for {}", names::one(part, &entry.busiest), percent(entry.most));
            self.row("busiest device", &said);
        }
    }

    /// Adds the row of the digest of a model.
    fn digest(&mut self, run: &Run) {
        if let Some(digest) = &run.measured.digest {
            self.row("digest of the event stream", digest);
        }
    }

    /// Adds the rows about processors whose role an adaptive policy changed.
    fn roles(&mut self, run: &Run) {
        let with = &run.combination;
        if !with.policy.parse().is_ok_and(|policy: Policy| policy.servers == Servers::Adaptive) {
            return;
        }
        let lines = roles(&run.measured.adjustments, with.processors, with.oversubscribed);
        let names = std::iter::once("roles").chain(std::iter::repeat(""));
        names.zip(&lines).for_each(|(name, line)| self.row(name, line));
    }

    /// Adds the table of the steps of shared-memory accesses.
    fn anatomy(&mut self, run: &Run) {
        if run.combination.protocol.is_none() || run.measured.anatomy.is_empty() {
            return;
        }
        self.row("protocol events", "on average, in the whole run:");
        self.lines.extend(anatomy::table(self.page, &run.measured.anatomy));
    }
}

/// The shares of the parts of protocol processors' time.
fn shares(spent: &ProtocolBreakdown) -> Vec<(&'static str, String)> {
    let ProtocolBreakdown { handlers, overhead, memory, idle, taken, .. } = *spent;
    let all = handlers + overhead + memory + idle + taken.unwrap_or(0.0);
    let share = |part: f64| percent(if all > 0.0 { part / all } else { 0.0 });
    let parts =
        [("handlers", handlers), ("overhead", overhead), (name(Part::Memory), memory), ("idle", idle)];
    let taken = taken.map(|taken| (name(Part::Taken), taken));
    parts.into_iter().chain(taken).map(|(name, part)| (name, share(part))).collect()
}

/// A line for each change of roles; of many, the first.
fn roles(changes: &[Change], processors: u32, oversubscribed: bool) -> Vec<String> {
    if changes.is_empty() {
        let why = match processors {
            1 => "a node of one has none to spare",
            _ if oversubscribed => "none has a core of its own",
            _ => "nothing that was measured asked for it",
        };
        return vec![format!("no processor was dedicated: {why}")];
    }
    let line = |change: &Change| {
        let number = several(change.dedicated, "dedicated processor");
        format!("node {} has {number} from {} on: {}", change.node, time(change.at_ns), change.text)
    };
    let mut lines: Vec<_> = changes.iter().take(LISTED).map(line).collect();
    if let more @ 1.. = changes.len().saturating_sub(LISTED) {
        lines.push(format!("and {more} more: see --json"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_changes_of_roles_are_counted() {
        let change = |dedicated| Change {
            node: 3,
            at_ns: 5000.0,
            dedicated,
            because: "looking".to_owned(),
            measured: 0.5,
            text: "looking for events was 50 % of what they took".to_owned(),
        };
        let changes: Vec<_> = (1..=15).map(change).collect();
        let lines = roles(&changes, 4, false);
        assert_eq!(lines.len(), LISTED + 1);
        assert_eq!(
            lines[0],
            "node 3 has 1 dedicated processor from 5.000 us on: looking for events was 50 % of what they took"
        );
        assert_eq!(lines[LISTED], "and 3 more: see --json");
    }

    #[test]
    fn the_time_of_protocol_processors_is_told_in_shares() {
        let spent = ProtocolBreakdown {
            processors: "dedicated-processor".to_owned(),
            handlers: 40.0,
            overhead: 9.0,
            memory: 1.0,
            idle: 40.0,
            taken: Some(10.0),
        };
        let told = |spent: &ProtocolBreakdown| {
            let shares = shares(spent).into_iter().map(|(name, share)| format!("{name} {share}"));
            shares.collect::<Vec<_>>().join(", ")
        };
        let all = "handlers 40 %, overhead 9 %, memory and NI wait 1 %, idle 40 %, taken by the OS 10 %";
        assert_eq!(told(&spent), all);
        let model = ProtocolBreakdown { idle: 50.0, taken: None, ..spent };
        assert_eq!(told(&model), "handlers 40 %, overhead 9 %, memory and NI wait 1 %, idle 50 %");
    }

    #[test]
    fn that_nothing_changed_is_told_with_its_reason() {
        let said = |processors, oversubscribed| roles(&[], processors, oversubscribed).concat();
        assert_eq!(said(2, false), "no processor was dedicated: nothing that was measured asked for it");
        assert_eq!(said(1, true), "no processor was dedicated: a node of one has none to spare");
        assert_eq!(said(2, true), "no processor was dedicated: none has a core of its own");
    }
}
