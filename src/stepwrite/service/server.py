"""The server: a listening socket, one process or several, and a graceful shutdown."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys

import uvicorn

from stepwrite.errors import StepwriteError
from stepwrite.service.app import App
from stepwrite.service.connections import CLOSE, Door, Places
from stepwrite.service.log import log_sparingly
from stepwrite.service.workers import run_workers

GRACE = 1.0  # seconds for a last request on open connections
IDLE = 5  # seconds that a connection stays open between two requests
RESERVED = 128  # open files that are not connections
SWITCH = 0.001  # seconds after which a busy thread gives way to the event loop


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 means any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        # An invalid address gives an error text instead of a number.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise StepwriteError(f"can't listen on {host}, port {port}: {reason}") from None


def serve(
    app: App, listener: socket.socket, *, seconds: float, connections: int, workers: int = 1
) -> None:
    """Serve until SIGTERM or SIGINT, then answer the accepted requests; SIGTERM exits with code 0.

    seconds: how long responses may take. connections: how many each worker may have open.
    """
    log_sparingly()
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()  # else the collector looks through the models from time to time
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again at the end
    most = allowed_connections(connections)
    config = configure(app, seconds)

    def work(worker: int, parent: int) -> None:
        app.metrics.work_as(worker)
        Server(config, most, parent).run(sockets=[listener])

    if workers > 1:
        run_workers(work, workers)
    else:
        Server(config, most).run(sockets=[listener])


def configure(app: App, seconds: float) -> uvicorn.Config:
    """The settings of uvicorn; its loop is uvloop's, where that is installed."""
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=round(seconds) + 1,
    )


def allowed_connections(wanted: int) -> int:
    """As many connections as are wanted, or as the limit on open files leaves."""
    try:
        import resource
    except ImportError:  # Windows
        return wanted
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + RESERVED
    if files != resource.RLIM_INFINITY and files < needed:
        files = needed if most == resource.RLIM_INFINITY else min(needed, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
        return max(files - RESERVED, 1)
    return wanted


class Server(uvicorn.Server):
    """A server that closes keep-alive connections without losing requests.

    A client may send its next request just when we close its connection. So we first accept no
    new connections and send `Connection: close` with each response, until all clients are gone or
    a moment has passed; only then does uvicorn shut down.
    """

    def __init__(self, config: uvicorn.Config, connections: int, parent: int | None = None) -> None:
        super().__init__(config)
        self._places, self._parent = Places(connections), parent

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._parent is not None:
            asyncio.get_running_loop().add_reader(self._parent, self._orphaned)
        self.servers = [
            Door(listener, self._places, self.config, self.server_state)  # type: ignore[misc]
            for listener in sockets or ()
        ]
        self.started = True

    def _orphaned(self) -> None:
        assert self._parent is not None
        asyncio.get_running_loop().remove_reader(self._parent)
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:  # once per second
            self._places.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        self.server_state.default_headers.append(CLOSE)
        for _ in range(50):
            if not self.server_state.connections:
                break
            await asyncio.sleep(GRACE / 50)
        await super().shutdown(sockets)
