/**
 * An owner value as the node at `place` of the list stores it, counted from 1: `‹contender id›.‹place›:‹n›:‹label›`.
 * Where two addresses have come to lead to one server, that server has the vote of one place, and of no other.
 */
export function withPlace(owner: string, place: number): string {
  return owner.replace(':', `.${place}:`);
}

/** The owner value that a stored one was made of; others are returned as they are. */
export function withoutPlace(stored: string): string {
  return stored.replace(/^([^:]+)\.\d+:/, '$1:');
}
