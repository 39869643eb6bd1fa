"""The server: a socket, and an end that leaves nobody without an answer."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys

import uvicorn
from fastapi import FastAPI

from stepwrite.errors import StepwriteError

GRACE = 1.0  # seconds that open connections have for a last request


def listen(host: str, port: int) -> socket.socket:
    """A socket that waits for connections; port 0: one that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        # For an address that is none, there is no number but a text.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise StepwriteError(f"can't listen on {host}, port {port}: {reason}") from None


def serve(app: FastAPI, listener: socket.socket, *, seconds: float) -> None:
    """Answer until SIGTERM or SIGINT, then what was taken; SIGTERM is a good end, code 0.

    seconds: how long answers may take.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=round(seconds) + 1,
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again at its end
    _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that says goodbye before it hangs up.

    A connection that is kept alive may have sent its next request just when we close it. So
    first no new connections, and `Connection: close` with each answer, until all have gone or
    a moment has passed; only then uvicorn's own shutdown.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        self.server_state.default_headers.append((b"connection", b"close"))
        for _ in range(50):
            if not self.server_state.connections:
                break
            await asyncio.sleep(GRACE / 50)
        await super().shutdown(sockets)
