//! A provider's description of itself.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use execres_core::{
    AxisSet, CapabilityRequirements, Handle, HeldResource, Kind, Provider, Requirement, RequirementBuilder,
};
use futures_util::future::BoxFuture;

type Make = Arc<dyn Fn() -> Arc<dyn Provider> + Send + Sync>;
type Ask = Arc<dyn Fn() -> RequirementBuilder + Send + Sync>;
type Footprint = Arc<dyn Fn() -> BTreeSet<String> + Send + Sync>;
type Skip = Arc<dyn Fn() -> Option<String> + Send + Sync>;
pub(super) type Used = BoxFuture<'static, Result<(), String>>;

/// What is done with a live resource of the documented type, got from either side.
#[derive(Clone)]
pub(super) struct Use {
    pub(super) held: Arc<dyn Fn(&HeldResource) -> Used + Send + Sync>,
    pub(super) handle: Arc<dyn Fn(&Handle) -> Used + Send + Sync>,
}

impl Use {
    fn of<T: Any + Send + Sync, F>(act: impl Fn(Arc<T>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        let act = Arc::new(act);
        let with_handle = Arc::clone(&act);
        Use {
            held: Arc::new(move |held| match held.resource::<T>() {
                Ok(thing) => Box::pin(act(thing)),
                Err(error) => Box::pin(std::future::ready(Err(error.to_string()))),
            }),
            handle: Arc::new(move |handle| match handle.resource::<T>() {
                Ok(thing) => Box::pin(with_handle(thing)),
                Err(error) => Box::pin(std::future::ready(Err(error.to_string()))),
            }),
        }
    }
}

/// How a resource can be broken from outside, if it can.
#[derive(Clone)]
pub(super) enum Breaking {
    Unsaid,
    Impossible(&'static str),
    By(Use),
}

/// A provider's description of itself: how it is made, what it can do, and what it leaves behind.
#[derive(Clone)]
pub struct Subject {
    pub(super) id: &'static str,
    pub(super) kinds: Vec<Kind>,
    pub(super) make: Make,
    pub(super) ask: Ask,
    pub(super) beyond: CapabilityRequirements,
    pub(super) usage: Option<Use>,
    pub(super) breaking: Breaking,
    pub(super) axes: AxisSet,
    pub(super) secrets: Vec<&'static str>,
    pub(super) footprint: Footprint,
    pub(super) skip: Skip,
    pub(super) patience: Duration,
}

impl Subject {
    /// A provider with this id and these kinds. `make` makes one; the checks call it once each.
    ///
    /// Unless told otherwise: it is asked for its first kind and nothing more, it proves no axis, it takes no secret, and what it
    /// leaves behind would be processes or descriptors.
    ///
    /// # Panics
    /// When a kind is no valid name.
    pub fn new(
        id: &'static str,
        kinds: impl IntoIterator<Item = &'static str>,
        make: impl Fn() -> Arc<dyn Provider> + Send + Sync + 'static,
    ) -> Self {
        let kinds: Vec<Kind> = kinds.into_iter().map(Kind::from_static).collect();
        let first = kinds.first().cloned();
        Subject {
            id,
            kinds,
            make: Arc::new(make),
            ask: Arc::new(move || {
                Requirement::builder(first.clone().unwrap_or_else(|| Kind::from_static("a-provider-has-a-kind")))
            }),
            beyond: CapabilityRequirements::new().with_feature("execres-contract-nobody-has-this"),
            usage: None,
            breaking: Breaking::Unsaid,
            axes: AxisSet::EMPTY,
            secrets: Vec::new(),
            footprint: Arc::new(BTreeSet::new),
            skip: Arc::new(|| None),
            patience: Duration::from_secs(10),
        }
    }

    /// A requirement that it satisfies.
    #[must_use]
    pub fn requirement(mut self, ask: impl Fn() -> RequirementBuilder + Send + Sync + 'static) -> Self {
        self.ask = Arc::new(ask);
        self
    }

    /// What it cannot satisfy; where this is not said, a feature that nobody has.
    #[must_use]
    pub fn cannot(mut self, beyond: CapabilityRequirements) -> Self {
        self.beyond = beyond;
        self
    }

    /// The type of its resources, and something that only a working one can do.
    #[must_use]
    pub fn used_by<T: Any + Send + Sync, F>(mut self, usage: impl Fn(Arc<T>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.usage = Some(Use::of(usage));
        self
    }

    /// How a live resource is broken from outside: its server killed, its file removed.
    #[must_use]
    pub fn broken_by<T: Any + Send + Sync, F>(mut self, breaking: impl Fn(Arc<T>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.breaking = Breaking::By(Use::of(move |thing| {
            let broken = breaking(thing);
            async move {
                broken.await;
                Ok(())
            }
        }));
        self
    }

    /// A live resource has nothing that could break, for this reason. The check is then printed as not run.
    #[must_use]
    pub fn cannot_be_broken(mut self, why: &'static str) -> Self {
        self.breaking = Breaking::Impossible(why);
        self
    }

    /// The axes that it proves here. It must claim exactly these.
    #[must_use]
    pub const fn proves(mut self, axes: AxisSet) -> Self {
        self.axes = axes;
        self
    }

    /// A key of its configuration that takes a secret text. The requirement must be good with any text there.
    #[must_use]
    pub fn takes_secret(mut self, key: &'static str) -> Self {
        self.secrets.push(key);
        self
    }

    /// Lists what it makes outside of this process: files, containers, whatever has a name. See [`files_below`].
    #[must_use]
    pub fn leaves(mut self, footprint: impl Fn() -> BTreeSet<String> + Send + Sync + 'static) -> Self {
        self.footprint = Arc::new(footprint);
        self
    }

    /// How long what it leaves behind has to go away, where that does not happen at once. Default 10 s; a generous bound costs nothing.
    #[must_use]
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Why it cannot be tested here, if so: every check is then printed as not run, with this reason. A reason that starts with `optional: ` is
    /// accepted where tests must run.
    #[must_use]
    pub fn skipped_when(mut self, skip: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.skip = Arc::new(skip);
        self
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("id", &self.id).field("kinds", &self.kinds).finish_non_exhaustive()
    }
}

/// Every file and directory below a directory, for [`Subject::leaves`].
pub fn files_below(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut queue = vec![directory.to_owned()];
    while let Some(directory) = queue.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                queue.push(entry.path());
            }
            found.insert(entry.path().display().to_string());
        }
    }
    found
}
