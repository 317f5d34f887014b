import type { Backend, Host } from '@holdfast/core/backend';
import { importBackend } from 'holdfast/internal';
import { builtInSubject, type LockView } from '../locks/index.ts';
import type { Subject } from '../simulator/index.ts';
import { clientsOf } from './clients.ts';
import { needsOf, probeLock, viewFor } from './probe-lock.ts';

/** An external lock, as the simulator tests it; it opens wherever its servers are. */
export interface ExternalLock extends Subject {
  readonly open: (view: LockView, host: Host) => Promise<Backend>;
}

/**
 * The lock with this name: a built-in one, or an external one.
 * @param folder where the lookup of files and packages starts
 * @param onLoaded called before the first run with an external lock
 * @throws ConfigError if there is no such lock, or {@link loadExternalLock} refuses it
 */
export async function loadSubject(
  name: string,
  folder: string,
  onLoaded?: () => void,
): Promise<Subject> {
  return builtInSubject(name) ?? (await loadExternalLock(name, folder, onLoaded));
}

/**
 * Loads a package or file that exports a backend over our ports and a record of what it needs. One run without faults
 * shows what it promises.
 * @throws ConfigError if there is none, it does not say what it needs, or it cannot even be opened
 */
export async function loadExternalLock(
  name: string,
  folder: string,
  onLoaded?: () => void,
): Promise<ExternalLock> {
  const module = await importBackend(name, folder);
  const needs = needsOf(module.deployment, name);
  const clients = clientsOf(module.deployment, name);
  onLoaded?.();
  const open: ExternalLock['open'] = (view, host) =>
    module.open({ backend: name, options: viewFor(needs, view) }, host);
  return { ...(await probeLock(name, open, needs, clients)), open };
}
