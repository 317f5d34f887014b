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
  readonly found: Omit<TracedStory, 'plays'> | undefined;
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
  request: ExhaustiveRequest,
  listener: ExhaustiveListener,
): Promise<ExhaustiveResult> {
  const scope = scopeOf(subject, request);
  const timeModels = timeModelsOf(scope);
  const run = new ExhaustiveRun(subject, request, listener);
  for (const timeModel of timeModels) if (!(await run.run(scope, timeModel))) break;
  const { explored } = run;
  if (run.granted === 0 && explored.runs > 0)
    throw new ConfigError(
      `"${request.lock}" grants nothing in any order; check that it can acquire a key`,
      { backend: request.lock },
    );
  return { ...explored, scope, timeModels, ...(await run.story()) };
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
    throw new ConfigError(
      `"${lock}" is not on Redis nodes; an exhaustive search needs a lock that is`,
      {
        backend: lock,
      },
    );
  const count = Math.min(nodes, NODES_MAX);
  return { clients, nodes: count, inOrder: count > 1 };
}

class ExhaustiveRun {
  readonly #subject: Subject;
  readonly #request: ExhaustiveRequest;
  readonly #listener: ExhaustiveListener;
  #explored: Explored = { runs: 0, abandoned: 0, isComplete: true };
  #violation: { readonly schedule: Schedule; readonly kind: Violation['kind'] } | undefined;
  granted = 0;

  constructor(subject: Subject, request: ExhaustiveRequest, listener: ExhaustiveListener) {
    this.#subject = subject;
    this.#request = request;
    this.#listener = listener;
  }

  get explored(): Explored {
    return this.#explored;
  }

  /** Returns true if continuing can find something. */
  async run(scope: Scope, timeModel: TimeModel): Promise<boolean> {
    const before = this.#explored;
    const budget = this.#request.budget - before.runs - before.abandoned;
    const explored = await exhaust(this.#subject, scope, {
      timeModel,
      budget,
      guard: true,
      onRun: ({ played }, soFar) => {
        refuseAmbient(played);
        this.granted += played.accepted;
        this.#listener.onProgress(addExplored(before, soFar));
        const violation = violationOf(played, this.#request.target);
        if (violation === undefined) return true;
        this.#violation = { schedule: played.schedule, kind: violation.kind };
        return false;
      },
    });
    this.#explored = addExplored(before, explored);
    return this.#explored.isComplete && this.#violation === undefined;
  }

  async story(): Promise<Pick<ExhaustiveResult, 'found' | 'plays'>> {
    if (this.#violation === undefined) return { found: undefined, plays: 0 };
    const { schedule, kind } = this.#violation;
    const { target } = this.#request;
    this.#listener.onShrink(this.#explored.runs);
    let plays = 0;
    const shows = async (candidate: Schedule): Promise<boolean> => {
      plays++;
      return violationOf(await playGuarded(candidate, this.#subject), target)?.kind === kind;
    };
    const short = await shorten(schedule, shows);
    return { found: await replayTraced(short, this.#subject, target), plays };
  }
}

function addExplored(a: Explored, b: Explored): Explored {
  return {
    runs: a.runs + b.runs,
    abandoned: a.abandoned + b.abandoned,
    isComplete: a.isComplete && b.isComplete,
  };
}
