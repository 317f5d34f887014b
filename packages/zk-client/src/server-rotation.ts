import type { Clock } from './clock.ts';
import type { Resolve } from './network.ts';
import { type Server, type ServerAddress, serverAddress, shuffled } from './servers.ts';

/**
 * Selects the next address to dial: every address of every server in turn. A name is resolved for each attempt, because
 * servers join and leave a name like that of a Kubernetes headless service.
 */
export class ServerRotation {
  readonly #servers: readonly ResolvedServer[];
  #index = 0;
  /** The number of addresses of the current server that have been dialled. */
  #dialled = 0;

  constructor(servers: readonly Server[], clock: Clock, resolve: Resolve) {
    this.#servers = shuffled(servers, clock).map(
      (server) => new ResolvedServer(server, clock, resolve),
    );
  }

  /** The number of addresses of all servers, as resolved last; one for a name that was not resolved. */
  get addresses(): number {
    return this.#servers.reduce((sum, { addresses }) => sum + Math.max(1, addresses), 0);
  }

  /** Calls back with the next address, or the error of a lookup; not after `forget` or `skip`. */
  next(callback: (next: ServerAddress | Error) => void): void {
    const current = this.#current;
    current?.next((next) => {
      this.#dialled++;
      if (this.#dialled >= current.addresses) this.#advance();
      callback(next);
    });
  }

  /** Drops the callback of `next`. */
  forget(): void {
    this.#current?.forget();
  }

  /** Moves on to the next server, because the lookup takes too long. Returns that as an error. */
  skip(ms: number): Error {
    const name = this.#current?.server.name ?? '';
    this.forget();
    this.#advance();
    return new Error(`${name} was not resolved within ${Math.round(ms)} ms`);
  }

  get #current(): ResolvedServer | undefined {
    return this.#servers[this.#index];
  }

  #advance(): void {
    this.#index = (this.#index + 1) % this.#servers.length;
    this.#dialled = 0;
  }
}

/** One server by its name, and the addresses of the name. */
class ResolvedServer {
  readonly server: Server;
  readonly #clock: Clock;
  readonly #resolve: Resolve;
  /** The address that was dialled the longest time ago comes first. */
  #addresses: string[] = [];
  #callback: ((next: ServerAddress | Error) => void) | undefined;
  #isResolving = false;

  constructor(server: Server, clock: Clock, resolve: Resolve) {
    this.server = server;
    this.#clock = clock;
    this.#resolve = resolve;
  }

  get addresses(): number {
    return this.#addresses.length;
  }

  next(callback: (next: ServerAddress | Error) => void): void {
    this.#callback = callback;
    if (!this.#isResolving) this.#lookUp();
  }

  forget(): void {
    this.#callback = undefined;
  }

  /** One lookup at a time: lookups cannot be cancelled, and many of them would occupy the threads of the process. */
  #lookUp(): void {
    this.#isResolving = true;
    this.#resolve(this.server.host, (found) => {
      this.#isResolving = false;
      const callback = this.#callback;
      this.#callback = undefined;
      callback?.(this.#rotate(found));
    });
  }

  #rotate(found: readonly string[] | Error): ServerAddress | Error {
    const all = found instanceof Error ? [] : [...new Set(found)];
    const known = this.#addresses.filter((address) => all.includes(address));
    const unknown = all.filter((address) => !known.includes(address));
    this.#addresses = [...shuffled(unknown, this.#clock), ...known];
    const address = this.#addresses.shift();
    if (address === undefined) return unresolved(this.server, found);
    this.#addresses.push(address);
    return serverAddress(this.server, address);
  }
}

function unresolved({ name }: Server, found: readonly string[] | Error): Error {
  const cause = found instanceof Error ? found : undefined;
  return new Error(`${name} could not be resolved: ${cause?.message ?? 'no address'}`, { cause });
}
