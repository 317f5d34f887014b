import { HoldLog } from '../../../sim/hold-log.ts';
import { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type {
  ClientView,
  Cluster,
  LeftoverMoment,
  LeftoverOptions,
  Observations,
} from '../../../sim/schedule/cluster.ts';
import { attemptOf, type LockKey, type ServerHold } from '../../../sim/schedule/holds.ts';
import { PlaceLog } from '../../../sim/schedule/place-log.ts';
import {
  type ClientId,
  nodeName,
  replicaName,
  type Schedule,
} from '../../../sim/schedule/schedule.ts';
import type { Subject } from '../../../sim/schedule/subject.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import { HolderLog } from '../../redis/simulated/holder-log.ts';
import { type SimDatabaseOptions, simPostgresClient, simPostgresDatabase } from './database.ts';
import { TouchWatch } from './hold-records.ts';
import { PostgresHoldState } from './hold-state.ts';
import { SimPostgresServer } from './server.ts';
import { SimPostgresService } from './service.ts';

export interface PostgresClusterOptions {
  /** SQL that creates the tables. */
  readonly schema: string;
  /** The client code, if not what ships. */
  readonly client: SimDatabaseOptions['client'];
  /** True if a commit waits for a standby, which there is then always. */
  readonly isSynchronous: boolean;
  /** True if clients reach the server through a transaction pooler. */
  readonly isPooled: boolean;
  /** Labels of renewals. */
  readonly renewals: readonly string[];
  /** Labels of requests that are sent for one hold only. */
  readonly forOneHold: readonly string[];
  /** Present if waiters queue on the server. */
  readonly waiterOf: Subject['waiterOf'];
}

/** The mask of the one address. */
const ADDRESS = 1;
const STANDBY = 'standby';
/** The time until an old primary is back as a standby, if commits wait for one. */
const REJOIN_MS = 300;
/** An operator who finds commits that hang for so long cancels them. */
const CANCEL_MS = 50;

/** One address with a primary behind it, alone or with a standby. */
export class PostgresCluster implements Cluster {
  readonly network: Network;
  readonly lagMs = 0;
  readonly hasQueue = false;
  readonly noticesSilence = false;
  readonly #world: World;
  readonly #options: PostgresClusterOptions;
  readonly #ttlMs: number;
  readonly #log: HoldLog;
  readonly #touches: TouchWatch;
  readonly #places: PlaceLog | undefined;
  readonly #holders: HolderLog | undefined;
  readonly #service: SimPostgresService;
  #hasLostUnreplicated = false;

  constructor(world: World, schedule: Schedule, options: PostgresClusterOptions) {
    const { isSynchronous, isPooled, renewals, forOneHold: labels, schema, waiterOf } = options;
    const nowMs = (): number => world.nowMs;
    this.network = new Network(world, { latencyMs: schedule.latencyMs });
    this.#world = world;
    this.#options = options;
    this.#ttlMs = schedule.ttlMs;
    this.#log = new HoldLog({ nowMs, renewals, holdOf: (owner) => owner, attemptOf });
    this.#touches = new TouchWatch({ labels, nowMs });
    if (world.trace.isKept) this.#holders = new HolderLog(partsOf(world).kernel);
    const places = waiterOf && new PlaceLog();
    this.#places = places;
    const records = {
      log: this.#log,
      holders: this.#holders,
      touches: this.#touches,
      queue: places && { places, waiterOf },
    };
    const settings = isSynchronous ? { synchronous_standby_names: STANDBY } : {};
    const common = { schema, settings, records, isPooled };
    const name = nodeName(0);
    const primary = new SimPostgresServer(world, name, common);
    const hasStandby = isSynchronous || schedule.replicas > 0;
    const wallOffsetMs = schedule.replicaClockMs;
    this.#service = new SimPostgresService(world, this.network, {
      name,
      primary,
      ...(hasStandby && {
        standby: new SimPostgresServer(world, replicaName(0), { ...common, wallOffsetMs }),
      }),
      // A transaction that waits for its standby is sent at once.
      ...(isSynchronous ? { rejoinMs: REJOIN_MS } : { lagMs: schedule.lagMs }),
    });
  }

  get members(): readonly SimPostgresServer[] {
    return [this.#service.primary];
  }

  view(process: SimProcess): ClientView {
    const { client } = this.#options;
    const database = simPostgresDatabase(process, this.#service, this.network, { client });
    const openClient = (): ReturnType<typeof simPostgresClient> =>
      simPostgresClient(process, this.#service, this.network);
    return { nodes: [], database, openClient, sessionTtlMs: this.#ttlMs };
  }

  serving(mask: number): readonly SimPostgresServer[] {
    return isMeant(mask) ? this.members : [];
  }

  failover(mask: number, ms: number): readonly string[] {
    return this.#onPair(mask, () => {
      this.#noteLoss();
      this.#service.failover(ms);
    });
  }

  splitBrain(mask: number, ms: number, stay: readonly ClientId[]): readonly string[] {
    return this.#onPair(mask, (primary) => {
      this.#noteLoss();
      this.#world.after(ms, this.#service.splitBrain(stay.map((name) => ({ name }))));
      this.#cancelWaits(primary, ms);
    });
  }

  /** Cuts the primary from its standby. */
  cutPeers(mask: number, ms: number, way?: 'out' | 'in'): readonly string[] {
    return this.#onPair(mask, (primary, standby) => {
      const [from, to] = way === 'in' ? [standby, primary] : [primary, standby];
      this.#world.after(ms, this.network.cut(from, to, { oneWay: way !== undefined }));
      this.#cancelWaits(primary, ms);
    });
  }

  slow(mask: number, byMs: number, ms: number): readonly string[] {
    const slowed = this.serving(mask);
    this.#world.after(ms, this.network.slow(slowed, byMs));
    return slowed.map(({ name }) => name);
  }

  holds(owner: string): PostgresHoldState {
    const { primary, servers } = this.#service;
    const names = servers.map(({ name }) => name);
    return new PostgresHoldState({ primary, names, log: this.#log, places: this.#places }, owner);
  }

  serverHolds(lock: LockKey): readonly ServerHold[] {
    return this.#holders?.holdersOf(lock) ?? [];
  }

  observed(): Observations {
    return {
      touches: this.#touches.all,
      storedValues: this.#log.storedValues,
      hasPromoted: this.#log.promoted.size > 0,
      hasLostUnreplicated: this.#hasLostUnreplicated,
    };
  }

  leftovers(at: LeftoverMoment, { members, processes }: LeftoverOptions): readonly string[] {
    const server = this.#service.primary;
    if (!members.includes(server) || at === 'quit') return [];
    const isTheirs = ({ process }: { readonly process: SimProcess }): boolean =>
      processes.includes(process);
    const sessions = at === 'closed' ? server.sessions(isTheirs) : 0;
    return [
      ...holdsLeft(server),
      ...(sessions === 0 ? [] : [`sessions are left on ${server.name}: ${sessions}`]),
    ];
  }

  contents(number: (value: string) => string): readonly string[] {
    return this.members.flatMap(({ name, engine }) =>
      engine
        .contents()
        .map(({ id, values }) => `${name}: ${id} = ${number(String(values['owner']))}`)
        .concat(
          engine.advisoryLocks.holds.map(
            ({ key, owner }) => `${name}: ${key} = ${number(owner ?? '')}`,
          ),
        )
        .toSorted(),
    );
  }

  /** Commits that wait for a standby hang meanwhile, until an operator cancels them. */
  #cancelWaits({ storage }: SimPostgresServer, ms: number): void {
    if (!this.#options.isSynchronous) return;
    for (let atMs = CANCEL_MS; atMs < ms; atMs += CANCEL_MS)
      this.#world.after(atMs, () => storage.cancelWaits());
  }

  #onPair(
    mask: number,
    act: (primary: SimPostgresServer, standby: SimPostgresServer) => void,
  ): readonly string[] {
    const { primary, standby } = this.#service;
    if (!isMeant(mask) || standby === undefined) return [];
    act(primary, standby);
    return [primary.name];
  }

  /** Commits that clients know of are lost if the standby does not have them. */
  #noteLoss(): void {
    const { primary, standby } = this.#service;
    if (standby !== undefined && standby.storage.position < primary.storage.position)
      this.#hasLostUnreplicated ||= !this.#options.isSynchronous;
  }
}

function isMeant(mask: number): boolean {
  return (mask & ADDRESS) !== 0;
}

/** Holds that have not expired. A row outlives its hold. */
function holdsLeft({ engine, name, wallUs }: SimPostgresServer): readonly string[] {
  const rows = engine.contents().flatMap(({ id, values }) => {
    const { owner, expires_at: untilUs } = values;
    const isHeld = typeof owner === 'string' && Number(untilUs) > wallUs;
    return isHeld ? [`the key ${id.replace('\n', '/')} is held on ${name}`] : [];
  });
  const advisory = engine.advisoryLocks.holds.map(
    ({ owner = 'nobody known' }) => `an advisory lock of ${owner} is held on ${name}`,
  );
  return [...rows, ...advisory];
}
