"""What the attacks written in Python share: what they are told, and how they answer. See attack.h for the answers."""

import errno
import os
import sys


def _answer(*words):
    print(*words, flush=True)


def attempt():
    _answer("ATTEMPT")


def _end():
    sys.stdout.flush()
    os._exit(0)


def worked(what=""):
    _answer("WORKED", what)
    _end()


def refused(error):
    number = error.errno if isinstance(error, OSError) else error
    _answer("REFUSED", errno.errorcode.get(number, str(number)))
    _end()


def attempted():
    _answer("ATTEMPTED")
    _end()


def cannot(why):
    _answer("CANNOT", why)
    _end()


def given(name):
    value = os.environ.get("ATTACK_" + name)
    if not value:
        cannot("it was not told what it needs")
    return value


def report(action):
    """Tries something once."""
    attempt()
    try:
        action()
    except OSError as error:
        refused(error)
    worked()


def all_of(actions):
    """Tries each of several ways to one end; refused when every one is, with the error of the last."""
    attempt()
    last = None
    for action in actions:
        try:
            action()
        except OSError as error:
            last = error
        else:
            worked()
    refused(last)
