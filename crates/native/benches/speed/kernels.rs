//! *Kernels*: fft and radix by bulk and through shared memory on two nodes of a processor, beside the same algorithm in one
//! shared memory with rayon on two threads, written plainly.

use std::f64::consts::TAU;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tempest::entry::{Given, Plan};
use tempest::{Mechanism, Shape};

use crate::run_by;
use crate::table::{Aim, Row, Unit, paired};

/// Rows, and points of a row.
const SIDE: usize = 1024;

/// Keys, their bits, and the bits of a digit.
const KEYS: usize = 1 << 22;
const BITS: u32 = 19;
const DIGIT: u32 = 10;

/// Processors of both.
const PROCESSORS: usize = 2;

/// Microseconds of what a program times.
fn ours(program: &str, inputs: &[(&str, String)], mechanism: Mechanism) -> f64 {
    let mut given = Given::default();
    given.values.extend(inputs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    let entry = tempest::entry::find(program, apps::ALL).expect("a program of the registry");
    let instance = (entry.load)(&given).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let shape = Shape { nodes: PROCESSORS as u32, threads: 1 };
    let plan = Plan::new(mechanism, shape).kept_by(&protocols::stache::STACHE);
    let job = instance.job(&plan).expect("a plan that the program can run by");
    run_by(mechanism, job, PROCESSORS as u32, 1, 1, "floating").timed().as_nanoseconds() / 1e3
}

fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(PROCESSORS).build().expect("threads can be had")
}

type Complex = [f64; 2];

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn root(numerator: usize, denominator: usize) -> Complex {
    let (sin, cos) = (-TAU * (numerator % denominator) as f64 / denominator as f64).sin_cos();
    [cos, sin]
}

/// Transforms a row in place.
fn transform(row: &mut [Complex], roots: &[Complex]) {
    let shift = usize::BITS - row.len().trailing_zeros();
    for index in 1..row.len() {
        let other = index.reverse_bits() >> shift;
        if index < other {
            row.swap(index, other);
        }
    }
    let mut half = 1;
    while half < row.len() {
        let roots = &roots[half - 1..][..half];
        for pairs in row.chunks_exact_mut(2 * half) {
            let (low, high) = pairs.split_at_mut(half);
            for ((low, high), root) in low.iter_mut().zip(high).zip(roots) {
                let turned = times(*high, *root);
                (*low, *high) =
                    ([low[0] + turned[0], low[1] + turned[1]], [low[0] - turned[0], low[1] - turned[1]]);
            }
        }
        half *= 2;
    }
}

/// Transposes a square, by tiles of 16 points by 16.
fn transpose(from: &[Complex], to: &mut [Complex]) {
    to.par_chunks_mut(16 * SIDE).enumerate().for_each(|(band, rows)| {
        for tile in (0..SIDE).step_by(16) {
            for column in tile..tile + 16 {
                for (row, points) in rows.chunks_mut(SIDE).enumerate() {
                    points[column] = from[column * SIDE + band * 16 + row];
                }
            }
        }
    });
}

/// Microseconds of the six steps with rayon.
fn plain_fft(pool: &ThreadPool) -> f64 {
    let points: Vec<Complex> = (0..SIDE * SIDE).map(|index| root(index * index, SIDE * SIDE)).collect();
    let energy = |points: &[Complex]| {
        points.iter().map(|point| point[0] * point[0] + point[1] * point[1]).sum::<f64>()
    };
    let halves = (0..SIDE.trailing_zeros()).map(|stage| 1_usize << stage);
    let roots: Vec<_> = halves.flat_map(|half| (0..half).map(move |index| root(index, 2 * half))).collect();
    let factor = |index: usize| root((index / SIDE) * (index % SIDE), SIDE * SIDE);
    let factors: Vec<_> = (0..SIDE * SIDE).map(factor).collect();
    let (mut from, mut to) = (points.clone(), vec![[0.0; 2]; SIDE * SIDE]);
    let start = Instant::now();
    pool.install(|| {
        transpose(&from, &mut to);
        to.par_chunks_mut(SIDE).zip(factors.par_chunks(SIDE)).for_each(|(row, factors)| {
            transform(row, &roots);
            row.iter_mut().zip(factors).for_each(|(point, factor)| *point = times(*point, *factor));
        });
        transpose(&to, &mut from);
        from.par_chunks_mut(SIDE).for_each(|row| transform(row, &roots));
        transpose(&from, &mut to);
    });
    let time = start.elapsed().as_secs_f64() * 1e6;
    let ratio = energy(&to) / energy(&points) / (SIDE * SIDE) as f64;
    assert!((ratio - 1.0).abs() < 1e-12, "Parseval: {ratio}");
    time
}

/// Microseconds of all passes with rayon.
fn plain_radix(pool: &ThreadPool) -> f64 {
    let key = |index: u32| index.wrapping_mul(2_654_435_761) >> (32 - BITS);
    let cell = |key| AtomicU32::new(key);
    let mut keys: Vec<_> = (0..KEYS as u32).map(|index| cell(key(index))).collect();
    let mut to: Vec<_> = (0..KEYS).map(|_| cell(0)).collect();
    let start = Instant::now();
    pool.install(|| {
        for shift in (0..BITS).step_by(DIGIT as usize) {
            let digit = |key: &AtomicU32| (key.load(Ordering::Relaxed) >> shift) as usize % (1 << DIGIT);
            let counts: Vec<Vec<usize>> = keys
                .par_chunks(KEYS / PROCESSORS)
                .map(|keys| {
                    let mut counts = vec![0; 1 << DIGIT];
                    keys.iter().for_each(|key| counts[digit(key)] += 1);
                    counts
                })
                .collect();
            let mut next = 0;
            let mut places = vec![vec![0; 1 << DIGIT]; counts.len()];
            for value in 0..1 << DIGIT {
                for (places, counts) in places.iter_mut().zip(&counts) {
                    places[value] = next;
                    next += counts[value];
                }
            }
            keys.par_chunks(KEYS / PROCESSORS).zip(&mut places).for_each(|(keys, places)| {
                for key in keys {
                    let place = &mut places[digit(key)];
                    to[*place].store(key.load(Ordering::Relaxed), Ordering::Relaxed);
                    *place += 1;
                }
            });
            std::mem::swap(&mut keys, &mut to);
        }
    });
    let time = start.elapsed().as_secs_f64() * 1e6;
    assert!(keys.iter().is_sorted_by_key(|key| key.load(Ordering::Relaxed)));
    time
}

/// fft and radix beside rayon.
pub(crate) fn rows() -> Vec<Row> {
    let pool = pool();
    let points = [("points", (SIDE * SIDE).to_string())];
    let keys = [("keys", KEYS.to_string()), ("bits", BITS.to_string()), ("radix", (1 << DIGIT).to_string())];
    let mut rows = Vec::new();
    for (mechanism, aim) in
        [(Mechanism::Bulk, Aim::Ratio(1.3, 2.0)), (Mechanism::SharedMemory, Aim::Ratio(4.0, 8.0))]
    {
        let fft = paired(|| ours("fft", &points, mechanism), || plain_fft(&pool));
        rows.push(Row::new(format!("fft by {mechanism}"), Unit::Microseconds, fft, "rayon", aim));
        let radix = paired(|| ours("radix", &keys, mechanism), || plain_radix(&pool));
        rows.push(Row::new(format!("radix by {mechanism}"), Unit::Microseconds, radix, "rayon", aim));
    }
    rows
}
