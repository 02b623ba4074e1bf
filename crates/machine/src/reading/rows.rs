//! The macro that declares a section of a machine file once: its struct, its keys, and how they are read. This module must
//! never know a particular key.

/// Declares a section of a machine file: a struct, with a row for each key.
///
/// - A row is a documented field. The key has the field's name, and the field's type says how the value is read: see
///   [`Key`](crate::reading::Key). A function behind `=` reads it otherwise: it is given the section and the key.
/// - A [`Range`](crate::reading::Range) behind `=>` limits the key's numbers, where the range of their type is not
///   right for it.
/// - Parentheses name the section and the facts about the rest of the file that its rows need.
/// - A row may use the rows before it, and `agree` uses all of them: each is an `Option`, `None` where the value was
///   refused. Mistakes that `agree` finds are reported like any others, and it returns `None` if the section is of no
///   use then.
macro_rules! section {
    (
        $(#[$doc:meta])*
        $name:ident($section:ident $(, $fact:ident: $of:ty)*) {
            $($(#[$about:meta])* $key:ident: $type:ty $(= $how:expr)? $(=> $range:expr)?,)*
        }
        $(agree $agree:block)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$about])* pub $key: $type,)*
        }

        impl $name {
            /// Reads the keys of the section; `None` if a value was refused, which has then been reported.
            pub(crate) fn read_keys($section: &$crate::reading::Section<'_> $(, $fact: $of)*) -> Option<Self> {
                $(
                    $($section.limit(stringify!($key), $range);)?
                    let $key: Option<$type> = section!(@read $section $key $($how)?);
                )*
                $($agree)?
                Some(Self { $($key: $key?,)* })
            }
        }

        section!(@key $name $($fact)*);
    };
    (@read $section:ident $key:ident) => { $section.key(stringify!($key)) };
    (@read $section:ident $key:ident $how:expr) => { $crate::reading::read($section, stringify!($key), $how) };
    (@key $name:ident) => {
        impl $crate::reading::Key for $name {
            fn expected() -> &'static str {
                "a section"
            }

            fn is_given(section: &$crate::reading::Section<'_>, key: &'static str) -> bool {
                section.gives(key)
            }

            fn read(section: &$crate::reading::Section<'_>, key: &'static str) -> Option<Self> {
                section.section(key, Self::read_keys)
            }
        }
    };
    (@key $name:ident $($fact:ident)+) => {};
}

pub(crate) use section;
