/** A thread that tries one lock, so that a lock which never yields holds up nothing else. */
import { parentPort, workerData } from 'node:worker_threads';
import { ConfigError } from '@holdfast/core';
import { foundCell } from '../compare/found-cell.ts';
import { fingerprintOf, playGuarded, storyOf } from '../search/index.ts';
import { loadSubject } from '../search/load-subject.ts';
import type { Subject } from '../simulator/index.ts';
import { Beat } from './beat.ts';
import { Bound } from './bound.ts';
import { closeDoors } from './close-doors.ts';
import { hunt, schedulesOf } from './hunt.ts';
import type { Answer, Birth, Task } from './thread-messages.ts';
import { promisesOf } from './trial.ts';

const { lock, folder, beat: shared }: Birth = workerData;
const beat = new Beat(shared);
const onPlay = (schedule: Parameters<Beat['begin']>[0]): void => beat.begin(schedule);

function answer(message: Answer): void {
  parentPort?.postMessage(message, []);
}

async function perform(task: Task, subject: Subject): Promise<Answer> {
  switch (task.kind) {
    case 'hunt': {
      const { quest, share } = task;
      const bound = new Bound(task.bound);
      const onProgress = (tally: Extract<Answer, { readonly kind: 'progress' }>['tally']): void =>
        answer({ kind: 'progress', tally });
      return {
        kind: 'hunted',
        hunted: await hunt(quest, subject, { bound, share, onPlay, onProgress }),
      };
    }
    case 'fingerprint': {
      const options = { subject, onPlay, ...schedulesOf(task.quest) };
      const fingerprint = await fingerprintOf(options);
      return { kind: 'fingerprinted', fingerprint };
    }
    case 'tell':
      return { kind: 'told', told: await storyOf(task.schedule, subject, task.wanted, { onPlay }) };
    case 'find':
      return { kind: 'found', cell: await foundCell(subject, task.row, task.effort, onPlay) };
    case 'play':
    default:
      onPlay(task.schedule);
      return { kind: 'played', played: await playGuarded(task.schedule, subject, { trace: true }) };
  }
}

function failed(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', message, isConfig: error instanceof ConfigError };
}

// Before the lock is loaded, which may take hold of a clock at once.
closeDoors();

try {
  const subject = await loadSubject(lock, folder, () => beat.touch());
  const promises = promisesOf(subject);
  parentPort?.on('message', (task: Task) => {
    perform(task, subject).then(answer, (error: unknown) => answer(failed(error)));
  });
  answer({ kind: 'ready', promises });
} catch (error) {
  answer(failed(error));
}
