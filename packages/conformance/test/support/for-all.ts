import type { Attempt, Backend, Contender, Grant } from '@holdfast/core/backend';
import type { Spoilt } from './memory-subject.ts';
import { but } from './spoil.ts';

/** What a contender for several keys does wrong. */
export interface Mistake {
  readonly keepsTaken?: boolean;
  readonly namesNone?: boolean;
  readonly grantsFirst?: boolean;
  readonly oldTokens?: boolean;
}

/** The lock with contenders for several keys, correct but for one mistake. The store has no step for all: it tries each. */
export function forAll(mistake: Mistake = {}): Spoilt {
  return {
    backend: (backend) =>
      but<Backend>(backend, {
        contendAll: (request) => contenderForAll(backend, request, mistake),
      }),
  };
}

function contenderForAll(
  backend: Backend,
  { keys, contender, ttlMs }: Parameters<NonNullable<Backend['contendAll']>>[0],
  mistake: Mistake,
): Contender {
  const attemptAll = async (deadlineMs: number): Promise<Attempt> => {
    const parts = new Map<string, Grant>();
    for (const key of mistake.grantsFirst ? keys.slice(0, 1) : keys) {
      const one = backend.contend({ key, contender, ...(ttlMs !== undefined && { ttlMs }) });
      const attempt = await one.attempt(deadlineMs);
      if (attempt.kind === 'granted') {
        const { grant } = attempt;
        parts.set(key, mistake.oldTokens ? but(grant, { fencingToken: 0n }) : grant);
        continue;
      }
      await one.withdraw();
      if (!mistake.keepsTaken) await releaseAll(parts);
      return attempt.kind === 'busy' && !mistake.namesNone ? { ...attempt, key } : attempt;
    }
    const [first] = parts.values();
    if (first === undefined) throw new Error('no keys');
    return { kind: 'granted', grant: but(first, { parts, release: () => releaseAll(parts) }) };
  };
  return { attempt: attemptAll, withdraw: () => Promise.resolve({ kind: 'clean' }) };
}

async function releaseAll(parts: ReadonlyMap<string, Grant>): Promise<{ kind: 'released' }> {
  await Promise.all(Array.from(parts.values(), (part) => part.release()));
  return { kind: 'released' };
}
