//! Reading pages of documentation: lines of prose, links, headings.

/// The lines of prose with their numbers counted from 1; code blocks are left out and code spans blanked.
pub(super) fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((number, without_spans(line)));
        }
    }
    lines
}

/// What the links of a line of prose point to.
pub(super) fn link_targets(line: &str) -> Vec<&str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', ' ']).next())
        .filter(|target| !target.is_empty())
        .collect()
}

/// The anchors that the headings of a page make.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut anchors = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            anchors.push(anchor(line.trim_start_matches('#')));
        }
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn without_spans(line: &str) -> String {
    let closed = line.matches('`').count() / 2 * 2;
    line.split('`').enumerate().map(|(index, part)| if index % 2 == 1 && index <= closed { "" } else { part }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_are_not_links() {
        let lines = prose("see [a](b.md) and `[x](y.md)`\n```\n[c](d.md)\n```\n[e](f.md#g \"t\")\n");
        let targets: Vec<_> =
            lines.iter().flat_map(|(number, line)| link_targets(line).into_iter().map(|t| (*number, t))).collect();
        assert_eq!(targets, [(1, "b.md"), (5, "f.md#g")]);
    }

    #[test]
    fn headings_make_anchors() {
        assert_eq!(
            anchors("# One action, as `data`\n```\n# no\n```\n## Exit codes\n"),
            ["one-action-as-data", "exit-codes"]
        );
    }
}
