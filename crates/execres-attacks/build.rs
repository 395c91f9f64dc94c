//! Puts the corpus into the library, so that it can be run by a user who cannot read the checkout.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("corpus");
    println!("cargo::rerun-if-changed={}", corpus.display());
    let mut table = String::from("&[\n");
    for (name, path) in files(&corpus, "")? {
        println!("cargo::rerun-if-changed={}", path.display());
        writeln!(table, "    ({name:?}, include_str!({:?})),", path.display().to_string())?;
    }
    table.push(']');
    fs::write(Path::new(&std::env::var("OUT_DIR")?).join("corpus.rs"), table)?;
    Ok(())
}

fn files(directory: &Path, prefix: &str) -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a file of the corpus has no plain name")?;
        if path.is_dir() {
            found.extend(files(&path, &format!("{prefix}{name}/"))?);
        } else {
            found.push((format!("{prefix}{name}"), path));
        }
    }
    found.sort();
    Ok(found)
}
