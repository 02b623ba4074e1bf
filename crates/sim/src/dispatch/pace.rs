//! Which polls look, where the policy leaves that open and the machine says how far apart looks are meant to be.
//!
//! Must never know what a look finds, beyond that it found something.

use crate::cluster::Cluster;
use crate::processor::core::Bucket;

impl Cluster {
    /// Whether the thread on `core` passes by at this poll, and what that takes.
    pub(crate) fn passes_by(&mut self, core: usize) -> bool {
        let passes = self.paces() && self.cores[core].until_look > 1;
        if passes {
            let pass = self.setting.machine.processor.pass;
            let core = &mut self.cores[core];
            core.until_look -= 1;
            core.spend(Bucket::Overhead, pass);
        }
        passes
    }

    /// The thread on `core` has looked.
    pub(crate) fn note_look(&mut self, core: usize, found: bool) {
        if self.paces() {
            let now = self.agenda.now + self.cores[core].ahead;
            let core = &mut self.cores[core];
            core.pace.note(found);
            core.until_look = core.pace.next(now);
        }
    }

    fn paces(&self) -> bool {
        !self.setting.machine.processor.pace.is_zero() && self.setting.policy.poll_every.is_none()
    }
}
