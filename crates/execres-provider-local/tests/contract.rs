//! Both providers of this crate keep the contract of providers, and that of `code_execution`.

use std::sync::Arc;

use execres_code::{KIND, SharedRunner};
use execres_core::{AxisSet, CapabilityRequirements, Kind, NetworkMode, Policy, Provider, Requirement};
use execres_isolation::Sandbox;
use execres_provider_local::{HostAuthorisation, SandboxProvider, Toolbox, TrustedLocalProvider};
use execres_testkit::contract::Subject;

fn subject(id: &'static str, make: impl Fn() -> Arc<dyn Provider> + Send + Sync + 'static) -> Subject {
    Subject::new(id, [KIND], make)
        .used_by(|runner: Arc<SharedRunner>| async move {
            // What a runner can do is the other contract's; that it is one is seen here.
            if runner.isolation().evidence_id.is_empty() { Err("it has no evidence".to_owned()) } else { Ok(()) }
        })
        .cannot_be_broken("a runner holds nothing between jobs")
}

fn sandbox() -> Subject {
    subject("sandbox", || {
        let sandbox = Sandbox::new(None);
        let toolbox = Arc::new(Toolbox::new(Arc::clone(&sandbox), None));
        Arc::new(SandboxProvider::new(sandbox, toolbox))
    })
    .requirement(|| {
        let required = CapabilityRequirements::new().with_language("python").with_isolation(AxisSet::ALL);
        Requirement::builder(Kind::from_static(KIND))
            .required(required)
            .policy(Policy::new().with_network(NetworkMode::None))
    })
    .proves(AxisSet::ALL)
}

fn trusted_local() -> Subject {
    subject("trusted_local", || {
        let sandbox = Sandbox::new(None);
        let toolbox = Arc::new(Toolbox::new(Arc::clone(&sandbox), None));
        Arc::new(TrustedLocalProvider::new(HostAuthorisation::GrantedDangerously, sandbox, toolbox))
    })
    .requirement(|| {
        Requirement::builder(Kind::from_static(KIND)).required(CapabilityRequirements::new().with_language("python"))
    })
    .cannot(CapabilityRequirements::new().with_isolation(AxisSet::ALL))
}

mod in_the_sandbox {
    execres_testkit::provider_contract!(super::sandbox());

    mod code {
        execres_testkit::code_execution_contract!(super::super::sandbox());
    }
}

mod trusted {
    execres_testkit::provider_contract!(super::trusted_local());

    mod code {
        execres_testkit::code_execution_contract!(super::super::trusted_local());
    }
}
