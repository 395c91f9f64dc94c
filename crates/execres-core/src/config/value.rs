//! One value of a configuration.

use std::collections::BTreeMap;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// One value of a configuration.
#[derive(Clone)]
#[non_exhaustive]
pub enum ConfigValue {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number. Wide enough for every `i64` and every `u64`.
    Integer(i128),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    String(String),
    /// A text that nobody but the provider may see.
    Secret(SecretString),
    /// Values in order.
    List(Vec<ConfigValue>),
    /// Values by key.
    Map(BTreeMap<String, ConfigValue>),
}

impl ConfigValue {
    /// What sort of value it is, for messages. Never the value.
    pub(super) const fn describe(&self) -> &'static str {
        match self {
            ConfigValue::Null => "nothing",
            ConfigValue::Bool(_) => "a boolean",
            ConfigValue::Integer(_) | ConfigValue::Float(_) => "a number",
            ConfigValue::String(_) => "a string",
            ConfigValue::Secret(_) => "a secret",
            ConfigValue::List(_) => "a list",
            ConfigValue::Map(_) => "a map",
        }
    }

    pub(super) fn collect_secrets<'a>(&'a self, secrets: &mut Vec<&'a SecretString>) {
        match self {
            ConfigValue::Secret(secret) => secrets.push(secret),
            ConfigValue::List(items) => items.iter().for_each(|item| item.collect_secrets(secrets)),
            ConfigValue::Map(map) => map.values().for_each(|value| value.collect_secrets(secrets)),
            _ => {}
        }
    }

    /// Writes the value in a form in which different values differ: a tag, and a length before everything of variable length.
    ///
    /// A secret is written as it is: the only reader is a keyed hash.
    pub(crate) fn write_canonical(&self, write: &mut dyn FnMut(&[u8])) {
        let mut text = |tag: u8, text: &str| {
            write(&[tag]);
            write(&(text.len() as u64).to_le_bytes());
            write(text.as_bytes());
        };
        match self {
            ConfigValue::Null => write(b"0"),
            ConfigValue::Bool(value) => write(if *value { b"T" } else { b"F" }),
            ConfigValue::Integer(value) => {
                write(b"I");
                write(&value.to_le_bytes());
            }
            ConfigValue::Float(value) => {
                write(b"D");
                write(&value.to_bits().to_le_bytes());
            }
            ConfigValue::String(value) => text(b'S', value),
            ConfigValue::Secret(value) => text(b'X', value.expose_secret()),
            ConfigValue::List(items) => {
                write(b"L");
                write(&(items.len() as u64).to_le_bytes());
                items.iter().for_each(|item| item.write_canonical(write));
            }
            ConfigValue::Map(map) => {
                write(b"M");
                write(&(map.len() as u64).to_le_bytes());
                for (key, value) in map {
                    write(&(key.len() as u64).to_le_bytes());
                    write(key.as_bytes());
                    value.write_canonical(write);
                }
            }
        }
    }
}

impl fmt::Debug for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigValue::Null => f.write_str("null"),
            ConfigValue::Bool(value) => value.fmt(f),
            ConfigValue::Integer(value) => value.fmt(f),
            ConfigValue::Float(value) => value.fmt(f),
            ConfigValue::String(value) => value.fmt(f),
            ConfigValue::Secret(_) => f.write_str("[secret]"),
            ConfigValue::List(items) => items.fmt(f),
            ConfigValue::Map(map) => map.fmt(f),
        }
    }
}

macro_rules! from {
    ($($source:ty => |$value:ident| $made:expr;)+) => {$(
        impl From<$source> for ConfigValue {
            fn from($value: $source) -> Self {
                $made
            }
        }
    )+};
}

from! {
    bool => |value| ConfigValue::Bool(value);
    i32 => |value| ConfigValue::Integer(value.into());
    u32 => |value| ConfigValue::Integer(value.into());
    i64 => |value| ConfigValue::Integer(value.into());
    u64 => |value| ConfigValue::Integer(value.into());
    f64 => |value| ConfigValue::Float(value);
    &str => |value| ConfigValue::String(value.to_owned());
    String => |value| ConfigValue::String(value);
    SecretString => |value| ConfigValue::Secret(value);
    BTreeMap<String, ConfigValue> => |value| ConfigValue::Map(value);
    super::Config => |value| ConfigValue::Map(value.0);
    serde_json::Value => |value| from_json(value);
}

impl<T: Into<ConfigValue>> From<Vec<T>> for ConfigValue {
    fn from(items: Vec<T>) -> Self {
        ConfigValue::List(items.into_iter().map(Into::into).collect())
    }
}

fn from_json(json: serde_json::Value) -> ConfigValue {
    match json {
        serde_json::Value::Null => ConfigValue::Null,
        serde_json::Value::Bool(value) => ConfigValue::Bool(value),
        serde_json::Value::Number(number) => match number.as_i128() {
            Some(value) => ConfigValue::Integer(value),
            // A JSON number that is no integer is a float; serde_json answers None only for those of arbitrary precision.
            None => ConfigValue::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(value) => ConfigValue::String(value),
        serde_json::Value::Array(items) => ConfigValue::List(items.into_iter().map(from_json).collect()),
        serde_json::Value::Object(map) => {
            ConfigValue::Map(map.into_iter().map(|(key, value)| (key, from_json(value))).collect())
        }
    }
}
