//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use execres::core::Axis;

use crate::quantity::{duration, size};

/// Runs programs in a sandbox whose isolation is proven, and shows the proof.
#[derive(Debug, Parser)]
#[command(name = "execres", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a program in the sandbox.
    ///
    /// The program's output goes to standard output and standard error as it comes, and one line on standard error says how
    /// it went. The exit code is the program's own.
    Run(Box<RunArgs>),
    /// Try out what every provider isolates here, and show the evidence.
    Probe(ProbeArgs),
    /// Say what this host can do for isolated programs, what it lacks, and what to type to get it.
    ///
    /// Everything is found out by trying, and nothing is left behind. The exit code is 0 when programs run here with all four
    /// isolation axes proven, or with those that --require names, and 121 otherwise.
    Doctor(DoctorArgs),
    /// Remove what killed hosts left behind.
    Reap(ReapArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The program, or `-` to read it from standard input.
    pub(crate) file: PathBuf,
    /// Its language; known from the file's suffix otherwise.
    #[arg(short, long)]
    pub(crate) language: Option<String>,
    /// Copy a file into the program's working directory, under its own name. Can be repeated.
    #[arg(short, long, value_name = "PATH")]
    pub(crate) input: Vec<PathBuf>,
    /// Expect this output and keep it: a file below `output/`, or a directory with a slash at its end. Can be repeated;
    /// without it everything below `output/` is kept that is there.
    #[arg(short, long, value_name = "output/PATH")]
    pub(crate) output: Vec<String>,
    /// Where outputs are copied to.
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(crate) output_dir: PathBuf,
    /// Print the result as JSON, with outputs, usage and evidence, instead of the program's output.
    #[arg(long)]
    pub(crate) json: bool,
    /// Wall time after which the run is ended: `500ms`, `10s`, `2m`, `1h`; a bare number is seconds.
    #[arg(long, value_parser = duration, value_name = "TIME", default_value = "60s")]
    pub(crate) timeout: Duration,
    /// Memory for the whole run: `256M`, `1G`; a bare number is bytes.
    #[arg(long, value_parser = size, value_name = "SIZE", default_value = "1G")]
    pub(crate) memory: u64,
    /// Processes and threads of the whole run.
    #[arg(long, value_name = "COUNT", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) processes: u32,
    /// How well the program has to be isolated.
    #[arg(long, value_enum, default_value_t = IsolationArg::Required)]
    pub(crate) isolation: IsolationArg,
    /// Who runs it: `sandbox`, or `trusted_local` together with `--isolation none` for no isolation at all.
    #[arg(long, value_name = "ID")]
    pub(crate) provider: Option<String>,
    /// The network that the program has.
    #[arg(long, value_enum, default_value_t = NetworkArg::None)]
    pub(crate) network: NetworkArg,
    /// Set a variable of the program; without a value it gets the one that the variable has here. Can be repeated.
    #[arg(short, long, value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<String>,
    /// What the program reads from its standard input: a file, or `-` for this command's own.
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin: Option<PathBuf>,
    /// Refuse writing into the working directory, instead of giving the program a copy that is thrown away.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Print neither the line that says how it went nor the notes before it.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Arguments of the program.
    #[arg(last = true)]
    pub(crate) args: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// The network that a run would have.
    #[arg(long, value_enum, default_value_t = NetworkArg::None)]
    pub(crate) network: NetworkArg,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// An isolation axis that has to be proven for the exit code 0; all four without this. Can be repeated.
    #[arg(long, value_name = "AXIS")]
    pub(crate) require: Vec<Axis>,
}

#[derive(Debug, Args)]
pub(crate) struct ReapArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IsolationArg {
    /// All four axes, proven; otherwise nothing runs.
    Required,
    /// The best that this host allows, down to a sandbox without namespaces; never without a sandbox.
    Preferred,
    /// None is asked for.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetworkArg {
    /// None at all.
    None,
    /// A loopback interface of the program's own.
    Loopback,
    /// The host's network, unrestricted.
    #[value(alias = "host")]
    Inherited,
}
