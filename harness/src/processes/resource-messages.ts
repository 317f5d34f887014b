import type { Reading } from './counter.ts';

/** A line to the resource, which answers each with one of the same `id`. A token is decimal. */
export type ToResource = {
  readonly id: number;
  readonly key: string;
  readonly client: string;
  readonly hold: string;
  readonly token?: string | undefined;
} & (
  | { readonly kind: 'read' }
  | { readonly kind: 'write'; readonly plain: number; readonly fenced: number | null }
);

export interface FromResource {
  readonly id: number;
  /** null after a write. */
  readonly reading: Reading | null;
}
