//! `execres run`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use execres::code::{CodeExecution, CodeRequest, Language, MAX_STDIN_BYTES, OutputSink, WorkingDirectory};
use execres::core::{Limits, NetworkMode, ProviderId};
use execres::workspace::{InputFile, MAX_FILE_BYTES, OutputPath, RelativePath};
use execres::{CancellationToken, CodeCall, Execres, Isolation, RunError};

use crate::args::{IsolationArg, NetworkArg, RunArgs};
use crate::stream::{Terminal, print, say, set_apart};
use crate::{exit, signals, summary};

/// The provider that isolates nothing.
const TRUSTED_LOCAL: &str = "trusted_local";

pub(crate) async fn run(args: RunArgs) -> ExitCode {
    let (json, quiet) = (args.json, args.quiet);
    match prepare_and_run(args, CancellationToken::new()).await {
        Ok(result) => {
            if json {
                match serde_json::to_string_pretty(&result) {
                    Ok(text) => {
                        if let Err(error) = print(&format!("{text}\n")) {
                            return exit::unprinted(&error);
                        }
                    }
                    Err(error) => return exit::fail(exit::INTERNAL, &format!("the result cannot be printed: {error}")),
                }
            } else if !quiet {
                set_apart();
                summary::notes(&result).iter().for_each(|note| say(note));
                say(&summary::line(&result));
            }
            ExitCode::from(exit::of(&result.outcome, result.is_success()))
        }
        Err(failure) => {
            if json {
                let error = serde_json::json!({ "status": "error", "error": { "code": failure.code, "message": failure.message } });
                if let Err(error) = print(&format!("{error:#}\n")) {
                    return exit::unprinted(&error);
                }
            }
            exit::fail(failure.exit, &format!("{} [{}]", failure.message, failure.code))
        }
    }
}

/// Nothing ran.
struct Failure {
    exit: u8,
    code: String,
    message: String,
}

impl Failure {
    fn usage(code: &str, message: impl std::fmt::Display) -> Self {
        Failure { exit: exit::USAGE, code: code.to_owned(), message: message.to_string() }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let exit = match &error {
            RunError::Ensure(_) => exit::BLOCKED,
            RunError::Materialise(error) if error.is_conflict() => exit::USAGE,
            RunError::Request(_) | RunError::Workspace(_) | RunError::Name(_) | RunError::DeliverTo { .. } => {
                exit::USAGE
            }
            _ => exit::INTERNAL,
        };
        Failure { exit, code: error.code(), message: error.to_string() }
    }
}

async fn prepare_and_run(args: RunArgs, cancel: CancellationToken) -> Result<CodeExecution, Failure> {
    let language = language(&args)?;
    let request = request(&args, language)?;
    let mut call = CodeCall::new(request);
    for path in &args.input {
        call.inputs.push(input(path)?);
    }
    call.limits = Limits {
        memory: args.memory,
        processes: args.processes,
        wall_time: args.timeout,
        // A program may use all of its time on the processor.
        cpu_time: args.timeout.max(Limits::STANDARD.cpu_time),
        ..Limits::STANDARD
    };
    call.network = match args.network {
        NetworkArg::None => NetworkMode::None,
        NetworkArg::Loopback => NetworkMode::Loopback,
        NetworkArg::Inherited => NetworkMode::Inherited,
    };
    call.isolation = match args.isolation {
        IsolationArg::Required => Isolation::Required,
        IsolationArg::Preferred => Isolation::PreferredDangerously,
        IsolationArg::None => Isolation::NoneDangerously,
    };
    call.working_directory = if args.read_only { WorkingDirectory::ReadOnly } else { WorkingDirectory::Scratch };
    call.deliver_to = Some(args.output_dir.clone());
    for variable in &args.env {
        call.env.push(env_variable(variable)?);
    }
    // An interrupt ends the run, and so does a reader who is gone.
    let interrupted = cancel.clone();
    call.cancel = cancel.clone();

    let mut builder = Execres::builder();
    if let Some(provider) = &args.provider {
        let id = ProviderId::new(provider).map_err(|error| Failure::usage("cli.provider_invalid", error))?;
        call.provider = Some(id);
        // Both have to be said: one of them alone can be a mistake.
        if provider == TRUSTED_LOCAL && args.isolation == IsolationArg::None {
            builder = builder.authorise_trusted_local_dangerously();
            call.network = NetworkMode::Inherited;
        }
    }
    let internal = |error: &dyn std::fmt::Display| Failure {
        exit: exit::INTERNAL,
        code: "cli.setup_failed".to_owned(),
        message: error.to_string(),
    };
    let execres = builder.build().map_err(|error| internal(&error))?;

    let writer = if args.json {
        None
    } else {
        let (terminal, writer) = Terminal::open(cancel.clone());
        call.sink = Some(Arc::new(terminal) as Arc<dyn OutputSink>);
        Some(writer)
    };
    // From here on there is something to end in good order. Before, an interrupt ends this process, which holds nothing.
    signals::cancel_on_interrupt(&interrupted);
    let result = execres.run(call).await;
    if let Some(writer) = writer {
        writer.finish(&interrupted).await;
    }
    Ok(result?)
}

/// `NAME=VALUE`, or `NAME` for the value that it has here, which then stands in no list of processes.
fn env_variable(text: &str) -> Result<(String, String), Failure> {
    let refuse = |why: &str| Failure::usage("cli.env_invalid", format!("{text:?} {why}"));
    match text.split_once('=') {
        Some(("", _)) => Err(refuse("is no variable: write NAME=VALUE")),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => match std::env::var(text) {
            Ok(value) => Ok((text.to_owned(), value)),
            Err(_) => Err(refuse("is not set here: write NAME=VALUE, or set it")),
        },
    }
}

fn language(args: &RunArgs) -> Result<Language, Failure> {
    if let Some(name) = &args.language {
        return Language::parse(name).map_err(|error| Failure::usage(error.code(), error));
    }
    let known = || Language::all().map(Language::id).collect::<Vec<_>>().join(", ");
    let name = args.file.to_string_lossy();
    if args.file.is_dir() {
        let message = format!("{name} is a directory: name the program's file");
        return Err(Failure::usage("cli.file_unreadable", message));
    }
    Language::of_file(&name).ok_or_else(|| {
        let message = if name == "-" {
            format!(
                "the language of a program from standard input is not known: name it with --language, one of {}",
                known()
            )
        } else {
            format!("the language of {name:?} is not known by its suffix: name it with --language, one of {}", known())
        };
        Failure::usage("cli.language_unknown", message)
    })
}

fn request(args: &RunArgs, language: Language) -> Result<CodeRequest, Failure> {
    let from_stdin = args.file == Path::new("-");
    let source = if from_stdin {
        read(&mut std::io::stdin().lock(), MAX_FILE_BYTES, "standard input")?
    } else {
        let mut file = open(&args.file)?;
        read(&mut file, MAX_FILE_BYTES, &args.file.display().to_string())?
    };
    let mut request = CodeRequest::new(language);
    // The program keeps its name, so that what it prints of itself means something to whoever wrote it.
    let name = args.file.file_name().and_then(|name| RelativePath::parse(&name.to_string_lossy()).ok());
    request = match name {
        Some(name) if !from_stdin && Language::of_file(name.as_str()) == Some(language) => {
            request.file(name.clone(), source).entry_point(name)
        }
        _ => request.source(source),
    };
    request = request.args(args.args.iter().cloned());
    if args.output.is_empty() {
        request = request.output(OutputPath::ALL);
    }
    for output in &args.output {
        let path = OutputPath::parse(output).map_err(|error| Failure::usage(error.code(), error))?;
        request = request.output(path);
    }
    match &args.stdin {
        None => {}
        Some(path) if path == Path::new("-") => {
            if from_stdin {
                return Err(Failure::usage(
                    "cli.stdin_taken",
                    "standard input holds the program already: put the program or its input into a file",
                ));
            }
            request = request.stdin(read(&mut std::io::stdin().lock(), MAX_STDIN_BYTES, "standard input")?);
        }
        Some(path) => {
            request = request.stdin(read(&mut open(path)?, MAX_STDIN_BYTES, &path.display().to_string())?);
        }
    }
    Ok(request)
}

fn open(path: &PathBuf) -> Result<File, Failure> {
    let failed = |why: &dyn std::fmt::Display| {
        Failure::usage("cli.file_unreadable", format!("{} cannot be read: {why}", path.display()))
    };
    let file = File::open(path).map_err(|error| failed(&error))?;
    let metadata = file.metadata().map_err(|error| failed(&error))?;
    if metadata.is_dir() { Err(failed(&"it is a directory, and a file is needed")) } else { Ok(file) }
}

/// Reads at most one byte more than is allowed, so that endless input is refused and not read.
fn read(from: &mut dyn Read, most: usize, what: &str) -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    from.take(most as u64 + 1)
        .read_to_end(&mut content)
        .map_err(|error| Failure::usage("cli.file_unreadable", format!("{what} cannot be read: {error}")))?;
    if content.len() > most {
        return Err(Failure::usage("cli.file_too_large", format!("{what} is larger than {most} bytes")));
    }
    Ok(content)
}

fn input(path: &PathBuf) -> Result<InputFile, Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = RelativePath::parse(&name).map_err(|error| Failure::usage(error.code(), error))?;
    // Asked before it is opened, because opening a pipe waits for somebody to write.
    let is_file = std::fs::metadata(path).map_or(true, |metadata| metadata.is_file());
    if !is_file {
        let message = format!(
            "{} cannot be an input: it is a directory, a pipe or a device, and a file is needed",
            path.display()
        );
        return Err(Failure::usage("cli.input_not_a_file", message));
    }
    Ok(InputFile { name, file: open(path)? })
}
