"""kazoo's Lock behind JSON lines: kazoo_lock.py host:port session-timeout-ms [pattern ...]"""

import json
import sys

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, LockTimeout

client = KazooClient(hosts=sys.argv[1], timeout=int(sys.argv[2]) / 1000)
client.start(timeout=20)
# With '-lock-' it counts the nodes of Holdfast and of Curator, too.
patterns = sys.argv[3:]
held = {}


def acquire(key, waitMs, **_):
    lock = client.Lock(key, extra_lock_patterns=patterns)
    try:
        if not lock.acquire(timeout=waitMs / 1000):
            return False
    except LockTimeout:
        return False
    held[key] = lock
    return True


def release(key, **_):
    return held.pop(key).release()


# Python buffers what it prints into a pipe, so every line is flushed.
print(json.dumps({"ready": 1}), flush=True)
for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    number, do = request.pop("id"), request.pop("do")
    try:
        ok = {"acquire": acquire, "release": release}[do](**request)
    except (KazooException, KeyError) as failure:
        print(repr(failure), file=sys.stderr, flush=True)
        ok = False
    print(json.dumps({"id": number, "ok": ok}), flush=True)
