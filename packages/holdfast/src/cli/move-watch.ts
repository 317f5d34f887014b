import { setTimeout as pause } from 'node:timers/promises';
import { type Backend, CapabilityError, type Inspection, parseOwner } from '@holdfast/core';
import type { Io } from './io.ts';

interface Watch {
  readonly from: Backend;
  readonly to: Backend;
  readonly seconds: number;
}

/** Between two looks. A client takes its second lock in less. */
const LOOK_MS = 500;

/**
 * Looks at the holds of both stores. A client that holds in the old store in two looks in a row, and not in the new one,
 * is a process of the old phase. Resolves to 1 if one was seen; 0 proves nothing about processes that held nothing.
 */
export async function watchMove({ from, to, seconds }: Watch, io: Io): Promise<number> {
  const holders = new Set<string>();
  const alone = new Map<string, string>();
  let suspects: ReadonlySet<string> = new Set();
  const endMs = Date.now() + seconds * 1_000;
  io.stderr.write(`watching the holds in ${from.name} and ${to.name} for ${seconds} s\n`);
  do {
    const found = await lookAlone(from, to, holders);
    for (const [contender, label] of found) {
      if (!suspects.has(contender) || alone.has(contender)) continue;
      alone.set(contender, label);
      io.stdout.write(`${label} holds in ${from.name} alone: a process of the old phase\n`);
    }
    suspects = new Set(found.keys());
    await pause(Math.min(LOOK_MS, Math.max(0, endMs - Date.now())));
  } while (Date.now() < endMs);
  const labels = [...new Set(alone.values())].toSorted();
  const old =
    labels.length === 0
      ? 'none of them in the old store alone'
      : `in the old store alone: ${labels.join(', ')}`;
  io.stdout.write(`observed ${seconds} s, seen ${holders.size} holders, ${old}\n`);
  return labels.length === 0 ? 0 : 1;
}

/** The contenders that hold in `from` and not in `to`, each with its label. */
async function lookAlone(
  from: Backend,
  to: Backend,
  holders: Set<string>,
): Promise<ReadonlyMap<string, string>> {
  const alone = new Map<string, string>();
  for (const key of await heldKeys(from)) {
    const old = ownerOf(await inspected(from, key));
    if (old === undefined) continue;
    holders.add(old.contender);
    if (ownerOf(await inspected(to, key))?.contender !== old.contender)
      alone.set(old.contender, old.label);
  }
  return alone;
}

function ownerOf({ owner = '' }: Inspection): ReturnType<typeof parseOwner> {
  return parseOwner(owner);
}

async function heldKeys(backend: Backend): Promise<readonly string[]> {
  if (backend.heldKeys === undefined) throw cannot(backend, 'list the keys that are held');
  return await backend.heldKeys();
}

async function inspected(backend: Backend, key: string): Promise<Inspection> {
  if (backend.inspect === undefined) throw cannot(backend, 'inspect a key');
  return await backend.inspect(key);
}

function cannot({ name }: Backend, what: string): CapabilityError {
  return new CapabilityError(`${name} cannot ${what}`, { backend: name });
}
