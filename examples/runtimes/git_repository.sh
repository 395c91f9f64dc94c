#!/usr/bin/env bash
# A repository from nothing: commits, branches, a merge with a conflict, a clone by path, a worktree, a bundle.
set -euo pipefail

git config --global user.name "A Guest"
git config --global user.email guest@example.com
git config --global init.defaultBranch main
git init -q /tmp/origin
cd /tmp/origin
echo one >file && git add file && git commit -qm "Add a file"
git switch -qc other
echo two >file && git commit -qam "Change it"
git switch -q main
echo three >file && git commit -qam "Change it otherwise"
if git merge -q other >/dev/null 2>&1; then exit 1; fi
echo both >file && git add file && git commit -qm "Merge"
test "$(git rev-list --count HEAD)" = 4
git clone -q /tmp/origin /tmp/clone
cd /tmp/clone
git worktree add -q /tmp/tree origin/other
test "$(cat /tmp/tree/file)" = two
echo four >new && git add new && git commit -qm "Add another" && git push -q origin HEAD:refs/heads/pushed
git -C /tmp/origin log --format=%s -1 pushed | grep -qx "Add another"
git bundle create -q /tmp/all.bundle --all && git bundle verify -q /tmp/all.bundle >/dev/null
git gc -q && git fsck --no-progress >/dev/null 2>&1
echo "git works"
