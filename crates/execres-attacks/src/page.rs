//! `docs/containment.md`, from a run. It holds nothing that differs from run to run.

use std::fmt::Write as _;

use crate::attack::{Attack, Control, Ground};
use crate::matrix::Matrix;
use crate::rows::{Home, THREATS};

/// The page. It says what became of every attack, so it is written from a run in which all of them were made.
pub fn page(matrix: &Matrix) -> String {
    let mut text = String::from(
        "# Containment\n\nWritten by `cargo run -p execres-attacks -- --write-page docs/containment.md`, from a run by root in which \
         every attack was really made. As an ordinary user the same is contained, but for limits that nothing enforces on the \
         lower rungs where there is no controller and the guest has the host's user: memory, and the number of processes. [isolation.md](isolation.md) says how the sandbox is built, [guarantees.md](guarantees.md) names \
         the tests. `cargo xtask suite attacks` runs it all again, as root and as an ordinary user.\n\n\
         ## How to read this\n\nAn attack is a small program in `crates/execres-attacks/corpus`. Its header says what it tries, what \
         falls when it succeeds, what the host looks at, and why its failure proves something:\n\n\
         - **outside**: the same program with the same arguments works outside, as a process with the guest's own identity; \
         *in namespaces*: where it is root in namespaces that the control made for itself.\n\
         - **differential**: the same call, with arguments that no kernel accepts, gets another error outside.\n\
         - **reasoned**: it must not, or cannot, be made to work outside, so there is no control but the reason.\n\n\
         The verdict follows from what the host saw: files, secrets in the output, a process that says when it is reached, \
         processes that are left, the outcome. What an attack says of itself can only accuse it. *Not claimed* means that the attack \
         succeeded, and that no promise covers it there: the axis is not proven, or the report says that nothing enforces the \
         limit. \"Rows\" are those of the threat list at the end of this page. A dash means that the attack has no meaning there.\n\n## Configurations\n\n\
         | configuration | what it is |\n|---|---|\n",
    );
    for (name, about) in &matrix.configurations {
        // Writing to a string does not fail.
        writeln!(text, "| {name} | {about} |").ok();
    }
    text.push_str("\n## Attacks\n");
    let mut class = None;
    for row in &matrix.rows {
        let attack = &row.attack;
        if class != Some(attack.class) {
            class = Some(attack.class);
            write!(text, "\n### {}\n\n| attack | what it tries | rows | falls with it | control |", attack.class).ok();
            for (name, _) in &matrix.configurations {
                write!(text, " {name} |").ok();
            }
            let columns = "---|".repeat(5 + matrix.configurations.len());
            write!(text, "\n|{columns}\n").ok();
        }
        let rows: Vec<String> = attack.rows.iter().map(u8::to_string).collect();
        write!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            attack.id,
            attack.attempt,
            rows.join(", "),
            attack.target,
            control(attack)
        )
        .ok();
        for cell in &row.cells {
            write!(text, " {} |", cell.verdict.word()).ok();
        }
        text.push('\n');
    }
    text.push_str("\n## The threat list\n\n| row | threat | attacks |\n|---|---|---|\n");
    for threat in THREATS {
        let attacks: Vec<String> = matrix
            .rows
            .iter()
            .filter(|row| row.attack.rows.contains(&threat.row))
            .map(|row| format!("`{}`", row.attack.id))
            .collect();
        let answer = match threat.home {
            Home::Corpus => attacks.join(", "),
            Home::Elsewhere(part) => format!("belongs to: {part}"),
        };
        writeln!(text, "| {} | {} | {answer} |", threat.row, threat.what).ok();
    }
    text
}

fn control(attack: &Attack) -> String {
    let on = |ground: &Ground| match ground {
        Ground::Host => "",
        Ground::Namespaces => ", in namespaces",
    };
    match &attack.control {
        Control::Outside(ground) => format!("outside{}", on(ground)),
        Control::Differential(ground) => format!("differential{}", on(ground)),
        Control::Reasoned(why) => format!("reasoned: {why}"),
    }
}
