import type { Opening } from '../clients/messages.ts';
import type { OwnServers } from '../servers/own.ts';
import { delayMs, type Site, type SiteParts } from './site.ts';
import { Ways } from './ways.ts';

/** Servers of the user's: nothing is done to them, only to the ways on which our clients reach them. */
export class OwnSite implements Site {
  readonly #parts: SiteParts;
  readonly #servers: OwnServers;
  readonly #ways: Ways;

  private constructor(parts: SiteParts, servers: OwnServers, ways: Ways) {
    this.#parts = parts;
    this.#servers = servers;
    this.#ways = ways;
  }

  static async open(parts: SiteParts, servers: OwnServers): Promise<OwnSite> {
    const ways = await Ways.open(parts.proxies, parts.places, servers.targets);
    return new OwnSite(parts, servers, ways);
  }

  /** Sessions end on boundaries of ticks, and two of these are the shortest session. */
  get slackMs(): number {
    return this.#servers.ttlMsMin / 2;
  }

  opening(place: number): Opening {
    const { namespace, ttlMs } = this.#parts;
    return this.#servers.opening(this.#ways.portsOf(place), namespace, ttlMs);
  }

  get strikes(): Site['strikes'] {
    const ms = delayMs(this.#parts);
    return {
      delay: {
        told: `every message of our clients takes ${ms} ms longer`,
        strike: () => this.#ways.delay(ms),
        heal: () => this.#ways.heal(),
      },
      'client-cut': {
        told: 'nothing passes between the holder and the servers any more',
        strike: () => this.#ways.cut(0),
        heal: () => this.#ways.healPlace(0),
      },
    };
  }

  close(): Promise<void> {
    return this.#ways.close();
  }
}
