/** A thread that tries one lock, so that a lock which never yields holds up nothing else. */
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

const { lock, folder, heartbeat: shared }: WorkerInit = workerData;
const heartbeat = new Heartbeat(shared);
const onPlay = (schedule: Parameters<Heartbeat['begin']>[0]): void => heartbeat.begin(schedule);

function reply(message: RunnerReply): void {
  parentPort?.postMessage(message, []);
}

async function perform(task: RunnerTask, subject: Subject): Promise<RunnerReply> {
  switch (task.kind) {
    case 'hunt': {
      const { quest, share } = task;
      const limit = new SharedLimit(task.bound);
      const onProgress = (
        tally: Extract<RunnerReply, { readonly kind: 'progress' }>['tally'],
      ): void => reply({ kind: 'progress', tally });
      return {
        kind: 'hunted',
        hunted: await searchPart(quest, subject, { limit, share, onPlay, onProgress }),
      };
    }
    case 'fingerprint': {
      const options = { subject, onPlay, ...schedulesOf(task.quest) };
      const fingerprint = await fingerprintOf(options);
      return { kind: 'fingerprinted', fingerprint };
    }
    case 'tell':
      return {
        kind: 'told',
        told: await minimiseToStory(task.schedule, subject, task.wanted, { onPlay }),
      };
    case 'find':
      return { kind: 'found', cell: await exploreCell(subject, task.row, task.effort, onPlay) };
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

// Before the lock is loaded, which may take hold of a clock at once.
blockNondeterminism();

try {
  const subject = await loadSubject(lock, folder, () => heartbeat.beat());
  const promises = traitsOf(subject);
  parentPort?.on('message', (task: RunnerTask) => {
    perform(task, subject).then(reply, (error: unknown) => reply(reportFailure(error)));
  });
  reply({ kind: 'ready', promises });
} catch (error) {
  reply(reportFailure(error));
}
