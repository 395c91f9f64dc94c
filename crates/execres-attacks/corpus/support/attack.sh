# What the attacks written in shell share: how they answer. See attack.h for the answers.
attempt() { echo ATTEMPT; }
worked() { echo "WORKED $*"; exit 0; }
refused() { echo "REFUSED ${1:-exit}"; exit 0; }
attempted() { echo ATTEMPTED; exit 0; }
cannot() { echo "CANNOT $*"; exit 0; }
