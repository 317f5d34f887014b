import { FENCED, FIFO, type Mutant, VALIDITY } from '../mutant.ts';

/** Mistakes with readers, writers and permits. */
export const FAMILY_MUTANTS: readonly Mutant[] = [
  {
    name: 'reader-not-counted-after-renewal',
    package: 'redis-simple',
    file: 'modes/scripts.ts',
    find: "    redis.call('ZADD', holders, text(now + tonumber(ARGV[1])), ARGV[i])\n",
    replace: "    redis.call('ZREM', holders, ARGV[i])\n",
    why: 'A reader that renews takes itself out to be entered anew, and is not. The other readers end, and a writer comes in beside it.',
    trial: {
      subject: 'redis-simple',
      faults: ['none'],
      modes: 'readers and writers',
      target: VALIDITY,
    },
    detectedBy: /both held k validly/,
  },
  {
    name: 'permit-returned-twice',
    package: 'redis-simple',
    file: 'modes/scripts.ts',
    find: "  if not kind or redis.call('ZREM', holders, ARGV[1]) == 0 then\n",
    replace:
      "  local first = redis.call('ZRANGE', holders, 0, 0)[1] or ''\n  if not kind or (redis.call('ZREM', holders, ARGV[1]) == 0 and redis.call('ZREM', holders, first) == 0) then\n",
    why: 'Permits are counted, and not told apart. A release that is repeated returns a permit that another client holds.',
    trial: { subject: 'redis-simple', faults: ['lost-reply'], modes: 'permits', target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'reader-counts-from-the-reply',
    package: 'redis-simple',
    file: 'modes/contender.ts',
    find: '      return this.#replied(reply, owner, from);\n',
    replace: '      return this.#replied(reply, owner, host.runtime.now());\n',
    why: 'The server counts the deadline of a reader from when it enters it. A reader that counts from the reply believes for longer, by the time that the reply took.',
    trial: {
      subject: 'redis-simple',
      faults: ['delay'],
      modes: 'readers and writers',
      setup: { ttlTimes: 4 },
      target: VALIDITY,
    },
    detectedBy: /both held k validly/,
  },
  {
    name: 'reader-joins-whoever-waits',
    package: 'redis-simple',
    file: 'modes/scripts.ts',
    find: "      if mode ~= 's' or string.sub(each, 1, 1) ~= 's' then return true end\n",
    replace: "      if mode ~= 's' then return true end\n",
    why: 'A reader joins those that read, and passes a writer that waits. As long as readers overlap, it never writes.',
    trial: {
      subject: 'redis-simple',
      faults: ['none'],
      modes: 'readers and writers',
      target: FIFO,
    },
    detectedBy: /queued earlier and stayed/,
  },
  {
    name: 'reader-passes-a-waiting-writer',
    package: 'core',
    file: 'queue-modes.ts',
    find: '    const other = this.#lastOther[index - 1] ?? -1;\n',
    replace: '    const other = index === 0 ? -1 : (this.#lastOther[0] ?? -1);\n',
    why: 'A reader that looks only at the holder joins it, and passes a writer that waits. That one sees nobody in front when the first reader has gone, and holds beside the second.',
    trial: { subject: 'zk', faults: ['none'], modes: 'readers and writers', target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'crowd-has-the-token-of-the-last-one',
    package: 'zk',
    file: 'modes/reader-token.ts',
    find: '    const isJoining = record !== undefined && isReached(first, record.upTo);\n',
    replace: '    const isJoining = record !== undefined && first !== undefined;\n',
    why: 'Readers share a token that the store keeps. If nobody looks whether those that it was drawn for are still there, readers after a writer show the token of readers before it, and a late write of that writer lands under them.',
    trial: { subject: 'zk', faults: ['none'], modes: 'readers and writers', target: FENCED },
    detectedBy: /tokens do not grow|token/,
  },
  {
    name: 'waiters-for-permits-are-not-counted',
    package: 'core',
    file: 'queue-modes.ts',
    find: '        used += mode.permits;\n',
    replace: '        used += used + mode.permits > mode.of ? 0 : mode.permits;\n',
    why: 'One that waits for many permits is passed by those that want few. It counts itself as a holder as soon as it looks, and so do they.',
    trial: { subject: 'etcd', faults: ['none'], modes: 'permits', target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'downgrade-through-unlocked',
    package: 'core',
    file: 'locks.ts',
    find: `    const { owner, ttlMs } = parseExported(await lease.export(), this.backend);
    const { watchdog, clock } = controllerOf(writer);
    const limits = { renew: watchdog.renews, maxHoldMs: clock.capMs };
    const kind = { exported: owner, mode: SHARED, ...limits };
    const adopting = this.request('adopt', key, { ttlMs }, OPTION_NAMES.acquire, kind);
`,
    replace: `    await lease.release();
    const { watchdog, clock } = controllerOf(writer);
    const limits = { renew: watchdog.renews, maxHoldMs: clock.capMs };
    const kind = { mode: SHARED, ...limits };
    const adopting = this.request('acquire', key, {}, OPTION_NAMES.acquire, kind);
`,
    why: 'A writer that releases, and then asks for the key as a reader, leaves it unlocked in between. Another writer comes in, and what the first one wrote is not what it reads.',
    trial: {
      subject: 'redis-simple',
      faults: ['none'],
      modes: 'downgrades',
      target: VALIDITY,
    },
    detectedBy: /both held k validly/,
  },
  {
    name: 'reentry-outlives-its-outer-handle',
    package: 'core',
    file: 'lease.ts',
    find: "    if (handles === undefined || this.#controller.state !== 'held')\n",
    replace:
      "    const isFirst = handles !== undefined && !OUTER.has(this);\n    if (isFirst || handles === undefined || this.#controller.state !== 'held')\n",
    why: 'The key is released with the handle that acquired it. A call that re-entered works on, and hears of nothing, beside the next holder.',
    trial: { subject: 'redis-simple', faults: ['none'], modes: 're-entry', target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'reader-ends-by-the-clock-of-its-client',
    package: 'redis-simple',
    file: 'modes/contender.ts',
    find: '    const script = exported === undefined ? ACQUIRE_MODE : DOWNGRADE;\n',
    replace: `    const source = ACQUIRE_MODE.source.replace('text(now + ttl)', \`'\${from.wallMs + ttlMs}'\`);
    const script = exported === undefined ? { ...ACQUIRE_MODE, source } : DOWNGRADE;
`,
    why: 'Each client writes until when its reader holds, by its own clock. One whose clock is behind enters a reader that is over at once, and a writer comes in beside it.',
    trial: {
      subject: 'redis-simple',
      faults: ['client-clock'],
      modes: 'readers and writers',
      target: VALIDITY,
    },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-reader-not-counted-after-renewal',
    package: 'postgres',
    file: 'modes/statements.ts',
    find: '  UPDATE ${members} SET expires_at = greatest(expires_at, ${EXPIRY})\n',
    replace: '  UPDATE ${members} SET expires_at = ${CLOCK}\n',
    why: 'A reader that renews takes itself out to be entered anew, and is not: the next request drops it, and a writer comes in beside it.',
    trial: {
      subject: 'postgres',
      faults: ['none'],
      modes: 'readers and writers',
      target: VALIDITY,
    },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-permit-returned-twice',
    package: 'postgres',
    file: 'modes/line.ts',
    find: "OR ${isRequested('owner', owners)})\n",
    replace:
      'OR (owner IS NOT NULL AND place = (SELECT min(place) FROM ${members} WHERE ${KEY} AND owner IS NOT NULL)))\n',
    why: 'Permits are counted, and not told apart: a release returns the oldest one. Repeated, it returns a permit that another client holds.',
    trial: { subject: 'postgres', faults: ['lost-reply'], modes: 'permits', target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-few-permits-pass-many',
    package: 'postgres',
    file: 'modes/line.ts',
    find: "  const over = 'OVER (ORDER BY owner IS NULL, place)';\n",
    replace: "  const over = 'OVER (ORDER BY owner IS NULL, permits, place)';\n",
    why: 'Whoever wants few permits is served before one that wants many and came earlier. While such come, that one has no turn.',
    trial: { subject: 'postgres', faults: ['none'], modes: 'permits', target: FIFO },
    detectedBy: /queued earlier and stayed/,
  },
  {
    name: 'row-line-looked-at-without-its-lock',
    package: 'postgres',
    file: 'modes/line.ts',
    find: 'ON CONFLICT (namespace, key) DO UPDATE SET expires_at = stored.expires_at WHERE false;`',
    replace: 'ON CONFLICT DO NOTHING;`',
    why: 'Two requests look at the line before either of them has committed, which waits for a standby: both find the key free.',
    trial: {
      subject: 'postgres-synchronous',
      faults: ['none'],
      modes: 'permits',
      target: VALIDITY,
    },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-readers-without-a-new-token',
    package: 'postgres',
    file: 'modes/statements.ts',
    find: 'THEN stored.token ELSE greatest(stored.token + 1, ${CLOCK_US}) END,\n',
    replace: 'THEN stored.token ELSE stored.token END,\n',
    why: 'The first reader after a writer shows the token of that writer, and a late write of it lands under the readers.',
    trial: {
      subject: 'postgres',
      faults: ['pause'],
      modes: 'readers and writers',
      target: FENCED,
    },
    detectedBy: /tokens do not grow|token/,
  },
];
