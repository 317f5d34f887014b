import { editedLock } from '../edited/index.ts';
import { playGuarded } from '../search/index.ts';
import type { RealmPort, RealmReply, RealmRequest, RealmStart, RealmTraits } from './realm.ts';

/** In the realm of the reader's code: loads it, and plays the schedules that are requested through the port. */
export async function serveRealm(
  { lock, code, sources }: RealmStart,
  port: RealmPort,
): Promise<void> {
  const tell = (reply: RealmReply): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
    port.postMessage(reply);
  };
  try {
    const subject = await editedLock(lock, code, sources);
    port.addEventListener('message', ({ data }) => {
      // The other side is the harness.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const { id, schedule, trace } = data as RealmRequest;
      playGuarded(schedule, subject, { trace }).then(
        (played) => tell({ id, played }),
        (error: unknown) => tell({ id, error: messageOf(error) }),
      );
    });
    port.start();
    const { nodes, servers, ensemble, renews, tokens, points } = subject;
    const traits: RealmTraits = {
      nodes,
      renews,
      tokens,
      ...(servers === undefined ? {} : { servers }),
      ...(ensemble === undefined ? {} : { ensemble }),
      ...(points === undefined ? {} : { points }),
    };
    tell({ id: 0, traits });
  } catch (error) {
    tell({ id: 0, error: messageOf(error) });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
