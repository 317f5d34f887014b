import { ANSWERS, LIVENESS, type Mutant, mutantsOf, VALIDITY } from '../mutant.ts';

/** Mistakes in the ZooKeeper client below the recipe. */
export const ZK_CLIENT_MUTANTS: readonly Mutant[] = mutantsOf('zk-client', 'zk', [
  {
    name: 'watches-forgotten',
    file: 'session-link.ts',
    find: '    for (const batch of this.watches.setWatchesBatches(this.#lastZxid)) {\n',
    replace:
      '    for (const batch of [...this.watches.setWatchesBatches(this.#lastZxid)].slice(0, 0)) {\n',
    why: 'A server keeps watches per connection, not per session. A client that does not set them again after a reconnect waits for events that no server sends.',
    trial: { faults: ['peer-cut'], target: LIVENESS },
    detectedBy: /never got its turn|never ended|waited \d+ ms for a key that nobody held/,
  },
  {
    name: 'xid-reused',
    file: 'pending-requests.ts',
    find: '    this.#lastXid = this.#lastXid === XID_MAX ? 1 : this.#lastXid + 1;\n',
    replace: '    this.#lastXid = (this.#lastXid % 3) + 1;\n',
    why: 'The xid of a reply names its request. A client that reuses xids while requests are pending overwrites one of them, and its caller waits without end.',
    trial: { faults: ['none'], target: LIVENESS },
    detectedBy: /never comes to an end/,
  },
  {
    name: 'zxid-not-remembered',
    file: 'session-link.ts',
    find: '          if (zxid > this.#lastZxid) this.#lastZxid = zxid;\n',
    replace: '          if (zxid < this.#lastZxid) this.#lastZxid = zxid;\n',
    why: 'A client sends the last zxid it has seen, and a server that is behind rejects it. Without it the client reads an older state after a reconnect, and sets its watches as of the beginning.',
    trial: { faults: ['lost-reply'], target: LIVENESS },
    detectedBy: /never got its turn/,
  },
  {
    name: 'reply-to-wrong-request',
    file: 'pending-requests.ts',
    find: '    const oldest = this.#oldest();\n    if (oldest === undefined || oldest[0] !== header.xid) {\n',
    replace: '    const oldest = [...this.#byXid].at(-1);\n    if (oldest === undefined) {\n',
    why: 'Servers reply in the order of the requests. A client that matches a reply to the latest request takes an older list of contenders for the current one.',
    trial: { faults: ['none'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'expired-session-replaced',
    file: 'session-link.ts',
    find: "      else this.#end('expired', 'the session has expired');\n",
    replace: '      else connection.fail(new Error(`once more ${(this.#id = 0n)}`));\n',
    why: 'Ephemeral nodes are deleted with their session. A client that silently opens another one after expiry counts leases from a session that owns none of their nodes.',
    trial: { faults: ['server-stop'], target: ANSWERS },
    detectedBy: /but by the servers' records only until/,
  },
  {
    name: 'one-read-one-frame',
    file: 'frames.ts',
    find: '    this.#parts = bytes.length === 0 ? [] : [bytes.slice()];\n    this.#partsBytes = bytes.length;\n',
    replace:
      '    this.#parts = [];\n    this.#partsBytes = 0;\n    this.#neededBytes = LENGTH_BYTES;\n',
    why: 'TCP carries bytes, not messages. A client that takes one read for whole frames misreads the first frame that arrives in two pieces.',
    trial: { faults: ['none'], target: LIVENESS },
    detectedBy: /for a key that nobody held/,
  },
]);
