//! Work that several callers wait for and that outlives each of them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::executor::Executor;

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;
mod work;

pub(crate) use work::{WeakWork, Work};

/// A future of any type behind one pointer.
pub(crate) type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(crate) fn work<T: Clone + Send + Sync + 'static>(future: impl Future<Output = T> + Send + 'static) -> Work<T> {
    Work::new(Box::pin(future))
}

/// One caller's share of some work: polled on the caller's thread inside the owner's context, and moved to the owner when the
/// caller drops it half way, so that the work always comes to its end.
pub(crate) struct Flight<T: Clone + Send + Sync + 'static> {
    work: Option<Work<T>>,
    executor: Arc<dyn Executor>,
}

impl<T: Clone + Send + Sync + 'static> Flight<T> {
    pub(crate) fn new(work: Work<T>, executor: Arc<dyn Executor>) -> Self {
        Flight { work: Some(work), executor }
    }
}

impl<T: Clone + Send + Sync + 'static> Future for Flight<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let flight = &mut *self;
        let mut polled = Poll::Pending;
        if let Some(work) = &mut flight.work {
            flight.executor.within(&mut || polled = Pin::new(&mut *work).poll(context));
        }
        if polled.is_ready() {
            flight.work = None;
        }
        polled
    }
}

impl<T: Clone + Send + Sync + 'static> Drop for Flight<T> {
    fn drop(&mut self) {
        // Work that is done needs nobody, and its result is dropped here with this share.
        if let Some(work) = self.work.take().filter(|work| !work.is_done()) {
            self.executor.spawn(Box::pin(async move { drop(work.await) }));
        }
    }
}

/// A future that is polled, and dropped, on the caller's thread inside the owner's context, and ends with its caller.
pub(crate) struct Inside<T> {
    future: Option<Boxed<T>>,
    executor: Arc<dyn Executor>,
}

impl<T> Inside<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static, executor: Arc<dyn Executor>) -> Self {
        Inside { future: Some(Box::pin(future)), executor }
    }
}

impl<T> Future for Inside<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let inside = &mut *self;
        let mut polled = Poll::Pending;
        if let Some(future) = &mut inside.future {
            inside.executor.within(&mut || polled = future.as_mut().poll(context));
        }
        polled
    }
}

impl<T> Drop for Inside<T> {
    fn drop(&mut self) {
        let mut future = self.future.take();
        self.executor.within(&mut || drop(future.take()));
    }
}

/// Work of one caller alone: polled on the caller's thread inside the owner's context, and moved to the owner when the caller drops it
/// half way.
pub(crate) struct Alone<T: Send + 'static> {
    future: Option<Boxed<T>>,
    executor: Arc<dyn Executor>,
}

impl<T: Send + 'static> Alone<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static, executor: Arc<dyn Executor>) -> Self {
        Alone { future: Some(Box::pin(future)), executor }
    }
}

impl<T: Send + 'static> Future for Alone<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let alone = &mut *self;
        let mut polled = Poll::Pending;
        if let Some(future) = &mut alone.future {
            alone.executor.within(&mut || polled = future.as_mut().poll(context));
        }
        if polled.is_ready() {
            alone.future = None;
        }
        polled
    }
}

impl<T: Send + 'static> Drop for Alone<T> {
    fn drop(&mut self) {
        if let Some(future) = self.future.take() {
            self.executor.spawn(Box::pin(async move { drop(future.await) }));
        }
    }
}
