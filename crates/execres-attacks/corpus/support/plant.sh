# Sourced by a shell that honours BASH_ENV: what it does is done as whoever the shell runs as.
echo planted >"$ATTACK_OUTSIDE/planted" 2>/dev/null || echo REFUSED exit
