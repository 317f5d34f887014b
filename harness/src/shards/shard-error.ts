/** A file that is no shard report, or one that does not go with the others; says which, and why. */
export class ShardError extends Error {
  override readonly name = 'ShardError';
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.hint = hint;
  }
}
