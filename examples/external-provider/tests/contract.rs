//! The provider keeps the contract of providers, and that of `code_execution`.

use std::sync::Arc;

use execres::code::{KIND, SharedRunner};
use execres::core::{Axis, AxisSet, CapabilityRequirements, Kind, Requirement};
use execres::isolation::Sandbox;
use execres_testkit::contract::Subject;
use external_provider::BubblewrapProvider;

fn subject() -> Subject {
    Subject::new("bubblewrap", [KIND], || Arc::new(BubblewrapProvider::new(Sandbox::new(None))))
        .requirement(|| {
            let required = CapabilityRequirements::new().with_language("python");
            Requirement::builder(Kind::from_static(KIND)).required(required)
        })
        .cannot(CapabilityRequirements::new().with_isolation(AxisSet::ALL))
        .used_by(|runner: Arc<SharedRunner>| async move {
            if runner.isolation().axes().is_empty() { Err("it proves nothing".to_owned()) } else { Ok(()) }
        })
        .cannot_be_broken("a runner holds nothing between jobs")
        .proves(AxisSet::EMPTY.with(Axis::ProcessContained).with(Axis::HostFilesystemRestricted))
        .skipped_when(|| {
            (!BubblewrapProvider::is_installed()).then(|| "optional: bubblewrap is not installed".to_owned())
        })
}

mod provider {
    execres_testkit::provider_contract!(super::subject());
}

mod code {
    execres_testkit::code_execution_contract!(super::subject());
}
