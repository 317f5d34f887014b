"""redis-py's Lock behind JSON lines: redis_lock.py host:port"""

import json
import sys

import redis

host, port = sys.argv[1].rsplit(":", 1)
client = redis.Redis(host=host, port=int(port), socket_timeout=5)
held = {}


def acquire(key, waitMs, ttlMs=None, **_):
    # Without a ttl, the default of redis-py, a crashed holder keeps its key without limit.
    timeout = None if ttlMs is None else ttlMs / 1000
    lock = client.lock(key, timeout=timeout, blocking_timeout=waitMs / 1000, sleep=0.02)
    if not lock.acquire():
        return False
    held[key] = lock
    return True


def release(key, **_):
    held.pop(key).release()
    return True


# Python buffers what it prints into a pipe, so every line is flushed.
print(json.dumps({"ready": 1}), flush=True)
for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    number, do = request.pop("id"), request.pop("do")
    try:
        ok = {"acquire": acquire, "release": release}[do](**request)
    except (redis.RedisError, KeyError) as failure:
        print(repr(failure), file=sys.stderr, flush=True)
        ok = False
    print(json.dumps({"id": number, "ok": ok}), flush=True)
