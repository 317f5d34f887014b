import { ANSWERS, LIVENESS, type Mutant, VALIDITY } from '../mutant.ts';

type ClientMutant = Omit<Mutant, 'package' | 'trial'> & {
  readonly trial: Omit<Mutant['trial'], 'subject'>;
};

/** Mistakes in the ZooKeeper client below the recipe. */
export const ZK_CLIENT_MUTANTS: readonly Mutant[] = (
  [
    {
      name: 'watches-forgotten',
      file: 'session-link.ts',
      find: '    for (const batch of this.watches.setWatchesBatches(this.#lastZxid)) {\n',
      replace:
        '    for (const batch of [...this.watches.setWatchesBatches(this.#lastZxid)].slice(0, 0)) {\n',
      why: 'A server keeps the watches of a connection, not of a session. Whoever does not set them again on the next connection waits for news that nobody will send.',
      trial: { faults: ['peer-cut'], target: LIVENESS },
      detectedBy: /never got its turn|never ended|waited \d+ ms for a key that nobody held/,
    },
    {
      name: 'xid-reused',
      file: 'pending-requests.ts',
      find: '    this.#lastXid = this.#lastXid === XID_MAX ? 1 : this.#lastXid + 1;\n',
      replace: '    this.#lastXid = (this.#lastXid % 3) + 1;\n',
      why: 'The number of a request says which answer is its own. Whoever counts to three and begins again loses the request that has the number still.',
      trial: { faults: ['none'], target: LIVENESS },
      detectedBy: /never comes to an end/,
    },
    {
      name: 'zxid-not-remembered',
      file: 'session-link.ts',
      find: '          if (zxid > this.#lastZxid) this.#lastZxid = zxid;\n',
      replace: '          if (zxid < this.#lastZxid) this.#lastZxid = zxid;\n',
      why: 'A client tells the next server what it has seen, and one that is behind turns it away. Whoever tells nothing reads from the past there, and asks to hear of changes since the beginning.',
      trial: { faults: ['lost-reply'], target: LIVENESS },
      detectedBy: /never got its turn/,
    },
    {
      name: 'reply-to-wrong-request',
      file: 'pending-requests.ts',
      find: '    const oldest = this.#oldest();\n    if (oldest === undefined || oldest[0] !== header.xid) {\n',
      replace: '    const oldest = [...this.#byXid].at(-1);\n    if (oldest === undefined) {\n',
      why: 'Servers answer in the order of the requests. Whoever gives an answer to the request that left last takes the list that came before its node for the one that it asked for since.',
      trial: { faults: ['none'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'expired-session-replaced',
      file: 'session-link.ts',
      find: "      else this.#end('expired', 'the session has expired');\n",
      replace: '      else connection.fail(new Error(`once more ${(this.#id = 0n)}`));\n',
      why: 'Nodes go with their session. Whoever opens another where it has expired, and says nothing, has its leases counted from a session that none of their nodes belongs to.',
      trial: { faults: ['server-stop'], target: ANSWERS },
      detectedBy: /and the servers had it until/,
    },
    {
      name: 'one-read-one-frame',
      file: 'frames.ts',
      find: '    this.#parts = bytes.length === 0 ? [] : [bytes.slice()];\n    this.#partsBytes = bytes.length;\n',
      replace:
        '    this.#parts = [];\n    this.#partsBytes = 0;\n    this.#neededBytes = LENGTH_BYTES;\n',
      why: 'TCP carries bytes, not messages. Whoever takes what one read brings for one reply misreads the first that comes in two pieces.',
      trial: { faults: ['none'], target: LIVENESS },
      detectedBy: /for a key that nobody held/,
    },
  ] satisfies readonly ClientMutant[]
).map((mistake) => ({
  ...mistake,
  package: 'zk-client',
  trial: { ...mistake.trial, subject: 'zk' },
}));
