import type { PurchaseResult } from './purchase-result.ts';
import type { Sale } from './sale.ts';
import type { PurchaseRequest } from './shop.ts';

/** What an application process is told before it sells, and before every other sale. */
export interface ShopOpening {
  readonly sale: Sale;
  /** From 0; the first one is struck by whatever goes wrong. */
  readonly place: number;
  /** Of the Redis servers: the first has the stock, all of them the locks. */
  readonly redis: readonly string[];
  /** `host:port` of each server of the ensemble, where the step needs one. */
  readonly ensemble: readonly string[];
}

/** From an application process: it is open, or what it answers to a request. */
export type FromShop =
  | { readonly kind: 'open' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'answer'; readonly n: number; readonly answer: PurchaseResult };

/** To an application process: what is sold how, and then whatever customers ask for. */
export type ToShop = ShopOpening | PurchaseRequest;
