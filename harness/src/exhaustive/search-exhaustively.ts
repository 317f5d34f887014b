import { ConfigError } from '@holdfast/core';
import {
  playGuarded,
  refuseAmbient,
  replayTraced,
  type TargetProperty,
  type TracedStory,
  type Violation,
  violationOf,
} from '../search/index.ts';
import {
  type Explored,
  exhaust,
  type Schedule,
  type Scope,
  type Subject,
  shorten,
  type TimeModel,
} from '../simulator/index.ts';

/** The lock, property and scope of an exhaustive search. */
export interface ExhaustiveRequest {
  readonly lock: string;
  readonly clients: number;
  readonly target: TargetProperty;
  /** Most runs. */
  readonly budget: number;
}

export interface ExhaustiveResult extends Explored {
  readonly scope: Scope;
  readonly timeModels: readonly TimeModel[];
  /** The first order that shows the violation, shortened. */
  readonly told: Omit<TracedStory, 'plays'> | undefined;
  /** Plays that the shortening took. */
  readonly plays: number;
}

/** Receives the progress of a search. */
export interface ExhaustiveListener {
  onProgress(soFar: Explored): void;
  onShrink(n: number): void;
}

/** With more nodes the search would not end. */
const NODES_MAX = 3;
/** Calls that time out send more messages, and with three clients the search would not end. */
const CLIENTS_LATE_MAX = 2;

/**
 * Explores all orders of a small scope until one shows the violation. The time models are explored one after the
 * other, and their runs are counted together.
 * @throws ConfigError for a lock that is not on Redis nodes, or that never grants anything
 */
export async function searchExhaustively(
  subject: Subject,
  quest: ExhaustiveRequest,
  witness: ExhaustiveListener,
): Promise<ExhaustiveResult> {
  const scope = scopeOf(subject, quest);
  const timeModels = timeModelsOf(scope);
  const sweeping = new ExhaustiveRun(subject, quest, witness);
  for (const timeModel of timeModels) if (!(await sweeping.run(scope, timeModel))) break;
  const { explored } = sweeping;
  if (sweeping.granted === 0 && explored.runs > 0)
    throw new ConfigError(`"${quest.lock}" grants nothing in any order`, { backend: quest.lock });
  return { ...explored, scope, timeModels, ...(await sweeping.story()) };
}

/** Returns the time models whose search ends within minutes. */
function timeModelsOf({ clients, nodes }: Scope): readonly TimeModel[] {
  if (nodes > 1) return ['calls are over'];
  return clients <= CLIENTS_LATE_MAX
    ? ['calls are in time', 'calls time out']
    : ['calls are in time'];
}

function scopeOf({ nodes, ensemble }: Subject, { lock, clients }: ExhaustiveRequest): Scope {
  if (nodes === 0 || ensemble === true)
    throw new ConfigError(`"${lock}" is not on Redis nodes: only such locks are gone through`, {
      backend: lock,
    });
  const count = Math.min(nodes, NODES_MAX);
  return { clients, nodes: count, inOrder: count > 1 };
}

class ExhaustiveRun {
  readonly #subject: Subject;
  readonly #quest: ExhaustiveRequest;
  readonly #witness: ExhaustiveListener;
  #explored: Explored = { runs: 0, left: 0, isComplete: true };
  #hit: { readonly schedule: Schedule; readonly kind: Violation['kind'] } | undefined;
  granted = 0;

  constructor(subject: Subject, quest: ExhaustiveRequest, witness: ExhaustiveListener) {
    this.#subject = subject;
    this.#quest = quest;
    this.#witness = witness;
  }

  get explored(): Explored {
    return this.#explored;
  }

  /** Returns true if continuing can find something. */
  async run(scope: Scope, timeModel: TimeModel): Promise<boolean> {
    const before = this.#explored;
    const budget = this.#quest.budget - before.runs - before.left;
    const explored = await exhaust(this.#subject, scope, {
      timeModel,
      budget,
      guard: true,
      onRun: ({ played }, soFar) => {
        refuseAmbient(played);
        this.granted += played.accepted;
        this.#witness.onProgress(addExplored(before, soFar));
        const violation = violationOf(played, this.#quest.target);
        if (violation === undefined) return true;
        this.#hit = { schedule: played.schedule, kind: violation.kind };
        return false;
      },
    });
    this.#explored = addExplored(before, explored);
    return this.#explored.isComplete && this.#hit === undefined;
  }

  async story(): Promise<Pick<ExhaustiveResult, 'told' | 'plays'>> {
    if (this.#hit === undefined) return { told: undefined, plays: 0 };
    const { schedule, kind } = this.#hit;
    const { target } = this.#quest;
    this.#witness.onShrink(this.#explored.runs);
    let plays = 0;
    const shows = async (candidate: Schedule): Promise<boolean> => {
      plays++;
      return violationOf(await playGuarded(candidate, this.#subject), target)?.kind === kind;
    };
    const short = await shorten(schedule, shows);
    return { told: await replayTraced(short, this.#subject, target), plays };
  }
}

function addExplored(a: Explored, b: Explored): Explored {
  return {
    runs: a.runs + b.runs,
    left: a.left + b.left,
    isComplete: a.isComplete && b.isComplete,
  };
}
