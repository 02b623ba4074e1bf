//! Speed-ups of the rows of a comparison over another run. This module must never measure anything.

use units::Time;

use super::comparison::{Comparison, Reference, Row, World};

impl Comparison {
    /// The comparison with speed-ups over the row of this mechanism and policy, on each machine that has it.
    pub fn over_row(&mut self, way: &compare::Way) {
        let (mechanism, policy) = (way.mechanism.to_string(), &way.policy);
        for world in &mut self.worlds {
            let is_it = |row: &&Row| {
                let of = &row.combination;
                row.rank.is_some() && (&of.mechanism, &of.policy) == (&mechanism, policy)
            };
            let time = world.rows.iter().find(is_it).map(|row| row.measured.time_ns);
            world.measure_against(&format!("{mechanism}:{policy}"), time);
        }
    }

    /// The comparison with speed-ups over a baseline of this name, which took each machine the time of its number in `times`.
    pub fn over(&mut self, name: &str, times: &[Option<Time>]) {
        for (world, time) in self.worlds.iter_mut().zip(times) {
            world.measure_against(name, time.map(Time::as_nanoseconds));
        }
    }
}

impl World {
    /// Adds the speed-up of each row over a run of this name that took `time` nanoseconds, if there was one.
    fn measure_against(&mut self, name: &str, time: Option<f64>) {
        let Some(time_ns) = time.filter(|time| *time > 0.0) else { return };
        self.baseline = Some(Reference { name: name.to_owned(), time_ns });
        for row in &mut self.rows {
            let took = Some(row.measured.time_ns).filter(|took| *took > 0.0 && row.rank.is_some());
            row.speedup = took.map(|took| time_ns / took);
        }
    }
}
