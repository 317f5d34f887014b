/**
 * Begins tasks in order, `jobs` at a time, and hands over what comes of them in the same order, as early as that allows.
 * @throws whatever a task rejects with; none is begun after that
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
  const channel = async (): Promise<void> => {
    for (const [i, task] of rest) {
      if (isOver) return;
      results[i] = { value: await task() };
      for (let next = results[taken]; next !== undefined; next = results[taken]) {
        taken++;
        take(next.value);
      }
    }
  };
  const lanes = Array.from({ length: jobs }, channel);
  try {
    await Promise.all(lanes);
  } finally {
    isOver = true;
  }
}
