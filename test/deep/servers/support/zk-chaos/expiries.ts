import { setTimeout as sleep } from 'node:timers/promises';
import {
  fourLetters,
  type ZooKeeperEnsemble,
} from '../../../../../harness/test/kit/real-servers.ts';
import type { Ear, Word } from './ear.ts';
import { type Claim, leaderOf, type Reigns } from './reigns.ts';

/**
 * `falsely`: no server replied so, or the leader under which a server did still has the session. `by the deposed`: a server
 * replied so under a leader that has been replaced since. That leader had ended the session, or was paused, and its
 * successor continues without the uncommitted end: no client can know better.
 */
export type Verdict = 'truly' | 'by the deposed' | 'falsely';

/** True if the leader has the session; and the leader that was asked. */
export interface Look {
  readonly leader: Claim;
  readonly isKnown: boolean;
  /** True if ephemeral nodes of it exist, whether or not the leader still tracks it. */
  readonly hasNodes: boolean;
}

/** A session that its client took for expired, and what there is to judge that by. */
export interface Expiry {
  readonly session: string;
  readonly reportedMs: number;
  readonly word: Word | undefined;
  /** The last status of that server before its reply, and its first one after. */
  readonly teller: readonly Claim[];
  readonly looks: readonly Look[];
}

/** Delays after the client's report. A live session outlasts them, for no one else ends it. */
const LOOKS_MS = [0, 250, 500, 1_000];
const ASKED_MAX = 200;
const ASK_AGAIN_MS = 50;

/** Gathers evidence for every expiry as it is reported, while the servers still have it. */
export class Expiries {
  readonly #ensemble: ZooKeeperEnsemble;
  readonly #ear: Ear;
  readonly #reigns: Reigns;
  readonly #gathering: Promise<Expiry>[] = [];

  constructor(ensemble: ZooKeeperEnsemble, ear: Ear, reigns: Reigns) {
    this.#ensemble = ensemble;
    this.#ear = ear;
    this.#reigns = reigns;
  }

  /** Adds a session that a client reported as expired. */
  add(session: string): void {
    this.#gathering.push(this.#gather(session));
  }

  all(): Promise<readonly Expiry[]> {
    return Promise.all(this.#gathering);
  }

  async #gather(session: string): Promise<Expiry> {
    const reportedMs = performance.now();
    const word = this.#ear.wordOn(session);
    const before = word && this.#reigns.latest(word.server);
    const after = word && (await this.#reigns.ask())[word.server];
    const teller = [before, after].flatMap((claim) => claim ?? []);
    const looks: Look[] = [];
    for (const ms of LOOKS_MS) {
      await sleep(Math.max(0, reportedMs + ms - performance.now()));
      const look = await this.#look(session);
      if (look !== undefined) looks.push(look);
    }
    return { session, reportedMs, word, teller, looks };
  }

  /** Tries again until a leader replies. */
  async #look(session: string): Promise<Look | undefined> {
    for (let tries = 0; tries < ASKED_MAX; tries++) {
      const leader = leaderOf(await this.#reigns.ask());
      const port = leader && this.#ensemble.servers[leader.server]?.port;
      const dump = port === undefined ? '' : await fourLetters(port, 'dump');
      if (leader !== undefined && dump !== '') {
        const isKnown = tracks(dump, session);
        return { leader, isKnown, hasNodes: dump.includes(`${session}:`) };
      }
      await sleep(ASK_AGAIN_MS);
    }
    return undefined;
  }
}

/**
 * True if a leader tracks this session. Its ephemeral nodes, which the dump lists too, prove nothing: they exist until the
 * end of the session is committed, while the leader replies "expired" as soon as it has decided on the end.
 */
function tracks(dump: string, session: string): boolean {
  const sets = dump.slice(0, dump.indexOf('ephemeral nodes dump'));
  return sets.split(/\s+/).includes(session);
}

export function verdictOf({ word, teller, looks }: Expiry): Verdict {
  if (word === undefined) return 'falsely';
  const knowing = looks.filter(({ isKnown }) => isKnown).map(({ leader }) => leader.epoch);
  // Of one look alone: the session can be touched once more between falling due and being ended.
  if (knowing.length < 2) return 'truly';
  const reported = Math.min(...teller.map(({ epoch }) => epoch));
  return reported < Math.max(...knowing) ? 'by the deposed' : 'falsely';
}
