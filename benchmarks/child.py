"""Run a command and print its wall time in seconds, its peak memory in bytes and its exit code as JSON.

A small process between, started with `-I -S`: a child's peak memory includes that of the process that it was forked from.
"""

import json
import os
import sys
import time


def main() -> None:
    command = sys.argv[1:]
    silence = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    begun = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=silence)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - begun
    unit = 1 if sys.platform == "darwin" else 1024
    print(json.dumps({"seconds": seconds, "peak": usage.ru_maxrss * unit, "code": os.waitstatus_to_exitcode(status)}))


if __name__ == "__main__":
    main()
