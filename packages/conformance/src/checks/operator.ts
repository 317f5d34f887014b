import { assertRule, Inapplicable, textOf } from '../breach.ts';
import { needsFaults } from '../needs.ts';
import type { Check } from '../subject.ts';

const HEALTH_MS = 10_000;

/** Operations for people, if the backend offers them. */
export const operator: readonly Check[] = [
  {
    name: 'an inspection shows the holder of a key, and no holder before and after',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const inspect = offered(b.backend.inspect?.bind(b.backend), 'inspect');

      assertRule(!(await inspect(key)).held, 'an unused key is shown as held');
      const grant = await a.acquire(key, stage.longMs);
      const seen = await inspect(key);
      await a.release(grant);

      assertRule(seen.key === key && seen.held, `a held key is shown as ${textOf(seen)}`);
      assertRule(seen.owner === grant.owner, `${grant.owner} holds, and ${seen.owner} is shown`);
      const { holder = 'a', remainingMs = 0, fencingToken = grant.fencingToken } = seen;
      assertRule(holder === 'a', `process a holds, and ${textOf(holder)} is shown`);
      // A stamp in whole ms may end a moment after the lease.
      const isRest = remainingMs >= 0 && remainingMs <= grant.leaseMs + 2;
      assertRule(
        isRest,
        `of a lease of ${grant.leaseMs} ms, ${remainingMs} ms are shown as remaining`,
      );
      assertRule(
        fencingToken === grant.fencingToken,
        `another token is shown: ${textOf(fencingToken)}`,
      );
      assertRule(!(await inspect(key)).held, 'a released key is shown as held');
    },
  },
  {
    name: 'all keys that are held are listed, by any process, and none after its release',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const list = offered(b.backend.heldKeys?.bind(b.backend), 'list the keys that are held');
      const keys = [stage.key(), `${stage.key()}/{%}*`];
      const grants = await Promise.all(keys.map((key) => a.acquire(key, stage.longMs)));

      const listed = await allOf(list());
      for (const key of keys) assertRule(listed.has(key), `${textOf(key)} is held and not listed`);
      for (const grant of grants) await a.release(grant);

      const later = await allOf(list());
      for (const key of keys.filter((each) => later.has(each))) {
        // What may be held is listed, too.
        const seen = await b.backend.inspect?.(key);
        assertRule(seen?.held === false, `${textOf(key)} is free and listed, as ${textOf(seen)}`);
      }
    },
  },
  {
    name: 'a forced release frees the key, and its old holder learns of it by its next request',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const force = offered(b.backend.forceRelease?.bind(b.backend), 'force a release');
      assertRule((await force(key)).kind === 'not-held', 'a free key was released by force');
      const grant = await a.acquire(key, stage.longMs);

      const forced = await force(key);

      assertRule(forced.kind === 'released', `a forced release returned '${forced.kind}'`);
      if (grant.renew !== undefined) {
        const renewal = await a.renew(grant, stage.longMs);
        assertRule(renewal.kind === 'lost', `the old holder’s renewal returned '${renewal.kind}'`);
      }
      const release = await a.release(grant);
      assertRule(
        release.kind === 'not-held',
        `the old holder’s release returned '${release.kind}'`,
      );
      await b.mustAcquire(key, stage.longMs, 'the key was freed by force');
    },
  },
  {
    name: 'a store that replies is healthy',
    async run(stage) {
      const a = await stage.actor('a');
      const health = offered(a.backend.health?.bind(a.backend), 'report its health');

      const report = await health();

      assertRule(report.ok && report.nodes.length > 0, `its health is ${textOf(report)}`);
      assertRule(
        report.nodes.every(({ ok }) => ok),
        `the health of a node is ${textOf(report)}`,
      );
    },
  },
  {
    name: 'a store that does not reply is reported as unhealthy, in time',
    needs: needsFaults('stop', 'resume'),
    async run(stage) {
      const a = await stage.actor('a');
      const health = offered(a.backend.health?.bind(a.backend), 'report its health');
      await health();
      await stage.faults.stop?.();

      const report = await stage.within(HEALTH_MS, 'a health check', health());
      await stage.faults.resume?.();

      assertRule(!report.ok, 'it is reported as healthy');
    },
  },
];

async function allOf(pages: AsyncIterable<readonly string[]>): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const page of pages) for (const key of page) keys.add(key);
  return keys;
}

function offered<T>(method: T | undefined, what: string): T {
  if (method === undefined) throw new Inapplicable(`it cannot ${what}`);
  return method;
}
