import type { World } from '../../../sim/world.ts';
import type { SimRedisServer } from './server.ts';
import type { SimRedisService } from './service.ts';
import type { SlotGuard, SlotView } from './slots.ts';

/** Pauses between the steps of a move, in ms. */
const STEP_MS = 40;
/** The time for which the keys are ahead of their slot: longer than a ttl. */
const AHEAD_MS = 1_200;
/** The time to the first move. */
const START_MS = 100;
/** The time between two moves: longer than clients back off. */
const REST_MS = 2_200;
/** Enough for every schedule; then the slots stay. */
const MOVES_MAX = 20;

interface End {
  readonly server: SimRedisServer;
  readonly view: SlotView;
}

/**
 * Moves the slots from one master to the other and back, in the steps of redis-cli: the target imports, the source migrates,
 * the keys go one by one, the target owns the slots, and then the source knows.
 */
export class SlotMove {
  readonly #world: World;
  readonly #services: readonly SimRedisService[];
  readonly #guards: ReadonlyMap<string, SlotGuard>;
  #moves = 0;

  constructor(
    world: World,
    services: readonly SimRedisService[],
    guards: ReadonlyMap<string, SlotGuard>,
  ) {
    this.#world = world;
    this.#services = services;
    this.#guards = guards;
  }

  start(): void {
    this.#world.after(START_MS, () => this.#begin());
  }

  #begin(): void {
    const [from, to] = this.#moves % 2 === 0 ? [0, 1] : [1, 0];
    const [source, target] = [this.#end(from), this.#end(to)];
    if (source === undefined || target === undefined || this.#moves++ === MOVES_MAX) return;
    target.view.isImporting = true;
    source.view.migratingTo = target.server.name;
    this.#world.after(STEP_MS, () => this.#nextKey(source, target));
  }

  #nextKey(source: End, target: End): void {
    if (moveKey(source.server, target.server, this.#moves)) {
      this.#world.after(STEP_MS, () => this.#nextKey(source, target));
      return;
    }
    this.#world.after(AHEAD_MS, () => {
      // Keys that clients have stored since then.
      while (moveKey(source.server, target.server, this.#moves));
      this.#finish(source, target);
    });
  }

  #finish(source: End, target: End): void {
    target.view.isImporting = false;
    this.#tell(target, target.view);
    this.#world.after(STEP_MS, () => {
      source.view.migratingTo = undefined;
      for (const { view } of this.#guards.values()) this.#tell(target, view);
      source.server.program.slotsMoved();
      this.#world.after(REST_MS, () => this.#begin());
    });
  }

  #tell({ server }: End, view: SlotView): void {
    view.owner = server.name;
    view.replica = this.#services.find(({ master }) => master === server)?.replica?.name;
  }

  #end(at: number): End | undefined {
    const server = this.#services[at]?.master;
    const view = server && this.#guards.get(server.name)?.view;
    return server === undefined || view === undefined ? undefined : { server, view };
  }
}

/**
 * Moves one key, as MIGRATE does: the target stores it before the source gives it up, and neither executes anything in
 * between. The time that is left is counted on the target's clock. Returns false if there is none. `turn` varies the order.
 */
export function moveKey(source: SimRedisServer, target: SimRedisServer, turn: number): boolean {
  const keys = source.keys().toSorted();
  const key = turn % 3 === 0 ? keys.at(-1) : keys[0];
  if (key === undefined) return false;
  const value = source.engine.execute(['GET', key]);
  const leftMs = Number(source.engine.execute(['PTTL', key]));
  if (typeof value === 'string')
    target.engine.execute([
      'SET',
      key,
      value,
      ...(leftMs < 0 ? [] : ['PX', `${Math.max(1, leftMs)}`]),
    ]);
  source.engine.execute(['DEL', key]);
  return true;
}
