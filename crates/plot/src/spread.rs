//! Labels at the ends of lines, moved until none covers another. This module must never know the text of a label.

/// The middles of labels of these heights between two ends, each as near to the place where it is wanted as the others
/// let it. Labels keep the order of their wanted places. Labels that do not fit leave at the lower end.
pub(super) fn spread(wanted: &[(f64, f64)], from: f64, to: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|one, two| wanted[*one].0.total_cmp(&wanted[*two].0));
    let mut stacks: Vec<Stack> = Vec::new();
    for index in order {
        let mut stack = Stack::new(index, wanted[index], from, to);
        while let Some(above) = stacks.pop_if(|above| above.top + above.height > stack.top) {
            stack = above.join(stack, from, to);
        }
        stacks.push(stack);
    }
    let mut middles = vec![from; wanted.len()];
    for stack in stacks {
        let mut top = stack.top;
        for index in stack.labels {
            middles[index] = top + wanted[index].1 / 2.0;
            top += wanted[index].1;
        }
    }
    middles
}

/// Labels that touch.
struct Stack {
    labels: Vec<usize>,
    /// The sum of the tops that each label wants the whole stack to have.
    wish: f64,
    top: f64,
    height: f64,
}

impl Stack {
    fn new(index: usize, (middle, height): (f64, f64), from: f64, to: f64) -> Self {
        let wish = middle - height / 2.0;
        Self { labels: vec![index], wish, top: 0.0, height }.placed(from, to)
    }

    /// Two stacks as one; `below` is the lower one.
    fn join(mut self, below: Self, from: f64, to: f64) -> Self {
        self.wish += below.wish - below.labels.len() as f64 * self.height;
        self.labels.extend(below.labels);
        self.height += below.height;
        self.placed(from, to)
    }

    /// The stack where its labels want it on average, as far as the ends let it.
    fn placed(self, from: f64, to: f64) -> Self {
        let wanted = self.wish / self.labels.len() as f64;
        Self { top: wanted.min(to - self.height).max(from), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_with_room_stays_where_it_is_wanted() {
        assert_eq!(spread(&[(50.0, 10.0), (20.0, 10.0)], 0.0, 100.0), [50.0, 20.0]);
    }

    #[test]
    fn labels_that_meet_part_evenly() {
        assert_eq!(spread(&[(50.0, 10.0), (52.0, 10.0)], 0.0, 100.0), [46.0, 56.0]);
        assert_eq!(spread(&[(99.0, 10.0), (98.0, 10.0), (50.0, 10.0)], 0.0, 100.0), [95.0, 85.0, 50.0]);
        assert_eq!(spread(&[(0.0, 10.0), (-5.0, 10.0)], 0.0, 100.0), [15.0, 5.0]);
    }

    #[test]
    fn no_label_covers_another() {
        let wanted: Vec<_> = (0..20).map(|index| (f64::from(index * 37 % 11) * 9.0, 4.0)).collect();
        let mut middles = spread(&wanted, 0.0, 100.0);
        middles.sort_by(f64::total_cmp);
        assert!(middles.windows(2).all(|pair| pair[1] - pair[0] > 4.0 - 1e-9), "{middles:?}");
        assert!(middles[0] >= 2.0 - 1e-9 && middles[19] <= 98.0 + 1e-9);
    }
}
