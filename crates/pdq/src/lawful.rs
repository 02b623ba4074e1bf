//! Types of key whose equality tables may rely on.
//!
//! A table hands out `&mut` because the dispatcher has found two keys different. So a program whose `==` lies could
//! get two references to one entry, without a line of `unsafe` of its own. This module must never know tables or
//! dispatchers.

use std::fmt::Debug;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize};

/// Keys whose equality never lies: a requirement of [`Keyed`](crate::Keyed).
///
/// Integers, characters, network addresses, static strings, and tuples and arrays of these are lawful. Your own type becomes lawful
/// if you define it inside [`lawful!`](crate::lawful!), which takes no `unsafe`. A hand-written `PartialEq` could answer
/// differently every time. A queue would merely lose its order, but a table would hand out one entry twice. So the compiler refuses
/// this key:
///
/// ```compile_fail,E0277
/// # use tradewind_pdq::{DispatcherId, Keyed};
/// #[derive(Clone, Copy, Eq, Hash, Debug)]
/// struct Liar(u64);
///
/// impl PartialEq for Liar {
///     fn eq(&self, _: &Self) -> bool {
///         false
///     }
/// }
///
/// let table = Keyed::sparse(DispatcherId::fresh().id(), |_: Liar| 0);
/// ```
///
/// # Safety
///
/// * `==` is an equivalence relation, and its answer for two values never changes. `!=` is its opposite. A copy equals its
///   original.
/// * Equal values feed the same words to every `Hasher`, every time.
/// * Two values that are equally many [steps after](Self::steps_after) one `first` are equal. Equal values are the
///   same number of steps after it, or neither is after it at all.
#[diagnostic::on_unimplemented(
    message = "nobody has promised that the equality of `{Self}` never lies",
    note = "define the type inside `tradewind_pdq::lawful! {{ .. }}`, or use an integer, a `&'static str`, or a tuple of such"
)]
pub unsafe trait Lawful: Copy + Eq + Hash + Debug {
    /// Returns the number of steps up from `first` to this key (for numbers, the difference). `None` if this key is below
    /// `first`, or if keys of this type have no order of steps.
    #[inline]
    fn steps_after(self, first: Self) -> Option<usize> {
        let _ = first;
        None
    }

    /// Returns the key that is `steps` steps above this one (for numbers, the sum). `None` if the type has no such key.
    #[inline]
    fn forward(self, steps: usize) -> Option<Self> {
        (steps == 0).then_some(self)
    }
}

macro_rules! integers {
    ($($integer:ty),*) => { $(
        // SAFETY: equality and hash of an integer are its value's, and steps are differences.
        unsafe impl Lawful for $integer {
            #[inline]
            fn steps_after(self, first: Self) -> Option<usize> {
                usize::try_from(self.checked_sub(first)?).ok()
            }

            #[inline]
            fn forward(self, steps: usize) -> Option<Self> {
                self.checked_add(Self::try_from(steps).ok()?)
            }
        }
    )* };
}

integers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

macro_rules! plain_values {
    ($($plain:ty),* $(,)?) => { $(
        // SAFETY: its equality and its hash are those of immutable plain data, as the standard library defines them.
        unsafe impl Lawful for $plain {}
    )* };
}

plain_values!(
    (),
    bool,
    char,
    &'static str,
    &'static [u8],
    NonZeroU8,
    NonZeroU16,
    NonZeroU32,
    NonZeroU64,
    NonZeroU128,
    NonZeroUsize,
    IpAddr,
    Ipv4Addr,
    Ipv6Addr,
    SocketAddr,
);

// SAFETY: equality and hash are those of the elements.
unsafe impl<K: Lawful, const N: usize> Lawful for [K; N] {}

// SAFETY: equality and hash are those of the content, if there is one.
unsafe impl<K: Lawful> Lawful for Option<K> {}

macro_rules! tuples {
    ($(($($part:ident $other:ident),* ; $last:ident $other_last:ident)),*) => { $(
        // SAFETY: equality and hash are those of the parts. Two tuples with as many steps have the parts of `first` before
        // the last one, and last ones that are equal.
        #[allow(non_snake_case, reason = "a part is called after its type")]
        unsafe impl<$($part: Lawful,)* $last: Lawful> Lawful for ($($part,)* $last,) {
            #[inline]
            fn steps_after(self, first: Self) -> Option<usize> {
                let (($($part,)* $last,), ($($other,)* $other_last,)) = (self, first);
                if $($part != $other ||)* false {
                    return None;
                }
                $last.steps_after($other_last)
            }

            #[inline]
            fn forward(self, steps: usize) -> Option<Self> {
                let ($($part,)* $last,) = self;
                Some(($($part,)* $last.forward(steps)?,))
            }
        }
    )* };
}

tuples!(
    (; A a),
    (A a; B b),
    (A a, B b; C c),
    (A a, B b, C c; D d),
    (A a, B b, C c, D d; E e),
    (A a, B b, C c, D d, E e; F f)
);

/// Defines a type of key that is [`Lawful`]: its equality is that of all of its fields, which are lawful themselves.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Key, Keyed, Serial, lawful};
///
/// lawful! {
///     /// A customer of one of our clients.
///     #[derive(Debug)]
///     pub struct Customer { client: u32, number: u64 }
/// }
/// lawful! {
///     #[derive(Debug)]
///     enum Party { Bank, Broker(u16), Private(Customer) }
/// }
/// lawful! {
///     #[derive(Debug, PartialOrd, Ord)]
///     struct Ticker([u8; 8]);
/// }
///
/// let mut serial = Serial::with_keys(DispatcherId::fresh());
/// let balances = Keyed::sparse(serial.id(), |_| 0_i64);
/// let ann = Party::Private(Customer { client: 7, number: 1 });
/// *balances.get(&mut serial.hold(Key::User(ann))) += 5;
/// *balances.get(&mut serial.hold(Key::User(Party::Broker(3)))) -= 5;
/// assert_eq!(*balances.get_any(&mut serial.hold(Key::Sequential), ann), 5);
/// ```
///
/// It adds `Clone`, `Copy`, `PartialEq`, `Eq` and `Hash`; the caller derives or writes `Debug`. A struct has at most six fields, as
/// the lawful tuples have. A field that is not lawful is an
/// error:
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
/// struct Whatever(u64);
/// tradewind_pdq::lawful! {
///     #[derive(Debug)]
///     struct Name { space: Whatever, number: u64 }
/// }
/// ```
///
/// The type may have documentation and at most one `derive`, but no other attribute. An attribute such as `cfg` could take the type
/// away and leave the promise to another type of that name.
///
/// ```compile_fail
/// # use std::hash::{Hash, Hasher};
/// #[derive(Clone, Copy, Eq, Debug)]
/// struct Liar(u64);
/// # impl Hash for Liar {
/// #     fn hash<H: Hasher>(&self, _: &mut H) {}
/// # }
///
/// impl PartialEq for Liar {
///     fn eq(&self, _: &Self) -> bool {
///         false
///     }
/// }
///
/// tradewind_pdq::lawful! {
///     #[cfg(any())] // no rule expects this
///     #[derive(Debug)]
///     struct Liar(u64);
/// }
/// ```
///
/// # Steps
///
/// The last field of a struct counts the steps of a dense table, and the other fields equal those of its first key:
///
/// ```
/// # use tradewind_pdq::{DispatcherId, Key, Keyed, Serial};
/// tradewind_pdq::lawful! {
///     #[derive(Debug)]
///     struct Seat { row: char, number: u32 }
/// }
/// let mut serial = Serial::with_keys(DispatcherId::fresh());
/// let row = Keyed::dense(serial.id(), Seat { row: 'c', number: 1 }, 20, |_| "free");
/// *row.get(&mut serial.hold(Key::User(Seat { row: 'c', number: 20 }))) = "taken";
/// ```
///
/// # Hashed fields
///
/// A struct may name the fields that are hashed. Equality still compares all fields, so a hash of fewer fields costs comparisons
/// but never merges two keys. Here all keys with one `number` have the [partition](crate::Key::partition) of the bare number:
///
/// ```
/// # use tradewind_pdq::Key;
/// tradewind_pdq::lawful! {
///     #[derive(Debug)]
///     struct Name { space: u32, number: u64 }
///     hash(number)
/// }
/// let (one, two) = (Name { space: 1, number: 5 }, Name { space: 2, number: 5 });
/// assert_ne!(one, two);
/// assert_eq!(Key::User(one).partition(8), Key::User(5_u64).partition(8));
/// assert_eq!(Key::User(two).partition(8), Key::User(5_u64).partition(8));
/// ```
#[macro_export]
macro_rules! lawful {
    // The type that is defined is the type that is promised for. So no name that a user gives may change the
    // definition: `derive` and the derived traits are named by their whole paths.
    (
        $(#[doc = $doc:expr])* $(#[derive($($derive:path),* $(,)?)])?
        $vis:vis struct $name:ident { $($(#[$field_meta:meta])* $field_vis:vis $field:ident : $type:ty),+ $(,)? }
    ) => {
        $(#[doc = $doc])*
        $(#[::core::prelude::v1::derive($($derive),*)])?
        #[::core::prelude::v1::derive(
            ::core::clone::Clone, ::core::marker::Copy, ::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash
        )]
        $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type),+ }
        $crate::lawful!(@struct $name { $($field: $type),+ });
    };
    (
        $(#[doc = $doc:expr])* $(#[derive($($derive:path),* $(,)?)])?
        $vis:vis struct $name:ident { $($(#[$field_meta:meta])* $field_vis:vis $field:ident : $type:ty),+ $(,)? }
        hash($($hashed:ident),* $(,)?)
    ) => {
        $(#[doc = $doc])*
        $(#[::core::prelude::v1::derive($($derive),*)])?
        #[::core::prelude::v1::derive(
            ::core::clone::Clone, ::core::marker::Copy, ::core::cmp::PartialEq, ::core::cmp::Eq
        )]
        $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type),+ }
        impl ::core::hash::Hash for $name {
            #[inline]
            fn hash<H: ::core::hash::Hasher>(&self, hasher: &mut H) {
                $(::core::hash::Hash::hash(&self.$hashed, hasher);)*
            }
        }
        $crate::lawful!(@struct $name { $($field: $type),+ });
    };
    (
        $(#[doc = $doc:expr])* $(#[derive($($derive:path),* $(,)?)])?
        $vis:vis struct $name:ident ($(#[$field_meta:meta])* $field_vis:vis $type:ty $(,)?);
    ) => {
        $(#[doc = $doc])*
        $(#[::core::prelude::v1::derive($($derive),*)])?
        #[::core::prelude::v1::derive(
            ::core::clone::Clone, ::core::marker::Copy, ::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash
        )]
        $vis struct $name($(#[$field_meta])* $field_vis $type);
        // SAFETY: equality and hash are derived from the only field, which is lawful, and steps are that field's.
        unsafe impl $crate::Lawful for $name
        where
            $type: $crate::Lawful,
        {
            #[inline]
            fn steps_after(self, first: Self) -> ::core::option::Option<usize> {
                $crate::Lawful::steps_after(self.0, first.0)
            }

            #[inline]
            fn forward(self, steps: usize) -> ::core::option::Option<Self> {
                $crate::Lawful::forward(self.0, steps).map(Self)
            }
        }
    };
    (
        $(#[doc = $doc:expr])* $(#[derive($($derive:path),* $(,)?)])?
        $vis:vis enum $name:ident {
            $(
                $(#[$variant_meta:meta])*
                $variant:ident $(($($type:ty),+ $(,)?))? $({ $($field:ident : $field_type:ty),+ $(,)? })? $(= $number:expr)?
            ),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        $(#[::core::prelude::v1::derive($($derive),*)])?
        #[::core::prelude::v1::derive(
            ::core::clone::Clone, ::core::marker::Copy, ::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash
        )]
        $vis enum $name {
            $($(#[$variant_meta])* $variant $(($($type),+))? $({ $($field: $field_type),+ })? $(= $number)?),+
        }
        // SAFETY: equality and hash are derived from the variant and its fields, all of which are lawful.
        unsafe impl $crate::Lawful for $name
        where
            $($($($type: $crate::Lawful,)+)? $($($field_type: $crate::Lawful,)+)?)+
        {
        }
    };
    (@struct $name:ident { $($field:ident : $type:ty),+ }) => {
        // SAFETY: equality is derived from the fields, which are lawful, and the hash is of some of them, or all.
        // Steps are those of a tuple of all fields.
        unsafe impl $crate::Lawful for $name
        where
            $($type: $crate::Lawful,)+
        {
            #[inline]
            fn steps_after(self, first: Self) -> ::core::option::Option<usize> {
                $crate::Lawful::steps_after(($(self.$field,)+), ($(first.$field,)+))
            }

            #[inline]
            fn forward(self, steps: usize) -> ::core::option::Option<Self> {
                let ($($field,)+) = $crate::Lawful::forward(($(self.$field,)+), steps)?;
                ::core::option::Option::Some(Self { $($field),+ })
            }
        }
    };
}
