//! What the guest finds: turns a profile into the list of steps by which the launcher builds the root.

mod order;
mod system;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use execres_core::Limits;

use crate::profile::{Access, HandUp, Mount, Profile, ProfileError, Source};
use crate::sys::protocol;
use crate::wire::Wire;

/// HOME of the guest.
pub const HOME: &str = "/home/execres";

/// The root of one run.
#[derive(Debug)]
pub(crate) struct Layout {
    operations: Wire,
    count: u32,
    made: BTreeSet<PathBuf>,
    /// Links of the root itself, and where they lead.
    links: Vec<(PathBuf, PathBuf)>,
    /// What each line is about, for error messages.
    names: Vec<PathBuf>,
    /// Lines that make an overlay, which some hosts refuse.
    overlays: Vec<u32>,
    /// Roots that are visible with all below them.
    visible: Vec<PathBuf>,
    /// What the guest may read, for Landlock: the whole root where it is the run's own.
    pub(crate) readable: Vec<Place>,
    /// What the guest may write, for Landlock.
    pub(crate) writable: Vec<Place>,
    /// Directories whose descriptors the host gets, in order.
    pub(crate) hand_up: Vec<PathBuf>,
    next_overlay: usize,
    /// Every place with something mounted on it, in order.
    mounted: Vec<(PathBuf, By)>,
    by: By,
}

/// Who wants something mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    System,
    Profile,
}

/// A place that a Landlock rule is about.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    /// What it has to be, where it is not something that was made for the run.
    pub(crate) source: Option<Source>,
}

impl Place {
    fn made(path: impl Into<PathBuf>) -> Self {
        Place { path: path.into(), source: None }
    }

    /// Something of the host's at its own path.
    fn of(source: Source) -> Self {
        Place { path: source.path.clone(), source: Some(source) }
    }
}

impl Layout {
    /// No root: the run sees the host's.
    pub(crate) fn none() -> Self {
        Layout {
            operations: Wire::default(),
            count: 0,
            made: BTreeSet::new(),
            links: Vec::new(),
            names: Vec::new(),
            overlays: Vec::new(),
            visible: Vec::new(),
            readable: Vec::new(),
            writable: Vec::new(),
            hand_up: Vec::new(),
            next_overlay: 0,
            mounted: Vec::new(),
            by: By::System,
        }
    }

    /// The root for this profile.
    pub(crate) fn of(profile: &Profile) -> Result<Self, ProfileError> {
        let mut layout = Layout::none();
        layout.readable.push(Place::made("/"));
        system::add(&mut layout, &profile.limits)?;
        layout.by = By::Profile;
        for mount in order::in_order(&profile.mounts) {
            layout.mount(mount, &profile.limits);
        }
        Ok(layout)
    }

    /// Where there are no mounts: the host's own paths, opened by rules. `own` is a directory that was made for the run.
    pub(crate) fn in_place(profile: &Profile, own: &Path) -> Result<Self, ProfileError> {
        let mut layout = Layout::none();
        system::add_in_place(&mut layout)?;
        let written: Vec<&Path> = profile.mounts.iter().filter_map(Mount::written).collect();
        for mount in &profile.mounts {
            match mount {
                // Rules only add rights: what can be written around a place can be written there too.
                Mount::Bind { at, access: Access::Read, .. } if written.iter().any(|place| at.starts_with(place)) => {
                    return Err(ProfileError::NeedsMounts { at: at.clone() });
                }
                Mount::Bind { source, at, access, .. } if source.path == *at => {
                    let places = match access {
                        Access::Write => &mut layout.writable,
                        Access::Read | Access::WriteUnlessLandlock => &mut layout.readable,
                    };
                    places.push(Place::of(source.clone()));
                }
                Mount::Bind { at, .. }
                | Mount::Scratch { at, .. }
                | Mount::Overlay { at, .. }
                | Mount::Alias { at, .. } => return Err(ProfileError::NeedsMounts { at: at.clone() }),
            }
        }
        layout.writable.push(Place::of(Source::open(own)?));
        Ok(layout)
    }

    /// Writes the list as the launcher reads it.
    pub(crate) fn write(&self, blob: &mut Wire) {
        blob.word(self.count).append(&self.operations);
    }

    /// What a line was about.
    pub(crate) fn name_of(&self, index: u32) -> Option<&Path> {
        self.names.get(index as usize).map(PathBuf::as_path)
    }

    /// Whether a line makes an overlay.
    pub(crate) fn is_overlay(&self, index: u32) -> bool {
        self.overlays.contains(&index)
    }

    fn mount(&mut self, mount: &Mount, limits: &Limits) {
        match mount {
            Mount::Bind { source, at, access, .. } => {
                let at = self.behind_links(at);
                if source.path == at && *access == Access::Read && self.is_of_the_system(&at) {
                    return;
                }
                self.bind(source, &at, *access);
                if *access == Access::Write {
                    self.writable.push(Place { path: at, source: Some(source.clone()) });
                }
            }
            Mount::Scratch { at, hand_up } => {
                let at = self.behind_links(at);
                self.scratch(&at, limits);
                if *hand_up == HandUp::Yes {
                    self.hand_up.push(at);
                }
            }
            Mount::Overlay { lower, at } => {
                let at = self.behind_links(at);
                self.overlay(lower, &at, limits);
            }
            Mount::Alias { of, at } => {
                let (of, at) = (self.behind_links(of), self.behind_links(at));
                self.parents(&at);
                self.line(&at).word(protocol::OP_REBIND).word(0).relative(&of).relative(&at);
                self.mounted.push((at.clone(), By::Profile));
                self.writable.push(Place::made(at));
            }
        }
    }

    /// Whether a place is shown already, by a root of the system and nothing over it.
    fn is_of_the_system(&self, at: &Path) -> bool {
        let around = self.mounted.iter().filter(|(place, _)| at.starts_with(place));
        around.max_by_key(|(place, _)| place.components().count()).is_some_and(|(_, by)| *by == By::System)
    }

    /// The same place with the root's own links followed, such as `/var/tmp`. Nothing else is: the launcher follows none.
    fn behind_links(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        // A link of the root leads to no other one, so each is followed once at most.
        for (link, target) in &self.links {
            if let Ok(rest) = path.strip_prefix(link) {
                path = if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) };
            }
        }
        path
    }

    fn line(&mut self, about: &Path) -> &mut Wire {
        self.count += 1;
        self.names.push(about.to_owned());
        &mut self.operations
    }

    fn parents(&mut self, path: &Path) {
        let parents: Vec<&Path> = path.ancestors().skip(1).filter(|parent| parent.parent().is_some()).collect();
        for parent in parents.into_iter().rev() {
            self.directory(parent, 0o755);
        }
    }

    fn directory(&mut self, path: &Path, mode: u32) {
        // What is bound is the host's, and already has what is to be shown of it.
        let bound = self.visible.iter().any(|root| path.starts_with(root));
        if !bound && self.made.insert(path.to_owned()) {
            self.line(path).word(protocol::OP_DIR).word(mode).relative(path);
        }
    }

    fn bind(&mut self, source: &Source, at: &Path, access: Access) {
        let device = if source.is_device && source.path.starts_with("/dev") { protocol::MOUNT_DEVICE } else { 0 };
        let file = if source.is_dir { 0 } else { protocol::MOUNT_FILE };
        let read_only = if access == Access::Read { protocol::MOUNT_READ_ONLY } else { 0 };
        self.parents(at);
        self.line(at)
            .word(protocol::OP_BIND)
            .word(device | file | read_only)
            .long(source.device)
            .long(source.inode)
            .path(&source.path)
            .relative(at);
        self.visible.push(at.to_owned());
        self.mounted.push((at.to_owned(), self.by));
    }

    fn symlink(&mut self, target: &Path, at: &Path) {
        self.parents(at);
        // Only plain ones count as places: what leads upwards is nothing that a grant is put below.
        let leads_to = at.parent().unwrap_or(Path::new("/")).join(target);
        if leads_to.components().all(|part| !matches!(part, std::path::Component::ParentDir)) {
            self.links.push((at.to_owned(), leads_to));
        }
        self.line(at).word(protocol::OP_SYMLINK).path(target).relative(at);
    }

    fn file(&mut self, at: &Path, content: &str) {
        self.parents(at);
        self.line(at).word(protocol::OP_FILE).word(0o644).relative(at).bytes(content.as_bytes());
    }

    fn scratch(&mut self, at: &Path, limits: &Limits) {
        self.parents(at);
        self.directory(at, 0o755);
        // Programs look for the sticky bit of a directory that they believe to be shared.
        let mode = if at == Path::new("/tmp") || at == Path::new("/dev/shm") { "1777" } else { "0755" };
        // The kernel takes 0 for "no limit". One page and the directory itself are as little as there can be.
        let (size, inodes) = (limits.scratch.clamp(4096, 1 << 62), limits.scratch_inodes.clamp(1, 1 << 62));
        let options = format!("mode={mode},size={size},nr_inodes={inodes}");
        self.line(at).word(protocol::OP_TMPFS).relative(at).text(options.as_bytes());
        self.mounted.push((at.to_owned(), By::Profile));
        self.writable.push(Place::made(at));
    }

    /// The upper layer lives in a tmpfs that the host gets in the end, to name what was written and is not kept.
    fn overlay(&mut self, lower: &Source, at: &Path, limits: &Limits) {
        // The layers behind an overlay must not be touched from below it. The guest owns the directory and cannot enter it, and
        // the root that it is on is read-only by then, so the mode stays. Init enters by its capability.
        let hidden = Path::new("/.execres");
        self.directory(hidden, 0o000);
        let base = hidden.join(self.next_overlay.to_string());
        self.next_overlay += 1;
        let below = PathBuf::from(format!("{}-lower", base.display()));
        self.bind(lower, &below, Access::Read);
        self.scratch(&base, limits);
        self.writable.retain(|place| place.path != base);
        let (upper, work) = (base.join("upper"), base.join("work"));
        for directory in [&upper, &work] {
            self.line(directory).word(protocol::OP_DIR).word(0o755).relative(directory);
        }
        self.parents(at);
        self.directory(at, 0o755);
        // The names of the layers are ours, and nobody else can enter the directory that they are in.
        let staged = |path: &Path| format!("{}{}", protocol::STAGING.trim_end_matches('\0'), path.display());
        let options = format!("lowerdir={},upperdir={},workdir={}", staged(&below), staged(&upper), staged(&work));
        self.mounted.push((at.to_owned(), By::Profile));
        self.overlays.push(self.count);
        self.line(at).word(protocol::OP_OVERLAY).relative(at).text(options.as_bytes());
        self.writable.push(Place::made(at));
        self.hand_up.push(upper);
    }
}
