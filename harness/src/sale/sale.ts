import type { Figures } from './figures.ts';
import type { LoadOptions } from './load-generator.ts';
import type { SaleStep } from './step.ts';

/** How a sale is set up, whatever is sold how. */
export interface SaleSettings {
  readonly stock: number;
  readonly requests: number;
  readonly users: number;
  readonly apps: number;
  readonly ttlMs: number;
  /** How long the work of a request takes. */
  readonly workMs: number;
  readonly products: number;
}

/** One sale: a step, and how it is set up. */
export interface Sale {
  readonly step: SaleStep;
  readonly settings: SaleSettings;
}

/** Where sales are held: the simulator, or real processes and servers. */
export interface SaleEnvironment {
  readonly servers: 'embedded' | 'local';
  /** By whom and where, for people. */
  readonly by: string;
  /** Why a step cannot be held here; undefined where it can. */
  missing(step: SaleStep): string | undefined;
  run(sale: Sale): Promise<Figures>;
  close(): Promise<void>;
}

/** Enough for one lock to be hot. */
export const USERS = 200;

/** @param patience in leases: long enough for a poll and a takeover to fit in */
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

/** Of a request: as long as always, or as long as a slow one takes. */
export function workMsOf({ step, settings }: Sale): (request: { readonly n: number }) => number {
  const { workMs, ttlMs } = settings;
  const slow = step.troubles.find((trouble) => trouble.kind === 'slow');
  return ({ n }) =>
    slow?.kind === 'slow' && slow.requests.includes(n) ? slow.leases * ttlMs : workMs;
}
