//! Instructions of threads of litmus tests, the architectures' differences removed.
//!
//! It must never know in which order effects on memory become visible.

/// An instruction. Fences are omitted: they do nothing but order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// Reads a variable into a register; into none if the architecture's register is always zero.
    Load {
        /// Index of the register.
        to: Option<usize>,
        /// Address of the variable.
        from: Address,
        /// Size of the access.
        size: Size,
    },
    /// Writes a variable.
    Store {
        /// Address of the variable.
        to: Address,
        /// The written value.
        value: Operand,
        /// Size of the access.
        size: Size,
    },
    /// Computes a value.
    Set {
        /// Index of the register that takes the result.
        to: usize,
        /// The operation.
        operation: Operation,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
    },
    /// Goes on at a later instruction if a comparison holds, else at the next.
    Branch {
        /// The comparison.
        comparison: Comparison,
        /// Left operand.
        left: Operand,
        /// Right operand.
        right: Operand,
        /// Index of the instruction in its thread, greater than the branch's own; the number of instructions means the end.
        target: usize,
    },
}

/// Address of a variable: the sum of base and offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// Base address.
    pub base: Operand,
    /// A distance, in bytes.
    pub offset: i64,
}

/// Size of an access.
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
    /// A constant.
    Constant(i64),
    /// Value of the register of this index.
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
    /// The operands are equal.
    Equal,
    /// The operands are not equal.
    NotEqual,
    /// The left is less.
    Less,
    /// The left operand is not less.
    NotLess,
}

impl Size {
    /// The part of a value that an access of this size moves.
    pub fn truncate(self, value: i64) -> i64 {
        match self {
            // The truncation is intended.
            Self::Half => i64::from(value as i32),
            Self::Whole => value,
        }
    }
}

impl Operation {
    /// Result of the operation.
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
    /// Whether the comparison holds.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::NotLess => left >= right,
        }
    }
}
