import type { FaultId } from '@holdfast/core/backend';
import { cellAt } from './campaign.ts';
import type { Found } from './found.ts';
import {
  lostReply,
  partialQuorum,
  renewalsAfterTheft,
  serverDiesUnderMutex,
  serverDiesUnderUsing,
  slowReplies,
  theft,
  tokensInverted,
} from './known-defects.ts';

/** Something that was known of these libraries before the bench was there, and how the bench shows it. */
export interface Experiment {
  readonly id: string;
  readonly what: string;
  /** In which cells generated schedules come upon it. */
  readonly search: readonly (readonly [column: string, fault: FaultId, kind: string])[];
  /** Plays the scenario that was written for it, and describes its result. */
  readonly directed?: () => Promise<string>;
  /** The reason, if neither shows it. */
  readonly why?: string;
}

export const EXPERIMENTS: readonly Experiment[] = [
  {
    id: 'E1',
    what: 'votes of a failed attempt are kept, and block the next one',
    search: [],
    directed: async () => {
      const [redlock, mutex] = [
        await partialQuorum('redlock'),
        await partialQuorum('redis-semaphore'),
      ];
      return `with \`enableOfflineQueue: false\`, since otherwise the clients wait for the dead node: redlock 5 fails after ${redlock.tookMs} ms (“${redlock.outcome}”); redis-semaphore acquired it after ${mutex.tookMs} ms. No property of the first table is violated by waiting; the second table shows clients that wait too long`;
    },
  },
  {
    id: 'E2',
    what: 'an acquisition resolves although its lease is over, because replies took longer than it lasts',
    search: [
      ['redis-semaphore', 'delay', 'validity'],
      ['redis-semaphore, redlock', 'delay', 'validity'],
    ],
    directed: async () => {
      const results = await slowReplies();
      return Object.entries(results)
        .map(
          ([name, { reports, isStored }]) =>
            `${name}: ${reports}, ${isStored ? 'a' : 'no'} key is stored`,
        )
        .join('; ');
    },
  },
  {
    id: 'E3',
    what: 'how late a holder learns that its key was overwritten, and which error is seen',
    search: [],
    directed: async () => {
      const seen = await theft();
      return `a lease of 1000 ms overwritten after 100: redlock 5 reports it after ${seen.redlockReportedMs} ms, and rejects with “${seen.redlockRejectsWith}” in place of the body’s error; redis-semaphore reports it after ${seen.redisSemaphoreReportedMs} ms. Generated schedules overwrite no keys`;
    },
  },
  {
    id: 'E4',
    what: '`using()` of redlock 5 learns nothing while its servers are dead',
    search: [
      ['redlock 5, using', 'server-stop', 'validity'],
      ['redlock 5, using', 'client-cut', 'validity'],
      ['redlock 5, using', 'majority-down', 'validity'],
    ],
    directed: async () => {
      const { isAborted } = await serverDiesUnderUsing();
      return `16 s after the grant of a lease of 2 s, \`signal.aborted\` is ${isAborted}`;
    },
  },
  {
    id: 'E5',
    what: '`isAcquired` of redis-semaphore stays true while its server is dead; a rejected renewal is not reported',
    search: [
      ['redis-semaphore', 'server-stop', 'validity'],
      ['redis-semaphore', 'client-cut', 'validity'],
    ],
    directed: async () => {
      const calm = await serverDiesUnderMutex({});
      const hasty = await serverDiesUnderMutex({ maxRetriesPerRequest: 1 });
      return `6 s after the grant of a lease of 1 s, \`isAcquired\` is ${calm.isAcquired} and \`onLockLost\` was called ${calm.timesReported} times; with \`maxRetriesPerRequest: 1\` the process has ended: ${hasty.unhandled}`;
    },
  },
  {
    id: 'E6',
    what: 'a lost reply of the first acquisition leaves a key that its own caller waits for',
    search: [],
    directed: async () => {
      const tries = ['redlock', 'redis-semaphore', 'Verrou'] as const;
      const outcomes: string[] = [];
      for (const name of tries) {
        const { outcome, tookMs } = await lostReply(name);
        outcomes.push(`${name}: ${outcome} after ${tookMs} ms`);
      }
      return `a lease of 5000 ms: ${outcomes.join('; ')}. ioredis sends the command again by itself, which finds the key taken. No key is held twice, and the bounds of the second table allow a wait of one ttl, so the search does not show it`;
    },
  },
  {
    id: 'E7',
    what: 'the token of simple-redis-mutex is drawn after the grant, so a late one is higher',
    search: [],
    directed: async () => {
      const history = await tokensInverted();
      const granted = history.flatMap((event) =>
        event.type === 'granted' ? [`${event.client} is granted token ${event.token}`] : [],
      );
      const refused = history.flatMap((event) =>
        event.type === 'write' && !event.accepted ? [`a write with token ${event.token}`] : [],
      );
      return `b comes after a: ${granted.join(', then ')}; the resource rejects ${refused.join(', ')}, which is the rightful holder’s. The fence then loses no update, so the search does not show it. The failures of tokens in the table are others: tokens start again after the server lost its counter. The rest of E7 is about libraries and stores that are not on the bench`;
    },
  },
  {
    id: 'E8',
    what: 'SyncGuard: its signal, its release, its body’s arguments',
    search: [],
    why: 'SyncGuard is not on the bench: it could not be installed here',
  },
  {
    id: 'E9',
    what: 'keys in several slots of a Redis Cluster',
    search: [],
    why: 'the simulator has no Redis Cluster',
  },
  {
    id: 'E10',
    what: '`using()` of redlock 5 with `retryCount: 0` renews without a pause after a theft',
    search: [],
    directed: async () => {
      const { renewals } = await renewalsAfterTheft();
      return `${renewals} renewals in half a second, a round trip of 1 ms each`;
    },
  },
  {
    id: 'E11',
    what: 'live-mutex frees every key when any client disconnects',
    search: [],
    why: 'it has a broker of its own, which the simulator does not have',
  },
];

/** The result of the search, in one sentence for the page. */
export function searched({ search }: Experiment, { cells }: Found): string {
  const hits = search.flatMap(([column, fault, kind]) => {
    const { violated, schedules } = cellAt(cells, fault, column);
    const hit = violated[kind];
    if (hit === undefined) return [];
    return [`${column} under \`${fault}\`: ${hit.times} of ${schedules}, first ${hit.first}`];
  });
  if (hits.length > 0) return hits.join('; ');
  return search.length > 0 ? 'not within these schedules' : '–';
}
