//! Vectors of three numbers, by additions, multiplications, divisions and square roots alone: the same to the bit on every host.
//!
//! This module must never know the meaning of a vector.

/// A point, a direction or a colour.
pub(super) type Vector = [f64; 3];

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: Vector, by: f64) -> Vector {
    [a[0] * by, a[1] * by, a[2] * by]
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The vector of length 1 in this direction.
pub(super) fn unit(a: Vector) -> Vector {
    scale(a, 1.0 / length(a))
}

/// The sum of three vectors, each times its share.
pub(super) fn blend(vectors: [Vector; 3], shares: Vector) -> Vector {
    let [a, b, c] = vectors;
    add(add(scale(a, shares[0]), scale(b, shares[1])), scale(c, shares[2]))
}

/// A direction that a mirror with this normal of length 1 throws back.
pub(super) fn mirrored(direction: Vector, normal: Vector) -> Vector {
    subtract(direction, scale(normal, 2.0 * dot(direction, normal)))
}

/// A box whose sides are parallel to the axes: its least and its greatest corner.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounds {
    pub(super) least: Vector,
    pub(super) greatest: Vector,
}

impl Bounds {
    /// The smallest box around some points; without points its sides are negative.
    pub(super) fn around(points: impl IntoIterator<Item = Vector>) -> Self {
        let nothing = Self { least: [f64::INFINITY; 3], greatest: [f64::NEG_INFINITY; 3] };
        points.into_iter().fold(nothing, |bounds, point| Self {
            least: [0, 1, 2].map(|axis| bounds.least[axis].min(point[axis])),
            greatest: [0, 1, 2].map(|axis| bounds.greatest[axis].max(point[axis])),
        })
    }

    /// The box enlarged by `by` on every side.
    pub(super) fn wider(self, by: f64) -> Self {
        Self { least: self.least.map(|side| side - by), greatest: self.greatest.map(|side| side + by) }
    }

    pub(super) fn middle(self) -> Vector {
        scale(add(self.least, self.greatest), 0.5)
    }

    /// Half of the diagonal.
    pub(super) fn radius(self) -> f64 {
        0.5 * length(subtract(self.greatest, self.least))
    }
}
