//! A uniform grid of cells over a surface, each with the numbers of the triangles that may be in it; and the walk of a ray through it.
//!
//! The walk is that of J. Amanatides and A. Woo, *A fast voxel traversal algorithm for ray tracing*, Eurographics 1987.
//!
//! This module must never know where triangles are kept.

use super::surface::{Ray, Triangle};
use super::vector::{Bounds, Vector};

/// The grid.
#[derive(Debug)]
pub(super) struct Grid {
    bounds: Bounds,
    /// The side of a cell.
    side: f64,
    /// The cells along each axis.
    cells: [usize; 3],
    /// By cell: the beginning of its triangles in `numbers`. The last entry is the end of the last cell's.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Grid {
    /// A grid of cubes over triangles, `longest` of them along the longest side of the box around all triangles.
    pub(super) fn over(triangles: &[Triangle], longest: u32) -> Self {
        let bounds = Bounds::around(triangles.iter().flat_map(Triangle::corners));
        // Wider than anything that rounding could move across a wall.
        let margin = 1e-9 * bounds.radius();
        let bounds = bounds.wider(margin);
        let extent = [0, 1, 2].map(|axis| bounds.greatest[axis] - bounds.least[axis]);
        let side = extent.into_iter().fold(0.0, f64::max) / f64::from(longest);
        let cells = extent.map(|extent| ((extent / side).ceil() as usize).clamp(1, longest as usize));
        let mut grid = Self { bounds, side, cells, starts: Vec::new(), numbers: Vec::new() };
        let mut lists = vec![Vec::new(); cells.iter().product()];
        for (number, triangle) in (0..).zip(triangles) {
            let around = Bounds::around(triangle.corners()).wider(margin);
            let (low, high) = (grid.cell_at(around.least), grid.cell_at(around.greatest));
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        lists[grid.index([x, y, z])].push(number);
                    }
                }
            }
        }
        grid.starts.push(0);
        for list in lists {
            grid.numbers.extend(list);
            grid.starts.push(grid.numbers.len() as u32);
        }
        grid
    }

    /// The cell that has a point; for a point outside the grid the nearest cell.
    fn cell_at(&self, point: Vector) -> [usize; 3] {
        // A conversion to an integer takes negative numbers as 0.
        [0, 1, 2].map(|axis| {
            let cell = (point[axis] - self.bounds.least[axis]) / self.side;
            (cell as usize).min(self.cells[axis] - 1)
        })
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.cells[1] + y) * self.cells[0] + x
    }

    /// The distances at which a ray enters and leaves the grid.
    fn crossing(&self, ray: &Ray) -> Option<(f64, f64)> {
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let (least, greatest) = (self.bounds.least[axis], self.bounds.greatest[axis]);
            let (from, direction) = (ray.from[axis], ray.direction[axis]);
            if direction == 0.0 {
                if from < least || from > greatest {
                    return None;
                }
                continue;
            }
            let (one, other) = ((least - from) / direction, (greatest - from) / direction);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        (enter <= leave).then_some((enter, leave))
    }

    /// Walks through the cells that a ray goes through, up to a distance, the nearest first. `visit` gets the numbers of a cell's
    /// triangles and the distance at which the ray leaves the cell, and says whether to go on.
    pub(super) fn walk(&self, ray: &Ray, within: f64, mut visit: impl FnMut(&[u32], f64) -> bool) {
        let Some((enter, leave)) = self.crossing(ray) else { return };
        let within = within.min(leave);
        let mut cell = self.cell_at(ray.at(enter));
        let (mut next, mut each) = ([f64::INFINITY; 3], [f64::INFINITY; 3]);
        for axis in 0..3 {
            let direction = ray.direction[axis];
            if direction != 0.0 {
                let wall = cell[axis] + usize::from(direction > 0.0);
                let wall = self.bounds.least[axis] + wall as f64 * self.side;
                next[axis] = (wall - ray.from[axis]) / direction;
                each[axis] = self.side / direction.abs();
            }
        }
        let mut entered = enter;
        while entered <= within {
            let axis = nearest(next);
            let index = self.index(cell);
            let numbers = self.starts[index] as usize..self.starts[index + 1] as usize;
            if !visit(&self.numbers[numbers], next[axis]) {
                return;
            }
            entered = next[axis];
            next[axis] += each[axis];
            let step = if ray.direction[axis] > 0.0 { 1 } else { -1 };
            match cell[axis].checked_add_signed(step) {
                Some(moved) if moved < self.cells[axis] => cell[axis] = moved,
                _ => return,
            }
        }
    }
}

/// The axis along which the next wall is the nearest.
fn nearest(walls: Vector) -> usize {
    if walls[0] <= walls[1] && walls[0] <= walls[2] {
        0
    } else if walls[1] <= walls[2] {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::p_ray::vector::unit;

    /// Two small triangles in opposite corners of a cube of side 4.
    fn grid() -> Grid {
        let triangle = |corner: Vector, edge: f64| Triangle {
            shape: [corner, [edge, 0.0, 0.0], [0.0, edge, edge]],
            normals: [[0.0, 0.0, 1.0]; 3],
        };
        Grid::over(&[triangle([0.0; 3], 0.5), triangle([4.0; 3], -0.5)], 4)
    }

    fn met(grid: &Grid, from: Vector, towards: Vector, within: f64) -> (Vec<u32>, usize) {
        let (mut numbers, mut cells) = (Vec::new(), 0);
        grid.walk(&Ray { from, direction: unit(towards) }, within, |some, _| {
            numbers.extend(some);
            cells += 1;
            true
        });
        (numbers, cells)
    }

    #[test]
    fn a_ray_walks_through_every_cell_on_its_way() {
        let grid = grid();
        assert_eq!(met(&grid, [-1.0, 0.2, 0.2], [1.0, 0.0, 0.0], 10.0), (vec![0], 4));
        assert_eq!(met(&grid, [5.0, 3.8, 3.9], [-1.0, 0.0, 0.0], 10.0), (vec![1], 4));
        assert_eq!(met(&grid, [-1.0, -1.0, -1.0], [1.0, 1.001, 1.002], 20.0).0, [0, 1]);
        assert_eq!(met(&grid, [1.5, 1.5, 1.5], [0.0, 0.0, 1.0], 10.0).1, 3);
        assert_eq!(met(&grid, [-1.0, 0.2, 0.2], [1.0, 0.0, 0.0], 1.5), (vec![0], 1));
    }

    #[test]
    fn a_ray_that_passes_the_grid_walks_nowhere() {
        let grid = grid();
        assert_eq!(met(&grid, [-1.0, 5.0, 0.2], [1.0, 0.0, 0.0], 10.0).1, 0);
        assert_eq!(met(&grid, [-1.0, 0.2, 0.2], [-1.0, 0.0, 0.0], 10.0).1, 0);
    }
}
