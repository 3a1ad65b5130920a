# Runs moto's server on a port of loopback until standard input ends. Standard input ends with the parent process.
import os
import sys
import threading


def die_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=die_with_parent, daemon=True).start()

from moto.server import main  # noqa: E402, because the import takes seconds, in which the parent may exit

main(["-H", "127.0.0.1", "-p", sys.argv[1]])
