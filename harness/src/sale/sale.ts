import type { Figures } from './figures.ts';
import type { LoadOptions } from './load-generator.ts';
import type { SaleStep } from './step.ts';

/** The settings of a sale, for every step. */
export interface SaleSettings {
  readonly stock: number;
  readonly requests: number;
  readonly users: number;
  readonly apps: number;
  readonly ttlMs: number;
  /** The duration of the work of a request. */
  readonly workMs: number;
  readonly products: number;
}

/** One sale: a step and its settings. */
export interface Sale {
  readonly step: SaleStep;
  readonly settings: SaleSettings;
}

/** Returns the sale with leases as long as its step needs. */
export function withLeases({ step, settings }: Sale): Sale {
  const { ttlMsMin = 0 } = step;
  return { step, settings: { ...settings, ttlMs: Math.max(settings.ttlMs, ttlMsMin) } };
}

/** The environment in which sales run: the simulator, or real processes and servers. */
export interface SaleEnvironment {
  readonly servers: 'embedded' | 'local';
  /** A description for people. */
  readonly by: string;
  /** Returns why a step cannot be run here; undefined if it can. */
  missing(step: SaleStep): string | undefined;
  run(sale: Sale): Promise<Figures>;
  close(): Promise<void>;
}

/** Enough users to make one lock hot. */
export const USERS = 200;

/** @param patience in leases: long enough for a poll and a takeover */
export function loadOptionsOf({ settings }: Sale, patience: number): LoadOptions {
  const { requests, users, ttlMs } = settings;
  return {
    requests,
    users,
    products: productsOf(settings),
    idleTimeoutMs: patience * ttlMs,
  };
}

export function productsOf({ products }: Pick<SaleSettings, 'products'>): readonly string[] {
  return Array.from({ length: products }, (_, i) => `p${i + 1}`);
}

/** Returns the duration of the work of a request: a slow one takes longer. */
export function workMsOf({ step, settings }: Sale): (request: { readonly n: number }) => number {
  const { workMs, ttlMs } = settings;
  const slow = step.faults.find((fault) => fault.kind === 'slow');
  return ({ n }) =>
    slow?.kind === 'slow' && slow.requests.includes(n) ? slow.leases * ttlMs : workMs;
}
