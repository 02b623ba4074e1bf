//! The mesh that tomcatv begins with, drawn at random.
//!
//! This module must never know how the mesh is relaxed.

use rand::RngExt;
use tempest::entry::Frozen;

use crate::kit::stream;

/// A mesh: its coordinates x and y of all points, row by row.
pub(super) type Mesh = [Frozen<f64>; 2];

/// The place of a point of the undisturbed mesh: a square whose sides are bent by a tenth of their length.
fn place(u: f64, v: f64) -> [f64; 2] {
    let bend = |along: f64| 0.1 * (std::f64::consts::PI * along).sin();
    [u + bend(v) * (2.0 * u - 1.0), v + bend(u) * (2.0 * v - 1.0)]
}

/// A mesh of `size` points a side. The points of the border are at their places, each of the others is off by up to a quarter of a
/// mesh width in each coordinate.
pub(super) fn generate(size: usize, seed: u64) -> Mesh {
    let width = 1.0 / (size - 1) as f64;
    let mut mesh = [Vec::with_capacity(size * size), Vec::with_capacity(size * size)];
    for i in 0..size {
        let mut random = stream(seed, i as u64);
        for j in 0..size {
            let inside = i % (size - 1) != 0 && j % (size - 1) != 0;
            let place = place(i as f64 * width, j as f64 * width);
            for (matrix, at) in mesh.iter_mut().zip(place) {
                let off = if inside { random.random_range(-0.25..0.25) * width } else { 0.0 };
                matrix.push(at + off);
            }
        }
    }
    mesh.map(Frozen::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_does_not_depend_on_the_seed() {
        let (one, other) = (generate(9, 1), generate(9, 2));
        let differ: Vec<_> = (0..81).filter(|&point| one[0][point] != other[0][point]).collect();
        assert_eq!(differ.len(), 49);
        assert!(differ.iter().all(|point| (1..8).contains(&(point % 9)) && (1..8).contains(&(point / 9))));
        assert_eq!(generate(9, 1), one);
    }
}
