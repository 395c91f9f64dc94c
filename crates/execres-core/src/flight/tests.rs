//! One future that several wait for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};

use super::{Work, work};

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn poll<T: Clone>(work: &mut Work<T>, woken: &Arc<Woken>) -> Poll<T> {
    let waker = Waker::from(Arc::clone(woken));
    Future::poll(Pin::new(work), &mut Context::from_waker(&waker))
}

#[test]
fn who_comes_between_a_wake_and_the_end_of_the_poll_is_woken() {
    let second: Arc<OnceLock<Work<u8>>> = Arc::default();
    let [first_woken, second_woken] = [(); 2].map(|()| Arc::new(Woken::default()));
    let (share, woken, mut polls) = (Arc::clone(&second), Arc::clone(&second_woken), 0);
    let mut first = work(std::future::poll_fn(move |context| {
        polls += 1;
        if polls == 2 {
            return Poll::Ready(7);
        }
        context.waker().wake_by_ref();
        // Another thread's poll, which finds that somebody polls already.
        assert!(poll(&mut share.get().unwrap().clone(), &woken).is_pending());
        Poll::Pending
    }));
    second.set(first.clone()).unwrap_or_else(|_| unreachable!());
    assert!(poll(&mut first, &first_woken).is_pending());
    // The first never polls again.
    assert_eq!(second_woken.0.load(Ordering::SeqCst), 1, "the wake was not lost");
    let mut second = second.get().unwrap().clone();
    assert_eq!(poll(&mut second, &second_woken), Poll::Ready(7));
    assert_eq!(poll(&mut first, &first_woken), Poll::Ready(7), "all get the one result");
}

#[test]
fn a_panic_is_everybodys_and_nobody_waits_for_ever() {
    let mut polls = 0;
    let mut first = work(std::future::poll_fn(move |_context| {
        polls += 1;
        assert!(polls == 1, "told to panic");
        Poll::<u8>::Pending
    }));
    let mut second = first.clone();
    let [first_woken, second_woken] = [(); 2].map(|()| Arc::new(Woken::default()));
    assert!(poll(&mut second, &second_woken).is_pending(), "the control: it waits");
    assert!(catch_unwind(AssertUnwindSafe(|| poll(&mut first, &first_woken))).is_err());
    assert_eq!(second_woken.0.load(Ordering::SeqCst), 1, "who waits is told");
    assert!(catch_unwind(AssertUnwindSafe(|| poll(&mut second, &second_woken))).is_err());
    assert!(second.is_done(), "nothing of it is moved to the owner");
}
