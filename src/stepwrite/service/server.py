"""The server: a listening socket and a graceful shutdown."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys

import uvicorn
from fastapi import FastAPI

from stepwrite.errors import StepwriteError

GRACE = 1.0  # seconds for a last request on open connections


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 means any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        # An invalid address gives an error text instead of a number.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise StepwriteError(f"can't listen on {host}, port {port}: {reason}") from None


def serve(app: FastAPI, listener: socket.socket, *, seconds: float) -> None:
    """Serve until SIGTERM or SIGINT, then answer the accepted requests; SIGTERM exits with code 0.

    seconds: how long responses may take.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=round(seconds) + 1,
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again at the end
    _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that closes keep-alive connections without losing requests.

    A client may send its next request just when we close its connection. So we first accept no
    new connections and send `Connection: close` with each response, until all clients are gone or
    a moment has passed; only then does uvicorn shut down.
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
