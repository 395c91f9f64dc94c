//! The handlers that ask a person at the terminal.

use std::io;

use async_trait::async_trait;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::prompt::{answer_approves, question, shown};
use super::terminal::Terminal;
use super::{ApprovalHandler, ApprovalRequest, Decision};

/// Whoever holds it has the terminal. Others wait in line, the first come first.
static TURN: Mutex<()> = Mutex::const_new(());

/// How long the answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// As long as the request says, from the moment when the question is shown.
    Limited,
    /// As long as the manager waits for any handler.
    Unlimited,
}

/// Asks a person at the terminal of the process, never at its standard input.
///
/// No thread waits for the answer: the terminal is a file that the owner runtime watches, so a question that timed out or was withdrawn
/// leaves nothing behind that could take what is typed later or keep the process from ending.
pub(super) struct Input {
    patience: Patience,
    open: fn() -> io::Result<Terminal>,
}

impl Input {
    pub(super) const fn at_the_terminal(patience: Patience) -> Self {
        Input { patience, open: Terminal::open }
    }

    #[cfg(all(test, unix, not(feature = "shuttle")))]
    pub(super) fn nowhere(patience: Patience) -> Self {
        Input { patience, open: || Err(io::ErrorKind::NotFound.into()) }
    }

    async fn ask(&self, request: &ApprovalRequest) -> io::Result<Option<String>> {
        let terminal = (self.open)()?;
        let limit = (self.patience == Patience::Limited).then_some(request.input_timeout);
        terminal.ask(&question(request, limit), limit).await
    }
}

#[async_trait]
impl ApprovalHandler for Input {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let _turn = TURN.lock().await;
        let subject = shown(request.subject.as_str());
        let reason = match self.ask(request).await {
            Ok(Some(answer)) if answer_approves(&answer) => return Decision::Approved,
            Ok(Some(_)) => format!("it was denied at the terminal for '{subject}'"),
            Ok(None) => format!("nobody answered in time for '{subject}'"),
            Err(error) => {
                tracing::debug!(%error, "the terminal cannot be asked");
                format!(
                    "nobody can be asked for '{subject}': the process has no interactive terminal; a host without one registers an \
                     approval handler of its own and makes it the default"
                )
            }
        };
        Decision::Denied { reason }
    }
}

impl Terminal {
    /// The line that is typed after the question is shown; `None` when none comes in time, or the terminal's end.
    pub(super) async fn ask(
        mut self,
        question: &str,
        limit: Option<std::time::Duration>,
    ) -> io::Result<Option<String>> {
        // An answer typed before the question is seen is an answer to something else.
        self.discard_typed()?;
        self.show(question).await?;
        let line = self.line();
        let answer = match limit {
            Some(limit) => timeout(limit, line).await.unwrap_or(Ok(None)),
            None => line.await,
        };
        if let Ok(Some(_)) = answer {
            self.answered();
        }
        answer
    }
}
