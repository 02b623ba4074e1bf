//! Making the state of a node by the program's plan. This module must never know how memory is accessed.

use tempest::{Protocol, Rights, Setup};

use super::arena::Arena;
use super::messages::CHARGES;
use super::plan::Plan;
use super::state::{Arrivals, Issuer, SplitPhase};
use crate::Barrier;

impl Protocol for SplitPhase {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        plan.register(setup);
        for (by, primitives) in CHARGES {
            setup.charges(*by, primitives);
        }
        let (shape, flow) = (setup.shape(), setup.flow());
        let others = if plan.is_direct() { Rights::READ_WRITE } else { Rights::WRITE };
        Self {
            node: setup.node(),
            space: setup.space(),
            arena: Arena::new(others, plan.words(), setup),
            transfers: plan.transfers(),
            direct: plan.is_direct(),
            issuers: (0..shape.threads).map(|_| Issuer::new(shape.nodes, shape.threads, flow)).collect(),
            arrivals: Arrivals::new(),
            barrier: setup.install::<Barrier>(&()),
        }
    }
}
