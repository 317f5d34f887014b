import { type Client, type Clients, hostMs, type LogEntry, type Only } from '../../plant/index.ts';
import type { ClientTarget, ServerTarget, Step } from '../../simulator/index.ts';
import type { ClientLinks } from '../deployments/client-links.ts';
import type { RealCluster, RealMember } from '../deployments/real-cluster.ts';
import { placeOf } from './choreography-effects.ts';

/** A signal takes a moment to arrive; no clock is to go back. */
const ARRIVES_MS = 10;
/** Long enough to be blocked when others have been at work for a while. */
const BESIDE_MS = 150;

interface StepExecutorOptions {
  readonly clients: Clients;
  readonly cluster: RealCluster;
  /** From the strike until it is over. */
  readonly spanMs: number;
  readonly key: string;
  /** On which connections a client is told of a release. */
  readonly notifications: Only;
}

interface PausedClient {
  readonly atMs: number;
  readonly isAsleep: boolean;
}

/** Where the steps of one trial are done, each when its turn comes. */
export class StepExecutor {
  readonly #parts: StepExecutorOptions;
  readonly #entries: LogEntry[] = [];
  readonly #stopped = new Map<Client, PausedClient>();
  #repeated: NodeJS.Timeout | undefined;

  constructor(parts: StepExecutorOptions) {
    this.#parts = parts;
  }

  /** What was done to clients, for the history of the key. */
  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  get cluster(): RealCluster {
    return this.#parts.cluster;
  }

  get links(): ClientLinks {
    return required(this.cluster.links, 'ways to its servers');
  }

  get notifications(): Only {
    return this.#parts.notifications;
  }

  /** Resolves once it is done. */
  async execute<K extends Step['do']>(step: StepOf<K>): Promise<void> {
    const name: K = step.do;
    await ACTS[name](this, step);
  }

  /** Ends what is done meanwhile. */
  stop(): void {
    clearInterval(this.#repeated);
  }

  client(who: ClientTarget): Client {
    return required(this.#parts.clients.clients[placeOf(who)], who);
  }

  proxyToResource(who: ClientTarget): ReturnType<Clients['proxyPortOf']> {
    return this.#parts.clients.proxyPortOf(placeOf(who));
  }

  async forEachMember(servers: ServerTarget, act: (member: RealMember) => unknown): Promise<void> {
    const members = (await this.cluster.members?.(servers)) ?? [];
    await Promise.all(members.map(act));
  }

  pause(client: Client, isAsleep: boolean): void {
    this.#stopped.set(client, { atMs: client.stop(), isAsleep });
  }

  /** One that was blocked goes on by itself. */
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
    const ms = this.#parts.spanMs + BESIDE_MS;
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
    // What fails when all is closed has nothing left to do.
    this.#repeated = setInterval(() => void next().catch(() => undefined), everyMs);
  }

  #note({ name }: Client, what: ClientFault): void {
    this.#entries.push({ ...what, client: name, key: this.#parts.key });
  }
}

type ClientFault =
  | { readonly type: 'paused'; readonly atMs: number; readonly untilMs: number }
  | { readonly type: 'crashed'; readonly atMs: number };

type StepOf<K extends Step['do']> = Extract<Step, { readonly do: K }> & { readonly do: K };
type Acts = { readonly [K in Step['do']]: (stage: StepExecutor, step: StepOf<K>) => unknown };

/** Steps that say when are for those who play the trial. */
const NO_OP = (): void => undefined;

const ACTS: Acts = {
  await: NO_OP,
  hold: NO_OP,
  arrive: NO_OP,
  meanwhile: (stage, step) => stage.repeatSteps(step),

  leave: (stage) => stage.client('holder').proceed(),
  pause: (stage, { client }) => stage.pause(stage.client(client), false),
  sleep: (stage, { client }) => stage.pause(stage.client(client), true),
  block: (stage, { client }) => stage.block(stage.client(client)),
  resume: (stage, { client }) => stage.resume(stage.client(client)),
  kill: (stage, { client }) => stage.kill(stage.client(client)),
  jumpClock: (stage, { client, ms }) => stage.client(client).clock?.set(ms),
  holdWrites: (stage, { client }) => stage.proxyToResource(client).cut('up'),
  releaseWrites: (stage, { client }) => stage.proxyToResource(client).heal(),

  stop: (stage, { servers }) => stage.forEachMember(servers, (server) => server.stop()),
  resumeServers: (stage, { servers }) => stage.forEachMember(servers, (server) => server.resume()),
  crash: (stage, { servers }) => stage.forEachMember(servers, (server) => server.crash()),
  restart: (stage, { servers, data }) =>
    stage.forEachMember(servers, (server) => server.restart(data)),
  keepLog: (stage, { servers }) => stage.forEachMember(servers, (server) => server.keepLog()),
  jumpWall: (stage, { servers, ms }) =>
    stage.forEachMember(servers, (server) => server.jumpWall(ms)),
  age: ({ cluster }) => cluster.advanceSequence?.(),

  stopReplication: ({ cluster }) => cluster.stopReplication?.(),
  failover: ({ cluster }) => cluster.failover?.(),
  splitBrain: ({ cluster }, { stay }) => cluster.splitBrain?.([placeOf(stay)]),
  cutPeers: ({ cluster }, { whose, way }) => cluster.cutPeers?.(whose, way),
  healPeers: ({ cluster }) => cluster.healPeers?.(),

  delay: ({ links }, { client, ms }) =>
    links.delay(ms, client === undefined ? undefined : placeOf(client)),
  cut: ({ links: ways }, { client, servers, way }) =>
    ways.cut(placeOf(client), servers, way === undefined ? 'both' : 'down'),
  silence: (stage, { client }) => stage.links.silence([placeOf(client)], stage.notifications),
  slow: ({ links: ways }, { servers, ms }) => ways.slow(servers, ms),
  loseReplies: ({ links: ways }, { after }) => ways.loseReplies(after),
  clog: ({ links: ways }, { server }) => ways.clog(server),
  free: ({ links: ways }, { server }) => ways.free(server),
  heal: (stage, { held }) => {
    stage.stop();
    return stage.links.heal({ drop: held === 'lost' });
  },
};

function required<T>(what: T | undefined, name: string): T {
  if (what === undefined) throw new Error(`there is no ${name} here`);
  return what;
}
