//! The analytic model of the study of dedicated protocol processors: when is it worth a processor of a node to do
//! nothing but run protocol handlers? Pure functions.
//!
//! A node sends a request after every `computation` of work and waits `latency` for its reply. `Fixed` has a second
//! processor for handlers. `Single` has none: a request and a reply cost `saved` more each, and the handler of a
//! foreign request takes `reply` from the computation if it comes while the processor computes, for which `C / (C + L)`
//! is the chance. `Floating` has two processors that both compute and both handle.
//!
//! ```text
//! fixed    = M (C + L)
//! single   = M (C + L + (2 saved + reply) C / (C + L))
//! floating = single / 2
//! ```
//!
//! The model leaves out contention, imbalance, synchronization and caches. Thresholds are found by searching the three
//! equations, not from the closed forms that follow from them.

use units::Time;

use super::figure::Figure;

/// Name of the model.
pub const NAME: &str = "fixed-floating";

/// Steps of a bisection: more than a double has binary digits over any range searched here.
const STEPS: usize = 200;

/// Computation over latency, at least and at most, where a threshold is searched for.
const RANGE: (f64, f64) = (1e-9, 1e9);

/// Factor to both sides of a point over which its slope is taken: one percent.
const SLOPE: f64 = 1.01;

/// A value that can be set: its name, whether it is a time, its meaning, and its field.
pub struct Setting {
    /// Name in `--set`.
    pub name: &'static str,
    /// Whether it is a time with its unit; else a number above zero.
    pub is_time: bool,
    /// A one-line description for people.
    pub meaning: &'static str,
    field: fn(&mut Node) -> &mut f64,
}

/// Declares each value once: field, name, kind, default, meaning.
macro_rules! settings {
    ($($field:ident $name:literal $kind:ident $value:expr, $meaning:literal;)*) => {
        /// A node and its load. Times are in microseconds; only their ratios matter.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Node {
            $(#[doc = concat!($meaning, ".")] pub $field: f64,)*
        }

        impl Default for Node {
            /// The measured costs of the study's second table and the computation of its em3d.
            fn default() -> Self {
                Self { $($field: $value,)* }
            }
        }

        /// All values that can be set.
        pub static SETTINGS: &[Setting] = &[$(Setting {
            name: $name,
            is_time: $kind,
            meaning: $meaning,
            field: |node| &mut node.$field,
        },)*];
    };
}

const TIME: bool = true;
const NUMBER: bool = false;

settings! {
    computation "computation" TIME 34.0, "C: mean computation between two requests";
    latency "latency" TIME 113.0, "L: request to reply, with dedicated protocol processors";
    reply "reply" TIME 27.0, "handler of a foreign request";
    saved "saved" TIME 55.0, "what a dedicated processor saves of a round trip";
    requests "requests" NUMBER 1.0, "M: requests of the processor";
    request "request" TIME 54.0, "requester's overhead under Fixed";
    single_request "single-request" TIME 78.0, "requester's overhead under Single";
    single_reply "single-reply" TIME 43.0, "home's overhead under Single";
    switch "switch" TIME 12.0, "from one thread to another";
    processors "processors" NUMBER 1.0, "computing processors that share a protocol processor";
    price "price" NUMBER 1.0 / 3.0, "what the second processor adds to the price of a node";
}

impl Node {
    /// The measured node with other values by name.
    ///
    /// # Errors
    ///
    /// One text for each setting that is none or whose value is wrong.
    pub fn with(settings: &[(String, String)]) -> Result<Self, Vec<String>> {
        let mut node = Self::default();
        let mut mistakes = Vec::new();
        for (name, text) in settings {
            let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
                let names: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
                mistakes.push(format!("--set {name}: expected one of {}", names.join(", ")));
                continue;
            };
            match setting.parse(text) {
                Ok(value) => *(setting.field)(&mut node) = value,
                Err(expected) => mistakes.push(format!("--set {name}={text}: expected {expected}")),
            }
        }
        if mistakes.is_empty() { Ok(node) } else { Err(mistakes) }
    }

    /// Returns the node with another computation between requests.
    pub fn at(&self, computation: f64) -> Self {
        Self { computation, ..self.clone() }
    }

    /// Returns the node with another utilization under Fixed, between 0 and 1.
    pub fn at_utilization(&self, utilization: f64) -> Self {
        self.at(self.latency * utilization / (1.0 - utilization))
    }

    /// Returns the node with overheads of `k` times the latency, divided in the same proportions.
    pub fn with_overhead(&self, k: f64) -> Self {
        let factor = k / self.overhead_ratio();
        Self { saved: self.saved * factor, reply: self.reply * factor, ..self.clone() }
    }

    /// X: the model's charge to Single for a request that comes while it computes.
    pub fn overhead(&self) -> f64 {
        2.0 * self.saved + self.reply
    }

    /// k: that overhead over the latency.
    pub fn overhead_ratio(&self) -> f64 {
        self.overhead() / self.latency
    }

    /// u: share of its time that the processor computes under Fixed.
    pub fn utilization(&self) -> f64 {
        self.computation / (self.computation + self.latency)
    }

    /// Run time with a dedicated protocol processor.
    pub fn fixed(&self) -> f64 {
        self.requests * (self.computation + self.latency)
    }

    /// Run time with one processor for everything.
    pub fn single(&self) -> f64 {
        let Self { computation, latency, .. } = self;
        self.requests * (computation + latency + self.overhead() * computation / (computation + latency))
    }

    /// Run time with two processors that both compute and both handle.
    pub fn floating(&self) -> f64 {
        self.single() / 2.0
    }

    /// Time of Single divided by that of Fixed.
    pub fn ratio(&self) -> f64 {
        self.single() / self.fixed()
    }

    /// The computation at which Fixed gains most: where the slope of the ratio changes its sign.
    pub fn peak(&self) -> Self {
        let falls = |c: f64| self.at(c * SLOPE).ratio() < self.at(c / SLOPE).ratio();
        self.at(self.latency * bisect(RANGE.0, RANGE.1, |c| falls(c * self.latency)))
    }

    /// The least overhead ratio at which Single takes `ratio` times as long as Fixed at some computation.
    pub fn least_overhead(&self, ratio: f64) -> f64 {
        bisect(RANGE.0, RANGE.1, |k| self.with_overhead(k).peak().ratio() >= ratio)
    }

    /// The least overhead ratio at which Fixed is as fast as Floating at this computation.
    pub fn least_overhead_here(&self) -> f64 {
        bisect(RANGE.0, RANGE.1, |k| {
            let node = self.with_overhead(k);
            node.fixed() <= node.floating()
        })
    }

    /// The utilizations between which Fixed is faster than Floating; `None` if it never is.
    pub fn window(&self) -> Option<(f64, f64)> {
        let wins = |utilization| {
            let node = self.at_utilization(utilization);
            node.fixed() < node.floating()
        };
        let peak = self.peak().utilization();
        let low = || bisect_between(0.0, peak, wins);
        let high = || bisect_between(peak, 1.0, |utilization| !wins(utilization));
        wins(peak).then(|| (low(), high()))
    }

    /// Figures of the model, by name.
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |name, unit, value, meaning| Figure { name, value, unit, meaning };
        let time = |name, value, meaning| figure(name, "us", Some(value), meaning);
        let ratio = |name, value, meaning| figure(name, "", Some(value), meaning);
        let (peak, window) = (self.peak(), self.window());
        let (low, high) = window.unzip();
        let n = self.processors;
        let demand = self.request + self.reply;
        let gain = self.price / (1.0 + (n - 1.0) * self.price);
        let edge = low.map(|low| self.at_utilization(low).ratio() - 1.0);
        let [worth, even] = [1.0 + self.price, 2.0].map(|ratio| self.least_overhead(ratio));
        let even_here = self.least_overhead_here();
        let load = n * demand / (self.computation + self.switch);
        vec![
            time("fixed", self.fixed(), "run time with a dedicated protocol processor"),
            time("single", self.single(), "run time with one processor for everything"),
            time("floating", self.floating(), "run time with two processors that do both"),
            ratio("ratio", self.ratio(), "Single over Fixed"),
            ratio("k", self.overhead_ratio(), "2 saved + reply over latency"),
            ratio("u", self.utilization(), "utilization under Fixed"),
            ratio("saved.share", 2.0 * self.saved / self.latency, "2 saved over latency"),
            ratio("peak.at", peak.computation / self.latency, "C/L where Fixed gains most"),
            ratio("peak.u", peak.utilization(), "utilization where Fixed gains most"),
            ratio("peak.ratio", peak.ratio(), "Single over Fixed there"),
            ratio("cost.k", worth, "least k at which the second processor is worth its price somewhere"),
            ratio("cost.gain", gain, "gain that pays for it"),
            ratio("floating.k", even, "least k at which Fixed is as fast as Floating somewhere"),
            ratio(
                "floating.k-here",
                even_here,
                "least k at which Fixed is as fast as Floating at this computation",
            ),
            figure("window.low", "", low, "utilization above which Fixed beats Floating"),
            figure("window.high", "", high, "and below which"),
            figure("window.gain", "", edge, "gain over Single at its edge"),
            ratio("idle", 1.0 - self.utilization().powf(n), "chance that a processor of the node waits"),
            ratio("threads.u", self.threaded(), "utilization with threads enough, protocol not saturated"),
            ratio("load", load, "load of the protocol processor"),
            time("capacity.fixed", demand, "protocol time of a miss under Fixed"),
            time(
                "capacity.single",
                self.single_request + self.single_reply,
                "protocol time of a miss under Single",
            ),
        ]
    }

    /// Utilization with threads enough to hide the latency and a protocol processor that keeps up.
    fn threaded(&self) -> f64 {
        self.computation / (self.computation + self.switch)
    }
}

impl Setting {
    /// Value in a node: microseconds or a number.
    pub fn of(&self, node: &Node) -> f64 {
        *(self.field)(&mut node.clone())
    }

    fn parse(&self, text: &str) -> Result<f64, String> {
        let number = if self.is_time {
            text.parse::<Time>().map(Time::as_microseconds).ok()
        } else {
            text.trim().parse().ok()
        };
        let expected = if self.is_time { "a time above 0 such as \"113 us\"" } else { "a number above 0" };
        number.filter(|number: &f64| number.is_finite() && *number > 0.0).ok_or_else(|| expected.to_owned())
    }
}

/// Least number, between two positive ones far apart, at which `is_above` holds.
fn bisect(low: f64, high: f64, is_above: impl Fn(f64) -> bool) -> f64 {
    bisect_between(low.ln(), high.ln(), |exponent| is_above(exponent.exp())).exp()
}

/// Least number, between two others, at which `is_above` holds.
fn bisect_between(mut low: f64, mut high: f64, is_above: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..STEPS {
        let middle = low + (high - low) / 2.0;
        if is_above(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, digits: i32) {
        let apart = (found - expected).abs();
        assert!(apart <= 0.5001 * 10_f64.powi(-digits), "{found}: expected {expected}");
    }

    /// The table of the study's own numbers: C, u, fixed, single, floating, ratio.
    #[test]
    fn the_worked_numbers_of_the_measured_node_come_out() {
        let rows = [
            (10.0, 0.0813, 123.0, 134.14, 67.07, 1.0906),
            (34.0, 0.2313, 147.0, 178.69, 89.34, 1.2156),
            (56.5, 0.3333, 169.5, 215.17, 107.58, 1.2694),
            (113.0, 0.5, 226.0, 294.5, 147.25, 1.3031),
            (226.0, 0.6667, 339.0, 430.33, 215.17, 1.2694),
            (452.0, 0.8, 565.0, 674.6, 337.3, 1.194),
            (1000.0, 0.8985, 1113.0, 1236.09, 618.05, 1.1106),
            (1357.0, 0.9231, 1470.0, 1596.47, 798.23, 1.086),
        ];
        for (computation, u, fixed, single, floating, ratio) in rows {
            let node = Node::default().at(computation);
            near(node.utilization(), u, 4);
            near(node.fixed(), fixed, 2);
            near(node.single(), single, 2);
            near(node.floating(), floating, 2);
            near(node.ratio(), ratio, 4);
        }
        near(Node::default().overhead_ratio(), 137.0 / 113.0, 12);
    }

    #[test]
    fn the_hump_is_where_computation_equals_latency() {
        for k in [0.5, 1.0, 4.0, 16.0] {
            let peak = Node::default().with_overhead(k).peak();
            near(peak.computation / peak.latency, 1.0, 10);
            near(peak.ratio(), 1.0 + k / 4.0, 10);
        }
    }

    #[test]
    fn thresholds_found_are_those_of_the_closed_form() {
        let node = Node::default();
        near(node.least_overhead(2.0), 4.0, 10);
        near(node.least_overhead(4.0 / 3.0), 4.0 / 3.0, 10);
        near(node.at_utilization(0.2).least_overhead_here(), 6.25, 10);
        let (low, high) = node.with_overhead(8.0).window().unwrap();
        near(low, 0.5 - 0.125_f64.sqrt(), 10);
        near(high, 0.5 + 0.125_f64.sqrt(), 10);
        let (low, high) = node.with_overhead(16.0).window().unwrap();
        near(low, 0.5 - 0.1875_f64.sqrt(), 10);
        near(high, 0.5 + 0.1875_f64.sqrt(), 10);
        assert_eq!(node.with_overhead(3.9).window(), None);
    }

    #[test]
    fn values_are_set_by_name() {
        let set = |pairs: &[(&str, &str)]| {
            let pairs: Vec<_> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            Node::with(&pairs)
        };
        let node = set(&[("latency", "0.1 ms"), ("processors", "3")]).unwrap();
        assert_eq!((node.latency, node.processors, node.reply), (100.0, 3.0, 27.0));
        let mistakes = set(&[("latenzy", "1 us"), ("reply", "2"), ("price", "-1")]).unwrap_err();
        assert_eq!(mistakes.len(), 3);
        assert!(mistakes[0].starts_with("--set latenzy: expected one of computation, latency"));
        assert_eq!(mistakes[1], "--set reply=2: expected a time above 0 such as \"113 us\"");
        assert_eq!(mistakes[2], "--set price=-1: expected a number above 0");
    }
}
