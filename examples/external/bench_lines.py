"""The lines of docs/testing/external.md, for adapters in Python."""

import json
import queue
import socket
import sys
import threading
import time

_saying = threading.Lock()


def say(line):
    with _saying:
        # Python buffers what it prints into a pipe, so every line is flushed.
        print(json.dumps(line), flush=True)


class Worker(threading.Thread):
    """One thread per key, because a request of one key must not hold up another."""

    def __init__(self, key, locks, greeting):
        super().__init__(daemon=True)
        self.key, self.locks, self.client = key, locks, greeting["client"]
        host, port = greeting["resource"].rsplit(":", 1)
        self.address = (host, int(port))
        self.requests, self.lines, self.reading = queue.Queue(), None, None
        self.start()

    def run(self):
        for request in iter(self.requests.get, None):
            try:
                say({"id": request["id"], **getattr(self, "do_" + request["do"])(request)})
            except Exception as failure:
                print(repr(failure), file=sys.stderr, flush=True)
                unknown = request["do"] in ("acquire", "release")
                say({"id": request["id"], "ok": False, "unknown": unknown, "reason": type(failure).__name__})

    def do_acquire(self, request):
        ok = self.locks.acquire(self.key, request["waitMs"] / 1000)
        return {"ok": ok} if ok else {"ok": False, "reason": "timeout"}

    def do_check(self, request):
        return {"ok": bool(self.locks.holds(self.key))}

    def do_read(self, request):
        self.reading = self.ask({"kind": "read", "hold": request["hold"]})["reading"]
        return {"ok": True}

    def do_write(self, request):
        if request["check"] and not self.locks.holds(self.key):
            return {"ok": False, "reason": "lost"}
        self.ask({"kind": "write", "hold": request["hold"], "plain": self.reading["plain"] + 1, "fenced": None})
        return {"ok": True}

    def do_release(self, request):
        return {"ok": bool(self.locks.release(self.key))}

    def ask(self, request):
        if self.lines is None:
            connection = socket.create_connection(self.address)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.lines = connection.makefile("rw")
        self.lines.write(json.dumps({"id": 1, "key": self.key, "client": self.client, **request}) + "\n")
        self.lines.flush()
        return json.loads(self.lines.readline())


def serve(open_locks):
    """`open_locks(greeting)` returns the name, the options in words, and an object with acquire, holds and release."""
    greeting = json.loads(sys.stdin.readline())
    name, options, locks = open_locks(greeting)
    workers = {}
    say({"ready": 1, "name": name, "options": options})
    for line in iter(sys.stdin.readline, ""):
        request = json.loads(line)
        if request["do"] == "clock":
            say({"id": request["id"], "ok": True, "wallMs": time.time() * 1000})
            continue
        key = request["key"]
        if key not in workers:
            workers[key] = Worker(key, locks, greeting)
        workers[key].requests.put(request)
