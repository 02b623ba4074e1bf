//! Writes the code of a program: its struct, the struct of its inputs, its installation on a node, its entry in a list of programs.
//!
//! This module must never know how an attribute spells a field.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;
use syn::{LitStr, Type};

use super::field::{Field, Role};
use super::structure::{Structure, inputs_of, kept};
use crate::inputs::{Input, argument_of, implementation};

pub(super) fn program(structure: &Structure, tempest: &TokenStream) -> TokenStream {
    let parts = [
        data(structure),
        inputs(structure, tempest),
        protocol(structure, tempest),
        entry(structure, tempest),
    ];
    parts.into_iter().collect()
}

/// Writes the struct without the attributes that this crate reads. An input that occurs in the expression of another field is allowed
/// to be unused otherwise.
fn data(structure: &Structure) -> TokenStream {
    let Structure { attributes, visibility, of, fields, .. } = structure;
    let fields = fields.iter().map(|field| {
        let Field { name, of, visibility, attributes, .. } = field;
        let attributes = kept(attributes);
        let mut expressions = structure.fields.iter().flat_map(|field| field.role.expressions());
        let is_used = matches!(field.role, Role::Input(_)) && expressions.any(|it| names(it.clone(), name));
        let allow = is_used.then(|| quote!(#[allow(dead_code)]));
        quote!(#(#attributes)* #allow #visibility #name: #of)
    });
    quote! {
        #(#attributes)*
        #visibility struct #of { #(#fields),* }
    }
}

/// Whether the identifier `name` occurs in an expression.
fn names(expression: TokenStream, name: &Ident) -> bool {
    expression.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => names(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Returns the inputs among the fields of a program.
fn inputs_among(structure: &Structure) -> impl Iterator<Item = &Input> {
    structure.fields.iter().filter_map(|field| match &field.role {
        Role::Input(input) => Some(&**input),
        _ => None,
    })
}

/// Writes the struct of a program's inputs.
fn inputs(structure: &Structure, tempest: &TokenStream) -> TokenStream {
    let (name, visibility) = (inputs_of(&structure.of), &structure.visibility);
    let about = format!("The inputs of [`{}`].", structure.of);
    let fields = inputs_among(structure).map(|input| {
        let Input { name, of, visibility, meaning, .. } = input;
        quote!(#[doc = #meaning] #visibility #name: #of)
    });
    let list: Vec<_> = inputs_among(structure).collect();
    let implementation = implementation(&name, &list, false, tempest);
    quote! {
        #[doc = #about]
        #[derive(::core::clone::Clone)]
        #visibility struct #name { #(#fields),* }
        #implementation
    }
}

/// Writes the `impl Protocol` of a program.
fn protocol(structure: &Structure, tempest: &TokenStream) -> TokenStream {
    let (of, inputs) = (&structure.of, inputs_of(&structure.of));
    let problem = structure.problem.as_ref().map_or_else(|| quote!(()), |problem| quote!(#problem));
    let body = if structure.installs {
        let given = if structure.problem.is_some() { quote!(problem()) } else { quote!(inputs()) };
        quote!(#of::install(__task.#given, setup))
    } else {
        made(structure, tempest)
    };
    let space = space(structure, tempest);
    quote! {
        impl #tempest::Protocol for #of {
            type Config = #tempest::entry::Task<#inputs, #problem>;
            fn install(__task: &Self::Config, setup: &mut #tempest::Setup<'_>) -> Self {
                #body
            }
        }
        #space
    }
}

/// Writes the body of `install` for a program whose fields have attributes. In the body each input is a variable, and so is `setup`.
fn made(structure: &Structure, tempest: &TokenStream) -> TokenStream {
    let inputs = binding(structure, &quote!(__task.inputs()));
    let shared = shared(structure).next().is_some().then(|| {
        quote! {
            let (__memory, __arrays) = Self::__shared(__task.inputs(), __task.plan())
                .unwrap_or_else(|bad| ::core::panic!("{bad}"));
            let __memory = __memory.install(setup);
        }
    });
    let mut arrays = 0..;
    let made = structure.fields.iter().filter_map(|field| {
        let Field { name, of, .. } = field;
        let value = value(structure, field, tempest, &mut arrays)?;
        Some(quote!(let #name: #of = #value;))
    });
    let names = structure.fields.iter().map(|field| &field.name);
    quote! {
        #inputs
        #shared
        #(#made)*
        let _ = (__task, setup);
        Self { #(#names),* }
    }
}

/// Writes the statement that makes each input a variable; `inputs` is the expression for the struct of inputs.
fn binding(structure: &Structure, inputs: &TokenStream) -> TokenStream {
    let name = inputs_of(&structure.of);
    let names = inputs_among(structure).map(|input| &input.name);
    quote! {
        #[allow(unused_variables)]
        let #name { #(#names),* } = ::core::clone::Clone::clone(#inputs);
    }
}

/// Writes the expression that makes a field. `None` for an input, which is a variable already, and for a field that the program's own
/// code makes. `arrays` counts the arrays of shared memory.
fn value(
    structure: &Structure,
    field: &Field,
    tempest: &TokenStream,
    arrays: &mut impl Iterator<Item = usize>,
) -> Option<TokenStream> {
    let default = quote!(::core::default::Default::default());
    let or_default = |value: &Option<TokenStream>| value.clone().unwrap_or_else(|| default.clone());
    let full_name = format!("{}.{}", structure.name, field.name.unraw());
    Some(match &field.role {
        Role::Input(_) | Role::ByHand => return None,
        Role::Keyed { len, init } => {
            let init = init.clone().unwrap_or_else(|| quote!(|_| #default));
            match len {
                Some(len) => quote!(setup.keyed(#tempest::expansion::entries(#len), #init)),
                None => quote!(setup.keyed_sparse(#init)),
            }
        }
        Role::Cells { len, value } => {
            let value = or_default(value);
            quote!(#tempest::Cells::new(#len, #value))
        }
        Role::Event { name } => {
            let name = name.clone().unwrap_or_else(|| quote!(#full_name));
            quote!(#tempest::Event::new(#name))
        }
        Role::Segment { len, rights, value } => {
            let value = or_default(value);
            let rights = rights.clone().unwrap_or_else(|| quote!(#tempest::Rights::WRITE));
            quote!(setup.segment_for(#rights, #full_name, #len, #value))
        }
        Role::Shared { .. } => {
            let at = syn::Index::from(arrays.next()?);
            quote!(__memory.bind(__arrays.#at))
        }
        Role::Install { config } => {
            let config = config.clone().unwrap_or_else(|| quote!(()));
            quote!(setup.install(&#config))
        }
        Role::Problem => quote!(::std::sync::Arc::clone(__task.problem())),
        Role::Make(value) => value.clone(),
    })
}

/// Returns the arrays of shared memory: field, length and homes of each.
fn shared(structure: &Structure) -> impl Iterator<Item = (&Field, &TokenStream, &Option<TokenStream>)> {
    structure.fields.iter().filter_map(|field| match &field.role {
        Role::Shared { len, homes } => Some((field, len, homes)),
        _ => None,
    })
}

/// Writes the function that lays out the arrays of shared memory; `None` if the program has none.
fn space(structure: &Structure, tempest: &TokenStream) -> Option<TokenStream> {
    shared(structure).next()?;
    let (of, inputs) = (&structure.of, inputs_of(&structure.of));
    let types = shared(structure).map(|(field, ..)| element(&field.of));
    let types = quote!((#(#tempest::Array<#types>,)*));
    let arrays = shared(structure).map(|(field, len, homes)| {
        let name = LitStr::new(&field.name.unraw().to_string(), field.name.span());
        let homes = homes.clone().unwrap_or_else(|| quote!(RoundRobin));
        quote!(__layout.array(#name, #len, { #[allow(unused_imports)] use #tempest::Homes::*; #homes })?)
    });
    let binding = binding(structure, &quote!(__inputs));
    Some(quote! {
        impl #of {
            #[allow(clippy::type_complexity)]
            fn __shared(
                __inputs: &#inputs,
                __plan: &#tempest::entry::Plan,
            ) -> ::core::result::Result<(#tempest::entry::SharedMemory, #types), #tempest::entry::BadPlan> {
                #binding
                let mut __layout = __plan.layout()?;
                let arrays = (#(#arrays,)*);
                ::core::result::Result::Ok((__plan.shared_memory(__layout, ::core::default::Default::default())?, arrays))
            }
        }
    })
}

/// Returns the element type `T` of a field of type `Shared<T>`.
fn element(of: &Type) -> TokenStream {
    argument_of(of, "Shared").map_or_else(|| quote!(_), |element| quote!(#element))
}

/// Writes the program's constant `ENTRY`.
fn entry(structure: &Structure, tempest: &TokenStream) -> TokenStream {
    let Structure { of, visibility, name, summary, mechanisms, problem, least, .. } = structure;
    let [nodes, processors, threads] =
        least.each_ref().map(|least| least.clone().unwrap_or_else(|| quote!(1)));
    let inputs = inputs_of(of);
    let shares = shared(structure).next().is_some().then(|| quote!(#of::__shared(inputs, plan)?;));
    let problem = match problem {
        Some(_) => quote!(#of::prepare(inputs, plan.problem, plan.seed)?),
        None => quote!(()),
    };
    let about = format!("How a command lists [`{of}`].");
    quote! {
        impl #of {
            #[doc = #about]
            #visibility const ENTRY: #tempest::entry::Entry = #tempest::entry::Entry {
                name: #name,
                summary: #summary,
                mechanisms: &[#(#tempest::Mechanism::#mechanisms),*],
                inputs: <#inputs as #tempest::entry::Inputs>::INPUTS,
                load: |given| #tempest::entry::load_for::<#inputs>(given, |inputs| {
                    let _ = inputs;
                    #tempest::entry::Least { nodes: #nodes, processors: #processors, threads: #threads }
                }, |inputs, plan| {
                    #shares
                    let problem = #problem;
                    let task = #tempest::entry::Task::new(::core::clone::Clone::clone(inputs), *plan, problem);
                    ::core::result::Result::Ok(#tempest::Job::new::<#of>(task))
                }),
            };
        }
    }
}
