//! Columns of butterflies on points in private memory, strip by strip where a model is charged for them.
//!
//! This module must never know where points come from.

use std::ops::Range;

use tempest::{Operations, Private, Thread};

use super::transform::{Complex, column, join};
use super::work::BUTTERFLY;

/// The points of a strip: 2 KiB. Two strips of points and a strip of roots stay in the smallest first-level cache.
pub(super) const STRIP: usize = 128;

/// The words of a point or root.
const WORDS: u32 = 2;

/// The strips of `len` elements.
pub(super) fn strips(len: usize, strip: usize) -> impl Iterator<Item = Range<usize>> {
    let strip = strip.min(len.max(1));
    (0..len).step_by(strip).map(move |first| first..len.min(first + strip))
}

/// Computes the columns of butterflies of groups of `len` consecutive points, and charges for them. The numbers of points are powers
/// of two. Columns whose groups are within a strip are computed strip by strip.
pub(super) fn columns(
    thread: &Thread<'_>,
    points: &mut Private<Complex>,
    len: usize,
    roots: &Private<Complex>,
) {
    let strip = thread.strip(STRIP);
    for half in halves(len / 2).take_while(|half| *half > strip) {
        between_strips(thread, points, (half, strip), roots);
    }
    within_strips(thread, points, (strip.min(len / 2), strip.saturating_mul(2)), roots);
}

/// The halves of groups, from the widest column to the narrowest.
fn halves(widest: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(widest), |half| Some(half / 2)).take_while(|half| *half > 0)
}

/// Computes all columns from that between points `widest` places apart on, whose groups are within strips of `strip` points. Accesses
/// behind the first to a point or root of a strip are operations that hit.
fn within_strips(
    thread: &Thread<'_>,
    points: &mut Private<Complex>,
    (widest, strip): (usize, usize),
    roots: &Private<Complex>,
) {
    if widest == 0 {
        return;
    }
    let columns = widest.ilog2() + 1;
    for strip in strips(points.len(), strip) {
        let all = (BUTTERFLY.loads(6).stores(4)).times(columns * strip.len() as u32 / 2);
        let roots_of_all = 0..2 * widest - 1;
        let viewed = WORDS * (strip.len() + roots_of_all.len()) as u32;
        points.view(thread, strip.clone());
        let roots = roots.view(thread, roots_of_all);
        let stored = WORDS * strip.len() as u32;
        thread.charge(Operations { loads: all.loads - viewed, stores: all.stores - stored, ..all });
        let points = points.view_mut(thread, strip);
        halves(widest).for_each(|half| column(points, &roots[half - 1..][..half]));
    }
}

/// Computes a column whose groups are longer than two strips of `strip` points.
fn between_strips(
    thread: &Thread<'_>,
    points: &mut Private<Complex>,
    (half, strip): (usize, usize),
    roots: &Private<Complex>,
) {
    let mut pairs = vec![Complex::default(); 2 * strip];
    for group in (0..points.len()).step_by(2 * half) {
        for at in strips(half, strip) {
            let [low, high] = [group, group + half].map(|first| first + at.start..first + at.end);
            let len = at.len();
            pairs[..len].copy_from_slice(points.view(thread, low.clone()));
            pairs[len..2 * len].copy_from_slice(points.view(thread, high.clone()));
            let roots = roots.view(thread, half - 1 + at.start..half - 1 + at.end);
            thread.charge(BUTTERFLY.times(len as u32));
            join(&mut pairs[..2 * len], roots);
            points.view_mut(thread, low).copy_from_slice(&pairs[..len]);
            points.view_mut(thread, high).copy_from_slice(&pairs[len..2 * len]);
        }
    }
}
