import type { CutScope, Direction, Proxies, ProxyPort, ProxyTarget } from '../../plant/index.ts';

/** A way from every place to every server; nobody shares one, so that each can be cut alone. */
export class ClientLinks {
  readonly #proxies: readonly (readonly ProxyPort[])[];

  private constructor(doors: readonly (readonly ProxyPort[])[]) {
    this.#proxies = doors;
  }

  static async open(
    proxies: Proxies,
    places: number,
    targets: readonly (ProxyTarget | number)[],
  ): Promise<ClientLinks> {
    const doors = Array.from({ length: places }, () =>
      Promise.all(targets.map((target) => proxies.open(target))),
    );
    return new ClientLinks(await Promise.all(doors));
  }

  /** The ports at which a place reaches the servers, in their order. */
  portsOf(place: number): readonly number[] {
    return (this.#proxies[place] ?? []).map(({ port }) => port);
  }

  /** From one place to these servers, or to all. */
  async cut(place: number, servers?: readonly number[], direction?: Direction): Promise<void> {
    await Promise.all(this.#some(place, servers).map((door) => door.cut(direction)));
  }

  /** What was held is lost with its connections, or delivered. */
  async healPlace(place: number, { drop = true }: { readonly drop?: boolean } = {}): Promise<void> {
    await Promise.all(this.#some(place).map((door) => door.heal({ drop })));
  }

  /** At one place, or at all. */
  async delay(delayMs: number, place?: number): Promise<void> {
    const doors = place === undefined ? this.#proxies.flat() : this.#some(place);
    await Promise.all(doors.map((door) => door.delay(delayMs)));
  }

  /** All that anybody asks of these servers is answered so much later. */
  async slow(servers: readonly number[], byMs: number): Promise<void> {
    const doors = this.#proxies.flatMap((_, place) => this.#some(place, servers));
    await Promise.all(doors.map((door) => door.delay(byMs / 2)));
  }

  /** Of what stands by now nothing is heard any more at these places, and nobody is told. */
  async silence(places: readonly number[], only: CutScope): Promise<void> {
    const doors = places.flatMap((place) => this.#some(place));
    await Promise.all(doors.map((door) => door.cut('down', only)));
  }

  /** All connections lose the reply that comes after so many others. */
  async loseReplies(passes: number): Promise<void> {
    await Promise.all(this.#proxies.flat().map((door) => door.loseReplies(passes)));
  }

  /** Nobody reaches these servers. */
  async clog(server: number): Promise<void> {
    await Promise.all(this.#proxies.flatMap((doors) => doors[server]?.cut() ?? []));
  }

  async free(server: number): Promise<void> {
    await Promise.all(this.#proxies.flatMap((doors) => doors[server]?.heal() ?? []));
  }

  async heal({ drop = false }: { readonly drop?: boolean } = {}): Promise<void> {
    await Promise.all(this.#proxies.flat().map((door) => door.heal({ drop })));
  }

  /** From the places named on, the way to the n-th server leads to another port. */
  async retarget(server: number, target: number, places?: readonly number[]): Promise<void> {
    const moved = places ?? [...this.#proxies.keys()];
    const doors = moved.flatMap((place) => this.#some(place, [server]));
    await Promise.all(doors.map((door) => door.retarget(target)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.flat().map((door) => door.close()));
  }

  #some(place: number, servers?: readonly number[]): readonly ProxyPort[] {
    const doors = this.#proxies[place] ?? [];
    return servers === undefined ? doors : servers.flatMap((server) => doors[server] ?? []);
  }
}
