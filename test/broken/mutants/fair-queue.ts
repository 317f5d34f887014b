import { FIFO, LIVENESS, type Mutant, mutantsOf, VALIDITY } from '../mutant.ts';

const SCRIPTS = 'fair/scripts.ts';
const CHOOSE = 'fair/lua.ts';
const CONTENDER = 'fair/contender.ts';

/** Mistakes in a queue on the server that serves processes in order of arrival. */
export const FAIR_QUEUE_MUTANTS: readonly Mutant[] = mutantsOf(
  'redis-simple',
  'redis-simple/fair',
  [
    {
      name: 'chosen-counts-as-held',
      file: CONTENDER,
      find: '    this.#hasChanged = false;\n    this.#line ??=',
      replace:
        "    if (this.#hasChanged && this.arrival !== undefined)\n      return this.#won(ownerOf(this.#store, this.#keys, this.contender, 0), this.#store.host.runtime.now(), '1700000000000000');\n    this.#hasChanged = false;\n    this.#line ??=",
      why: 'A waiter that was told of its turn does not hold yet: the message may be late, and the turn over. It holds from when it sent the claim that succeeds.',
      trial: { faults: ['none'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'claim-after-its-time',
      file: SCRIPTS,
      find: 'if holder and (holder ~= contender or tonumber(m) >= tonumber(n)) then',
      replace:
        "if holder and (tonumber(n) == 1 or redis.call('ZSCORE', queue, member)) and (holder ~= contender or tonumber(m) >= tonumber(n)) then",
      why: 'A turn ends if it is not used. A claim that arrives after that must not succeed: the next waiter may hold by then.',
      trial: { faults: ['pause-acquire'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'turn-for-anybody',
      file: SCRIPTS,
      find: 'if holder and (holder ~= contender or tonumber(m) >= tonumber(n)) then',
      replace:
        "if holder and m ~= '00' and (holder ~= contender or tonumber(m) >= tonumber(n)) then",
      why: 'The key is reserved for one waiter. If any client may take a reserved key, two are chosen, and the faster one wins.',
      trial: { faults: ['none'], target: FIFO },
      detectedBy: /had queued earlier/,
    },
    {
      name: 'refresh-loses-the-place',
      file: SCRIPTS,
      find: "redis.call('ZADD', queue, 'NX', ",
      replace: "redis.call('ZADD', queue, ",
      why: 'A waiter that looks again must keep its place. Without NX it goes to the end of the queue each time.',
      trial: { faults: ['none'], target: FIFO },
      detectedBy: /had queued earlier/,
    },
    {
      name: 'late-undo-takes-the-place',
      file: SCRIPTS,
      find: "if redis.call('GET', lock) ~= ARGV[1] then\n",
      replace:
        "for _, place in ipairs(redis.call('ZRANGE', queue, 0, -1)) do\n  if string.find(place, string.match(ARGV[1], '^[^:]+'), 1, true) then redis.call('ZREM', queue, place) end\nend\nif redis.call('GET', lock) ~= ARGV[1] then\n",
      why: 'The undo of one attempt may arrive after the next. If it gives up the place too, the waiter loses its turn, or is forgotten.',
      trial: { faults: ['lost-reply'], target: FIFO },
      detectedBy: /had queued earlier/,
    },
    {
      name: 'free-for-newcomers',
      file: SCRIPTS,
      find: '  if first and first ~= member then\n',
      replace: '  if false then\n',
      why: 'The key of a dead holder becomes free without a release. A newcomer that takes it passes all that wait.',
      trial: { faults: ['holder-crash'], target: FIFO },
      detectedBy: /had queued earlier/,
    },
    {
      name: 'chosen-without-limit',
      file: CHOOSE,
      find: "'PX', ${CLAIM_MS})",
      replace: "'PX', 3600000)",
      why: 'The chosen waiter may be dead. Its turn must end, or nobody gets the key any more.',
      trial: { faults: ['holder-crash'], target: LIVENESS },
      detectedBy: /never got its turn/,
    },
    {
      name: 'lost-places-unnoticed',
      file: 'fair/line.ts',
      find: '      if (!isThere && arePlaced) this.#wakeAll();\n',
      replace: '',
      why: 'A waiter that missed its turn, or whose queue was lost with the data of the server, has no place any more. If it does not notice, it waits without end.',
      trial: { faults: ['lost-wakeup'], target: LIVENESS },
      detectedBy: /never got its turn/,
    },
  ],
);
