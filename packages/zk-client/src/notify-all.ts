/**
 * Calls every listener. What one throws is the caller's own mistake: it surfaces as an uncaught error, but neither
 * keeps the others from being told nor disturbs the connection that brought the news.
 */
export function notifyAll<T>(listeners: Iterable<(event: T) => void>, event: T): void {
  for (const listener of listeners) {
    try {
      listener(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
