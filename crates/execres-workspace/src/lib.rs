//! The directory that a task works in: grants, materialised file sets, manifests, and outputs taken from hostile hands.
//!
//! ```text
//! TaskWorkspace ─ issue(call, request) ─▶ AccessGrant ─ materialize(files) ─▶ Manifest
//!                                             │
//!                  the program runs, and then │ collect(output directory, declared, caps, kept) ─▶ Collected
//!                                             │ deliver(outputs, the caller's directory)
//!                                             ▼
//!                                         close()
//! ```
//!
//! Every path from outside is a [`RelativePath`] or an [`OutputPath`] before it is used. Directories are open descriptors, and
//! what lies below them is resolved beneath them, over no link. Everything here blocks for as long as its files are large;
//! [`collect_async`] is there for the one step that a hostile program can make as long as the caps allow.
//!
//! Linux only: resolution uses `openat2` where the kernel has it, and owner marks use `/proc`.
#![forbid(unsafe_code)]

mod access;
mod area;
mod collect;
mod copy;
mod deliver;
mod digest;
mod fileset;
mod fold;
mod grant;
mod ids;
mod inputs;
mod manifest;
mod open;
mod path;
mod place;
mod tree;
mod workspace;

pub use access::{AccessMode, AccessRequest, InputCaps, InputFile, Retention, Role};
pub use area::{AREA_KIND, AreaError, AreaReaper};
pub use collect::{Artifact, CollectCaps, CollectError, Collected, Refusal, RefusalReason, collect, collect_async};
pub use deliver::DeliverError;
pub use digest::{DigestError, Sha256, Sha256Hasher};
pub use fileset::{FileEntry, FileRole, FileSet, FileSetError, MAX_FILE_BYTES, MAX_FILES, MAX_SET_BYTES};
pub use grant::{AccessGrant, MaterializeError};
pub use ids::{CallId, CallIdError, GrantId, WorkspaceId};
pub use inputs::InputError;
pub use manifest::{Manifest, ManifestFile};
pub use open::EntryKind;
pub use path::{
    OUTPUT_DIR, OutputKind, OutputPath, PRIVATE_DIR, PathConflict, PathError, PathFault, PathSet, RelativePath,
};
pub use tree::{Completeness, TreeBounds, TreeEntry, TreeListing, list_tree};
pub use workspace::{TaskWorkspace, WorkspaceError, WorkspaceMode};
