import { pathToFileURL } from 'node:url';
import type { PlayOptions, PlayResult, Schedule, Subject } from '@holdfast/harness/simulator';
import { inModes } from '../../harness/test/kit/modes.ts';
import { playGuarded } from '../../harness/test/kit/search.ts';
import { bundle } from '../support/bundle.ts';
import { mutantOf, rightCopy } from './copied-subjects.ts';
import type { play as benchPlay, subjectOf } from './guard/bundle-exports.ts';
import type { AnyMutant } from './mutant.ts';

/** Plays a schedule on a lock that is on trial. */
export type SchedulePlayer = (schedule: Schedule, options?: PlayOptions) => Promise<PlayResult>;

/** The exports of its script. */
interface BundleExports {
  readonly play: typeof benchPlay;
  readonly subjectOf: typeof subjectOf;
}

/** The lock with the mistake of a mutant; or the right lock, before a guard with the mistake. */
export async function mutantPlayer(mutant: AnyMutant): Promise<SchedulePlayer> {
  const { trial, package: of } = mutant;
  if (of !== 'sim')
    return playerOf(
      inModes(await mutantOf({ ...mutant, package: of }, trial.subject), trial.modes),
    );
  const { find, replace, file } = mutant;
  return bundlePlayer(await bundled({ find, replace, file: `harness/src/sim/${file}` }), mutant);
}

/** An unchanged copy of the mutant's source. A test that fails on it proves nothing about the mutant. */
export async function rightPlayer(
  mutant: Pick<AnyMutant, 'package' | 'trial'>,
): Promise<SchedulePlayer> {
  const { trial, package: of } = mutant;
  if (of !== 'sim') return playerOf(inModes(await rightCopy(trial.subject, of), trial.modes));
  return bundlePlayer(await bundled(), mutant);
}

function playerOf(subject: Subject): SchedulePlayer {
  return (schedule, options) => playGuarded(schedule, subject, options);
}

function bundlePlayer(bench: BundleExports, { trial }: Pick<AnyMutant, 'trial'>): SchedulePlayer {
  return (schedule, options) => bench.play(schedule, bench.subjectOf(trial.subject), options);
}

async function bundled(mutation?: Parameters<typeof bundle>[1]): Promise<BundleExports> {
  const script = await bundle('broken/guard/bundle-exports.ts', mutation);
  return await import(/* @vite-ignore */ pathToFileURL(script).href);
}
