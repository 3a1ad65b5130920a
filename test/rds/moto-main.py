# Runs moto's server on a port of loopback until the standard input ends, which it does when the process that started us ends.
import os
import sys
import threading


def die_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=die_with_parent, daemon=True).start()

from moto.server import main  # noqa: E402, as the import takes seconds in which we may be left alone

main(["-H", "127.0.0.1", "-p", sys.argv[1]])
