#!/usr/bin/env bash
# Text tools at work: here-documents, pipelines, process substitution, arrays, a trap that cleans up.
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/before.txt" <<'POEM'
the rain in spain stays mainly in the plain
the wind in the willows blows over the plain
POEM

sed -e 's/rain/snow/' -e 's/willows/reeds/' "$scratch/before.txt" >"$scratch/after.txt"

words() {
    tr -s '[:space:]' '\n' <"$1" | sort
}

echo "most frequent words"
words "$scratch/before.txt" | uniq -c | sort -k1,1nr -k2 | head -n 3 |
    while read -r count word; do
        printf '  %-8s %s\n' "$word" "$(printf '#%.0s' $(seq "$count"))"
    done

echo "words that changed"
# `comm` reads two pipes as if they were files.
comm -3 <(words "$scratch/before.txt") <(words "$scratch/after.txt") |
    sed -e 's/^\t/  + /' -e '/^  +/!s/^/  - /'

declare -A lengths
while read -r word; do
    lengths[${#word}]=$((${lengths[${#word}]:-0} + 1))
done < <(words "$scratch/before.txt" | uniq)

echo "distinct words by length"
for length in $(printf '%s\n' "${!lengths[@]}" | sort -n); do
    printf '  %2d: %d\n' "$length" "${lengths[$length]}"
done
