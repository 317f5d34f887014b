import { CapabilityError, ConfigError, LockError } from '@holdfast/core';
import {
  type Backend,
  callDeadlineMs,
  createHost,
  type ListenableHost,
  type Marks,
  StoreRecord,
} from '@holdfast/core/backend';
import type { Config } from '../backends/built-in.ts';
import { type ResolvedConfig, resolveSource } from '../config/source.ts';
import { openBackend } from '../open-locks.ts';
import type { Arguments } from './arguments.ts';
import type { CommandBody } from './command.ts';
import type { Io } from './io.ts';
import { watchMove } from './move-watch.ts';
import { SOURCE_OPTIONS, sourceOf } from './source-argument.ts';
import { UsageError } from './usage-error.ts';

const HELP: string = `holdfast move flip  [--on X] [--store NAME]
holdfast move watch [--on X] [--store NAME] [--for SECONDS]

For a swap of stores under live traffic. X is a configuration with "backend": "moving",
which names both stores ("from", "to").

watch looks at the holds in both stores and names processes that still use the old one
alone. It cannot see a process that holds nothing meanwhile.

flip marks the new store: from then on its tokens count, and clients of the new store
alone are admitted. There is no way back. Run it when every process is moving, and none
of the old store is left.

  --on X           a configuration file; default: HOLDFAST_CONFIG
  --store NAME     which of the stores in that file
  --for SECONDS    how long to watch; default: the longest ttl, at least 30`;

export const MOVE: CommandBody = {
  options: { ...SOURCE_OPTIONS, for: 'value' },
  help: HELP,
  run: move,
};

async function move(args: Arguments, io: Io): Promise<number> {
  const { operands, values } = args;
  const [what, ...more] = operands;
  if ((what !== 'flip' && what !== 'watch') || more.length > 0)
    throw new UsageError('say holdfast move flip, or holdfast move watch');
  if (what === 'flip' && values.has('for')) throw new UsageError('--for is an option of watch');
  const resolved = await resolveSource(sourceOf(args, io.env), { store: values.get('store') });
  const host = createHost();
  if (what === 'flip') return await flip(resolved, host, io);
  const { from, to } = partsOf(resolved.config);
  const [old, next] = await Promise.all(
    [from, to].map((config) => openBackend({ ...resolved, config }, host)),
  );
  if (old === undefined || next === undefined) return 1;
  try {
    return await watchMove(
      { from: old, to: next, seconds: secondsOf(values.get('for'), [resolved.config, from, to]) },
      io,
    );
  } finally {
    await Promise.all([old.close(), next.close()]);
  }
}

/** Marks the store that is moved to, or a store that a configuration names alone. */
async function flip(
  { config, folder }: ResolvedConfig,
  host: ListenableHost,
  io: Io,
): Promise<number> {
  const target = config.backend === 'moving' ? partsOf(config).to : config;
  const epoch = ('fencingEpoch' in target ? target.fencingEpoch : undefined) ?? 0;
  if (epoch === 0)
    throw new ConfigError(
      'a store of fencingEpoch 0 counts from the start: there is nothing to flip',
    );
  const backend = await openBackend({ config: target, folder }, host);
  try {
    const record = new StoreRecord(marksOf(backend), backend.name);
    const deadlineMs = host.runtime.now().monotonicMs + 2 * callDeadlineMs(undefined);
    const stored = await record.raise(epoch, deadlineMs);
    if (stored !== epoch)
      throw new LockError(
        'FENCING_EPOCH',
        `the store of ${backend.name} has fencingEpoch ${stored}, and the configuration ${epoch}`,
        { backend: backend.name },
      );
    await record.flip(epoch, deadlineMs);
    io.stdout.write(
      `The store of ${backend.name} counts from now on, in fencingEpoch ${epoch}. There is no way back.\nNext: let every process use it alone.\n`,
    );
    return 0;
  } finally {
    await backend.close();
  }
}

function partsOf(config: Config): { readonly from: Config; readonly to: Config } {
  if (config.backend === 'moving' && 'from' in config) return config;
  throw new ConfigError('holdfast move needs a configuration with "backend": "moving"');
}

function marksOf({ name, marks }: Backend): Marks {
  if (marks !== undefined) return marks;
  throw new CapabilityError(`${name} keeps no marks in its store`, { backend: name });
}

const SECONDS_MIN = 30;

function secondsOf(given: string | undefined, configs: readonly Config[]): number {
  if (given === undefined)
    return Math.max(SECONDS_MIN, ...configs.map(({ ttlMs = 0 }) => Math.ceil(ttlMs / 1_000)));
  const seconds = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (seconds > 0) return seconds;
  throw new UsageError(`--for needs a number of seconds from 1, not "${given}"`);
}
