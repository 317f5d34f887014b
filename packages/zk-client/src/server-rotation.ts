import type { Clock } from './clock.ts';
import type { Resolve } from './network.ts';
import { type Server, type ServerAddress, serverAddress, shuffled } from './servers.ts';

/**
 * Which address is dialled next: every address of every server in turn. A name is resolved for each attempt, because the
 * servers behind one, as of a Kubernetes headless service, come and go.
 */
export class ServerRotation {
  readonly #servers: readonly ResolvedServer[];
  #index = 0;
  /** How many addresses of the host at `#at` have had their turn. */
  #dialled = 0;

  constructor(servers: readonly Server[], clock: Clock, resolve: Resolve) {
    this.#servers = shuffled(servers, clock).map(
      (server) => new ResolvedServer(server, clock, resolve),
    );
  }

  /** Of all servers together, as they were resolved last; one for a name that was not. */
  get addresses(): number {
    return this.#servers.reduce((sum, { addresses }) => sum + Math.max(1, addresses), 0);
  }

  /** Tells which address to dial, or why a name is of no use; not after `forget` or `skip`. */
  next(callback: (next: ServerAddress | Error) => void): void {
    const current = this.#current;
    current?.next((next) => {
      this.#dialled++;
      if (this.#dialled >= current.addresses) this.#advance();
      callback(next);
    });
  }

  /** Nobody waits for `next` any more. */
  forget(): void {
    this.#current?.forget();
  }

  /** The lookup takes too long: the next server has its turn. Returns that as an error. */
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

/** One server as it was named, and the addresses behind the name. */
class ResolvedServer {
  readonly server: Server;
  readonly #clock: Clock;
  readonly #resolve: Resolve;
  /** The one that was dialled the longest time ago comes first. */
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

  /** One lookup at a time: it cannot be cancelled, and many in vain would occupy the threads of the process. */
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
