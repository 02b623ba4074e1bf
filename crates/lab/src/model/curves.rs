//! The two curves of the model of dedicated protocol processors: Single over Fixed against computation and against
//! utilization, for several overhead ratios. As data and as a picture. Must never know a claim.

use super::fixed_floating::Node;
use crate::plot::{Axis, Curve, Panel, Picture, Scale};

/// Overhead ratios that are drawn beside the node's own.
const RATIOS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

/// Steps of a curve.
const STEPS: u32 = 240;

/// Computation over latency, at least and at most, where it is spread by factors.
const FACTORS: (f64, f64) = (0.01, 100.0);

/// Computation over latency at most where it is spread evenly.
const MOST: f64 = 10.0;

/// One curve: the model at one overhead ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// k.
    pub overhead_ratio: f64,
    /// Whether it is that of the node and not one of the round ones.
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
    // At both ends of the utilization one of the times is endless; there the ratio tends to 1.
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

/// The curves of a node in three panels, with what a second processor must gain to be worth its price and to beat
/// Floating.
pub fn picture(node: &Node) -> Picture {
    let samples = samples(node);
    let axis = |label: &str, scale, from, to| Axis { label: label.to_owned(), scale, from, to };
    let panel = |title: &str, x: Axis, points: fn(&Samples) -> &Vec<(f64, f64)>| {
        let curve = |samples: &Samples| {
            let own = if samples.is_own { " (as set)" } else { "" };
            let label = format!("k = {:.4}", samples.overhead_ratio);
            let label = format!("{}{own}", label.trim_end_matches('0').trim_end_matches('.'));
            Curve { label, points: points(samples).clone() }
        };
        Panel {
            title: title.to_owned(),
            x,
            y: axis("T_single / T_fixed", Scale::Linear, 1.0, 5.0),
            curves: samples.iter().map(curve).collect(),
            levels: vec![
                (1.0 + node.price, format!("{:.2}: worth its price", 1.0 + node.price)),
                (2.0, "2: beats Floating".to_owned()),
            ],
        }
    };
    let by_factor = axis("C / L", Scale::Log, FACTORS.0, FACTORS.1);
    Picture {
        title: "A dedicated protocol processor: what it gains, by its share of overhead k".to_owned(),
        panels: vec![
            panel("against computation, by factors", by_factor, |samples| &samples.by_factor),
            panel("against computation", axis("C / L", Scale::Linear, 0.0, MOST), |samples| &samples.by_step),
            panel("against utilization", axis("C / (C + L)", Scale::Linear, 0.0, 1.0), |samples| {
                &samples.by_utilization
            }),
        ],
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

    #[test]
    fn the_picture_has_every_curve_and_both_bars() {
        let svg = picture(&Node::default()).svg();
        for text in ["k = 1<", "k = 16<", "k = 1.2124 (as set)", "1.33: worth its price", "2: beats Floating"]
        {
            assert!(svg.contains(text), "{text}");
        }
    }
}
