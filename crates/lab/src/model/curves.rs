//! The two curves of the model of dedicated protocol processors: Single over Fixed against computation and against
//! utilization, for several overhead ratios. This module must never know a claim, nor how a curve looks.

use super::fixed_floating::Node;

/// Overhead ratios that are drawn beside the node's own.
const RATIOS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

/// Steps of a curve.
const STEPS: u32 = 240;

/// Computation over latency, at least and at most, where it is spread by factors.
pub const FACTORS: (f64, f64) = (0.01, 100.0);

/// Computation over latency at most where it is spread evenly.
pub const MOST: f64 = 10.0;

/// A curve: the model at one overhead ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Overhead ratio k of the curve.
    pub overhead_ratio: f64,
    /// Whether the ratio is the node's own and not a round one.
    pub is_own: bool,
    /// C/L, spread by factors, and Single over Fixed.
    pub by_factor: Vec<(f64, f64)>,
    /// C/L, spread evenly from 0, and Single over Fixed.
    pub by_step: Vec<(f64, f64)>,
    /// Utilization from 0 to 1 and Single over Fixed.
    pub by_utilization: Vec<(f64, f64)>,
}

/// The curves of a node: the round overhead ratios and its own.
pub fn samples(node: &Node) -> Vec<Samples> {
    let own = (node.overhead_ratio(), true);
    RATIOS.iter().map(|k| (*k, false)).chain([own]).map(|(k, is_own)| sample(node, k, is_own)).collect()
}

fn sample(node: &Node, overhead_ratio: f64, is_own: bool) -> Samples {
    let node = node.with_overhead(overhead_ratio);
    let steps = || (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS));
    let against_computation = |x: f64| (x, node.at(x * node.latency).ratio());
    // At both ends of the utilization a time is endless; there the ratio tends to 1.
    let against_utilization = |u: f64| (u, if u < 1.0 { node.at_utilization(u).ratio() } else { 1.0 });
    let factor = |step: f64| FACTORS.0 * (FACTORS.1 / FACTORS.0).powf(step);
    Samples {
        overhead_ratio,
        is_own,
        by_factor: steps().map(factor).map(against_computation).collect(),
        by_step: steps().map(|step| step * MOST).map(against_computation).collect(),
        by_utilization: steps().map(against_utilization).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_has_one_hump_in_the_middle_and_ends_at_one() {
        let all = samples(&Node::default());
        assert_eq!(all.len(), 6);
        for curve in &all {
            for points in [&curve.by_factor, &curve.by_utilization] {
                let middle = points.len() / 2;
                let (x, top) = points[middle];
                assert!((x - 1.0).abs() < 1e-9 || x == 0.5, "{x}");
                assert!((top - (1.0 + curve.overhead_ratio / 4.0)).abs() < 1e-9, "{top}");
                let rises = points.windows(2).map(|pair| pair[0].1 < pair[1].1);
                assert!(rises.enumerate().all(|(index, rises)| rises == (index < middle)));
                // k u (1 - u) with u = 1/101 at both ends of the left curve.
                let ends = [points[0].1, points[points.len() - 1].1];
                assert!(ends.iter().all(|end| end - 1.0 < 0.01 * curve.overhead_ratio), "{ends:?}");
            }
        }
    }
}
