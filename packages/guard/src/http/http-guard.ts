import { isLockError } from '@holdfast/core';
import { type Fence, type FencedLease, NAME } from '../fence.ts';
import { fenceIn, KEY_HEADER, type RequestHeaders, TOKEN_HEADER } from './headers.ts';
import type { Marks } from './marks.ts';

/** Options of {@link HttpGuard}. */
export interface HttpGuardOptions<Request> {
  /**
   * Returns the key that a request must have, such as `orders/42` for the route of order 42. Without it a client chooses
   * the key, and so can write under the lock of another one. Default: any key.
   */
  readonly keyOf?: ((request: Request) => string) | undefined;
  /** False lets requests without a token pass, which no lock protects. Default true. */
  readonly required?: boolean | undefined;
}

/** A request of Node, Express or Fastify. */
export interface HttpRequest {
  /** Names in lower case. */
  readonly headers: RequestHeaders;
}

/** A response of Node or Express. */
export interface HttpResponse {
  /** Status and headers. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** The body. */
  end(body: string): unknown;
}

/** A reply of Fastify. */
export interface FastifyReply {
  /** The status. */
  code(status: number): unknown;
  /** The body. */
  send(body: unknown): unknown;
}

/** Middleware of Express. */
export type ExpressMiddleware<Request> = (
  request: Request,
  response: HttpResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/** A hook of Fastify. */
export type FastifyHook<Request> = (request: Request, reply: FastifyReply) => Promise<unknown>;

/** A refused request. */
interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly message: string;
}

/**
 * Refuses requests of late holders, by a mark that all replicas share. A handler that is paused after this check is late
 * all the same: let it write in a transaction of the guard of its database, with the lease of {@link HttpGuard.leaseOf}.
 *
 * Statuses: 400 malformed, 403 another key than `keyOf` says, 412 a larger token has been seen, 428 no token. If the store of
 * the marks fails, its error goes to the error handler of the framework. Who can send requests can raise the mark: behind
 * authentication only.
 * @example
 * ```ts
 * const guard = new HttpGuard(redisGuard(ioredis));
 * app.use(guard.express); // Express
 * fastify.addHook('preHandler', guard.fastify); // Fastify
 * ```
 */
export class HttpGuard<Request extends HttpRequest = HttpRequest> {
  readonly #marks: Marks;
  readonly #options: HttpGuardOptions<Request>;
  readonly #fences = new WeakMap<object, Fence>();

  constructor(marks: Marks, options: HttpGuardOptions<Request> = {}) {
    this.#marks = marks;
    this.#options = options;
  }

  /**
   * Middleware of Express, Connect and their like.
   * @example
   * ```ts
   * app.use(new HttpGuard(redisGuard(ioredis)).express);
   * ```
   */
  get express(): ExpressMiddleware<Request> {
    return (request, response, next) => this.#express(request, response, next);
  }

  async #express(
    request: Request,
    response: HttpResponse,
    next: (error?: unknown) => void,
  ): Promise<void> {
    let refusal: Refusal | undefined;
    try {
      refusal = await this.#check(request);
    } catch (error) {
      next(error);
      return;
    }
    if (refusal === undefined) next();
    else {
      response.writeHead(refusal.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: refusal.error, message: refusal.message }));
    }
  }

  /**
   * Hook `preHandler` of Fastify.
   * @example
   * ```ts
   * fastify.addHook('preHandler', new HttpGuard(redisGuard(ioredis)).fastify);
   * ```
   */
  get fastify(): FastifyHook<Request> {
    return (request, reply) => this.#fastify(request, reply);
  }

  async #fastify(request: Request, reply: FastifyReply): Promise<unknown> {
    const refusal = await this.#check(request);
    if (refusal === undefined) return undefined;
    reply.code(refusal.status);
    reply.send({ error: refusal.error, message: refusal.message });
    return reply;
  }

  /**
   * The key and token of a request that has passed, for the guard of a database; undefined if it had none.
   * @example
   * ```ts
   * const guard = new HttpGuard(redisGuard(ioredis));
   * app.post('/orders/42', async (request) => {
   *   const lease = guard.leaseOf(request);
   *   if (lease !== undefined) await pgGuard(pool).transaction(lease, (tx) => tx.query('UPDATE …'));
   * });
   * ```
   */
  leaseOf(request: Request): FencedLease | undefined {
    const fence = this.#fences.get(request);
    return fence && { key: fence.key, fencingToken: fence.token };
  }

  async #check(request: Request): Promise<Refusal | undefined> {
    const { keyOf, required = true } = this.#options;
    const fence = fenceIn(request.headers);
    if (fence === undefined) return required ? MISSING : undefined;
    if (fence === 'malformed') return MALFORMED;
    if (keyOf !== undefined && keyOf(request) !== fence.key) return OTHER_KEY;
    try {
      await this.#marks.admit({ key: fence.key, fencingToken: fence.token });
    } catch (error) {
      if (!isLockError(error, 'STALE_TOKEN')) throw error;
      return { status: 412, error: error.code, message: error.message };
    }
    this.#fences.set(request, fence);
    return undefined;
  }
}

const MISSING: Refusal = {
  status: 428,
  error: 'TOKEN_REQUIRED',
  message: `${NAME}: send the headers ${KEY_HEADER} and ${TOKEN_HEADER}, as fenceHeaders(lease) makes them`,
};
const MALFORMED: Refusal = {
  status: 400,
  error: 'TOKEN_MALFORMED',
  message: `${NAME}: ${KEY_HEADER} must be a percent-encoded key, ${TOKEN_HEADER} decimal digits`,
};
const OTHER_KEY: Refusal = {
  status: 403,
  error: 'OTHER_KEY',
  message: `${NAME}: ${KEY_HEADER} is not the key of this resource`,
};
