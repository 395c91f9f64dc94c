//! The command line of xtask.

use std::error::Error;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::checkout::Checkout;
use crate::setup::{self, Consent};
use crate::suite::{Context, Size, Strictness};
use crate::{bench, mutants, suite, test, tidy};

/// The workspace's own commands.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Set up, run every suite (or those named) in order, and print a table of what passed, failed and did not run.
    Test(TestArgs),
    /// Run one suite, without the set-up step.
    Suite {
        /// A name from `cargo xtask suites`.
        name: String,
        #[command(flatten)]
        how: HowArgs,
    },
    /// List the suites and what each needs.
    Suites,
    /// Say which programs the suites miss on this machine and, with consent, install them (Debian and Ubuntu).
    Setup {
        /// Install without asking.
        #[arg(long)]
        yes: bool,
    },
    /// Measure: prints what it costs, with the load of the machine.
    Bench {
        /// What to measure: `manager`.
        name: String,
    },
    /// Put mistakes into the privileged sequence of the sandbox, one after the other, and see that each turns a test red.
    Mutants {
        /// Only those whose description contains this.
        #[arg(default_value = "")]
        filter: String,
    },
    /// Check the shape of the workspace: edges, sizes, names, bans, guarantees, links.
    Tidy,
}

#[derive(Args)]
struct TestArgs {
    /// The suites to run; all of them when none is named.
    suites: Vec<String>,
    /// Agree to what the set-up step would install.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    how: HowArgs,
}

#[derive(Args, Clone, Copy)]
struct HowArgs {
    /// A suite or a test that does not run is a failure, unless it is optional; agrees to the set-up step.
    #[arg(long)]
    ci: bool,
    /// The full size of every suite instead of the smoke size.
    #[arg(long)]
    full: bool,
}

impl HowArgs {
    fn context(self) -> Result<Context, Box<dyn Error>> {
        Ok(Context {
            checkout: Checkout::find()?,
            size: if self.full { Size::Full } else { Size::Smoke },
            strictness: if self.ci { Strictness::Ci } else { Strictness::Local },
        })
    }
}

impl Cli {
    /// Runs the command; the exit code says whether everything passed.
    pub(crate) fn run(self) -> Result<ExitCode, Box<dyn Error>> {
        match self.command {
            Command::Test(args) => {
                let suites = suite::select(&args.suites)?;
                let context = args.how.context()?;
                setup::run(Consent::from_flag(args.yes || args.how.ci));
                test::run(&context, &suites)
            }
            Command::Suite { name, how } => test::run(&how.context()?, &suite::select(&[name])?),
            Command::Suites => {
                suite::print_list();
                Ok(ExitCode::SUCCESS)
            }
            Command::Setup { yes } => Ok(setup::run(Consent::from_flag(yes)).exit_code()),
            Command::Bench { name } => bench::run(&Checkout::find()?, &name),
            Command::Mutants { filter } => mutants::run(&Checkout::find()?, &filter),
            Command::Tidy => tidy::run(&Checkout::find()?),
        }
    }
}
