import type { CutScope, Direction, Proxies, ProxyPort, ProxyTarget } from '../../real/index.ts';

/**
 * One proxy from every client to every server, none of them shared, so that each can be cut alone. `place` is a
 * client's index.
 */
export class ClientLinks {
  readonly #proxies: readonly (readonly ProxyPort[])[];

  private constructor(proxyPorts: readonly (readonly ProxyPort[])[]) {
    this.#proxies = proxyPorts;
  }

  static async open(
    proxies: Proxies,
    places: number,
    targets: readonly (ProxyTarget | number)[],
  ): Promise<ClientLinks> {
    const proxyPorts = Array.from({ length: places }, () =>
      Promise.all(targets.map((target) => proxies.open(target))),
    );
    return new ClientLinks(await Promise.all(proxyPorts));
  }

  /** The ports at which a client reaches the servers, in their order. */
  portsOf(place: number): readonly number[] {
    return (this.#proxies[place] ?? []).map(({ port }) => port);
  }

  /** Cuts one client from these servers, or from all. */
  async cut(place: number, servers?: readonly number[], direction?: Direction): Promise<void> {
    await Promise.all(this.#some(place, servers).map((proxy) => proxy.cut(direction)));
  }

  /** Heals one client's links. Held messages are lost with their connections, or delivered. */
  async healPlace(place: number, { drop = true }: { readonly drop?: boolean } = {}): Promise<void> {
    await Promise.all(this.#some(place).map((proxy) => proxy.heal({ drop })));
  }

  /** Delays every message of one client, or of all. */
  async delay(delayMs: number, place?: number): Promise<void> {
    const proxyPorts = place === undefined ? this.#proxies.flat() : this.#some(place);
    await Promise.all(proxyPorts.map((proxy) => proxy.delay(delayMs)));
  }

  /** Delays every reply of these servers, to all clients, by `byMs`. */
  async slow(servers: readonly number[], byMs: number): Promise<void> {
    const proxyPorts = this.#proxies.flatMap((_, place) => this.#some(place, servers));
    await Promise.all(proxyPorts.map((proxy) => proxy.delay(byMs / 2)));
  }

  /** Silences the existing connections of these clients: nothing arrives any more, and neither end is notified. */
  async silence(places: readonly number[], only: CutScope): Promise<void> {
    const proxyPorts = places.flatMap((place) => this.#some(place));
    await Promise.all(proxyPorts.map((proxy) => proxy.cut('down', only)));
  }

  /** Makes every connection lose the reply that follows `passes` others. */
  async loseReplies(passes: number): Promise<void> {
    await Promise.all(this.#proxies.flat().map((proxy) => proxy.loseReplies(passes)));
  }

  /** Cuts all clients from one server. */
  async clog(server: number): Promise<void> {
    await Promise.all(this.#proxies.flatMap((proxyPorts) => proxyPorts[server]?.cut() ?? []));
  }

  async free(server: number): Promise<void> {
    await Promise.all(this.#proxies.flatMap((proxyPorts) => proxyPorts[server]?.heal() ?? []));
  }

  async heal({ drop = false }: { readonly drop?: boolean } = {}): Promise<void> {
    await Promise.all(this.#proxies.flat().map((proxy) => proxy.heal({ drop })));
  }

  /** Redirects the links of these clients, or of all, to a server to another port. */
  async retarget(server: number, target: number, places?: readonly number[]): Promise<void> {
    const moved = places ?? [...this.#proxies.keys()];
    const proxyPorts = moved.flatMap((place) => this.#some(place, [server]));
    await Promise.all(proxyPorts.map((proxy) => proxy.retarget(target)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.flat().map((proxy) => proxy.close()));
  }

  #some(place: number, servers?: readonly number[]): readonly ProxyPort[] {
    const proxyPorts = this.#proxies[place] ?? [];
    return servers === undefined
      ? proxyPorts
      : servers.flatMap((server) => proxyPorts[server] ?? []);
  }
}
