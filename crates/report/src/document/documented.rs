//! Results as documents have them: times in nanoseconds, names as texts. This module must never compute anything.

use compare::Part;
use tempest::Mechanism;
use tempest::outcome::Resource;
use units::{Time, TotalTime};

/// A value of a result that a document has, too.
pub(crate) trait Documented<D> {
    /// The value as a document has it.
    fn documented(&self) -> D;
}

/// Makes a document of a result: `documented!(|it: Result| Document { field, other: it.value })`. A field without a value is the field of
/// that name of the result.
macro_rules! documented {
    (@value $it:ident $field:ident) => { $it.$field.documented() };
    (@value $it:ident $field:ident $value:expr) => { $value };
    (|$it:ident: $of:ty| $document:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {
        impl $crate::document::documented::Documented<$document> for $of {
            fn documented(&self) -> $document {
                let $it = self;
                $document { $($field: documented!(@value $it $field $($value)?)),* }
            }
        }

        impl From<&$of> for $document {
            fn from(of: &$of) -> Self {
                $crate::document::documented::Documented::documented(of)
            }
        }
    };
}

pub(super) use documented;

/// Values that documents have as they are, and values that they have by a name or in nanoseconds.
macro_rules! values {
    ($($of:ty => $document:ty: |$it:ident| $value:expr;)*) => {
        $(impl Documented<$document> for $of {
            fn documented(&self) -> $document {
                let $it = self;
                $value
            }
        })*
    };
}

values! {
    bool => bool: |it| *it;
    f64 => f64: |it| *it;
    u32 => u32: |it| *it;
    u64 => u64: |it| *it;
    usize => usize: |it| *it;
    (f64, f64) => (f64, f64): |it| *it;
    str => String: |it| it.to_owned();
    String => String: |it| it.clone();
    Mechanism => String: |it| it.to_string();
    Part => String: |it| it.name().to_owned();
    Resource => String: |it| it.name().to_owned();
    Time => f64: |it| it.as_nanoseconds();
    TotalTime => f64: |it| it.as_nanoseconds();
}

impl<D, R: Documented<D>> Documented<Option<D>> for Option<R> {
    fn documented(&self) -> Option<D> {
        self.as_ref().map(R::documented)
    }
}

impl<D, R: Documented<D>> Documented<Vec<D>> for Vec<R> {
    fn documented(&self) -> Vec<D> {
        self.iter().map(R::documented).collect()
    }
}
