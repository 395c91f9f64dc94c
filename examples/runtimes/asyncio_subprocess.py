"""Subprocesses, a pipeline, a kill and a local server in one event loop."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE


async def run(*command, data=None):
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    out, _ = await process.communicate(data)
    return process.returncode, out


async def answer(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


async def main():
    code = "import sys; print(sys.stdin.read()[::-1]); sys.exit(3)"
    results = await asyncio.gather(*(run(sys.executable, "-c", code, data=str(n).encode()) for n in range(10, 18)))
    assert results == [(3, str(n)[::-1].encode() + b"\n") for n in range(10, 18)], results

    shell = await asyncio.create_subprocess_shell("seq 1000 | sort -rn | head -1", stdout=PIPE)
    assert (await shell.communicate())[0] == b"1000\n"

    sleeper = await asyncio.create_subprocess_exec("sleep", "1000")
    try:
        await asyncio.wait_for(sleeper.wait(), 0.05)
    except asyncio.TimeoutError:
        sleeper.kill()
    assert await sleeper.wait() == -9

    server = await asyncio.start_unix_server(answer, "/tmp/socket")
    reader, writer = await asyncio.open_unix_connection("/tmp/socket")
    writer.write(b"hello\n")
    assert await reader.read() == b"HELLO\n"
    writer.close()
    server.close()
    print("asyncio works")


asyncio.run(main())
