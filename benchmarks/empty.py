"""An empty ASGI application under uvicorn, to compare the service with.

    python -m benchmarks.empty uvloop httptools     # loop and HTTP parser

It prints its address on stderr, as the service does.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

import uvicorn

BODY = b'{"status":"ok"}'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(BODY))]


async def empty(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})


def main() -> None:
    # With this protocol number asyncio sets TCP_NODELAY; without, both would wait 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(2048)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        empty,
        loop=sys.argv[1],
        http=sys.argv[2],
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
