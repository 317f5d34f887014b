import { ask } from './ask.ts';
import { NotSentError, OpenError, ReplyError, UnknownOutcomeError } from './errors.ts';
import type { CheckedOptions } from './options.ts';
import { exists } from './read-operations.ts';
import { SessionLink } from './session-link.ts';

/** A link that is connected, and whose chroot exists. Rejects with {@link OpenError}. */
export async function openLink(options: CheckedOptions): Promise<SessionLink> {
  const link = new SessionLink(options);
  await link.open();
  if (options.chroot.path !== '') await checkChroot(link, options);
  return link;
}

/** Within the time for opening, over as many connections as it takes. */
async function checkChroot(
  link: SessionLink,
  { chroot: { path }, clock, deadlineMs }: CheckedOptions,
): Promise<void> {
  const leftMs = Math.max(0, deadlineMs - clock.now().monotonicMs);
  // Ends the request that is on the wire, too.
  const cancel = clock.timer(leftMs, () => void link.close(0), { awaited: true });
  try {
    if (await nodeExists(link, path)) return;
    throw new OpenError(
      'NO_CHROOT',
      `there is no node ${path} on ${link.address} to be the chroot`,
    );
  } catch (error) {
    void link.close(FAREWELL_MS);
    if (error instanceof OpenError) throw error;
    throw new OpenError('NO_SERVER', `${link.address} did not tell whether ${path} exists`, error);
  } finally {
    cancel();
  }
}

/** For the session that nobody gets: it would end by itself, too. */
const FAREWELL_MS = 1_000;

async function nodeExists(link: SessionLink, path: string): Promise<boolean> {
  for (;;) {
    try {
      return (await ask(link, () => exists(path, false))).stat !== undefined;
    } catch (error) {
      const isOver = link.state !== 'connected' && link.state !== 'disconnected';
      if (isOver || !isLoss(error)) throw error;
      if (link.state === 'disconnected') await stateChanged(link);
    }
  }
}

/** Whether another connection may do better. */
function isLoss(error: unknown): boolean {
  if (error instanceof NotSentError) return true;
  return error instanceof UnknownOutcomeError && !(error.cause instanceof ReplyError);
}

function stateChanged(link: SessionLink): Promise<void> {
  return new Promise((changed) => {
    const stop = link.onState(() => {
      stop();
      changed();
    });
  });
}
