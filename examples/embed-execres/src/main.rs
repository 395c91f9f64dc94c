//! Runs a Python program from a Rust host, and shows result, evidence and outputs.
//!
//! `cargo run -p embed-execres`
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::Duration;

use execres::code::{CodeRequest, Language};
use execres::workspace::OutputPath;
use execres::{CodeCall, Execres};

const PROGRAM: &str = "\
squares = [n * n for n in range(10)]
with open('output/squares.txt', 'w') as file:
    file.write('\\n'.join(map(str, squares)))
print('the sum is', sum(squares))
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // One for the whole process; nothing is started yet.
    let execres = Execres::builder().build()?;

    let request =
        CodeRequest::new(Language::parse("python")?).source(PROGRAM).output(OutputPath::parse("output/squares.txt")?);
    let place = std::env::temp_dir().join(format!("embed-execres-{}", std::process::id()));
    let mut call = CodeCall::new(request);
    call.limits.wall_time = Duration::from_secs(10);
    call.deliver_to = Some(place.clone());

    // A program that fails is a result as well; an error means that it was not run.
    let result = execres.run(call).await?;
    println!("{}: {}", result.outcome, result.stdout.text().trim());
    println!("proven: {}", result.isolation.axes());
    for output in &result.outputs {
        println!("{} ({} bytes, {})", output.path, output.bytes, output.sha256);
    }
    println!(
        "the last square: {}",
        std::fs::read_to_string(place.join("squares.txt"))?.lines().last().unwrap_or_default()
    );
    std::fs::remove_dir_all(place)?;
    Ok(())
}
