//! The facade: one manager with the built-in providers registered, and the main job in a few lines.
