//! Reads a configuration tree into a provider's own types, keeping track of where a problem is.

use std::collections::{BTreeMap, btree_map};

use secrecy::ExposeSecret;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

use super::{ConfigError, ConfigValue};

pub(super) fn parse<T: DeserializeOwned>(map: &BTreeMap<String, ConfigValue>) -> Result<T, ConfigError> {
    T::deserialize(Root(map))
}

struct Root<'a>(&'a BTreeMap<String, ConfigValue>);

impl<'de> Deserializer<'de> for Root<'_> {
    type Error = ConfigError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
        visitor.visit_map(Entries::new(self.0))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Node<'a>(&'a ConfigValue);

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = ConfigError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
        match self.0 {
            ConfigValue::Null => visitor.visit_unit(),
            ConfigValue::Bool(value) => visitor.visit_bool(*value),
            ConfigValue::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => visitor.visit_i64(value),
                (_, Ok(value)) => visitor.visit_u64(value),
                _ => visitor.visit_i128(*value),
            },
            ConfigValue::Float(value) => visitor.visit_f64(*value),
            ConfigValue::String(value) => visitor.visit_str(value),
            ConfigValue::Secret(secret) => {
                visitor.visit_str(secret.expose_secret()).map_err(ConfigError::about_a_secret)
            }
            ConfigValue::List(items) => visitor.visit_seq(Items { items: items.iter(), index: 0 }),
            ConfigValue::Map(map) => visitor.visit_map(Entries::new(map)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
        match self.0 {
            ConfigValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        match self.0 {
            ConfigValue::String(name) => visitor.visit_enum(Variant { name, content: None }),
            ConfigValue::Map(map) => match map.first_key_value() {
                Some((name, content)) if map.len() == 1 => visitor.visit_enum(Variant { name, content: Some(content) }),
                _ => Err(ConfigError::new("expected a map with exactly one key, the name of the variant")),
            },
            other => Err(ConfigError::new(format!("expected the name of a variant, found {}", other.describe()))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'a> {
    items: std::slice::Iter<'a, ConfigValue>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = ConfigError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ConfigError> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Node(item)).map(Some).map_err(|error| error.below_index(index))
    }
}

struct Entries<'a> {
    entries: btree_map::Iter<'a, String, ConfigValue>,
    value: Option<(&'a str, &'a ConfigValue)>,
}

impl<'a> Entries<'a> {
    fn new(map: &'a BTreeMap<String, ConfigValue>) -> Self {
        Entries { entries: map.iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = ConfigError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ConfigError> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some((key, value));
        seed.deserialize(StrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ConfigError> {
        let (key, value) = self.value.take().ok_or_else(|| ConfigError::new("a value was asked for before its key"))?;
        seed.deserialize(Node(value)).map_err(|error| error.below_key(key))
    }
}

struct Variant<'a> {
    name: &'a str,
    content: Option<&'a ConfigValue>,
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = ConfigError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), ConfigError> {
        Ok((seed.deserialize(StrDeserializer::new(self.name))?, self))
    }
}

impl Variant<'_> {
    fn node(&self) -> Result<Node<'_>, ConfigError> {
        let missing = || ConfigError::new("this variant has content: write a map from its name to its content");
        self.content.map(Node).ok_or_else(missing)
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = ConfigError;

    fn unit_variant(self) -> Result<(), ConfigError> {
        match self.content {
            None | Some(ConfigValue::Null) => Ok(()),
            Some(_) => Err(ConfigError::new("this variant has no content: write its name alone").below_key(self.name)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ConfigError> {
        seed.deserialize(self.node()?).map_err(|error| error.below_key(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, ConfigError> {
        self.node()?.deserialize_any(visitor).map_err(|error| error.below_key(self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        self.node()?.deserialize_any(visitor).map_err(|error| error.below_key(self.name))
    }
}

impl<'de> Deserialize<'de> for super::Config {
    /// Every leaf comes in plain; a host wraps what is secret.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        super::Config::from_json(json).map_err(serde::de::Error::custom)
    }
}
