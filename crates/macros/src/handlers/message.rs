//! Writes the code of one message: its type, the function that makes it, its `impl Message`, its handler.
//!
//! Fields lie as `repr(C)` lays them, with the padding between and behind them as fields of their own: so the type is
//! plain data, and its size is that of a struct written by hand. This module must never know the meaning of an
//! option.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, LitInt, LitStr, Type};

use super::method::{Method, Parameter, Role, is_primitive, span_of_type};
use crate::options::{is_cfg, span_of};

/// Code that is generated for one message.
pub(super) struct Message {
    /// Items that are written beside the protocol's `impl`.
    pub(super) items: TokenStream,
    /// Functions that are written into the protocol's `impl`.
    pub(super) methods: TokenStream,
    /// Line for the message in the protocol's list of messages.
    pub(super) addition: TokenStream,
}

pub(super) fn write(method: &Method, of: &Type, tempest: &TokenStream) -> Message {
    let cfgs: Vec<_> = method.attributes.iter().filter(|attribute| is_cfg(attribute)).collect();
    let message = &method.message;
    let data = data(method, of, &cfgs, tempest);
    let implementation = implementation(method, of, tempest);
    let [maker, handler] = [maker(method, tempest), handler(method, tempest)];
    let (key, padding) = (key(method, tempest), padding(method, tempest));
    let length = length(method, of, tempest);
    Message {
        items: quote!(#data #(#cfgs)* #implementation #(#cfgs)* #length),
        methods: quote!(#(#cfgs)* #maker #(#cfgs)* #handler #key #padding),
        addition: quote!(#(#cfgs)* messages.add::<#message>();),
    }
}

/// Returns the type of a parameter in the generated code. A type that may not be plain data goes through the trait `Argument`. If it
/// is not, the compiler then reports that once, at the type.
fn plain(parameter: &Parameter, tempest: &TokenStream) -> TokenStream {
    let of = &parameter.of;
    if parameter.role != Role::Field || is_primitive(of) {
        return quote!(#of);
    }
    quote_spanned!(span_of_type(of)=> <#of as #tempest::expansion::Argument>::Plain)
}

/// Returns the place of errors in the generated code: the first type that may not be plain data, so that the compiler finds all
/// errors at one place, and reports them once.
fn place(method: &Method) -> Span {
    let doubtful = method.fields().find(|field| !is_primitive(&field.of));
    doubtful.map_or_else(Span::call_site, |field| span_of_type(&field.of))
}

/// Writes the struct of a message.
fn data(method: &Method, of: &Type, cfgs: &[&Attribute], tempest: &TokenStream) -> TokenStream {
    let Method { message, visibility, .. } = method;
    let docs = method.attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let bytemuck = LitStr::new(&quote!(#tempest::expansion::bytemuck).to_string(), Span::call_site());
    let pads = needs_padding(method);
    let fields = method.fields().enumerate().map(|(at, field)| {
        let (name, plain) = (&field.name, plain(field, tempest));
        let (pad, length) = (format_ident!("__pad{at}"), padding_name(method, at));
        let pad = pads.then(|| quote!(#pad: [u8; <#of>::#length],));
        quote!(#[doc(hidden)] #visibility #name: #plain, #pad)
    });
    quote_spanned! {place(method)=>
        #(#cfgs)*
        #(#docs)*
        #[derive(#tempest::expansion::bytemuck::Pod, #tempest::expansion::bytemuck::Zeroable)]
        #[bytemuck(crate = #bytemuck)]
        #[repr(C)]
        #visibility struct #message { #(#fields)* }
        #(#cfgs)*
        impl ::core::marker::Copy for #message {}
        #(#cfgs)*
        #[allow(clippy::expl_impl_clone_on_copy)]
        impl ::core::clone::Clone for #message {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }
    }
}

/// Writes the constants for the room that each field needs, and for the padding behind each field. They stand in the protocol's
/// `impl`.
fn padding(method: &Method, tempest: &TokenStream) -> TokenStream {
    if !needs_padding(method) {
        return TokenStream::new();
    }
    let cfgs: Vec<_> = method.attributes.iter().filter(|attribute| is_cfg(attribute)).collect();
    let rooms = method.fields().map(|field| room(field, tempest));
    let list = rooms_name(method);
    let constants = (0..method.fields().count()).map(|at| {
        let name = padding_name(method, at);
        quote!(#(#cfgs)* const #name: usize = #tempest::expansion::padding(Self::#list, #at);)
    });
    quote! {
        #(#cfgs)* const #list: &'static [#tempest::expansion::Room] = &[#(#rooms),*];
        #(#constants)*
    }
}

/// Writes the expression for the room that a field needs.
fn room(field: &Parameter, tempest: &TokenStream) -> TokenStream {
    let of = plain(field, tempest);
    quote_spanned!(span_of_type(&field.of)=> #tempest::expansion::Room::of::<#of>())
}

/// Returns the name of the constant that lists the room of all fields.
fn rooms_name(method: &Method) -> Ident {
    format_ident!("__{}_ROOMS", method.name.unraw().to_string().to_uppercase())
}

/// Returns the name of the constant for the padding behind field number `at`.
fn padding_name(method: &Method, at: usize) -> Ident {
    format_ident!("__{}_PADDING_{at}", method.name.unraw().to_string().to_uppercase())
}

/// Whether the fields of a message may need padding. Fields that are all of one number type never need any.
fn needs_padding(method: &Method) -> bool {
    let mut types = method.fields().map(|field| {
        let of = &field.of;
        (is_primitive(of), quote!(#of).to_string())
    });
    types.next().is_some_and(|first| !first.0 || types.any(|other| other != first))
}

/// Writes the function that makes the message from its fields.
fn maker(method: &Method, tempest: &TokenStream) -> TokenStream {
    let Method { message, visibility, name, .. } = method;
    let docs = method.attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let (names, types): (Vec<_>, Vec<_>) =
        method.fields().map(|field| (&field.name, plain(field, tempest))).unzip();
    let about = format!("Makes the message [`{message}`]. Its handler:");
    let pads = needs_padding(method).then(|| quote!(..#tempest::expansion::bytemuck::Zeroable::zeroed()));
    quote! {
        #[doc = #about]
        #[doc = ""]
        #(#docs)*
        #[must_use = "a message does nothing until it is sent"]
        #[inline]
        #visibility fn #name(#(#names: #types),*) -> #message {
            #message { #(#names,)* #pads }
        }
    }
}

/// Writes the handler: the method as its author wrote it, under a hidden name.
fn handler(method: &Method, tempest: &TokenStream) -> TokenStream {
    let Method { receiver, body, .. } = method;
    let (body, in_key) = (body.stream(), in_key(method));
    let name = format_ident!("__{}", method.name);
    let attributes = method.attributes.iter().filter(|one| !one.path().is_ident("doc") && !is_cfg(one));
    let names = method.parameters.iter().map(|parameter| &parameter.name);
    let types = method.parameters.iter().map(|parameter| plain(parameter, tempest));
    quote! {
        #(#attributes)*
        #[inline]
        fn #name(#receiver, #(#names: #types),*) {
            #(let _ = #in_key;)*
            #body
        }
    }
}

/// Returns the names of the fields that the expression of the key uses. A handler need not use them.
fn in_key(method: &Method) -> impl Iterator<Item = &Ident> {
    let key = method.key.clone().unwrap_or_default();
    method.fields().map(|field| &field.name).filter(move |name| mentions(&key, name))
}

/// Whether the identifier `name` occurs in an expression.
fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Writes the function that computes the message's key, in which `Self` is the protocol. `None` if the message states no key.
fn key(method: &Method, tempest: &TokenStream) -> Option<TokenStream> {
    let key = method.key.as_ref()?;
    let cfgs = method.attributes.iter().filter(|attribute| is_cfg(attribute));
    let name = format_ident!("__key_of_{}", method.name);
    let (names, types): (Vec<_>, Vec<_>) =
        method.fields().map(|field| (&field.name, plain(field, tempest))).unzip();
    let converted = match syn::parse2::<LitInt>(key.clone()) {
        // Without this, the compiler would take the number for an `i32`.
        Ok(number) if number.suffix().is_empty() => {
            quote_spanned!(number.span()=> #tempest::Key::User(#number))
        }
        _ => quote_spanned!(span_of(key)=> #tempest::expansion::IntoKey::into_key(#key)),
    };
    Some(quote! {
        #(#cfgs)*
        #[allow(unused_variables, unused_imports, clippy::too_many_arguments)]
        #[inline]
        fn #name(#(#names: #types),*) -> #tempest::Key {
            use #tempest::Key::{NoSync, Sequential};
            #converted
        }
    })
}

/// Writes the `impl Message` of a message.
fn implementation(method: &Method, of: &Type, tempest: &TokenStream) -> TokenStream {
    let Method { message, class, volume, bytes, payload_word_bytes, .. } = method;
    let class = class.iter();
    let volume = volume.iter();
    let (bytes, payload_word_bytes) = (bytes.iter(), payload_word_bytes.iter());
    let names: Vec<_> = method.fields().map(|field| &field.name).collect();
    let key = match &method.key {
        None => quote!(#tempest::Key::NoSync),
        Some(_) => {
            let key = format_ident!("__key_of_{}", method.name, span = place(method));
            quote_spanned!(place(method)=> <#of>::#key(#(self.#names),*))
        }
    };
    let handler = format_ident!("__{}", method.name, span = place(method));
    let [protocol, payload, cx] =
        ["protocol", "payload", "cx"].map(|name| Ident::new(name, Span::mixed_site()));
    let arguments = method.parameters.iter().map(|parameter| match parameter.role {
        Role::Field => {
            let name = &parameter.name;
            quote!(self.#name)
        }
        Role::Payload => quote!(#payload),
        Role::Handler => quote!(#cx),
    });
    quote_spanned! {place(method)=>
        impl #tempest::Message for #message {
            type Protocol = #of;
            #(const CLASS: #tempest::Class = #tempest::Class::#class;)*
            #(const VOLUME: #tempest::Volume = #tempest::Volume::#volume;)*
            #(const BYTES: usize = #bytes;)*
            #(const PAYLOAD_WORD_BYTES: usize = #payload_word_bytes;)*
            #[inline]
            fn key(&self) -> #tempest::Key {
                #key
            }
            #[inline]
            #[allow(unused_variables)]
            fn handle(self, #protocol: &Self::Protocol, #payload: &[u64], #cx: &mut #tempest::Handler<'_>) {
                #protocol.#handler(#(#arguments),*)
            }
        }
    }
}

/// Writes the compile-time test that the fields fit into a message.
fn length(method: &Method, of: &Type, tempest: &TokenStream) -> TokenStream {
    let (message, name) = (&method.message, &method.name);
    let text = format!(
        "the arguments of `{name}` are longer than 14 words of 8 bytes, the most that a message carries: \
         move them with `transfer`, or send several messages"
    );
    let bytes = if needs_padding(method) {
        let rooms = rooms_name(method);
        quote!(#tempest::expansion::length(<#of>::#rooms))
    } else {
        quote!(::core::mem::size_of::<#message>())
    };
    quote_spanned! {name.span()=>
        const _: () = ::core::assert!(#bytes <= 8 * #tempest::MAX_WORDS, #text);
    }
}
