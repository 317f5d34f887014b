import { ConfigError, type Runtime } from '@holdfast/core';
import type { HostPort } from '../adapters/clients.ts';
import type { Dialer } from '../link.ts';
import { chooseMaster, type NamedAnswer } from './choose-master.ts';
import { SentinelQuery } from './sentinel-query.ts';

export interface MasterSearchOptions {
  readonly runtime: Runtime;
  readonly name: string;
  readonly sentinels: readonly Dialer[];
  /** The limit of one search. */
  readonly askMs: number;
}

export interface FoundMaster {
  /** As the sentinels name it. */
  readonly master: HostPort;
  /** Grows with every search that begins: what a later one found is not older. */
  readonly search: number;
}

/** The time for other sentinels after one has named a master: it may be the one that has not heard of a failover yet. */
export const STRAGGLER_MS = 200;

/**
 * Asks all sentinels at once which server is the master, and takes the answer of the highest configuration epoch: every
 * failover raises it, and a sentinel that was cut off answers with an old one, perhaps first.
 */
export class MasterSearch {
  readonly #options: MasterSearchOptions;
  readonly #open = new Set<SentinelQuery>();
  #searches = 0;
  /** The highest epoch that was taken so far. */
  #epoch: number | undefined;

  constructor(options: MasterSearchOptions) {
    this.#options = options;
  }

  /**
   * Rejects with a ConfigError if the list of sentinels, the name of the master or the log-in is wrong, else with an Error.
   */
  async find(): Promise<FoundMaster> {
    const search = ++this.#searches;
    const { sentinels } = this.#options;
    const queries = sentinels.map((dialer) => new SentinelQuery(dialer, this.#options));
    for (const query of queries) this.#open.add(query);
    try {
      const answers = await this.#answers(queries);
      const { name } = this.#options;
      const isFirst = this.#epoch === undefined;
      const { master, epoch } = chooseMaster(answers, { name, isFirst });
      await rejectMixed(answers, name);
      this.#rejectOutdated(epoch, answers);
      this.#epoch = epoch;
      return { master, search };
    } finally {
      for (const query of queries) this.#end(query);
    }
  }

  /** Ends what is still asked. */
  close(): void {
    for (const query of this.#open) this.#end(query);
  }

  #end(query: SentinelQuery): void {
    this.#open.delete(query);
    query.close();
  }

  /** In the order of the list. A sentinel that does not answer within `askMs` counts as failed. */
  #answers(queries: readonly SentinelQuery[]): Promise<readonly NamedAnswer[]> {
    const { runtime } = this.#options;
    const answers = new Map<SentinelQuery, NamedAnswer>();
    return new Promise((resolve) => {
      let cancel: (() => void) | undefined;
      const done = (): void => {
        cancel?.();
        resolve(queries.flatMap((query) => answers.get(query) ?? []));
      };
      for (const query of queries) {
        void query.ask().then((answer) => {
          answers.set(query, { query, answer });
          if (answers.size === queries.length) done();
          else if (answer.kind === 'master')
            cancel ??= runtime.timer(STRAGGLER_MS, done, { awaited: true });
        });
      }
    });
  }

  /**
   * A lower epoch than before is an old answer, unless most sentinels agree that there is no higher one: an operator has set
   * up the master anew.
   */
  #rejectOutdated(epoch: number, answers: readonly NamedAnswer[]): void {
    const named = answers.filter(({ answer }) => answer.kind === 'master').length;
    if (epoch >= (this.#epoch ?? 0) || 2 * named > this.#options.sentinels.length) return;
    const message = `only sentinels with an outdated configuration answered: epoch ${epoch}, and ${this.#epoch} is known`;
    throw new Error(message);
  }
}

/**
 * Rejects sentinels of two deployments: their epochs cannot be compared, and clients with other lists would lock elsewhere.
 * Those of one deployment know each other as soon as a failover is possible.
 */
async function rejectMixed(answers: readonly NamedAnswer[], name: string): Promise<void> {
  const named = answers.flatMap(({ query, answer }) =>
    answer.kind === 'master' ? { query, at: `${answer.master.host}:${answer.master.port}` } : [],
  );
  if (new Set(named.map(({ at }) => at)).size < 2) return;
  const known = await Promise.all(named.map(({ query }) => query.peers()));
  for (const [at, one] of named.entries()) {
    for (const [offset, other] of named.slice(at + 1).entries()) {
      const [mine, theirs] = [known[at], known[at + 1 + offset]];
      if (one.at === other.at || mine === undefined || theirs === undefined) continue;
      if (mine.peers.has(theirs.id) || theirs.peers.has(mine.id)) continue;
      throw new ConfigError(
        `the list mixes sentinels of two deployments: ${one.query.address} says that ${name} is ${one.at}, ${other.query.address} says ${other.at}, and neither knows the other`,
      );
    }
  }
}
