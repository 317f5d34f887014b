"""redis-py's Lock on the bench: redis_lock.py [--without-timeout]"""

import sys

import redis
from redis.exceptions import LockError

from bench_lines import serve


class Locks:
    def __init__(self, client, timeout):
        self.client, self.timeout, self.held = client, timeout, {}

    def acquire(self, key, wait):
        lock = self.client.lock(key, timeout=self.timeout, blocking_timeout=wait, sleep=0.02)
        if not lock.acquire():
            return False
        self.held[key] = lock
        return True

    def holds(self, key):
        try:
            return self.held[key].owned()
        except redis.RedisError:
            return False

    def release(self, key):
        try:
            self.held.pop(key).release()
            return True
        except LockError:
            return False


def open_locks(greeting):
    host, port = greeting["servers"][0].rsplit(":", 1)
    # Without a timeout, the default of redis-py, a crashed holder keeps its key without limit.
    timeout = None if "--without-timeout" in sys.argv else greeting["ttlMs"] / 1000
    client = redis.Redis(host=host, port=int(port), socket_timeout=5)
    options = f"timeout={timeout}, sleep=0.02, owned() before each write; it renews nothing by itself"
    return f"redis-py {redis.__version__} Lock", options, Locks(client, timeout)


serve(open_locks)
