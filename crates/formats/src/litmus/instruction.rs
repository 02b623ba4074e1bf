//! What threads of litmus tests execute, the architectures' differences removed.
//!
//! It must never know in which order effects on memory become visible.

/// One instruction. Fences are none: they do nothing but order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// Reads a variable into a register; into none where the architecture has one that cannot change.
    Load {
        /// Index of the register.
        to: Option<usize>,
        /// Where the variable is.
        from: Address,
        /// How much of it.
        size: Size,
    },
    /// Writes a variable.
    Store {
        /// Where the variable is.
        to: Address,
        /// What is written.
        value: Operand,
        /// How much of it.
        size: Size,
    },
    /// Computes.
    Set {
        /// Index of the register that takes the result.
        to: usize,
        /// How.
        operation: Operation,
        /// From what.
        left: Operand,
        /// And from what.
        right: Operand,
    },
    /// Goes on at a later instruction if a comparison holds, else at the next.
    Branch {
        /// Which comparison.
        comparison: Comparison,
        /// Of what.
        left: Operand,
        /// With what.
        right: Operand,
        /// Index of the instruction in its thread, greater than the branch's own; the number of instructions means the end.
        target: usize,
    },
}

/// Where a variable is: the sum of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// An address.
    pub base: Operand,
    /// A distance, in bytes.
    pub offset: i64,
}

/// How much of a word an instruction moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// 32 bits, with their sign extended.
    Half,
    /// 64 bits.
    Whole,
}

/// Something with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// This value.
    Constant(i64),
    /// That of the register of this index.
    Register(usize),
}

/// A computation on 64 bits. Overflow wraps round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// A comparison of signed numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// They are equal.
    Equal,
    /// They are not.
    NotEqual,
    /// The left is less.
    Less,
    /// It is not.
    NotLess,
}

impl Size {
    /// What of a value arrives.
    pub fn truncate(self, value: i64) -> i64 {
        match self {
            // The cut is what the size means.
            Self::Half => i64::from(value as i32),
            Self::Whole => value,
        }
    }
}

impl Operation {
    /// The result.
    pub fn apply(self, left: i64, right: i64) -> i64 {
        match self {
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::And => left & right,
            Self::Or => left | right,
            Self::Xor => left ^ right,
        }
    }
}

impl Comparison {
    /// Whether it holds.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::NotLess => left >= right,
        }
    }
}
