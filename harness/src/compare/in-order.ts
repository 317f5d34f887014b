/**
 * Starts tasks in order, `jobs` at a time, and passes their results on in that order, as early as possible.
 * @throws the first rejection of a task; no task starts after it
 */
export async function inOrder<T>(
  tasks: readonly (() => Promise<T>)[],
  jobs: number,
  take: (result: T) => void,
): Promise<void> {
  const results: ({ readonly value: T } | undefined)[] = [];
  const rest = tasks.entries();
  let taken = 0;
  let isOver = false;
  const worker = async (): Promise<void> => {
    for (const [i, task] of rest) {
      if (isOver) return;
      results[i] = { value: await task() };
      for (let next = results[taken]; next !== undefined; next = results[taken]) {
        taken++;
        take(next.value);
      }
    }
  };
  const workers = Array.from({ length: jobs }, worker);
  try {
    await Promise.all(workers);
  } finally {
    isOver = true;
  }
}
