import { setTimeout as pause } from 'node:timers/promises';
import { CapabilityError } from '@holdfast/core';
import { type Backend, type Inspection, parseOwner } from '@holdfast/core/backend';
import type { Io } from './io.ts';

interface Watch {
  readonly from: Backend;
  readonly to: Backend;
  readonly seconds: number;
}

type Holder = NonNullable<ReturnType<typeof parseOwner>>;

/** What was seen of the holders with one label: in how many looks in the old store alone, and in how many in both. */
interface Seen {
  alone: number;
  both: number;
}

const LOOK_MS = 250;

/**
 * Looks at the holds of both stores, again and again. A label that holds in the old store alone, and never in both, is that
 * of a process of the old phase. Resolves to 1 if one was seen alone; 0 proves nothing about a process that held nothing.
 */
export async function watchMove({ from, to, seconds }: Watch, io: Io): Promise<number> {
  const seen = new Map<string, Seen>();
  const holders = new Set<string>();
  const endMs = Date.now() + seconds * 1_000;
  io.stderr.write(`watching the holds in ${from.name} and ${to.name} for ${seconds} s\n`);
  do {
    await look(from, to, { seen, holders });
    await pause(Math.min(LOOK_MS, Math.max(0, endMs - Date.now())));
  } while (Date.now() < endMs);
  io.stdout.write(`observed ${seconds} s, seen ${holders.size} holders${sentence(seen)}\n`);
  return [...seen.values()].some(({ alone }) => alone > 0) ? 1 : 0;
}

/** A client that takes its second lock is alone in the old store for a moment, and in both soon after. */
function sentence(seen: ReadonlyMap<string, Seen>): string {
  const labels = (wanted: (each: Seen) => boolean): string =>
    [...seen]
      .flatMap(([label, each]) => (wanted(each) ? [label] : []))
      .toSorted()
      .join(', ');
  const isOld = ({ alone, both }: Seen): boolean => alone > 1 && both === 0;
  const old = labels(isOld);
  const unsure = labels((each) => each.alone > 0 && !isOld(each));
  const parts = [
    ...(old === '' ? [] : [`in the old store alone: ${old}`]),
    ...(unsure === '' ? [] : [`alone for a moment, so on the way or old: ${unsure}`]),
  ];
  return parts.length === 0 ? ', each of them in both stores' : `, ${parts.join('; ')}`;
}

async function look(
  from: Backend,
  to: Backend,
  { seen, holders }: { readonly seen: Map<string, Seen>; readonly holders: Set<string> },
): Promise<void> {
  const keys = await heldKeys(from);
  await Promise.all(
    keys.map(async (key) => {
      const first = holderOf(await inspected(from, key));
      const other = holderOf(await inspected(to, key));
      const last = holderOf(await inspected(from, key));
      // A hold that came or went meanwhile shows nothing.
      if (first === undefined || last?.contender !== first.contender) return;
      holders.add(first.contender);
      const counted = seen.get(first.label) ?? { alone: 0, both: 0 };
      counted[other?.contender === first.contender ? 'both' : 'alone'] += 1;
      seen.set(first.label, counted);
    }),
  );
}

function holderOf({ owner = '' }: Inspection): Holder | undefined {
  return parseOwner(owner);
}

async function heldKeys(backend: Backend): Promise<readonly string[]> {
  if (backend.heldKeys === undefined) throw cannot(backend, 'list the keys that are held');
  const keys = new Set<string>();
  for await (const page of backend.heldKeys()) for (const key of page) keys.add(key);
  return [...keys];
}

async function inspected(backend: Backend, key: string): Promise<Inspection> {
  if (backend.inspect === undefined) throw cannot(backend, 'inspect a key');
  return await backend.inspect(key);
}

function cannot({ name }: Backend, what: string): CapabilityError {
  return new CapabilityError(`${name} cannot ${what}`, { backend: name });
}
