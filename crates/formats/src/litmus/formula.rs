//! Reading the condition of a test and its formulas: `exists (0:x5=1 /\ [x]=2)`.
//!
//! It must never know which final states there are.

use super::{
    condition::{Condition, Formula, Place, Quantifier},
    names::Names,
    tokens::Tokens,
};
use crate::errors::{Excerpt, Report};

/// Maximum nesting depth of parentheses and negations.
const MAX_DEPTH: usize = 100;

/// Reads formulas.
pub(super) struct Reader<'r, 't, 'a> {
    pub(super) tokens: &'r mut Tokens<'a>,
    pub(super) names: &'r mut Names,
    pub(super) report: &'r mut Report<'t>,
}

impl Reader<'_, '_, '_> {
    /// Reads a quantifier and its formula.
    pub(super) fn condition(&mut self) -> Option<Condition> {
        let token = self.tokens.peek();
        let quantifier = if self.tokens.accept_word("exists") {
            Quantifier::Exists
        } else if self.tokens.accept_word("forall") {
            Quantifier::ForAll
        } else if self.tokens.accept("~") && self.tokens.accept_word("exists") {
            Quantifier::NotExists
        } else {
            token.refuse("condition", "exists, ~exists or forall", self.report);
            return None;
        };
        Some(Condition { quantifier, formula: self.formula(0)? })
    }

    /// Implications, which no other operator binds less tightly than, and which group to the right.
    pub(super) fn formula(&mut self, depth: usize) -> Option<Formula> {
        self.check_depth(depth)?;
        let left = self.disjunction(depth)?;
        if !self.tokens.accept("=>") {
            return Some(left);
        }
        let right = self.formula(depth + 1)?;
        Some(Formula::Or(vec![Formula::Not(Box::new(left)), right]))
    }

    fn disjunction(&mut self, depth: usize) -> Option<Formula> {
        let mut any = vec![self.conjunction(depth)?];
        while self.tokens.accept("\\/") {
            any.push(self.conjunction(depth)?);
        }
        Some(if any.len() == 1 { any.remove(0) } else { Formula::Or(any) })
    }

    fn conjunction(&mut self, depth: usize) -> Option<Formula> {
        let mut all = vec![self.negation(depth)?];
        while self.tokens.accept("/\\") {
            all.push(self.negation(depth)?);
        }
        Some(if all.len() == 1 { all.remove(0) } else { Formula::And(all) })
    }

    fn negation(&mut self, depth: usize) -> Option<Formula> {
        self.check_depth(depth)?;
        if self.tokens.accept("~") || self.tokens.accept("not") {
            return self.negation(depth + 1).map(|formula| Formula::Not(Box::new(formula)));
        }
        if self.tokens.accept("(") {
            let formula = self.formula(depth + 1)?;
            self.tokens.expect(")", "condition", self.report)?;
            return Some(formula);
        }
        for (word, holds) in [("true", true), ("false", false)] {
            if self.tokens.accept(word) {
                return Some(Formula::Constant(holds));
            }
        }
        let place = self.names.place(self.tokens, self.report)?;
        self.tokens.expect("=", "condition", self.report)?;
        let value = self.names.value(self.tokens, self.report)?;
        Some(Formula::Equal(place, value))
    }

    fn check_depth(&mut self, depth: usize) -> Option<()> {
        if depth < MAX_DEPTH {
            return Some(());
        }
        let token = self.tokens.peek();
        let expected = format!("at most {MAX_DEPTH} levels");
        self.report.add(token.field.offset, "condition", Excerpt(token.field.text), expected);
        None
    }

    /// `locations [x; 0:x5;]` behind its first word: places that belong to the final state though no condition names them.
    pub(super) fn listed(&mut self, places: &mut Vec<Place>) -> Option<()> {
        self.tokens.expect("[", "list of locations", self.report)?;
        while !self.tokens.accept("]") {
            if !self.tokens.accept(";") {
                places.push(self.names.place(self.tokens, self.report)?);
            }
        }
        Some(())
    }
}
