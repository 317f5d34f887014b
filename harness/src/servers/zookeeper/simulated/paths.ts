/** The path of the node above; that of the root's children is `/`. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * What ZooKeeper's PathUtils takes: parts that are neither empty nor `.` nor `..`, without control characters, surrogates
 * and private use, or the last of the plane.
 */
const PATH =
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  /^(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]+)+$/;

/** Whether a node may have this path, the root excepted. */
export function isValid(path: string): boolean {
  return PATH.test(path);
}

const SEQUENCE_DIGITS = 10;

/** As the server appends it: the number of children ever created under the parent, with leading zeros. */
export function sequence(creates: number): string {
  return String(creates).padStart(SEQUENCE_DIGITS, '0');
}
