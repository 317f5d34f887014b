import { describe, expect, test } from 'vitest';
import { CHECKS, type Outcome, runCheck } from '../src/index.ts';
import { SESSION_MS, type SessionClient } from './support/session-backend.ts';
import { type SpoiltSession, sessionSubject } from './support/session-subject.ts';
import { contending, granting } from './support/spoil.ts';

const KEYS = 'keys that differ in any character are different keys, unusual and longest ones too';
const WAS_PAUSED = { kind: 'skipped', reason: 'this machine was paused for longer than a lease' };

/**
 * Ends the session of `a` `afterMs` after its lease was renewed: before the next renewal, or before another attempt.
 */
function ending(when: 'renewal' | 'attempt', afterMs: number): SpoiltSession {
  let holder: SessionClient | undefined;
  const end = async (): Promise<void> => {
    const ended = holder;
    holder = undefined;
    if (ended === undefined) return;
    await new Promise<void>((resume) => {
      ended.host.runtime.timer(afterMs, resume, { awaited: true });
    });
    ended.end();
  };
  return {
    backend: (backend, client) => {
      if (client.host.label === 'a') {
        holder = client;
        if (when === 'attempt') return backend;
        return granting(backend, (grant) => ({
          renew: async (ttlMs) => {
            await end();
            return (await grant.renew?.(ttlMs)) ?? { kind: 'lost' };
          },
        }));
      }
      if (when === 'renewal') return backend;
      return contending(backend, (contender) => ({
        attempt: async (deadlineMs) => {
          await end();
          return await contender.attempt(deadlineMs);
        },
      }));
    },
  };
}

async function outcomeOf(spoilt: SpoiltSession): Promise<Outcome> {
  const check = CHECKS.find(({ name }) => name === KEYS);
  if (check === undefined) throw new Error(`unknown rule "${KEYS}"; use the name of a check`);
  return await runCheck(check, sessionSubject(spoilt));
}

describe.each(['renewal', 'attempt'] as const)('a session that ends before a %s', (when) => {
  test('reports no breach when its lease was over', async () => {
    expect(await outcomeOf(ending(when, SESSION_MS))).toMatchObject(WAS_PAUSED);
  });

  test('is a breach while its holder may believe', async () => {
    expect(await outcomeOf(ending(when, 0))).toMatchObject({ kind: 'broken' });
  });
});
