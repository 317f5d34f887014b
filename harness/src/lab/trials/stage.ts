import { type Client, type Crew, type Entry, hostMs, type Only } from '../../plant/index.ts';
import type { Step, Which, Who } from '../../simulator/index.ts';
import type { RealCluster, RealMember } from '../sites/real-cluster.ts';
import type { Ways } from '../sites/ways.ts';
import { placeOf } from './meaning.ts';

/** A signal takes a moment to arrive; no clock is to go back. */
const ARRIVES_MS = 10;
/** Long enough to be blocked when others have been at work for a while. */
const BESIDE_MS = 150;

interface StageParts {
  readonly crew: Crew;
  readonly cluster: RealCluster;
  /** From the strike until it is over. */
  readonly spanMs: number;
  readonly key: string;
  /** On which connections a client is told of a release. */
  readonly tells: Only;
}

interface Stopped {
  readonly atMs: number;
  readonly isAsleep: boolean;
}

/** Where the steps of one trial are done, each when its turn comes. */
export class Stage {
  readonly #parts: StageParts;
  readonly #entries: Entry[] = [];
  readonly #stopped = new Map<Client, Stopped>();
  #repeated: NodeJS.Timeout | undefined;

  constructor(parts: StageParts) {
    this.#parts = parts;
  }

  /** What was done to clients, for the history of the key. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get cluster(): RealCluster {
    return this.#parts.cluster;
  }

  get ways(): Ways {
    return there(this.cluster.ways, 'ways to its servers');
  }

  get tells(): Only {
    return this.#parts.tells;
  }

  /** Resolves once it is done. */
  async do<K extends Step['do']>(step: StepOf<K>): Promise<void> {
    const name: K = step.do;
    await ACTS[name](this, step);
  }

  /** Ends what is done meanwhile. */
  end(): void {
    clearInterval(this.#repeated);
  }

  client(who: Who): Client {
    return there(this.#parts.crew.clients[placeOf(who)], who);
  }

  doorToResource(who: Who): ReturnType<Crew['doorOf']> {
    return this.#parts.crew.doorOf(placeOf(who));
  }

  async each(servers: Which, act: (member: RealMember) => unknown): Promise<void> {
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

  async meanwhile({ everyMs, steps, again }: StepOf<'meanwhile'>): Promise<void> {
    let done = 0;
    const next = async (): Promise<void> => {
      const step = steps[again === true ? done % steps.length : done];
      done++;
      if (step !== undefined) await this.do(step);
    };
    await next();
    // What fails when all is closed has nothing left to do.
    this.#repeated = setInterval(() => void next().catch(() => undefined), everyMs);
  }

  #note({ name }: Client, what: Note): void {
    this.#entries.push({ ...what, client: name, key: this.#parts.key });
  }
}

type Note =
  | { readonly type: 'paused'; readonly atMs: number; readonly untilMs: number }
  | { readonly type: 'crashed'; readonly atMs: number };

type StepOf<K extends Step['do']> = Extract<Step, { readonly do: K }> & { readonly do: K };
type Acts = { readonly [K in Step['do']]: (stage: Stage, step: StepOf<K>) => unknown };

/** Steps that say when are for those who play the trial. */
const LATER = (): void => undefined;

const ACTS: Acts = {
  await: LATER,
  hold: LATER,
  arrive: LATER,
  meanwhile: (stage, step) => stage.meanwhile(step),

  leave: (stage) => stage.client('holder').proceed(),
  pause: (stage, { client }) => stage.pause(stage.client(client), false),
  sleep: (stage, { client }) => stage.pause(stage.client(client), true),
  block: (stage, { client }) => stage.block(stage.client(client)),
  resume: (stage, { client }) => stage.resume(stage.client(client)),
  kill: (stage, { client }) => stage.kill(stage.client(client)),
  jumpClock: (stage, { client, ms }) => stage.client(client).clock?.set(ms),
  holdWrites: (stage, { client }) => stage.doorToResource(client).cut('up'),
  letWrites: (stage, { client }) => stage.doorToResource(client).heal(),

  stop: (stage, { servers }) => stage.each(servers, (server) => server.stop()),
  goOn: (stage, { servers }) => stage.each(servers, (server) => server.goOn()),
  crash: (stage, { servers }) => stage.each(servers, (server) => server.crash()),
  restart: (stage, { servers, data }) => stage.each(servers, (server) => server.restart(data)),
  keepLog: (stage, { servers }) => stage.each(servers, (server) => server.keepLog()),
  jumpWall: (stage, { servers, ms }) => stage.each(servers, (server) => server.jumpWall(ms)),
  age: ({ cluster }) => cluster.age?.(),

  stopReplication: ({ cluster }) => cluster.stopReplication?.(),
  failover: ({ cluster }) => cluster.failover?.(),
  splitBrain: ({ cluster }, { stay }) => cluster.splitBrain?.([placeOf(stay)]),
  cutPeers: ({ cluster }, { whose, way }) => cluster.cutPeers?.(whose, way),
  healPeers: ({ cluster }) => cluster.healPeers?.(),

  delay: ({ ways }, { client, ms }) =>
    ways.delay(ms, client === undefined ? undefined : placeOf(client)),
  cut: ({ ways }, { client, servers, way }) =>
    ways.cut(placeOf(client), servers, way === undefined ? 'both' : 'down'),
  silence: (stage, { client }) => stage.ways.silence([placeOf(client)], stage.tells),
  slow: ({ ways }, { servers, ms }) => ways.slow(servers, ms),
  loseReplies: ({ ways }, { after }) => ways.loseReplies(after),
  clog: ({ ways }, { server }) => ways.clog(server),
  free: ({ ways }, { server }) => ways.free(server),
  heal: (stage, { held }) => {
    stage.end();
    return stage.ways.heal({ drop: held === 'lost' });
  },
};

function there<T>(what: T | undefined, name: string): T {
  if (what === undefined) throw new Error(`there is no ${name} here`);
  return what;
}
