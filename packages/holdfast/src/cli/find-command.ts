import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Finding, find } from '../find/find.ts';
import { findingJson } from '../find/finding-json.ts';
import { formatFinding } from '../find/format-finding.ts';
import { inkFor } from '../find/ink.ts';
import { openTrials } from '../find/open-trial.ts';
import type { Quest } from '../find/quest.ts';
import type { Trial } from '../find/trial.ts';
import type { Arguments } from './arguments.ts';
import { FIND_HELP } from './help.ts';
import type { Io } from './io.ts';
import type { Command } from './main.ts';
import { questFrom } from './quest-arguments.ts';
import { SearchProgress } from './search-progress.ts';
import { UsageError } from './usage-error.ts';
import { holdfastVersion } from './version.ts';
import { wholeNumber } from './whole-number.ts';

const JOBS = { option: 'jobs', fallback: 1, min: 1, max: 64 } as const;
const NOT_FOUND = 3;

export const findCommand: Command = {
  options: {
    fault: 'value',
    fenced: 'flag',
    property: 'value',
    budget: 'value',
    seed: 'value',
    jobs: 'value',
    json: 'flag',
    out: 'value',
  },
  help: FIND_HELP,
  run: runFind,
};

async function runFind({ flags, values, operands }: Arguments, io: Io): Promise<number> {
  const quest = questFrom(operands, values, flags.has('fenced'));
  const finding = await seek(quest, wholeNumber(values, JOBS), io);
  const path = values.get('out') ?? join('out', 'find', fileName(quest));
  if (finding.kind === 'found') await write(path, finding);
  if (flags.has('json'))
    io.stdout.write(`${JSON.stringify(findingJson(finding, quest, holdfastVersion()), null, 2)}\n`);
  else
    io.stdout.write(
      `${formatFinding(finding, quest, path, inkFor(io.stdout, io.env)).join('\n')}\n`,
    );
  return finding.kind === 'none' ? NOT_FOUND : 0;
}

async function seek(quest: Quest, jobs: number, io: Io): Promise<Finding> {
  const progress = new SearchProgress(io.stderr, quest.budget);
  try {
    const trials = await openTrials(quest.lock, quest.folder, jobs);
    try {
      demandTokens(quest, trials);
      return await find(quest, trials, progress);
    } finally {
      await Promise.all(trials.map((trial) => trial.close()));
    }
  } finally {
    progress.end();
  }
}

/** A fence that gets no tokens refuses everybody, or nobody: either way it would prove nothing. */
function demandTokens({ fenced, lock }: Quest, [trial]: readonly Trial[]): void {
  if (fenced && trial?.promises.tokens === false)
    throw new UsageError(
      `${lock} hands out no fencing tokens, so nothing can compare them`,
      'Leave out --fenced.',
    );
}

async function write(path: string, { told }: Extract<Finding, { kind: 'found' }>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(told.story, null, 2)}\n`);
}

/** `redis-simple-failover.json`; of a file the last part of its path. */
function fileName({ lock, faults }: Quest): string {
  const name = lock.replace(/^.*[/\\]/, '').replace(/\.[cm]?[jt]s$/, '');
  return `${name}-${faults.join('-')}.json`;
}
