"""Hostile HTTP requests.

The bytes go through the service's own connections and application, without a socket. Whatever they
are, what comes back must be whole HTTP responses with valid JSON, never a 500 and nothing in the
log, and soon.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections import Counter
from urllib.parse import quote

from uvicorn.server import ServerState

from stepwrite import load
from stepwrite.service.app import App
from stepwrite.service.connections import Connection, Places
from stepwrite.service.limits import Limits
from stepwrite.service.log import LOGGER
from stepwrite.service.metrics import STATUSES
from stepwrite.service.server import configure

from .tally import Tally

TOGETHER = 64  # requests at a time
SECONDS = 20.0  # for one of them
MODEL = "german-nouns"
LIMITS = Limits(body=20_000, words=20, symbols=40, n_best=3, bodies=1 << 20)
LEMMAS = ["Haus", "Maus", "Tür", "Straße", "e\u0301", "日本", "a b", "-", "x" * 39, "x" * 41, ""]
BUNDLES = ["N;NEUT;DAT;PL", "N;FEM;NOM;SG", "", "N", "V;PST", "N;ERG", "A(B(C", "case=DAT", "("]
JUNK: list[object] = [
    *(None, True, -1, 0, 2, 3, 4, 1.5, 1e400, float("nan"), 10**30, 10**5000, "", "x" * 500),
    *("\x00", "\ud800", [], {}, [[]], [{}], {"a": []}, "refuse", "ignore", MODEL, "A(" * 60),
]
PATHS = ["/", "/health", "/metrics", "/openapi.json", "/v1/models", f"/v1/models/{MODEL}"]
BAD_PATHS = ["/v1/models/x", "/page/app.js", "/page/../a", "/%00", "/%ff", "*", "//", "/v1/inflect"]
HEADERS = [
    *(b"content-length: 5", b"content-length: -1", b"transfer-encoding: chunked", b"host: a.org"),
    *(b"expect: 100-continue", b"connection: close", b"connection: upgrade", b"upgrade: websocket"),
    *(b"content-type: text/plain", b"x: " + b"y" * 9000, b"\xff: \xfe", b": ", b"host:", b" fold"),
]
BYTES = [b"\r\n", b"\n", b"\0", b"\xff", b"{", b"}", b"[", b'"', b"\\", b"0", b"9" * 400, b"%"]


class Transport(asyncio.Transport):
    """Keeps what the service writes."""

    def __init__(self) -> None:
        super().__init__()
        self.written, self.closed = bytearray(), False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self.closed:
            self.written += data

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Heard(logging.Handler):
    """Counts what the service logs as errors."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(self.format(record))


def main(count: int, seed: int) -> int:
    return asyncio.run(_main(count, seed))


async def _main(count: int, seed: int) -> int:
    chance = random.Random(seed)
    heard = Heard()
    for logger in (LOGGER, logging.getLogger("uvicorn.error"), logging.getLogger("asyncio")):
        logger.handlers, logger.propagate = [heard], False
        logger.setLevel(logging.ERROR)
    app = App({MODEL: load(MODEL)}, LIMITS)
    config = configure(app, LIMITS.seconds)
    config.load()
    tally = Tally("requests", seed)
    for number in range(0, count, TOGETHER):
        texts = [request(chance) for _ in range(min(TOGETHER, count - number))]
        answers = await asyncio.gather(*(_answer(config, text, chance) for text in texts))
        tally.n_tried += len(texts)
        for text, answer in zip(texts, answers, strict=True):
            problem = "too slow" if answer is None else problem_of(answer, tally.outcomes)
            if problem:
                tally.fail(f"{text!r:.500}: {problem}")
        for message in heard.messages:
            tally.fail(f"number {number} and following: logged {message}")
        heard.messages.clear()
    return tally.report()


async def _answer(config: object, text: bytes, chance: random.Random) -> bytes | None:
    """What the service writes on a new connection; None if it takes too long."""
    state, transport, places = ServerState(), Transport(), Places(10)
    places.expect()
    connection = Connection(config, state, places)  # type: ignore[arg-type]
    connection.connection_made(transport)
    cut = sorted(chance.sample(range(len(text) + 1), k=min(len(text), chance.choice((0, 0, 1, 3)))))
    for begin, end in zip([0, *cut], [*cut, len(text)], strict=True):
        if begin < end and not transport.closed:
            connection.data_received(text[begin:end])
        if chance.random() < 0.3:
            await asyncio.sleep(0)
    if connection.in_progress and connection.cycle.more_body:
        for _ in range(3):  # it may be answered although the rest of its body will never come
            await asyncio.sleep(0)
        connection.connection_lost(None)
        transport.closed = True
    try:
        async with asyncio.timeout(SECONDS):
            while state.tasks:
                await asyncio.wait(state.tasks)
    except TimeoutError:
        return None
    if not transport.closed:
        connection.connection_lost(None)
    return bytes(transport.written)


def problem_of(answer: bytes, outcomes: Counter[str]) -> str | None:
    """What is wrong with what the service wrote, if anything is."""
    while answer:
        head, end, rest = answer.partition(b"\r\n\r\n")
        if head == b"HTTP/1.1 100 Continue":
            answer = rest
            continue
        lines = head.split(b"\r\n")
        headers = dict(line.lower().split(b": ", 1) for line in lines[1:])
        status = int(lines[0].split()[1])
        length = int(headers[b"content-length"])
        body, answer = rest[:length], rest[length:]
        outcomes[f"status {status}"] += 1
        if not end or len(body) < length:
            return "cut off"
        if status not in STATUSES or status in (500, 503, 504):
            return f"status {status}: {body!r:.200}"
        if headers[b"content-type"] == b"application/json":
            try:
                content = json.loads(body, parse_constant=_no_constant)
            except ValueError as error:
                return f"not JSON: {error}: {body!r:.200}"
            if status != 200 and (set(content) != {"error"} or length > 1000):
                return f"a strange error: {body!r:.200}"
    return None


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} in JSON")


def request(chance: random.Random) -> bytes:
    """The bytes of a request, valid or broken in some way; sometimes of several."""
    text = _valid(chance)
    kind = chance.random()
    if kind < 0.45:  # the content is strange, the HTTP is fine
        return text
    if kind < 0.6:
        head, _, body = text.partition(b"\r\n")
        return b"\r\n".join([head, *chance.sample(HEADERS, chance.choice((1, 2))), body])
    if kind < 0.95:
        for _ in range(chance.choice((1, 1, 2, 5))):
            text = _broken(text, chance)
        return text
    if kind < 0.98:
        return text * chance.choice((2, 5, 40))
    return chance.randbytes(chance.randrange(300))


def _valid(chance: random.Random) -> bytes:
    kind = chance.random()
    if kind < 0.6:
        body = _body(chance)
        head = b"POST /v1/inflect HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        if chance.random() < 0.2:
            chunk = chance.choice((1, 10, 1000))
            pieces = [body[k : k + chunk] for k in range(0, len(body), chunk)]
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
            return head + b"transfer-encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
        return head + b"content-length: %d\r\n\r\n" % len(body) + body
    if kind < 0.8:
        names = ("model", "lemma", "pos", "feature", "feature", "x")
        values = (MODEL, *LEMMAS, "N", "case=DAT", "number=PL", "case", "=", "gender=FEM")
        chosen = {"model": MODEL, "lemma": chance.choice(LEMMAS)} if chance.random() < 0.7 else {}
        pairs = [*chosen.items()] + [
            (chance.choice(names), chance.choice(values)) for _ in range(chance.choice((0, 1, 3)))
        ]
        path = "/v1/paradigm?" + "&".join(f"{name}={quote(value)}" for name, value in pairs)
    else:
        path = chance.choice(PATHS if chance.random() < 0.5 else BAD_PATHS)
    method = chance.choice(("GET", "GET", "GET", "GET", "PUT", "OPTIONS", "DELETE"))
    return f"{method} {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()


def _body(chance: random.Random) -> bytes:
    """A request to inflect, in which junk may stand anywhere."""

    def either(good: object) -> object:
        return chance.choice(JUNK) if chance.random() < 0.05 else good

    words: list[object] = [
        either({"lemma": either(chance.choice(LEMMAS)), "features": either(chance.choice(BUNDLES))})
        for _ in range(chance.choice((1, 1, 1, 2, 5, 21)))
    ]
    content: dict[str, object] = {"model": either(MODEL), "words": either(words)}
    if chance.random() < 0.5:
        content["unknown_features"] = either("ignore")
    if chance.random() < 0.1:
        content["n_best"] = either(2)
    if chance.random() < 0.1:
        content["explain"] = either(True)
    if chance.random() < 0.05:
        content["x" * chance.choice((1, 2000))] = chance.choice(JUNK)
    try:
        return json.dumps(content).encode()
    except ValueError:  # an integer too long to be written
        return b'{"model":"%s","words":[{"lemma":"a"}],"n_best":%s}' % (MODEL.encode(), b"9" * 5000)


def _broken(text: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(text) + 1)
    match chance.randrange(5):
        case 0:
            return text[:place]
        case 1:
            return text[:place] + text[place + chance.choice((1, 2, 20)) :]
        case 2:
            return text[:place] + bytes([chance.randrange(256)]) + text[place + 1 :]
        case 3:
            return text[:place] + chance.choice(BYTES) + text[place:]
        case _:
            return text[:place] + text[place : place + 30] * chance.choice((2, 100)) + text[place:]
