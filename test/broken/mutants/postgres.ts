import { FENCED, LIVENESS, type Mutant, mutantsOf, OWNERSHIP, VALIDITY } from '../mutant.ts';

const SQL = 'statements.ts';
const NEXT_TOKEN = 'token = greatest(stored.token + 1, ${CLOCK_US})\nWHERE';

/** Mistakes in locks that are rows of a table. */
const ON_ONE_SERVER: readonly Mutant[] = mutantsOf('postgres', 'postgres', [
  {
    name: 'row-of-any-smaller-attempt',
    file: SQL,
    find: '(${contenderOf(stored)} = ${contenderOf(own)} AND ${attemptOf(stored)} < ${attemptOf(own)})',
    replace: '(${attemptOf(stored)} < ${attemptOf(own)})',
    why: 'A retry may take over what its own earlier attempt left. SQL that does not check whose attempt it was takes the key of a client that succeeded at its first.',
    trial: { faults: ['none'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-with-a-long-expiry-is-stale',
    file: SQL,
    find: 'AND ${row}.expires_at <= ${CLOCK}))',
    replace: 'AND (${row}.expires_at <= ${CLOCK} OR ${row}.expires_at > ${EXPIRY})))',
    why: 'A row with more than a whole ttl left looks stale. A clock that was set back makes a good one look so, and it is taken from its holder.',
    trial: { faults: ['server-clock-back'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-valid-from-the-reply',
    file: 'grant.ts',
    find: '    this.validity = { from, ms: validityMs(ttlMs) };\n',
    replace: '    this.validity = { from: store.host.runtime.now(), ms: validityMs(ttlMs) };\n',
    why: 'The server counts the ttl from when the statement reached it. A client that counts from the reply believes for longer, by the delay of the reply.',
    trial: { faults: ['delay'], setup: { ttlTimes: 4 }, target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-owner-reused',
    file: 'contender.ts',
    find: '    this.#n += 1;\n',
    replace: '    this.#n = 1;\n',
    why: 'The release of an attempt without a reply may arrive late. If the next attempt writes an equal value, it deletes its hold.',
    trial: { faults: ['lost-reply'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-released-without-compare',
    file: SQL,
    find: 'SET owner = NULL, token = token + 1 WHERE ${KEY} AND owner = $3\n',
    replace: 'SET owner = NULL, token = token + 1 WHERE ${KEY} AND owner IS NOT NULL\n',
    why: 'A release that arrives after the end of the lease frees the key of the next holder, and lets a third one in.',
    trial: { faults: ['pause'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-extended-without-compare',
    file: SQL,
    find: 'WHERE ${KEY} AND owner = $3 AND expires_at > ${CLOCK}${isSynchronous',
    replace: 'WHERE ${KEY} AND expires_at > ${CLOCK}${isSynchronous',
    why: 'A renewal that arrives after the end of the lease extends the row of the next holder. No two hold at once, but waiters wait for a dead holder, and the former holder still believes that it holds.',
    trial: { faults: ['client-cut'], target: OWNERSHIP },
    detectedBy: /renew of . prolonged a hold of ./,
  },
  {
    name: 'row-renewed-without-a-reply',
    file: 'grant.ts',
    find: "      reportNode(this.#store, key, cause);\n      return { kind: 'unknown', cause };\n",
    replace: "      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };\n",
    why: 'A renewal without a reply may never have arrived; a client that counts it as done continues after the row has expired.',
    trial: { faults: ['client-cut'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-expires-in-seconds',
    file: SQL,
    find: "+ $4 * interval '1 millisecond'`",
    replace: "+ $4 * interval '1 second'`",
    why: 'The ttl counts in milliseconds. The row lasts a thousand times as long as intended, which no client notices until a holder dies.',
    trial: { faults: ['holder-crash'], target: LIVENESS },
    detectedBy: /never got its turn/,
  },
  {
    name: 'row-waits-for-notify-alone',
    file: 'contender.ts',
    find: "    return { kind: 'busy', holderRemainingMs, retryAfterMs: Math.min(untilMs, pollMs) + jitterMs };\n",
    replace: "    return { kind: 'busy', holderRemainingMs };\n",
    why: 'A notification may be lost, and a row that expires sends none: a waiter without a timer waits without end.',
    trial: { faults: ['lost-wakeup'], target: LIVENESS },
    detectedBy: /never got its turn/,
  },
  {
    name: 'row-pid-as-token',
    file: SQL,
    find: 'RETURNING token::text AS token;\nSELECT owner',
    replace: 'RETURNING pg_backend_pid()::text AS token;\nSELECT owner',
    why: 'A resource can reject a late writer only if every grant has a larger token than the one before. The number of a session is unique while it lasts, and no more than that.',
    trial: { faults: ['pause'], target: FENCED },
    detectedBy: /fenced|token/,
  },
  {
    name: 'row-token-from-time-alone',
    file: SQL,
    find: NEXT_TOKEN,
    replace: 'token = ${CLOCK_US}\nWHERE',
    why: 'The clock of a server may be set back: time alone repeats tokens that were granted before, and smaller ones.',
    trial: { faults: ['server-clock-back'], target: FENCED },
    detectedBy: /fenced|token/,
  },
  {
    name: 'row-token-from-a-counter',
    file: SQL,
    find: 'const CLOCK_US: string = `(extract(epoch FROM ${CLOCK}) * 1000000)::bigint`;',
    replace: "const CLOCK_US: string = '1::bigint';",
    why: 'A counter is lost with the row, at a restart without data or a failover, and starts again below what the resource has seen.',
    trial: { faults: ['restart-empty'], target: FENCED },
    detectedBy: /fenced|token/,
  },
]);

/** Mistakes that show where a commit waits for a standby. */
const WITH_A_STANDBY: readonly Mutant[] = mutantsOf('postgres', 'postgres-synchronous', [
  {
    name: 'row-looked-at-before-the-wait',
    file: SQL,
    find: "WHERE ${isFree('stored')}\nRETURNING",
    replace: 'RETURNING',
    why: 'A statement that waits for a row goes on with what others have made of it. One that looked only before the wait takes the key from the client that it waited for.',
    trial: { faults: ['none'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'row-warning-taken-for-success',
    file: 'database/database.ts',
    find: '    if (warning !== undefined)\n',
    replace: '    if (warning !== undefined && rows.length < 0)\n',
    why: 'A commit whose wait for a standby is cancelled succeeds with a warning: it is on one server alone, and a failover loses it.',
    trial: { faults: ['split-brain'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
]);

/** Mistakes in locks that belong to a session. */
const OF_A_SESSION: readonly Mutant[] = mutantsOf('postgres', 'postgres-advisory', [
  {
    name: 'advisory-number-of-the-owner',
    file: 'advisory/statements.ts',
    find: 'CASE WHEN pg_try_advisory_lock(${NUMBER}) THEN',
    replace: 'CASE WHEN pg_try_advisory_lock(hashtextextended($2, 0)) THEN',
    why: 'The number of a lock is all that clients agree on. One that is made of the owner excludes no other client.',
    trial: { faults: ['none'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'advisory-late-lock-kept',
    file: 'advisory/lock-session.ts',
    find: '      if (progress.isLate) return void (await this.#unlock(hold));\n',
    replace: '',
    why: 'A session keeps its locks until it ends. One that came after its caller had given up belongs to nobody, and waiters wait without end.',
    trial: { faults: ['server-stop'], target: LIVENESS },
    detectedBy: /never got its turn|held/,
  },
  {
    name: 'advisory-end-not-heard',
    file: 'advisory/lock-session.ts',
    find: '    parts.session.onEnd(() => this.#end());\n',
    replace: '    parts.session.onEnd(() => undefined);\n',
    why: 'The server frees the locks of a session at once. A holder that learns it from its next proof alone holds beside the next one until then.',
    trial: { faults: ['restart-durable'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'advisory-never-given-up',
    file: 'advisory/statements.ts',
    find: "set_config('tcp_user_timeout', $4, false)",
    replace: "set_config('tcp_user_timeout', '0', false)",
    why: 'A machine that loses its power ends no connection. By its defaults a server keeps the session, and its locks, for two hours.',
    trial: { faults: ['holder-crash'], target: LIVENESS },
    detectedBy: /never got its turn|held/,
  },
]);

export const POSTGRES_MUTANTS: readonly Mutant[] = [
  ...ON_ONE_SERVER,
  ...WITH_A_STANDBY,
  ...OF_A_SESSION,
];
