/** The path of the node above; that of the root's children is `/`. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const SEQUENCE_DIGITS = 10;

/** As the server appends it: the number of children ever created under the parent, with leading zeros. */
export function sequence(creates: number): string {
  return String(creates).padStart(SEQUENCE_DIGITS, '0');
}
