import {
  type Client,
  type Clients,
  type CutScope,
  hostMs,
  type LogEntry,
} from '../../real/index.ts';
import type { ClientTarget, ServerTarget, Step } from '../../simulator/index.ts';
import type { ClientLinks } from '../deployments/client-links.ts';
import type { RealCluster, RealMember } from '../deployments/real-cluster.ts';
import { placeOf } from './choreography-effects.ts';

/** A signal takes a moment to arrive, in ms; subtracted so that no clock goes back. */
const ARRIVES_MS = 10;
/** The time beyond the fault that a loop is blocked, in ms: it is still blocked when others have worked for a while. */
const BESIDE_MS = 150;

interface StepExecutorOptions {
  readonly clients: Clients;
  readonly cluster: RealCluster;
  /** The length of the fault, in ms. */
  readonly spanMs: number;
  readonly key: string;
  /** The connections on which a client is notified of a release. */
  readonly notifications: CutScope;
}

interface PausedClient {
  readonly atMs: number;
  readonly isAsleep: boolean;
}

/** Executes the steps of one trial. */
export class StepExecutor {
  readonly #options: StepExecutorOptions;
  readonly #entries: LogEntry[] = [];
  readonly #stopped = new Map<Client, PausedClient>();
  #repeated: NodeJS.Timeout | undefined;

  constructor(options: StepExecutorOptions) {
    this.#options = options;
  }

  /** The faults of clients, for the history of the key. */
  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  get cluster(): RealCluster {
    return this.#options.cluster;
  }

  get links(): ClientLinks {
    return required(this.cluster.links, 'links to its servers');
  }

  get notifications(): CutScope {
    return this.#options.notifications;
  }

  /** Executes one step; resolves once it is done. */
  async execute<K extends Step['do']>(step: StepOf<K>): Promise<void> {
    const name: K = step.do;
    await ACTS[name](this, step);
  }

  /** Stops the steps that repeat. */
  stop(): void {
    clearInterval(this.#repeated);
  }

  client(who: ClientTarget): Client {
    return required(this.#options.clients.clients[placeOf(who)], who);
  }

  proxyToResource(who: ClientTarget): ReturnType<Clients['proxyPortOf']> {
    return this.#options.clients.proxyPortOf(placeOf(who));
  }

  async forEachMember(servers: ServerTarget, act: (member: RealMember) => unknown): Promise<void> {
    const members = (await this.cluster.members?.(servers)) ?? [];
    await Promise.all(members.map(act));
  }

  pause(client: Client, isAsleep: boolean): void {
    this.#stopped.set(client, { atMs: client.stop(), isAsleep });
  }

  /** Resumes a paused client. A blocked one resumes by itself. */
  resume(client: Client): void {
    const stopped = this.#stopped.get(client);
    if (stopped === undefined) return;
    const { atMs, isAsleep } = stopped;
    const untilMs = hostMs();
    if (isAsleep) client.clock?.sleep(Math.max(0, untilMs - atMs - ARRIVES_MS));
    client.resume();
    this.#note(client, { type: 'paused', atMs, untilMs });
  }

  block(client: Client): void {
    const ms = this.#options.spanMs + BESIDE_MS;
    const atMs = client.block(ms);
    this.#note(client, { type: 'paused', atMs, untilMs: atMs + ms });
  }

  kill(client: Client): void {
    this.#note(client, { type: 'crashed', atMs: client.kill() });
  }

  async repeatSteps({ everyMs, steps, again }: StepOf<'meanwhile'>): Promise<void> {
    let done = 0;
    const next = async (): Promise<void> => {
      const step = steps[again === true ? done % steps.length : done];
      done++;
      if (step !== undefined) await this.execute(step);
    };
    await next();
    // A step that fails because everything is closed can be ignored.
    this.#repeated = setInterval(() => void next().catch(() => undefined), everyMs);
  }

  #note({ name }: Client, what: ClientFault): void {
    this.#entries.push({ ...what, client: name, key: this.#options.key });
  }
}

type ClientFault =
  | { readonly type: 'paused'; readonly atMs: number; readonly untilMs: number }
  | { readonly type: 'crashed'; readonly atMs: number };

type StepOf<K extends Step['do']> = Extract<Step, { readonly do: K }> & { readonly do: K };
type Acts = { readonly [K in Step['do']]: (executor: StepExecutor, step: StepOf<K>) => unknown };

/** Steps that set the time are handled where the trial is run. */
const NO_OP = (): void => undefined;

const ACTS: Acts = {
  await: NO_OP,
  hold: NO_OP,
  arrive: NO_OP,
  meanwhile: (executor, step) => executor.repeatSteps(step),

  leave: (executor) => executor.client('holder').proceed(),
  pause: (executor, { client }) => executor.pause(executor.client(client), false),
  sleep: (executor, { client }) => executor.pause(executor.client(client), true),
  block: (executor, { client }) => executor.block(executor.client(client)),
  resume: (executor, { client }) => executor.resume(executor.client(client)),
  kill: (executor, { client }) => executor.kill(executor.client(client)),
  jumpClock: (executor, { client, ms }) => executor.client(client).clock?.set(ms),
  holdWrites: (executor, { client }) => executor.proxyToResource(client).cut('up'),
  releaseWrites: (executor, { client }) => executor.proxyToResource(client).heal(),

  stop: (executor, { servers }) => executor.forEachMember(servers, (server) => server.stop()),
  resumeServers: (executor, { servers }) =>
    executor.forEachMember(servers, (server) => server.resume()),
  crash: (executor, { servers }) => executor.forEachMember(servers, (server) => server.crash()),
  restart: (executor, { servers, data }) =>
    executor.forEachMember(servers, (server) => server.restart(data)),
  keepLog: (executor, { servers }) => executor.forEachMember(servers, (server) => server.keepLog()),
  jumpWall: (executor, { servers, ms }) =>
    executor.forEachMember(servers, (server) => server.jumpWall(ms)),
  age: ({ cluster }) => cluster.advanceSequence?.(),

  stopReplication: ({ cluster }) => cluster.stopReplication?.(),
  failover: ({ cluster }) => cluster.failover?.(),
  splitBrain: ({ cluster }, { stay }) => cluster.splitBrain?.([placeOf(stay)]),
  cutPeers: ({ cluster }, { whose, way }) => cluster.cutPeers?.(whose, way),
  healPeers: ({ cluster }) => cluster.healPeers?.(),

  delay: ({ links }, { client, ms }) =>
    links.delay(ms, client === undefined ? undefined : placeOf(client)),
  cut: ({ links }, { client, servers, way }) =>
    links.cut(placeOf(client), servers, way === undefined ? 'both' : 'down'),
  silence: (executor, { client }) =>
    executor.links.silence([placeOf(client)], executor.notifications),
  slow: ({ links }, { servers, ms }) => links.slow(servers, ms),
  loseReplies: ({ links }, { after }) => links.loseReplies(after),
  clog: ({ links }, { server }) => links.clog(server),
  free: ({ links }, { server }) => links.free(server),
  heal: (executor, { held }) => {
    executor.stop();
    return executor.links.heal({ drop: held === 'lost' });
  },
};

function required<T>(what: T | undefined, name: string): T {
  if (what === undefined) throw new Error(`the deployment has no ${name}`);
  return what;
}
