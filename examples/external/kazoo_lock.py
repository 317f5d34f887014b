"""kazoo's Lock on the bench: kazoo_lock.py [pattern ...]; with -lock- it counts the nodes of Holdfast and Curator, too."""

import sys

import kazoo
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import LockTimeout

from bench_lines import serve


class Locks:
    def __init__(self, client, patterns):
        self.client, self.patterns, self.held = client, patterns, {}
        client.add_listener(self.changed)

    def changed(self, state):
        # kazoo leaves it to its user to notice that a lock was lost with its session.
        if state == KazooState.LOST:
            self.held = {key: (lock, False) for key, (lock, _) in self.held.items()}

    def acquire(self, key, wait):
        path = key if key.startswith("/") else "/bench/" + key.replace("/", "_")
        lock = self.client.Lock(path, extra_lock_patterns=self.patterns)
        try:
            if not lock.acquire(timeout=wait):
                return False
        except LockTimeout:
            return False
        self.held[key] = (lock, True)
        return True

    def holds(self, key):
        lock, kept = self.held[key]
        return kept and lock.is_acquired and self.client.state == KazooState.CONNECTED

    def release(self, key):
        lock, _ = self.held.pop(key)
        return lock.release()


def open_locks(greeting):
    timeout = greeting["ttlMs"] / 1000
    client = KazooClient(hosts=",".join(greeting["servers"]), timeout=timeout)
    client.start(timeout=20)
    locks = Locks(client, sys.argv[1:])
    options = f"session of {timeout} s; stops when its client is not connected, as its documentation asks"
    return f"kazoo {kazoo.__version__} Lock", options, locks


serve(open_locks)
