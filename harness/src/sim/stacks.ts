let before: number | undefined;

/**
 * Has errors made without stacks. A search makes thousands that nobody will ever read, at several microseconds each;
 * what it finds is played again with a trace, and then errors have theirs.
 */
export function omitStacks(): void {
  if (before !== undefined || Error.stackTraceLimit === 0) return;
  before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
}

export function restoreStacks(): void {
  if (before === undefined) return;
  Error.stackTraceLimit = before;
  before = undefined;
}
