import type { Locks } from '@holdfast/core';
import { openResolved, resolveSource } from 'holdfast/internal';
// Imports the record alone: an index of all locks would load the simulator into every client process.
import { noLock } from '../../locks/no-lock.ts';
import type { NamedOpening, Opener, Opening } from '../../real/index.ts';

/** The opening of the control, which has no lock. */
export const NO_LOCK: Opening = { backend: noLock.name };

/** Opens the locks of a comparison, in client processes and in this one. */
export const opener: Opener = {
  client: new URL('./client-process.js', import.meta.url),
  open: openLocksOf,
};

/** Opens locks from their configuration, as a service does; undefined for the control. */
export async function openLocksOf(
  opening: Opening | NamedOpening,
  label: string,
): Promise<Locks | undefined> {
  if (opening.backend === undefined) return await openNamed(opening, label);
  if (opening.backend === NO_LOCK.backend) return undefined;
  return await openResolved(await resolveSource(opening), { label, epoch: 'ignore' });
}

async function openNamed({ source, store, override }: NamedOpening, label: string): Promise<Locks> {
  const { config, folder } = await resolveSource(source, { store });
  return await openResolved(
    { config: { ...config, ...override }, folder },
    { label, epoch: 'ignore' },
  );
}
