import * as core from '@holdfast/core';
import { ConfigError } from '@holdfast/core';
import type { Backend, Host } from '@holdfast/core/backend';
import * as coreBackend from '@holdfast/core/backend';
import * as coreQueue from '@holdfast/core/queue';
import * as coreReentry from '@holdfast/core/reentry';
import * as redis from '@holdfast/redis';
import * as redisPort from '@holdfast/redis/port';
import * as exhibits from '../exhibits/index.ts';
import { builtInSubject, type LockView, openerIn } from '../locks/index.ts';
import { clientsOf } from '../search/clients.ts';
import { needsOf, probeLock, viewFor } from '../search/probe-lock.ts';
import type { StoryCode, Subject } from '../simulator/index.ts';
import { editingOf } from './editing-of.ts';
import { evaluate, type ModuleTable } from './evaluate.ts';

/** What the code of a lock may import: core and the ports, and what exercises are made of. */
const TABLE: ModuleTable = {
  '@holdfast/core': core,
  '@holdfast/core/backend': coreBackend,
  '@holdfast/core/queue': coreQueue,
  '@holdfast/core/reentry': coreReentry,
  '@holdfast/redis': redis,
  '@holdfast/redis/port': redisPort,
  '@holdfast/harness/exercise': exhibits,
};

/** The source files of the packages whose locks can be edited, by package and path. */
export type PackageSources = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The lock of edited code: a built-in one with other files, or one that a file exports as `openBackend` with its
 * `deployment`.
 * @throws ConfigError for code that cannot be read, imports something unknown, or cannot be simulated
 */
export async function editedLock(
  backend: string,
  { files }: StoryCode,
  sources: PackageSources,
): Promise<Subject> {
  const subject = builtInSubject(backend);
  if (subject === undefined) return await ownLock(backend, files);
  const edited = editingOf(backend);
  if (edited === undefined) throw new ConfigError(`${backend} cannot be edited`);
  const all = { ...sources[edited.package], ...files };
  const module = evaluate(edited.entry, all, TABLE, edited.shared);
  return { ...subject, open: (view, host) => edited.open(module, view, host) };
}

async function ownLock(backend: string, files: StoryCode['files']): Promise<Subject> {
  const [entry = ''] = Object.keys(files);
  const module = evaluate(entry, files, TABLE);
  const needs = needsOf(module['deployment'], backend);
  const clients = clientsOf(module['deployment'], backend);
  const opener = openerIn(module, 'openBackend');
  const open = (view: LockView, host: Host): Promise<Backend> => opener(viewFor(needs, view), host);
  return { ...(await probeLock(backend, open, needs, clients)), open };
}
