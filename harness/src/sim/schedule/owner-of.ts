/** Whether a stored owner value is this contender's: redlock puts the node's place in its list behind the contender id. */
export function isOf(value: unknown, contender: string): boolean {
  if (typeof value !== 'string' || !value.startsWith(contender)) return false;
  return /^(?:\.\d+)?:/.test(value.slice(contender.length));
}

/** Whose a stored owner value is: on several nodes, those of one hold differ in the rest. */
export function contenderOf(owner: string): string {
  return /^([^:]+?)(?:\.\d+)?:/.exec(owner)?.[1] ?? owner;
}

/** Which attempt of its contender a stored owner value was written by, counted from 1; 0 where it does not say. */
export function attemptOf(owner: string): number {
  return Number(/^[^:]+:(\d+)/.exec(owner)?.[1] ?? 0);
}
