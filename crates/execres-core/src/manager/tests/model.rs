//! Long sequences of operations, compared step by step with a model that is too simple to be wrong.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::poll_immediate;
use proptest::prelude::*;
use tokio::sync::Semaphore;

use super::mock::*;
use crate::*;

const KEYS: usize = 3;

#[derive(Debug, Clone)]
enum Step {
    Ensure(usize),
    /// An ensure whose caller goes away while the provider is at work, if it comes to that.
    Abandon(usize),
    Release(usize),
    Drop(usize),
    Force(usize),
    ReleaseScope,
    Health(Works),
    EnsureAct(Works),
    ReleaseAct(Works),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Works {
    Well,
    Badly,
}

impl Works {
    fn act(self) -> Act {
        match self {
            Works::Well => Act::Succeed,
            Works::Badly => Act::fail(),
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let works = || prop_oneof![3 => Just(Works::Well), 1 => Just(Works::Badly)];
    prop_oneof![
        6 => (0..KEYS).prop_map(Step::Ensure),
        2 => (0..KEYS).prop_map(Step::Abandon),
        4 => (0..40usize).prop_map(Step::Release),
        2 => (0..40usize).prop_map(Step::Drop),
        1 => (0..40usize).prop_map(Step::Force),
        1 => Just(Step::ReleaseScope),
        1 => works().prop_map(Step::Health),
        1 => works().prop_map(Step::EnsureAct),
        1 => works().prop_map(Step::ReleaseAct),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Ready,
    Gone,
    Quarantined,
}

struct Made {
    key: usize,
    leases: usize,
    fate: Fate,
    id: Option<HandleId>,
}

struct Held {
    handle: Handle,
    made: usize,
    given_back: bool,
}

struct Model {
    made: Vec<Made>,
    held: Vec<Option<Held>>,
    live: [Option<usize>; KEYS],
    ensures: usize,
    releases: usize,
    health: Works,
    ensure: Works,
    release: Works,
}

impl Model {
    fn new() -> Self {
        let (health, ensure, release) = (Works::Well, Works::Well, Works::Well);
        Model {
            made: Vec::new(),
            held: Vec::new(),
            live: [None; KEYS],
            ensures: 0,
            releases: 0,
            health,
            ensure,
            release,
        }
    }

    fn end(&mut self, made: usize) -> Works {
        self.releases += 1;
        self.made[made].fate = if self.release == Works::Well { Fate::Gone } else { Fate::Quarantined };
        let key = self.made[made].key;
        if self.live[key] == Some(made) {
            self.live[key] = None;
        }
        self.release
    }

    /// The resource that an ensure of the key uses again, after the health check has ended a bad one.
    fn reused(&mut self, key: usize) -> Option<usize> {
        let live = self.live[key]?;
        if self.health == Works::Well {
            return Some(live);
        }
        self.end(live);
        None
    }

    fn make(&mut self, key: usize) -> usize {
        self.made.push(Made { key, leases: 0, fate: Fate::Ready, id: None });
        self.live[key] = Some(self.made.len() - 1);
        self.made.len() - 1
    }

    /// What giving back one lease does.
    fn give_back(&mut self, made: usize) -> Result<ReleaseOutcome, ErrorCode> {
        self.made[made].leases -= 1;
        match (self.made[made].fate, self.made[made].leases) {
            (Fate::Ready, 0) => match self.end(made) {
                Works::Well => Ok(ReleaseOutcome::Released),
                Works::Badly => Err(ErrorCode::RELEASE_FAILED),
            },
            (Fate::Ready, leases) => Ok(ReleaseOutcome::StillLeased { leases }),
            (Fate::Gone, _) => Ok(ReleaseOutcome::Released),
            (Fate::Quarantined, _) => Err(ErrorCode::RELEASE_FAILED),
        }
    }

    fn holder(&mut self, index: usize) -> Option<usize> {
        let present: Vec<usize> = (0..self.held.len()).filter(|at| self.held[*at].is_some()).collect();
        (!present.is_empty()).then(|| present[index % present.len()])
    }
}

fn requirement_of(key: usize) -> Requirement {
    session().config(Config::new().with("key", key as u64)).build().unwrap()
}

async fn apply(model: &mut Model, manager: &Manager, watched: &Watched, step: Step) {
    match step {
        Step::Health(works) => {
            model.health = works;
            Watched::act(&watched.health, works.act());
        }
        Step::EnsureAct(works) => {
            model.ensure = works;
            Watched::act(&watched.ensure, works.act());
        }
        Step::ReleaseAct(works) => {
            model.release = works;
            Watched::act(&watched.release, works.act());
        }
        Step::Ensure(key) => {
            let result = manager.ensure(requirement_of(key)).await;
            ensured(model, key, result);
        }
        Step::Abandon(key) => {
            let gate = Arc::new(Semaphore::new(0));
            Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
            let early = {
                let mut ensure = pin!(manager.ensure(requirement_of(key)));
                poll_immediate(&mut ensure).await
            };
            Watched::act(&watched.ensure, model.ensure.act());
            match (early, model.reused(key)) {
                (Some(result), Some(made)) => lease(model, made, result.unwrap()),
                (None, None) => {
                    gate.add_permits(1);
                    model.ensures += 1;
                    let made = model.make(key);
                    model.end(made);
                    reach(&watched.releases, model.releases).await;
                    let quarantined = manager.list(&Filter::all().status(Status::Failed));
                    model.made[made].id = quarantined.last().map(|snapshot| snapshot.id.clone());
                }
                (early, _) => panic!("an ensure ended early or late: {early:?}"),
            }
        }
        Step::Release(index) => {
            let Some(at) = model.holder(index) else { return };
            let held = model.held[at].as_ref().unwrap();
            let result = manager.release(&held.handle).await.map_err(|error| error.code());
            let (made, before) = (held.made, held.given_back);
            let expected = if before { Err(ErrorCode::HANDLE_UNKNOWN) } else { model.give_back(made) };
            assert_eq!(result, expected);
            model.held[at].as_mut().unwrap().given_back = true;
        }
        Step::Drop(index) => {
            let Some(at) = model.holder(index) else { return };
            let held = model.held[at].take().unwrap();
            if !held.given_back {
                model.give_back(held.made).ok();
            }
            drop(held);
            reach(&watched.releases, model.releases).await;
        }
        Step::Force(index) => {
            let Some(at) = model.holder(index) else { return };
            let held = model.held[at].as_ref().unwrap();
            let made = held.made;
            let result = manager.release_by_id(held.handle.id()).await.map_err(|error| error.code());
            let expected = match model.made[made].fate {
                Fate::Gone => Err(ErrorCode::HANDLE_UNKNOWN),
                Fate::Ready | Fate::Quarantined => match model.end(made) {
                    Works::Well => Ok(()),
                    Works::Badly => Err(ErrorCode::RELEASE_FAILED),
                },
            };
            assert_eq!(result, expected);
        }
        Step::ReleaseScope => {
            let all: Vec<usize> = (0..model.made.len()).filter(|at| model.made[*at].fate != Fate::Gone).collect();
            let result = manager.release_scope(Scope::Session, &OwnerId::new("session-1").unwrap()).await;
            for made in &all {
                model.end(*made);
            }
            match result {
                Ok(released) => {
                    assert!(released.len() == all.len() && (model.release == Works::Well || all.is_empty()))
                }
                Err(error) => assert!(error.failures.len() == all.len() && model.release == Works::Badly),
            }
        }
    }
}

fn ensured(model: &mut Model, key: usize, result: Result<Handle, EnsureError>) {
    if let Some(made) = model.reused(key) {
        lease(model, made, result.unwrap());
        return;
    }
    model.ensures += 1;
    match model.ensure {
        Works::Badly => assert_eq!(result.unwrap_err().code(), MADE_BADLY),
        Works::Well => {
            let made = model.make(key);
            lease(model, made, result.unwrap());
        }
    }
}

fn lease(model: &mut Model, made: usize, handle: Handle) {
    let known = model.made[made].id.get_or_insert_with(|| handle.id().clone());
    assert_eq!(handle.id(), known);
    model.made[made].leases += 1;
    model.held.push(Some(Held { handle, made, given_back: false }));
}

fn compare(model: &Model, manager: &Manager, watched: &Watched) {
    let alive = model.made.iter().filter(|made| made.fate != Fate::Gone).count();
    assert_eq!(watched.counts(), (model.ensures, model.releases, alive));
    let listed: BTreeMap<HandleId, (usize, Status)> = manager
        .list(&Filter::all())
        .into_iter()
        .map(|snapshot| (snapshot.id, (snapshot.leases, snapshot.status)))
        .collect();
    let expected = model.made.iter().filter(|made| made.fate != Fate::Gone).map(|made| {
        let status = if made.fate == Fate::Ready { Status::Ready } else { Status::Failed };
        (made.id.clone().unwrap(), (made.leases, status))
    });
    assert_eq!(listed, expected.collect());
    let keys = manager.inner.slots.collect(|_| Some(())).len();
    assert_eq!(keys, model.live.iter().flatten().count(), "a key is remembered while it has a resource, and no longer");
    for held in model.held.iter().flatten() {
        let usable = !held.given_back && model.made[held.made].fate == Fate::Ready;
        assert_eq!(held.handle.resource::<Thing>().is_ok(), usable);
    }
}

proptest! {
    #[test]
    fn the_manager_does_what_the_model_does(steps in proptest::collection::vec(step(), 1..120)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (manager, watched) = manager_here();
            let mut model = Model::new();
            for step in steps {
                apply(&mut model, &manager, &watched, step).await;
                compare(&model, &manager, &watched);
            }
            Watched::act(&watched.release, Act::Succeed);
            assert!(manager.shutdown(std::time::Duration::from_secs(60)).await.is_clean());
            assert_eq!(watched.counts().2, 0);
            let shared = Arc::downgrade(&manager.inner);
            drop((manager, model));
            assert!(shared.upgrade().is_none(), "something still holds the manager");
        });
    }
}
