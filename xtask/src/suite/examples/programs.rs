//! The example programs and what shows that each did its work.

/// An example program.
pub(super) struct Program {
    /// Its name in `examples/programs`.
    pub(super) file: &'static str,
    /// The program on the search path that runs or builds it.
    pub(super) needs: &'static str,
    /// Names in `examples/data` that it reads.
    pub(super) inputs: &'static [&'static str],
    /// What it writes.
    pub(super) outputs: &'static [&'static str],
    /// A part of what it prints.
    pub(super) says: &'static str,
}

pub(super) const PROGRAMS: &[Program] = &[
    Program { file: "primes.py", needs: "python3", inputs: &[], outputs: &[], says: "348,513 primes below 5,000,000" },
    Program {
        file: "analysis.py",
        needs: "python3",
        inputs: &["sales.csv"],
        outputs: &["output/summary.csv", "output/chart.svg"],
        says: "all regions",
    },
    Program { file: "refused.py", needs: "python3", inputs: &[], outputs: &[], says: "everything was refused" },
    Program { file: "hello.js", needs: "node", inputs: &[], outputs: &[], says: "Hello from Node.js" },
    Program { file: "pipeline.sh", needs: "bash", inputs: &[], outputs: &[], says: "most frequent words" },
    Program { file: "collatz.c", needs: "gcc", inputs: &[], outputs: &[], says: "longest Collatz chain" },
    Program {
        file: "mandelbrot.cpp",
        needs: "g++",
        inputs: &[],
        outputs: &["output/mandelbrot.ppm"],
        says: "pixels inside the set",
    },
];
