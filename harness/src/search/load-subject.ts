import type { Backend, Host } from '@holdfast/core';
import { importBackend } from 'holdfast/internal';
import { builtInSubject, type LockView, type Needs, needsOf } from '../locks/index.ts';
import type { Subject } from '../simulator/index.ts';
import { probeLock } from './probe-lock.ts';

/** A lock from outside, as the simulator tries it; it opens wherever its servers are. */
export interface ExternalLock extends Subject {
  readonly open: (view: LockView, host: Host) => Promise<Backend>;
}

/**
 * The lock that a name stands for: one of ours, or one from outside.
 * @param folder from where files and packages are looked up
 * @param onLoaded told before it is played with for the first time
 * @throws ConfigError where there is no such lock, or {@link loadExternalLock} refuses it
 */
export async function loadSubject(
  name: string,
  folder: string,
  onLoaded?: () => void,
): Promise<Subject> {
  return builtInSubject(name) ?? (await loadExternalLock(name, folder, onLoaded));
}

/**
 * A package or file that exports a backend over our ports, and what it needs. What it promises is found out by playing
 * with it.
 * @throws ConfigError where there is none, it does not say what it needs, or it cannot even be opened
 */
export async function loadExternalLock(
  name: string,
  folder: string,
  onLoaded?: () => void,
): Promise<ExternalLock> {
  const module = await importBackend(name, folder);
  const needs = needsOf(module.deployment, name);
  onLoaded?.();
  const open: ExternalLock['open'] = (view, host) =>
    module.open({ backend: name, ...VIEWS[needs](view) }, host);
  return { ...(await probeLock(name, open, needs)), open };
}

/** What of a view a lock is given: what it says that it needs, and nothing else. */
const VIEWS: Readonly<Record<Needs, (view: LockView) => object>> = {
  nothing: ({ store, link }) => ({ store, link }),
  redis: ({ node, nodes }) => ({ node, nodes }),
  zookeeper: ({ openSession }) => ({ openSession }),
};
