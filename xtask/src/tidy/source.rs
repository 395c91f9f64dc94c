//! Telling code, comments and string literals apart, so that a rule about code is not caught by prose.

/// One line of a source file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The code, with comments removed and the insides of string literals blanked.
    pub(super) code: String,
    /// The text of comments.
    pub(super) comment: String,
}

/// Where in the source the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    LineComment,
    /// Block comments nest.
    BlockComment(usize),
    Text,
    /// A raw string that ends with this many hashes.
    RawText(usize),
}

/// Splits a Rust source into lines of code and comment.
pub(super) fn split(source: &str) -> Vec<Line> {
    let chars: Vec<char> = source.chars().collect();
    let mut lines = vec![Line::default()];
    let mut state = State::Code;
    let mut at = 0;
    while at < chars.len() {
        let Some(line) = lines.last_mut() else { break };
        let rest = &chars[at..];
        if rest[0] == '\n' {
            if state == State::LineComment {
                state = State::Code;
            }
            lines.push(Line::default());
            at += 1;
            continue;
        }
        let (next, taken) = step(state, rest, line);
        state = next;
        at += taken;
    }
    if source.ends_with('\n') {
        lines.pop();
    }
    lines
}

/// Reads what is at the start of `rest` into the line; returns the state after it and how many characters it took.
fn step(state: State, rest: &[char], line: &mut Line) -> (State, usize) {
    match state {
        State::Code => step_code(rest, line),
        State::LineComment => {
            line.comment.push(rest[0]);
            (state, 1)
        }
        State::BlockComment(depth) => match rest {
            ['*', '/', ..] if depth == 1 => (State::Code, 2),
            ['*', '/', ..] => (State::BlockComment(depth - 1), 2),
            ['/', '*', ..] => (State::BlockComment(depth + 1), 2),
            _ => {
                line.comment.push(rest[0]);
                (state, 1)
            }
        },
        State::Text => match rest {
            // An escaped end of line stays for the line counter.
            ['\\', '\n', ..] => (state, 1),
            ['\\', _, ..] => (state, 2),
            ['"', ..] => {
                line.code.push('"');
                (State::Code, 1)
            }
            _ => (state, 1),
        },
        State::RawText(hashes) => {
            if rest[0] == '"' && rest[1..].iter().take_while(|c| **c == '#').count() >= hashes {
                line.code.push('"');
                (State::Code, 1 + hashes)
            } else {
                (state, 1)
            }
        }
    }
}

fn step_code(rest: &[char], line: &mut Line) -> (State, usize) {
    match rest {
        ['/', '/', ..] => (State::LineComment, 2),
        ['/', '*', ..] => (State::BlockComment(1), 2),
        ['"', ..] => {
            line.code.push('"');
            (State::Text, 1)
        }
        ['r', ..] if !ends_in_word(&line.code) || line.code.ends_with(['b', 'c']) => match raw_start(&rest[1..]) {
            Some(hashes) => {
                line.code.push('"');
                (State::RawText(hashes), hashes + 2)
            }
            None => plain('r', line),
        },
        // A character literal; a lifetime has no second quote in these places.
        ['\'', '\\', _, ..] => {
            let end = rest.iter().skip(3).position(|c| *c == '\'').map_or(rest.len(), |end| end + 4);
            line.code.push_str("' '");
            (State::Code, end)
        }
        ['\'', _, '\'', ..] => {
            line.code.push_str("' '");
            (State::Code, 3)
        }
        _ => plain(rest[0], line),
    }
}

fn plain(c: char, line: &mut Line) -> (State, usize) {
    line.code.push(c);
    (State::Code, 1)
}

fn ends_in_word(code: &str) -> bool {
    code.ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// The number of hashes when a raw string starts here, after its `r`.
fn raw_start(rest: &[char]) -> Option<usize> {
    let hashes = rest.iter().take_while(|c| **c == '#').count();
    (rest.get(hashes) == Some(&'"')).then_some(hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> Vec<String> {
        split(source).into_iter().map(|line| line.code.trim().to_owned()).collect()
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        assert_eq!(code("a(); // unsafe {\nb(\"unsafe {\"); /* x\ny */ c();\n"), ["a();", "b(\"\");", "c();"]);
        assert_eq!(split("x // FIX it\n")[0].comment, " FIX it");
    }

    #[test]
    fn raw_strings_end_where_their_hashes_do() {
        assert_eq!(code("let a = r#\"unsafe \" {\"#; b"), ["let a = \"\"; b"]);
        assert_eq!(code("let a = br\"\\\"; b"), ["let a = b\"\"; b"]);
        assert_eq!(code("for\"x\""), ["for\"\""]);
    }

    #[test]
    fn quotes_in_characters_and_lifetimes_do_not_open_strings() {
        assert_eq!(code("f('\"', '\\'', '\\u{22}'); g::<'a>(\"s\")"), ["f(' ', ' ', ' '); g::<'a>(\"\")"]);
    }

    #[test]
    fn lines_are_counted_through_strings() {
        assert_eq!(split("a(\"one\\\ntwo\nthree\");\nb\n").len(), 4);
    }
}
