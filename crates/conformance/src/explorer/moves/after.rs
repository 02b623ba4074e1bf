//! The state after a move: a node handles a message or an event by its tables, and the actions of the tables are done.
//!
//! This module must never know which move comes next.

use protocols::stache::{
    Asker, Home, HomeAction, HomeEvent, Line, LineAction, LineEvent, Request, Residence, ResidenceAction,
    ResidenceEvent, ToCache, Want, Whereabouts,
};
use tempest::{NodeId, Right, Tag};

use super::super::Rules;
use super::super::model::{Packet, ensure};
use super::state::{Channel, Entry, OfPage, Part, Said, State};
use super::step::HomeMove;

/// A state that a move changes.
pub(super) struct After<'r, R> {
    pub(super) state: State,
    pub(super) rules: &'r R,
}

impl<R: Rules> After<'_, R> {
    pub(super) fn make(&mut self, step: HomeMove) -> Result<(), String> {
        match step {
            HomeMove::Access(at, block, right) => {
                self.part(at, block).copy.waits[right as usize] = true;
                self.fault(at, block, right)
            }
            HomeMove::Write(at, block) => {
                self.written(at, block);
                Ok(())
            }
            HomeMove::Replace(at, block) => self.at_line(at, block, LineEvent::Replace),
            HomeMove::Earn(at, to) => self.at_page(at, ResidenceEvent::Earned(NodeId(to as u32))),
            HomeMove::Vacate(at) => self.vacate(at),
            HomeMove::CallIn(at, block) => {
                self.part(at, block).to_call_in = false;
                self.at_home(at, block, HomeEvent::leave())
            }
            HomeMove::Complete(at) => {
                let leaves = matches!(self.state.nodes[at].residence, Residence::Leaving(_));
                self.at_page(at, if leaves { ResidenceEvent::CalledIn } else { ResidenceEvent::Arrived })
            }
            HomeMove::Deliver(from, to, block, place) => {
                let said = self.channel(from, to).about[block].remove(place);
                self.deliver(from, to, block, said)
            }
            HomeMove::DeliverPage(from, to, place) => match self.channel(from, to).page.remove(place) {
                OfPage::Offered(now) => self.at_page(to, ResidenceEvent::Offered(now)),
                OfPage::Taken(now) => self.at_page(to, ResidenceEvent::Taken(now)),
                OfPage::Accepted => {
                    let offers = self.state.nodes[to].residence == Residence::Offering(NodeId(from as u32));
                    ensure(offers, || format!("{from} accepts what {to} has not offered"))?;
                    self.at_page(to, ResidenceEvent::Accepted)
                }
            },
        }
    }

    fn part(&mut self, at: usize, block: usize) -> &mut Part {
        &mut self.state.nodes[at].parts[block]
    }

    fn channel(&mut self, from: usize, to: usize) -> &mut Channel {
        let nodes = self.state.nodes.len();
        &mut self.state.channels[from * nodes + to]
    }

    fn say(&mut self, from: usize, to: NodeId, block: usize, said: Said, brings_words: bool) {
        let fresh = brings_words && self.part(from, block).copy.fresh;
        self.channel(from, to.0 as usize).about[block].push((said, fresh));
    }

    fn learn(&mut self, at: usize, now: Whereabouts) {
        let known = self.state.nodes[at].known;
        self.state.nodes[at].known = self.rules.learns(known, now);
    }

    fn deliver(
        &mut self,
        from: usize,
        to: usize,
        block: usize,
        (said, fresh): Packet<Said>,
    ) -> Result<(), String> {
        let known = self.state.nodes[to].known;
        match said {
            Said::ToHome(message) if known.home == NodeId(to as u32) => {
                if message.brings_words() {
                    self.part(to, block).copy.place(fresh)?;
                }
                self.at_home(to, block, HomeEvent::message(NodeId(from as u32), message))
            }
            Said::ToHome(message) => {
                ensure(message.wants().is_some(), || format!("{message:?} at {to}, which is no home"))?;
                ensure(known.moves > 0, || format!("{to} was never the home"))?;
                self.say(to, NodeId(from as u32), block, Said::Moved(known), false);
                Ok(())
            }
            Said::ToCache(message, moves) => {
                let now = Whereabouts { moves, home: NodeId(from as u32) };
                ensure(moves != known.moves || now == known, || format!("{from} is not the home"))?;
                if self.rules.outdates(known, message, moves) {
                    return Ok(());
                }
                self.learn(to, now);
                if message.brings_words() {
                    self.part(to, block).copy.place(fresh)?;
                }
                self.at_line(to, block, LineEvent::Message(message))
            }
            Said::Moved(now) => {
                self.learn(to, now);
                self.at_line(to, block, LineEvent::Message(ToCache::Moved))
            }
            Said::Words => {
                ensure(self.state.nodes[to].residence == Residence::Expecting, || {
                    format!("words for {to}, which does not expect any")
                })?;
                let part = self.part(to, block);
                part.copy.place(fresh)?;
                part.has_come = true;
                Ok(())
            }
        }
    }

    fn fault(&mut self, at: usize, block: usize, right: Right) -> Result<(), String> {
        if self.state.nodes[at].parts[block].entry.home().is_some() {
            return self.at_home(at, block, HomeEvent::fault(right));
        }
        if self.state.nodes[at].residence.holds_faults() {
            self.part(at, block).held[right as usize] = true;
            return Ok(());
        }
        self.at_line(at, block, LineEvent::Fault(right))
    }

    fn at_home(&mut self, at: usize, block: usize, event: HomeEvent) -> Result<(), String> {
        let mut event = Some(event);
        while let Some(one) = event {
            let rules = self.rules;
            let part = self.part(at, block);
            let Entry::Home(home) = &mut part.entry else {
                return Err(format!("{one:?} at {at}, which is no home"));
            };
            if let Some(tag) = rules.home_lowers(home, one) {
                part.copy.lower(tag)?;
            }
            let mut actions = Vec::new();
            let served = rules.home_step(home, one, &mut |action| actions.push(action));
            served.map_err(|unspecified| format!("{unspecified} of the home"))?;
            event = rules.home_due(home);
            actions.into_iter().try_for_each(|action| self.home_acts(at, block, action))?;
        }
        Ok(())
    }

    fn home_acts(&mut self, at: usize, block: usize, action: HomeAction) -> Result<(), String> {
        match action {
            HomeAction::Raise(tag) => self.part(at, block).copy.raise(tag)?,
            HomeAction::Resume(right) => self.resume(at, block, right)?,
            HomeAction::Send(to, message) => {
                let said = Said::ToCache(message, self.state.nodes[at].known.moves);
                self.say(at, to, block, said, message.brings_words());
            }
            HomeAction::CalledIn => {}
        }
        Ok(())
    }

    fn at_line(&mut self, at: usize, block: usize, event: LineEvent) -> Result<(), String> {
        let mut event = Some(event);
        while let Some(one) = event {
            let rules = self.rules;
            let part = self.part(at, block);
            let Entry::Line(line) = &mut part.entry else {
                return Err(format!("{one:?} at {at}, which is the home"));
            };
            if let Some(tag) = rules.line_lowers(*line, one) {
                part.copy.lower(tag)?;
            }
            let mut actions = Vec::new();
            let served = rules.line_step(line, one, &mut |action| actions.push(action));
            served.map_err(|unspecified| format!("{unspecified} of node {at}"))?;
            event = rules.line_due(line);
            for action in actions {
                match action {
                    LineAction::Raise(tag) => self.part(at, block).copy.raise(tag)?,
                    LineAction::Resume(right) => self.resume(at, block, right)?,
                    LineAction::Send(message) => {
                        let home = self.state.nodes[at].known.home;
                        self.say(at, home, block, Said::ToHome(message), message.brings_words());
                    }
                }
            }
        }
        Ok(())
    }

    fn at_page(&mut self, at: usize, event: ResidenceEvent) -> Result<(), String> {
        let known = self.state.nodes[at].known;
        let mut actions = Vec::new();
        let rules = self.rules;
        let served = rules.residence_step(&mut self.state.nodes[at].residence, known, event, &mut |action| {
            actions.push(action);
        });
        served.map_err(|unspecified| format!("{unspecified} of the page at {at}"))?;
        if let ResidenceEvent::Offered(now) = event {
            self.learn(at, now);
        }
        actions.into_iter().try_for_each(|action| self.resides(at, known, action))
    }

    fn resides(&mut self, at: usize, known: Whereabouts, action: ResidenceAction) -> Result<(), String> {
        let blocks = self.state.nodes[at].parts.len();
        match action {
            ResidenceAction::Offer(to) => self.channel(at, to.0 as usize).page.push(OfPage::Offered(known)),
            ResidenceAction::Vacate => {}
            ResidenceAction::Accept => self.channel(at, known.home.0 as usize).page.push(OfPage::Accepted),
            ResidenceAction::CallIn => {
                self.state.nodes[at].parts.iter_mut().for_each(|part| part.to_call_in = true);
            }
            ResidenceAction::SendWords(to) => {
                (0..blocks).for_each(|block| self.say(at, to, block, Said::Words, true));
            }
            ResidenceAction::Adopt => {
                let now = known.moved_to(NodeId(at as u32));
                self.learn(at, now);
                self.channel(at, known.home.0 as usize).page.push(OfPage::Taken(now));
                (0..blocks).try_for_each(|block| self.adopt(at, block))?;
            }
            ResidenceAction::Release(now) => {
                self.learn(at, now);
                (0..blocks).try_for_each(|block| self.release(at, block, now))?;
            }
        }
        Ok(())
    }

    fn adopt(&mut self, at: usize, block: usize) -> Result<(), String> {
        let part = self.part(at, block);
        ensure(part.entry == Entry::Line(Line::default()), || {
            format!("{at} becomes the home with {:?}", part.entry)
        })?;
        part.entry = Entry::Home(Home::default());
        part.has_come = false;
        part.copy.raise(Tag::Writable)?;
        self.serve_held(at, block)
    }

    fn release(&mut self, at: usize, block: usize, now: Whereabouts) -> Result<(), String> {
        let former = std::mem::replace(&mut self.part(at, block).entry, Entry::Line(Line::default()));
        let Entry::Home(home) = former else { return Err(format!("{at} is no home that could be released")) };
        for Request { from, want } in home.given_up() {
            match from {
                Asker::Node(node) => self.say(at, node, block, Said::Moved(now), false),
                Asker::Here => {
                    let right = if want == Want::Read { Right::Read } else { Right::Write };
                    self.part(at, block).held[right as usize] = true;
                }
            }
        }
        if self.state.nodes[at].residence.holds_faults() { Ok(()) } else { self.serve_held(at, block) }
    }

    /// Serves the faults of a block that have waited for a page.
    fn serve_held(&mut self, at: usize, block: usize) -> Result<(), String> {
        let held = std::mem::take(&mut self.part(at, block).held);
        let rights = [Right::Read, Right::Write].into_iter().filter(|&right| held[right as usize]);
        rights.into_iter().try_for_each(|right| self.fault(at, block, right))
    }

    /// A node gives up its copies; when nothing is on its way any more the home may send the words.
    fn vacate(&mut self, at: usize) -> Result<(), String> {
        let blocks = self.state.nodes[at].parts.len();
        (0..blocks).try_for_each(|block| self.at_line(at, block, LineEvent::Replace))?;
        let is_empty = |part: &Part| part.entry.line() == Some(Line::default());
        if self.state.nodes[at].parts.iter().all(is_empty) {
            self.at_page(at, ResidenceEvent::Vacated)?;
        }
        Ok(())
    }

    fn resume(&mut self, at: usize, block: usize, right: Right) -> Result<(), String> {
        self.part(at, block).copy.resume(right)?;
        if right == Right::Write {
            self.written(at, block);
        }
        Ok(())
    }

    /// Records a store of a node: its words are the newest, and all others stale.
    fn written(&mut self, at: usize, block: usize) {
        self.state.nodes.iter_mut().for_each(|node| node.parts[block].copy.fresh = false);
        for channel in &mut self.state.channels {
            channel.about[block].iter_mut().for_each(|packet| packet.1 = false);
        }
        self.part(at, block).copy.fresh = true;
    }
}
