//! From a request to a bundle.

use std::collections::{BTreeMap, BTreeSet};

use execres_workspace::{FileEntry, FileRole, FileSet, MAX_FILE_BYTES, RelativePath};

use super::{
    CodeRequest, DependencyPolicy, MAX_ARG_BYTES, MAX_ARGS, MAX_ENV, MAX_ENV_BYTES, MAX_OUTPUTS, MAX_STDIN_BYTES,
    RequestError,
};
use crate::bundle::{Bundle, Parts};
use crate::language::{Language, Plan};
use crate::layout::RoleUri;

pub(super) fn bundle(request: &CodeRequest) -> Result<Bundle, RequestError> {
    check_args(&request.args)?;
    check_outputs(request)?;
    let env = checked_env(&request.env)?;
    if request.stdin.len() > MAX_STDIN_BYTES {
        return Err(RequestError::StdinTooLarge { bytes: request.stdin.len() });
    }
    let entry_point = entry_point(request)?;
    let files = files(request, &entry_point)?;
    let plan = Plan { files: files.files(), entry_point: &entry_point, args: &request.args };
    let mut steps = request.language.steps(&plan)?;
    // The tool and the entry point count too: it is the whole command that is bounded.
    if steps.run.args().len() + 1 > MAX_ARGS {
        return Err(RequestError::TooManyArgs { count: steps.run.args().len() + 1 });
    }
    steps.run.extend_env(&env);
    Ok(Bundle::new(Parts {
        language: request.language,
        files,
        entry_point,
        build: steps.build,
        run: steps.run,
        outputs: request.outputs.clone(),
        toolchains: steps.toolchains,
        provenance: request.provenance.clone(),
    }))
}

fn check_args(args: &[String]) -> Result<(), RequestError> {
    for (position, arg) in args.iter().enumerate() {
        if arg.len() > MAX_ARG_BYTES {
            return Err(RequestError::ArgTooLong { position, bytes: arg.len() });
        }
        if arg.contains('\0') {
            return Err(RequestError::ArgNul { position });
        }
    }
    Ok(())
}

fn check_outputs(request: &CodeRequest) -> Result<(), RequestError> {
    if request.outputs.len() > MAX_OUTPUTS {
        return Err(RequestError::TooManyOutputs { count: request.outputs.len() });
    }
    let mut seen = BTreeSet::new();
    for output in &request.outputs {
        if !seen.insert(output.folded()) {
            return Err(RequestError::OutputTwice { path: output.clone() });
        }
    }
    Ok(())
}

fn checked_env(env: &[(String, String)]) -> Result<BTreeMap<String, String>, RequestError> {
    if env.len() > MAX_ENV {
        return Err(RequestError::TooManyVariables { count: env.len() });
    }
    let mut checked = BTreeMap::new();
    for (name, value) in env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(RequestError::VariableName { name: name.chars().take(100).collect() });
        }
        if value.contains('\0') || value.len() > MAX_ENV_BYTES {
            return Err(RequestError::VariableValue { name: name.clone() });
        }
        RoleUri::parse(value).map_err(|source| RequestError::VariableRoot { name: name.clone(), source })?;
        if checked.insert(name.clone(), value.clone()).is_some() {
            return Err(RequestError::VariableTwice { name: name.clone() });
        }
    }
    Ok(checked)
}

/// Which file the program starts from.
fn entry_point(request: &CodeRequest) -> Result<RelativePath, RequestError> {
    let language = request.language;
    let is_source = |path: &&RelativePath| is_source(language, path);
    let chosen = match (&request.entry_point, &request.source) {
        (Some(path), _) => path.clone(),
        (None, Some(_)) => primary(language)?,
        (None, None) => {
            let paths = || request.files.iter().map(|(path, _)| path);
            let usual = paths().find(|path| path.as_str() == language.primary());
            let found = usual.or_else(|| paths().find(is_source));
            found.cloned().ok_or(RequestError::NoSource { language })?
        }
    };
    if !is_source(&&chosen) {
        return Err(RequestError::EntryPointSuffix { path: chosen, language });
    }
    if request.source.is_none() && !request.files.iter().any(|(path, _)| *path == chosen) {
        return Err(RequestError::NoEntryPoint { path: chosen });
    }
    Ok(chosen)
}

fn primary(language: Language) -> Result<RelativePath, RequestError> {
    RelativePath::parse(language.primary()).map_err(RequestError::Path)
}

fn is_source(language: Language, path: &RelativePath) -> bool {
    path.extension().is_some_and(|extension| language.suffixes().contains(&extension))
}

fn files(request: &CodeRequest, entry_point: &RelativePath) -> Result<FileSet, RequestError> {
    let language = request.language;
    let source = request.source.as_ref().map(|content| (entry_point, content));
    let mut entries = Vec::new();
    for (path, content) in source.into_iter().chain(request.files.iter().map(|(path, content)| (path, content))) {
        // No compiler and no interpreter reads past a NUL in source; data may hold it.
        let is_code = path == entry_point || is_source(language, path);
        if is_code && content.len() <= MAX_FILE_BYTES && content.contains(&0) {
            return Err(RequestError::SourceNul { path: path.clone() });
        }
        let is_manifest = language.manifests().contains(&path.as_str());
        if is_manifest && request.dependencies != DependencyPolicy::Deny {
            return Err(RequestError::InstallUnavailable { path: path.clone() });
        }
        let role = if is_manifest { FileRole::Dependency } else { FileRole::Source };
        entries.push(FileEntry::new(path.clone(), role, content.as_slice()));
    }
    Ok(FileSet::new(entries)?)
}
