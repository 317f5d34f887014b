/**
 * Calls every listener. An error that a listener throws surfaces as an uncaught error. The other listeners are
 * still called, and the connection that brought the event is not affected.
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
