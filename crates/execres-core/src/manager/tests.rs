#[cfg(not(feature = "shuttle"))]
mod approval;
#[cfg(not(feature = "shuttle"))]
mod blocking;
#[cfg(not(feature = "shuttle"))]
mod calls;
#[cfg(feature = "shuttle")]
mod interleavings;
#[cfg(not(feature = "shuttle"))]
mod lifecycle;
#[cfg(not(feature = "shuttle"))]
mod misbehaviour;
#[cfg(not(feature = "shuttle"))]
mod mock;
#[cfg(not(feature = "shuttle"))]
mod model;
#[cfg(not(feature = "shuttle"))]
mod numbers;
#[cfg(not(feature = "shuttle"))]
mod reentry;
#[cfg(not(feature = "shuttle"))]
mod runtime;
#[cfg(not(feature = "shuttle"))]
mod secrets;
#[cfg(not(feature = "shuttle"))]
mod selection;
#[cfg(not(feature = "shuttle"))]
mod shutdown;
#[cfg(not(feature = "shuttle"))]
mod single_flight;
#[cfg(not(feature = "shuttle"))]
mod trace;
