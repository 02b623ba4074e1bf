//! The problems of a program, by name and inputs. This module must never know any one problem.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, io};

use segment::FrozenFile;

use super::{Packer, Portable, Unpacker};

/// The problems that a program has made: the last of each name, for the runs after this one and for the other processes of the host. A copy
/// has the same problems.
///
/// ```
/// use std::convert::Infallible;
/// use tradewind_tempest::entry::{Frozen, Problems};
///
/// let problems = Problems::default();
/// let squares = |count: u64| problems.get("squares", &count.to_string(), || {
///     Ok::<Frozen<u64>, Infallible>((0..count).map(|n| n * n).collect())
/// });
/// assert_eq!(squares(3)?[..], [0, 1, 4]);
/// // It is kept.
/// assert_eq!(squares(3)?.as_ptr(), squares(3)?.as_ptr());
/// # Ok::<(), Infallible>(())
/// ```
#[derive(Clone, Default)]
pub struct Problems(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// The problems that this process has made or read, by name. The lock of a problem is held while it is made.
    kept: Mutex<BTreeMap<&'static str, Arc<Mutex<Option<Kept>>>>>,
    /// The problems of the process that has started this one.
    received: Option<Arc<FrozenFile>>,
}

/// A problem that is kept.
struct Kept {
    /// The inputs from which it was made.
    of: String,
    problem: Arc<dyn Any + Send + Sync>,
    pack: fn(&dyn Any, &mut Packer) -> io::Result<()>,
}

impl Problems {
    /// Reads problems out of a file that another process of this executable has [written](Self::freeze).
    pub fn received(file: FrozenFile) -> Self {
        Self(Arc::new(Inner { kept: Mutex::default(), received: Some(Arc::new(file)) }))
    }

    /// The problem called `name` that is made from the inputs `of`. `make` makes it, unless it is the last of this name, or another process
    /// has made it. Equal names and inputs mean equal problems: `of` has everything that the problem depends on.
    ///
    /// A problem that is made may need problems of other names, and none of its own.
    ///
    /// # Errors
    /// The error of `make`.
    ///
    /// # Panics
    /// If a problem of another type has the name.
    pub fn get<P, E>(
        &self,
        name: &'static str,
        of: &str,
        make: impl FnOnce() -> Result<P, E>,
    ) -> Result<Arc<P>, E>
    where
        P: Portable + Send + Sync + 'static,
    {
        let place = Arc::clone(lock(&self.0.kept).entry(name).or_default());
        let mut kept = lock(&place);
        let last = kept.as_ref().filter(|kept| kept.of == of).map(|kept| Arc::clone(&kept.problem));
        if let Some(last) = last {
            return Ok(last
                .downcast()
                .unwrap_or_else(|_| panic!("two types of problems are called `{name}`")));
        }
        // The last one is dropped before the next one takes memory.
        *kept = None;
        let problem = Arc::new(self.find(name, of).map_or_else(make, Ok)?);
        *kept = Some(Kept { of: of.to_owned(), problem: Arc::clone(&problem) as _, pack: pack::<P> });
        Ok(problem)
    }

    /// The problem in the file of another process.
    fn find<P: Portable>(&self, name: &str, of: &str) -> Option<P> {
        Unpacker::all(self.0.received.as_ref()?).find_map(|mut value| {
            let [is_name, is_of] = [name, of].map(|text| {
                let found = value.array::<u8>();
                found.is_some_and(|found| *found == *text.as_bytes())
            });
            let problem = if is_name && is_of { P::unpack(&mut value) } else { None };
            problem.filter(|_| value.is_empty())
        })
    }

    /// Writes all problems to a file that never changes again; `None` if there is no problem.
    ///
    /// # Errors
    /// If the system refuses the file, or has no room for it.
    pub fn freeze(&self) -> io::Result<Option<FrozenFile>> {
        let places: Vec<_> =
            lock(&self.0.kept).iter().map(|(name, place)| (*name, Arc::clone(place))).collect();
        let mut packer = None;
        for (name, place) in places {
            let kept = lock(&place);
            let Some(Kept { of, problem, pack }) = &*kept else { continue };
            let to = match &mut packer {
                Some(packer) => packer,
                none => none.insert(Packer::new()?),
            };
            to.begin();
            [name, of].iter().try_for_each(|text| to.array(text.as_bytes()))?;
            pack(&**problem, to)?;
        }
        packer.map(Packer::finish).transpose()
    }
}

fn pack<P: Portable + 'static>(problem: &dyn Any, to: &mut Packer) -> io::Result<()> {
    problem.downcast_ref::<P>().map_or(Ok(()), |problem| problem.pack(to))
}

/// Locks also after a panic: a problem is put in its place when it is complete.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All are equal: problems follow from inputs, so they tell no two inputs apart.
impl PartialEq for Problems {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Problems {}

impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(lock(&self.0.kept).keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::{Frozen, portable};
    use super::*;

    /// A problem of every kind of parts.
    #[derive(PartialEq, Debug)]
    struct Graph {
        seed: u64,
        first: Frozen<u32>,
        sides: [Arc<Frozen<f64>>; 2],
        none: Frozen<u16>,
    }

    portable!(Graph { seed, first, sides, none });

    fn graph(seed: u64) -> Result<Graph, Infallible> {
        let side = |weight: f64| Arc::new(vec![weight; 1000].into());
        let (first, sides) = ((0..7).collect(), [side(0.5), side(seed as f64)]);
        Ok(Graph { seed, first, sides, none: Frozen::default() })
    }

    fn unmade<P>() -> Result<P, &'static str> {
        Err("it has to be made")
    }

    #[test]
    fn the_last_of_each_name_is_kept() {
        let problems = Problems::default();
        let Ok(one) = problems.get("one", "1", || graph(1));
        let Ok(other) = problems.get("other", "1", || graph(7));
        assert!(Arc::ptr_eq(&one, &problems.get("one", "1", unmade).unwrap()));
        assert!(Arc::ptr_eq(&other, &problems.clone().get("other", "1", unmade).unwrap()));
        let Ok(next) = problems.get("one", "2", || graph(2));
        assert_eq!((one.seed, next.seed), (1, 2));
        assert!(problems.get::<Graph, _>("one", "1", unmade).is_err());
    }

    #[test]
    fn a_problem_that_cannot_be_made_is_made_again() {
        let problems = Problems::default();
        problems.get::<Graph, _>("graph", "1", unmade).unwrap_err();
        assert_eq!(problems.get("graph", "1", || graph(1)).unwrap().seed, 1);
    }

    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn another_process_finds_the_problems_of_its_name_and_inputs_alone() {
        let here = Problems::default();
        assert!(here.freeze().unwrap().is_none());
        let Ok(made) = here.get("graph", "seed 5", || graph(5));
        let Ok(_) = here.get("numbers", "", || Ok::<Frozen<u64>, Infallible>((0..3).collect()));
        let there = Problems::received(here.freeze().unwrap().expect("there are two"));
        assert_eq!(there.get("graph", "seed 5", unmade).unwrap(), made);
        assert_eq!(there.get::<Frozen<u64>, _>("numbers", "", unmade).unwrap()[..], [0, 1, 2]);
        let there = Problems::received(here.freeze().unwrap().expect("there are two"));
        assert!(there.get::<Graph, _>("graph", "seed 6", unmade).is_err());
        assert!(there.get::<Graph, _>("graphs", "seed 5", unmade).is_err());
        assert!(there.get::<Frozen<u64>, _>("graph", "seed 5", unmade).is_err(), "it is no such problem");
    }
}
