import { type Mutant, VALIDITY } from '../mutant.ts';

/** Mistakes on top of those that the legacy recipe has by itself. */
export const REDIS_GETSET_MUTANTS: readonly Mutant[] = [
  {
    name: 'every-stamp-expired',
    package: 'redis-getset',
    file: 'stamp.ts',
    find: '  return stamp < wallMs;\n',
    replace: '  return stamp > wallMs;\n',
    why: 'Compared the wrong way round, every valid stamp looks expired, and any client takes over at once.',
    trial: { subject: 'redis-getset', faults: ['none'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'silence-counts-as-won',
    package: 'redis-getset',
    file: 'contender.ts',
    find: '      if (cause instanceof NodeDoubt) this.#unresolved.push(write);\n',
    replace: "      if (cause instanceof NodeDoubt) return name === 'SETNX' ? 1 : null;\n",
    why: 'A request without a reply may have been executed. A client that therefore takes the key as its own holds it beside the real holder.',
    trial: { subject: 'redis-getset', faults: ['server-stop'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'takes-without-looking',
    package: 'redis-getset',
    file: 'contender.ts',
    find: '    if (stamp !== undefined && isExpired(stamp, write.from.wallMs)) return this.#won(write);\n',
    replace: '    if (stamp !== undefined) return this.#won(write);\n',
    why: 'Two waiters see one expired stamp. The value that GETSET returns shows the second one that it came second, if it looks.',
    trial: { subject: 'redis-getset', faults: ['holder-crash'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'del-then-setnx',
    package: 'redis-getset',
    file: 'contender.ts',
    find: "    const previous = await this.#write('GETSET', write, callEndMs);\n",
    replace:
      "    command(this.#store, this.#storedKey.key, ['DEL', this.#storedKey.lock], callEndMs).catch(() => {});\n    const previous = (await this.#setnx(write, callEndMs)) ? null : `${write.stamp}`;\n",
    why: 'Two waiters see one expired stamp: the first deletes it and takes the key, the second deletes that and takes it, too. The recipe warns of exactly this, and uses GETSET against it.',
    trial: { subject: 'redis-getset', faults: ['holder-crash'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
];
