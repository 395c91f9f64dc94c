//! TaskWorkspace: grants, materialised file sets, manifests and safe collection of outputs.
