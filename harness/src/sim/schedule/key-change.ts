/** A renewal, release or undo that changed a key while somebody else's value stood there. */
export interface KeyChange {
  /** True time. */
  readonly atMs: number;
  /** Whose command it was. */
  readonly client: string;
  /** As it is called in anchors and traces. */
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  /** Who had written what stood there; the same client, where it was another attempt of its own. */
  readonly of: string;
}
