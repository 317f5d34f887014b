import { setTimeout as sleep } from 'node:timers/promises';
import type { ZooKeeperEnsemble } from '../../../../../harness/src/servers/zookeeper/real/zookeeper-ensemble.ts';
import { fourLetters } from '../../../../../harness/src/servers/zookeeper/real/zookeeper-server.ts';
import type { Ear, Word } from './ear.ts';
import { type Claim, leaderOf, type Reigns } from './reigns.ts';

/**
 * `falsely`: no server said so, or the very reign that said so goes on with the session. `by the deposed`: it was said
 * under a leader that has been replaced since. It had ended the session, or had stood still, and its successor goes on
 * with what it did not get committed: no client can know better.
 */
export type Verdict = 'truly' | 'by the deposed' | 'falsely';

/** Whether the leader has the session, and which one was asked. */
export interface Look {
  readonly leader: Claim;
  readonly isKnown: boolean;
  /** Ephemeral nodes of it stand, whether or not the leader still counts on it. */
  readonly hasNodes: boolean;
}

/** A session that its client took for expired, and what there is to judge that by. */
export interface Expiry {
  readonly session: string;
  readonly toldMs: number;
  readonly word: Word | undefined;
  /** What the server that said so last said of itself before, and what it said right after. */
  readonly teller: readonly Claim[];
  readonly looks: readonly Look[];
}

/** After the client has said so. A session that lives does so for longer, for nobody else ends it. */
const LOOKS_MS = [0, 250, 500, 1_000];
const ASKED_MAX = 200;
const ASK_AGAIN_MS = 50;

/** Gathers evidence for every expiry as it is told, while the servers can still be asked. */
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

  /** A client says that this session has expired. */
  told(session: string): void {
    this.#gathering.push(this.#gather(session));
  }

  all(): Promise<readonly Expiry[]> {
    return Promise.all(this.#gathering);
  }

  async #gather(session: string): Promise<Expiry> {
    const toldMs = performance.now();
    const word = this.#ear.wordOn(session);
    const before = word && this.#reigns.latest(word.server);
    const after = word && (await this.#reigns.ask())[word.server];
    const teller = [before, after].flatMap((claim) => claim ?? []);
    const looks: Look[] = [];
    for (const ms of LOOKS_MS) {
      await sleep(Math.max(0, toldMs + ms - performance.now()));
      const look = await this.#look(session);
      if (look !== undefined) looks.push(look);
    }
    return { session, toldMs, word, teller, looks };
  }

  /** Again until there is a leader that answers. */
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
 * Whether a leader counts on this session. Its ephemeral nodes, which the same text lists, say nothing: they stand until
 * its end is committed, and from then on that it has decided on it the leader answers that the session has expired.
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
  const told = Math.min(...teller.map(({ epoch }) => epoch));
  return told < Math.max(...knowing) ? 'by the deposed' : 'falsely';
}
