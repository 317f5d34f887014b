import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { doubted, flawOf } from './flaw.ts';
import { type Write, writesOf } from './updates.ts';
import { ok, unknown, violated } from './verdict.ts';

/** Judges the accepted writes to one resource, in the order in which it accepted them. */
type Check = (writes: readonly Write[]) => Verdict | undefined;

/**
 * Judges if the effects at a resource are as if holders had taken turns. No accepted write is computed from a value that
 * another had replaced (a lost update), and no hold continues to write after another one began to (A, B, A). With
 * `fenced`, resources that compare tokens are judged: they never accept a smaller token after a larger one, and every
 * grant gets a larger token than all grants before it; otherwise the resource would refuse the newer holder. Without
 * `fenced`, resources that do not compare tokens are judged.
 */
export function resource(
  history: readonly HistoryEvent[],
  { fenced }: { readonly fenced: boolean },
): Verdict {
  return doubted(flawOf(history), 'resource') ?? judgeResource(history, fenced);
}

/** Expects a history without flaw. */
export function judgeResource(history: readonly HistoryEvent[], fenced: boolean): Verdict {
  const writes = writesOf(history, fenced);
  const accepted = writes.filter((write) => write.accepted);
  for (const check of fenced
    ? [withoutToken, stale, lostUpdate, interleaved]
    : [lostUpdate, interleaved])
    for (const group of byResource(accepted)) {
      const verdict = check(group);
      if (verdict !== undefined) return verdict;
    }
  const regress = fenced ? regressed(history) : undefined;
  if (regress !== undefined) return regress;
  const kind = fenced ? 'fenced' : 'unfenced';
  return ok('resource', `${accepted.length} of ${writes.length} ${kind} writes accepted, in turns`);
}

const withoutToken: Check = (writes) => {
  const bare = writes.find(({ token }) => token === undefined);
  if (bare === undefined) return undefined;
  return unknown('resource', 'a fenced resource accepted a write without a token', [bare]);
};

const stale: Check = (writes) => {
  let largest: Write | undefined;
  for (const write of writes) {
    if (largest !== undefined && tokenOf(write) < tokenOf(largest))
      return violated(
        'resource',
        `${write.resource} accepted token ${write.token} of ${write.client} after ${largest.token} of ${largest.client}`,
        [largest, write],
      );
    largest = write;
  }
  return undefined;
};

const lostUpdate: Check = (writes) => {
  for (const [i, write] of writes.entries()) {
    const before = writes[i - 1];
    if (before?.value === undefined || write.readValue === undefined) continue;
    if (before.value !== write.readValue)
      return violated(
        'resource',
        `${write.client} overwrote ${before.value} of ${before.client} in ${write.resource} with ${write.value ?? 'a value'}, computed from ${write.readValue}`,
        [before, write],
      );
  }
  return undefined;
};

const interleaved: Check = (writes) => {
  const latest = new Map<string, { readonly write: Write; readonly at: number }>();
  for (const [at, write] of writes.entries()) {
    const own = latest.get(write.hold);
    const between = own === undefined ? undefined : writes[own.at + 1];
    if (own !== undefined && between !== undefined && own.at + 1 < at)
      return violated(
        'resource',
        `${between.client} wrote to ${write.resource} between two writes of one hold of ${write.client}`,
        [own.write, between, write],
      );
    latest.set(write.hold, { write, at });
  }
  return undefined;
};

type Granted = Extract<HistoryEvent, { readonly type: 'granted' }>;

/** When a client has learned what the event says: the token of a downgrade comes later than its validity begins. */
function knownMs(event: HistoryEvent): number {
  return event.type === 'granted' ? (event.repliedMs ?? event.atMs) : event.atMs;
}

/**
 * Finds a token that is not larger than one granted before this acquisition was requested. Grants of overlapping requests
 * say nothing: replies may overtake each other.
 */
function regressed(history: readonly HistoryEvent[]): Verdict | undefined {
  const largest = new Map<string, Granted>();
  const before = new Map<string, Granted>();
  for (const event of history.toSorted((one, other) => knownMs(one) - knownMs(other))) {
    const top = largest.get(event.key);
    if (event.type === 'acquire' && top !== undefined) before.set(event.hold, top);
    if (event.type !== 'granted' || event.token === undefined) continue;
    const older = before.get(event.hold);
    if (older !== undefined && !mayFollow(older, event))
      return violated(
        'resource',
        `${event.client} was granted token ${event.token} after ${older.client} had been granted ${older.token}: tokens do not grow`,
        [older, event],
      );
    if (top === undefined || tokenOf(event) > tokenOf(top)) largest.set(event.key, event);
  }
  return undefined;
}

/** Tokens grow with every grant; readers beside each other have one together. */
function mayFollow(older: Granted, newer: Granted): boolean {
  const areReaders = older.mode?.kind === 'shared' && newer.mode?.kind === 'shared';
  return areReaders ? tokenOf(newer) >= tokenOf(older) : tokenOf(newer) > tokenOf(older);
}

/** A number if that is exact, because numbers are cheaper; numbers and bigints can be compared. */
function tokenOf({ token = '0' }: Write | Granted): bigint | number {
  const near = Number(token);
  return Number.isSafeInteger(near) && String(near) === token ? near : BigInt(token);
}

function byResource(writes: readonly Write[]): readonly (readonly Write[])[] {
  const groups = new Map<string, Write[]>();
  for (const write of writes) {
    const group = groups.get(write.resource) ?? [];
    group.push(write);
    groups.set(write.resource, group);
  }
  return [...groups.values()];
}
