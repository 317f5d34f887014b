import type {
  AdoptRequest,
  Attempt,
  Backend,
  Contender,
  ContendRequest,
  Grant,
} from '@holdfast/core/backend';

type Granted = Extract<Attempt, { readonly kind: 'granted' }>;

/** Replaces methods of one object. The other methods keep working, with private parts. */
export function but<T extends object>(original: T, changes: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const changed: unknown = Reflect.get(changes, name);
      if (changed !== undefined || Object.hasOwn(changes, name)) return changed;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The backend with other contenders. */
export function contending(
  backend: Backend,
  spoil: (contender: Contender, request: ContendRequest) => Partial<Contender>,
): Backend {
  return but(backend, {
    contend: (request) => {
      const contender = backend.contend(request);
      return but(contender, spoil(contender, request));
    },
  });
}

/** The backend with other adopters. */
export function adopting(
  backend: Backend,
  spoil: (adopter: Contender, request: AdoptRequest) => Partial<Contender>,
): Backend {
  return but(backend, {
    adopt: (request) => {
      const adopter = backend.adopt?.(request);
      if (adopter === undefined) throw new Error('it adopts nothing');
      return but(adopter, spoil(adopter, request));
    },
  });
}

/** The backend with other outcomes of attempts. */
export function attempting(
  backend: Backend,
  spoil: (attempt: Attempt, request: ContendRequest) => Attempt | Promise<Attempt>,
): Backend {
  return contending(backend, (contender, request) => ({
    attempt: async (deadlineMs) => await spoil(await contender.attempt(deadlineMs), request),
  }));
}

/** The backend with other grants. */
export function granting(
  backend: Backend,
  spoil: (grant: Grant, request: ContendRequest) => Partial<Grant>,
): Backend {
  return attempting(backend, (attempt, request) =>
    attempt.kind === 'granted' ? granted(attempt, spoil(attempt.grant, request)) : attempt,
  );
}

function granted({ grant }: Granted, changes: Partial<Grant>): Granted {
  return { kind: 'granted', grant: { ...grant, ...changes } };
}
