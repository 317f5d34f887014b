/** Calls a method of a backend and turns any error into `unknown`: a bug in a backend is doubt, not a crash. */
export async function catchAsUnknown<T>(
  run: () => Promise<T>,
): Promise<T | { kind: 'unknown'; cause: unknown }> {
  try {
    return await run();
  } catch (cause) {
    return { kind: 'unknown', cause };
  }
}
