import { MemoryStore } from '@holdfast/core/backend';
import type { Driver } from '../driver.ts';
import { SimAmbientError, SimLimitError, SimStuckError, SimUnhandledError } from '../errors.ts';
import { toUs } from '../kernel.ts';
import { Recorder } from '../recorder.ts';
import type { Cluster, ClusterOf } from '../schedule/cluster.ts';
import { serverHoldsOf } from '../schedule/holds.ts';
import type { PlayResult } from '../schedule/play.ts';
import { clientsOf, nodeName, type Schedule } from '../schedule/schedule.ts';
import { seenIn } from '../schedule/sometimes.ts';
import { ClientEnv, type Subject } from '../schedule/subject.ts';
import { partsOf, World } from '../world.ts';
import { type Choice, type Chooser, persistentIn, type SearchState } from './choice.ts';
import { ChoiceQueue } from './choice-queue.ts';
import { endStateOf } from './end-state.ts';
import { RoundClient } from './round-client.ts';
import { TimeAdvancer, type TimeModel } from './time-advancer.ts';

/** A run takes about a hundred steps; one that takes a thousand loops. */
const EVENTS_MAX = 2_000;

export interface SteerOptions {
  /** Undefined if the chooser itself decides when time passes. */
  readonly timeModel?: TimeModel | undefined;
  /** True to offer the chooser only the choices that are enough to explore everything. */
  readonly isReduced?: boolean;
  /** True if the replies of all nodes reach each client in the order of the nodes. */
  readonly inOrder?: boolean;
  readonly trace?: boolean;
  readonly guard?: boolean;
  readonly driver?: Driver | undefined;
}

/** The result of a steered run. */
export interface Steered {
  readonly played: PlayResult;
  /** True if it ran until nothing could happen any more; false if the chooser abandoned it. */
  readonly isWhole: boolean;
  /** The state at the end: equal texts, equal ends. */
  readonly endState: string;
}

/** Plays one round of every client of a schedule, in the order that a chooser decides. */
export async function steer(
  clusterOf: ClusterOf,
  schedule: Schedule,
  subject: Subject,
  chooser: Chooser,
  options: SteerOptions = {},
): Promise<Steered> {
  const run = new SteeredRun({ clusterOf, chooser }, schedule, subject, options);
  await run.run();
  return run.steered();
}

class SteeredRun {
  readonly #schedule: Schedule;
  readonly #subject: Subject;
  readonly #chooser: Chooser;
  readonly #options: SteerOptions;
  readonly #queue = new ChoiceQueue();
  readonly #world: World;
  readonly #recorder: Recorder;
  readonly #cluster: Cluster;
  readonly #clients: readonly RoundClient[];
  readonly #complaints: string[] = [];
  #ambient: string | undefined;
  #observed = 0;
  #isWhole = false;

  constructor(
    { clusterOf, chooser }: { readonly clusterOf: ClusterOf; readonly chooser: Chooser },
    schedule: Schedule,
    subject: Subject,
    options: SteerOptions,
  ) {
    this.#schedule = schedule;
    this.#subject = subject;
    this.#chooser = chooser;
    this.#options = options;
    const { trace = false, guard = false, driver } = options;
    this.#world = new World({
      trace,
      guard,
      driver,
      maxEvents: EVENTS_MAX,
      queue: this.#queue,
    });
    this.#recorder = new Recorder(this.#world);
    this.#cluster = clusterOf(this.#world, schedule, subject);
    const context = {
      kernel: partsOf(this.#world).kernel,
      recorder: this.#recorder,
      subject,
      ttlMs: schedule.ttlMs,
      notice: () => void this.#observed++,
    };
    this.#clients = clientsOf(schedule).map(
      (id) => new RoundClient(id, this.#world.process(id), context),
    );
  }

  async run(): Promise<void> {
    try {
      await this.#world.run(() => this.#perform());
    } catch (error) {
      // The chooser abandoned the run.
      if (error instanceof SimStuckError) return;
      this.#isWhole = true;
      this.#complaints.push(failureMessage(error));
      if (error instanceof SimAmbientError) this.#ambient = error.message;
    }
    const waiting = this.#clients.filter(({ isDone }) => !isDone).map(({ id }) => id);
    if (waiting.length > 0)
      this.#complaints.push(`an operation of ${waiting.join(', ')} never ended`);
  }

  steered(): Steered {
    const history = this.#recorder.history();
    const { trace } = this.#world;
    const isTraced = trace.isKept;
    const played: PlayResult = {
      schedule: this.#schedule,
      subject: this.#subject.name,
      history,
      complaints: this.#complaints,
      touches: this.#cluster.observed().touches,
      serverHolds: serverHoldsOf(this.#cluster, history),
      ...(this.#ambient === undefined ? {} : { ambient: this.#ambient }),
      injections: [],
      effective: history.filter(({ type }) => type === 'acquire').length > 1,
      ops: this.#clients.length,
      accepted: history.filter(({ type }) => type === 'granted').length,
      sometimes: new Set(seenIn(history)),
      trace: isTraced ? trace.records : [],
      hash: isTraced ? trace.hash() : undefined,
    };
    const endState = endStateOf(this.#cluster, this.#clients, history);
    return { played, isWhole: this.#isWhole, endState };
  }

  async #perform(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.open(this.#envOf(client))));
    const { kernel } = partsOf(this.#world);
    const fromUs = toUs(Math.ceil(this.#world.nowMs) + 1);
    const advancer = this.#timeAdvancer(fromUs);
    await new Promise<void>((resolve) => {
      const finished = (): void => {
        this.#isWhole = true;
        resolve();
      };
      this.#start(0);
      this.#queue.steer(
        {
          chooser: this.#chooser,
          clientOf: ({ owner }) => {
            const client = this.#clients.find(({ process }) => process === owner);
            if (client === undefined) return undefined;
            const { id, isDone } = client;
            return { id, isPrompt: isDone || advancer.isPrompt(kernel.nowUs) };
          },
          inOrder: this.#options.inOrder === true ? this.#nodes() : [],
          observations: () => this.#observed,
          sufficient: (choices, nowUs) => this.#sufficient(choices, advancer.passes(nowUs)),
          timeAdvances: (status) => advancer.choicesAt(status),
          finished,
        },
        fromUs,
      );
    });
  }

  #sufficient(
    choices: readonly Choice[],
    timePasses: SearchState['timePasses'],
  ): readonly Choice[] {
    if (this.#options.isReduced !== true) return choices;
    return persistentIn(choices, { clients: this.#clients, nodes: this.#nodes(), timePasses });
  }

  #nodes(): readonly string[] {
    return Array.from({ length: this.#schedule.nodes }, (_, node) => nodeName(node));
  }

  /** Starts the clients one after the other: they are all alike, so any other order is this one under other names. */
  #start(n: number): void {
    this.#clients[n]?.start(() => this.#start(n + 1));
  }

  #timeAdvancer(fromUs: number): TimeAdvancer {
    const { ttlMs } = this.#schedule;
    return new TimeAdvancer({
      fromUs,
      ttlMs,
      timeModel: this.#options.timeModel,
      clients: this.#clients,
      advanced: (name) => this.#world.note('world', 'passes', name),
    });
  }

  #envOf({ process }: RoundClient): ClientEnv {
    const { runtime } = process;
    return new ClientEnv(this.#subject.name, this.#cluster.view(process), {
      store: new MemoryStore(() => runtime.now().monotonicMs),
      link: { call: nowhere, deliver: nowhere },
    });
  }
}

function failureMessage(error: unknown): string {
  if (error instanceof SimUnhandledError) return error.message;
  if (error instanceof SimLimitError) return `it never comes to an end: ${error.message}`;
  return `the lock threw: ${error instanceof Error ? error.message : String(error)}`;
}

function nowhere(): never {
  throw new Error('a steered run needs a lock on Redis nodes');
}
