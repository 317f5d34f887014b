import type { Door, Proxies } from '../proxy/proxies.ts';
import type { Direction } from '../proxy/proxy.ts';

/** A way from every place to every server; nobody shares one, so that each can be cut alone. */
export class Ways {
  readonly #doors: readonly (readonly Door[])[];

  private constructor(doors: readonly (readonly Door[])[]) {
    this.#doors = doors;
  }

  static async open(proxies: Proxies, places: number, targets: readonly number[]): Promise<Ways> {
    const doors = Array.from({ length: places }, () =>
      Promise.all(targets.map((target) => proxies.open(target))),
    );
    return new Ways(await Promise.all(doors));
  }

  /** The ports at which a place reaches the servers, in their order. */
  portsOf(place: number): readonly number[] {
    return (this.#doors[place] ?? []).map(({ port }) => port);
  }

  /** From one place to these servers, or to all. */
  async cut(place: number, servers?: readonly number[], direction?: Direction): Promise<void> {
    await Promise.all(this.#some(place, servers).map((door) => door.cut(direction)));
  }

  async healPlace(place: number): Promise<void> {
    await Promise.all(this.#some(place).map((door) => door.heal({ drop: true })));
  }

  async delay(delayMs: number): Promise<void> {
    await Promise.all(this.#doors.flat().map((door) => door.delay(delayMs)));
  }

  async heal(): Promise<void> {
    await Promise.all(this.#doors.flat().map((door) => door.heal()));
  }

  /** From the places named on, the way to the n-th server leads to another port. */
  async retarget(server: number, target: number, places?: readonly number[]): Promise<void> {
    const moved = places ?? [...this.#doors.keys()];
    const doors = moved.flatMap((place) => this.#some(place, [server]));
    await Promise.all(doors.map((door) => door.retarget(target)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#doors.flat().map((door) => door.close()));
  }

  #some(place: number, servers?: readonly number[]): readonly Door[] {
    const doors = this.#doors[place] ?? [];
    return servers === undefined ? doors : servers.flatMap((server) => doors[server] ?? []);
  }
}
