//! What a manager keeps with a requirement so as not to work it out again.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Something of the first manager's that ensures the requirement. A clone that is changed starts without it.
#[derive(Default)]
pub(crate) struct Memo(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Memo {
    /// What was kept, if it is of this type.
    pub(crate) fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(self.0.get()?).downcast().ok()
    }

    /// Keeps this, unless something is kept already.
    pub(crate) fn keep<T: Any + Send + Sync>(&self, value: Arc<T>) {
        self.0.get_or_init(|| value);
    }
}

impl Clone for Memo {
    fn clone(&self) -> Self {
        // Parts are cloned to be changed.
        Memo::default()
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}
