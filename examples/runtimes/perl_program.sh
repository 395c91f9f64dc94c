#!/usr/bin/env bash
# The program is an input, and lies beside this one.
exec perl text.pl
