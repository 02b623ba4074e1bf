//! The sequential reference of tomcatv: the loop nest of the original, whole matrices at a time, and the comparison with it.
//!
//! It shares no code with the program's rows. This module must never know messages, shared memory, or threads of a world.

use tempest::entry::{Frozen, portable};
use tempest::{Merge, NodeId, Report};

use super::generated::Mesh;

/// The answer that a mesh must lead to.
#[derive(Debug)]
pub(super) struct Expected {
    /// The coordinates after all iterations.
    pub(super) mesh: Mesh,
    /// By iteration: the largest residuals of x and of y.
    pub(super) residuals: Frozen<[f64; 2]>,
}

portable!(Expected { mesh, residuals });

/// Runs `iterations` iterations.
pub(super) fn run(mesh: &Mesh, n: usize, iterations: u32) -> Expected {
    let mut mesh = [0, 1].map(|axis: usize| mesh[axis].to_vec());
    let residuals = (0..iterations).map(|_| iterate(&mut mesh, n)).collect();
    Expected { mesh: mesh.map(Frozen::from), residuals }
}

/// Runs an iteration. Returns the largest residuals.
fn iterate(mesh: &mut [Vec<f64>; 2], n: usize) -> [f64; 2] {
    const REL: f64 = 2.0 / 0.98;
    let at = |i: usize, j: usize| i * n + j;
    let [mut aa, mut dd, mut d, mut rx, mut ry] = [(); 5].map(|()| vec![0.0; n * n]);
    let [x, y] = mesh;
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let xx = x[at(i + 1, j)] - x[at(i - 1, j)];
            let yx = y[at(i + 1, j)] - y[at(i - 1, j)];
            let xy = x[at(i, j + 1)] - x[at(i, j - 1)];
            let yy = y[at(i, j + 1)] - y[at(i, j - 1)];
            let a = 0.25 * (xy * xy + yy * yy);
            let b = 0.25 * (xx * xx + yx * yx);
            let c = 0.125 * (xx * xy + yx * yy);
            aa[at(i, j)] = -b;
            dd[at(i, j)] = b + b + a * REL;
            let pxx = x[at(i + 1, j)] - 2.0 * x[at(i, j)] + x[at(i - 1, j)];
            let qxx = y[at(i + 1, j)] - 2.0 * y[at(i, j)] + y[at(i - 1, j)];
            let pyy = x[at(i, j + 1)] - 2.0 * x[at(i, j)] + x[at(i, j - 1)];
            let qyy = y[at(i, j + 1)] - 2.0 * y[at(i, j)] + y[at(i, j - 1)];
            let pxy = x[at(i + 1, j + 1)] - x[at(i + 1, j - 1)] - x[at(i - 1, j + 1)] + x[at(i - 1, j - 1)];
            let qxy = y[at(i + 1, j + 1)] - y[at(i + 1, j - 1)] - y[at(i - 1, j + 1)] + y[at(i - 1, j - 1)];
            rx[at(i, j)] = a * pxx + b * pyy - c * pxy;
            ry[at(i, j)] = a * qxx + b * qyy - c * qxy;
        }
    }
    let largest = [&rx, &ry].map(|r| r.iter().fold(0.0, |most: f64, one| most.max(one.abs())));
    for i in 1..n - 1 {
        d[at(i, 1)] = 1.0 / dd[at(i, 1)];
    }
    for j in 2..n - 1 {
        for i in 1..n - 1 {
            let r = aa[at(i, j)] * d[at(i, j - 1)];
            d[at(i, j)] = 1.0 / (dd[at(i, j)] - aa[at(i, j)] * r);
            rx[at(i, j)] -= rx[at(i, j - 1)] * r;
            ry[at(i, j)] -= ry[at(i, j - 1)] * r;
        }
    }
    for i in 1..n - 1 {
        rx[at(i, n - 2)] *= d[at(i, n - 2)];
        ry[at(i, n - 2)] *= d[at(i, n - 2)];
    }
    for j in (1..n - 2).rev() {
        for i in 1..n - 1 {
            rx[at(i, j)] = (rx[at(i, j)] - aa[at(i, j)] * rx[at(i, j + 1)]) * d[at(i, j)];
            ry[at(i, j)] = (ry[at(i, j)] - aa[at(i, j)] * ry[at(i, j + 1)]) * d[at(i, j)];
        }
    }
    for (coordinate, correction) in [(x, rx), (y, ry)] {
        coordinate.iter_mut().zip(correction).for_each(|(coordinate, correction)| *coordinate += correction);
    }
    largest
}

/// The names of the coordinates, for people.
const NAMES: [&str; 2] = ["x", "y"];

/// Compares a node's points with the points of the sequential run, bit for bit. `found` are the node's rows of both
/// coordinates, of which the first is row `first`.
pub(super) fn check(
    node: NodeId,
    first: usize,
    n: usize,
    found: [Vec<f64>; 2],
    expected: &Expected,
) -> Report {
    let mut report = Report { checks: 2 * found[0].len() as u64, ..Report::default() };
    for ((name, found), expected) in NAMES.iter().zip(found).zip(&expected.mesh) {
        let expected = &expected[first * n..];
        let pairs = found.iter().zip(expected).enumerate();
        let mut wrong = pairs.filter(|(_, (found, expected))| found.to_bits() != expected.to_bits());
        if let Some((place, (found, expected))) = wrong.next() {
            let (i, j, more) = (first + place / n, place % n, wrong.count());
            report.failures.push(format!(
                "{name} of point {i}, {j} on {node} is {found:e}: expected {expected:e}, and {more} others are wrong"
            ));
        }
    }
    report
}

/// Compares the largest residuals of all iterations with the sequential run's, bit for bit, and reports the first and
/// the last.
pub(super) fn check_residuals(found: &[[f64; 2]], expected: &Expected) -> Report {
    let mut report = Report { checks: 1 + found.len() as u64, ..Report::default() };
    let bits = |all: &[[f64; 2]]| all.iter().map(|both| both.map(f64::to_bits)).collect::<Vec<_>>();
    if bits(found) != bits(&expected.residuals) {
        report.failures.push(format!("residuals {found:?}: expected {:?}", expected.residuals));
    }
    let largest = |both: Option<&[f64; 2]>| both.map_or(f64::NAN, |both| both[0].max(both[1]));
    let (first, last) = (largest(found.first()), largest(found.last()));
    if last.partial_cmp(&first) != Some(std::cmp::Ordering::Less) {
        report
            .failures
            .push(format!("the residual is {last:e} in the end: expected less than {first:e} as at first"));
    }
    report.figure("residual at first", first, Merge::Max).figure("residual in the end", last, Merge::Max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of a square mesh are in their final places: none moves.
    #[test]
    fn a_square_mesh_stays() {
        let n = 6;
        let points = || (0..n * n).map(|point| [(point / n) as f64, (point % n) as f64]);
        let mesh: Mesh = [points().map(|point| point[0]).collect(), points().map(|point| point[1]).collect()];
        let expected = run(&mesh, n, 3);
        assert_eq!(expected.mesh, mesh);
        assert_eq!(*expected.residuals, [[0.0, 0.0]; 3]);
    }

    #[test]
    fn a_point_off_its_place_returns() {
        let n = 5;
        let mut mesh = [0, 1].map(|axis| {
            (0..n * n).map(|point| if axis == 0 { point / n } else { point % n } as f64).collect::<Vec<_>>()
        });
        mesh[0][2 * n + 2] += 0.25;
        let expected = run(&mesh.map(Frozen::from), n, 40);
        assert!((expected.mesh[0][2 * n + 2] - 2.0).abs() < 1e-6, "{}", expected.mesh[0][2 * n + 2]);
        assert!(expected.residuals[39][0] < 1e-6);
    }
}
