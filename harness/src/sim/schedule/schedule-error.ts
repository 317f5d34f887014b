/** A schedule or story that cannot be played; `path` says where, for example `faults[1].client`. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
  readonly path: string;

  constructor(path: string, why: string, cause?: unknown) {
    super(path === '' ? why : `${path}: ${why}`, { cause });
    this.path = path;
  }
}
