"""Try what a guest must not do, and show how each attempt was refused.

Exit code 0 when everything was refused, 1 when anything got through. Harmless where nothing confines it: it changes
nothing that it does not undo, and speaks to no address but 127.0.0.1.
"""

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

# The discard port of this very machine; nothing has to listen there to tell whether the machine can be reached.
LOOPBACK = ("127.0.0.1", 9)


class GotThrough(Exception):
    """An attempt succeeded; the text says what it reached."""


def read_the_password_hashes() -> None:
    text = Path("/etc/shadow").read_text()
    raise GotThrough(f"read {len(text.splitlines())} lines of /etc/shadow")


def write_to_the_system() -> None:
    refusal = None
    for directory in ("/etc", "/usr/local/bin", "/usr/lib"):
        path = Path(directory, f".execres-refused-{os.getpid()}")
        try:
            path.write_text("a trace\n")
        except OSError as error:
            refusal = error
        else:
            path.unlink()
            raise GotThrough(f"made and removed a file in {directory}")
    raise refusal


def write_into_the_kernel_settings() -> None:
    # Opening is enough to know; nothing is written.
    os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
    raise GotThrough("opened core_pattern for writing")


def connect_to_the_host() -> None:
    with socket.socket() as client:
        client.settimeout(2)
        try:
            client.connect(LOOPBACK)
        except ConnectionRefusedError:
            # Only a machine that got the packet can say that nobody listens.
            raise GotThrough("127.0.0.1 answered that nobody listens on port 9") from None
        raise GotThrough("connected to 127.0.0.1, port 9")


def see_other_processes() -> None:
    family = {1, os.getpid(), os.getppid()}
    others = [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and int(entry) not in family]
    if others:
        raise GotThrough(f"saw {len(others)} other processes")
    raise PermissionError("no process of the host is visible")


def become_root() -> None:
    os.setuid(0)
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        inside, outside, _count = map(int, line.split())
        if inside == outside == 0:
            raise GotThrough("is user 0, here and outside")
    raise PermissionError("user 0 here is an ordinary user outside")


ATTEMPTS: dict[str, Callable[[], None]] = {
    "read /etc/shadow": read_the_password_hashes,
    "write to the system": write_to_the_system,
    "open core_pattern for writing": write_into_the_kernel_settings,
    "connect to 127.0.0.1": connect_to_the_host,
    "see processes of the host": see_other_processes,
    "become root": become_root,
}


def main() -> int:
    breaches = 0
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
        except GotThrough as reached:
            breaches += 1
            print(f"  GOT THROUGH  {name}: {reached}")
        except OSError as error:
            print(f"  refused      {name}: {error.strerror or error}")
    if breaches:
        print(f"{breaches} of {len(ATTEMPTS)} attempts got through: this is no sandbox")
        return 1
    print(f"everything was refused ({len(ATTEMPTS)} attempts)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
