/** A thread that runs one lock, so that a lock that never yields blocks nothing else. */
import { parentPort, workerData } from 'node:worker_threads';
import { ConfigError } from '@holdfast/core';
import { exploreCell } from '../compare/explore-cell.ts';
import { fingerprintOf, minimiseToStory, playGuarded } from '../search/index.ts';
import { loadSubject } from '../search/load-subject.ts';
import type { Subject } from '../simulator/index.ts';
import { blockNondeterminism } from './block-nondeterminism.ts';
import { type RunnerReply, type RunnerTask, traitsOf, type WorkerInit } from './lock-runner.ts';
import { schedulesOf, searchPart } from './search-part.ts';
import { Heartbeat, SharedLimit } from './shared-memory.ts';

const { lock, folder, heartbeat: shared, code }: WorkerInit = workerData;
const heartbeat = new Heartbeat(shared);
const onPlay = (schedule: Parameters<Heartbeat['begin']>[0]): void => heartbeat.begin(schedule);

function reply(message: RunnerReply): void {
  parentPort?.postMessage(message, []);
}

async function perform(task: RunnerTask, subject: Subject): Promise<RunnerReply> {
  switch (task.kind) {
    case 'search': {
      const { request, share } = task;
      const limit = new SharedLimit(task.limit);
      const onProgress = (
        tally: Extract<RunnerReply, { readonly kind: 'progress' }>['tally'],
      ): void => reply({ kind: 'progress', tally });
      return {
        kind: 'searched',
        part: await searchPart(request, subject, { limit, share, onPlay, onProgress }),
      };
    }
    case 'fingerprint': {
      const options = { subject, onPlay, ...schedulesOf(task.request) };
      const fingerprint = await fingerprintOf(options);
      return { kind: 'fingerprinted', fingerprint };
    }
    case 'trace':
      return {
        kind: 'traced',
        traced: await minimiseToStory(task.schedule, subject, task.wanted, { onPlay }),
      };
    case 'explore':
      return { kind: 'explored', cell: await exploreCell(subject, task.row, task.effort, onPlay) };
    case 'play':
    default:
      onPlay(task.schedule);
      return { kind: 'played', played: await playGuarded(task.schedule, subject, { trace: true }) };
  }
}

function reportFailure(error: unknown): RunnerReply {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', message, isConfig: error instanceof ConfigError };
}

// Before no module of Node reads files any more. Only code that a story carries needs a compiler, which takes long to load.
const openCode = code && (await import('./built-sources.ts')).openerOf(lock, code);

// Before the lock is loaded, because its module may capture a clock.
blockNondeterminism();

try {
  const subject =
    openCode === undefined
      ? await loadSubject(lock, folder, () => heartbeat.tick())
      : await openCode();
  const traits = traitsOf(subject);
  parentPort?.on('message', (task: RunnerTask) => {
    perform(task, subject).then(reply, (error: unknown) => reply(reportFailure(error)));
  });
  reply({ kind: 'ready', traits });
} catch (error) {
  reply(reportFailure(error));
}
