"""A web server on this machine that can be told to misbehave."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Mirror(ThreadingHTTPServer):
    """Serves `files` by path. `faults` are used up, one per request; `asked` records requests.

    Faults: "broken" sends the first half of what was asked for and hangs up; "stalled" sends it
    and says no more; "wrong" sends other bytes, as many; "rangeless" sends all, whatever part was
    asked for; "sizeless" does not tell the size; a number is an HTTP status; "" is none.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.faults: list[str | int] = []
        self.asked: list[tuple[str, str | None]] = []
        self.ended = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Mirror:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.ended.set()
        self.shutdown()
        self.server_close()

    def wait_for(self, n_requests: int) -> None:
        deadline = time.monotonic() + 30
        while len(self.asked) < n_requests:
            assert time.monotonic() < deadline, f"{len(self.asked)} requests so far"
            time.sleep(0.01)


class Handler(BaseHTTPRequestHandler):
    server: Mirror

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.server.asked.append((self.path, asked))
        fault = self.server.faults.pop(0) if self.server.faults else ""
        whole = self.server.files.get(self.path.removeprefix("/"))
        if isinstance(fault, int) or whole is None:
            return self.send_error(fault or 404)
        start = 0
        if asked and fault != "rangeless":
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
        if start and start >= len(whole):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        body = whole[start:]
        if fault != "sizeless":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if fault == "wrong":
            body = bytes(byte ^ 1 for byte in body)
        if fault in ("broken", "stalled"):
            body = body[: len(body) // 2]
        self.wfile.write(body)
        self.wfile.flush()
        if fault == "stalled":
            self.server.ended.wait(30)
        return None

    def log_message(self, *message: object) -> None:
        pass
