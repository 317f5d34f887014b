import { NotSentError, OpenError, ReplyError, UnknownOutcomeError } from './errors.ts';
import type { CheckedOptions } from './options.ts';
import { exists } from './read-operations.ts';
import { request } from './request.ts';
import { SessionLink } from './session-link.ts';

/** Opens a link, and checks that its chroot exists. Rejects with {@link OpenError}. */
export async function openLink(options: CheckedOptions): Promise<SessionLink> {
  const { chroot, clock, deadlineMs, signal, awaited } = options;
  const link = new SessionLink(options);
  const leftMs = Math.max(0, deadlineMs - clock.now().monotonicMs);
  let isChecking = false;
  const end = (code: 'NO_SERVER' | 'ABORTED', when: string): void =>
    // Closing the link ends the request in flight, too.
    isChecking ? void link.close(0) : link.abortOpening(code, when);
  const timeOut = (): void => end('NO_SERVER', `within ${Math.round(leftMs)} ms`);
  const abort = (): void => end('ABORTED', 'before the opening was aborted');
  const cancel = clock.timer(leftMs, timeOut, { awaited });
  signal?.addEventListener('abort', abort);
  try {
    const opened = link.open();
    if (signal?.aborted === true) abort();
    await opened;
    isChecking = true;
    if (chroot.path !== '') await checkChroot(link, options);
    return link;
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}

/** Checks the chroot, over as many connections as needed, until the time for opening is over. */
async function checkChroot(link: SessionLink, options: CheckedOptions): Promise<void> {
  const { path } = options.chroot;
  try {
    if (await nodeExists(link, options)) return;
    throw new OpenError(
      'NO_CHROOT',
      `the chroot ${path} does not exist on ${link.address}: create it`,
    );
  } catch (error) {
    void link.close(CLOSE_MS);
    if (error instanceof OpenError) throw error;
    const code = options.signal?.aborted === true ? 'ABORTED' : 'NO_SERVER';
    throw new OpenError(
      code,
      `${link.address} did not reply whether the chroot ${path} exists`,
      error,
    );
  }
}

/** The time for closing a session without a caller; it would expire by itself, too. */
const CLOSE_MS = 1_000;

/** The time for the first server to reply; each next one gets twice the time. */
const SERVER_WAIT_MS_MIN = 1_000;

async function nodeExists(
  link: SessionLink,
  { chroot: { path }, clock }: CheckedOptions,
): Promise<boolean> {
  for (let ms = SERVER_WAIT_MS_MIN; ; ms *= 2) {
    const cancel = clock.timer(ms, () => link.rejectServer(ms));
    try {
      const { stat } = await request(link, () => exists(path, false)).finally(cancel);
      return stat !== undefined;
    } catch (error) {
      const isOver = link.state.isFinal;
      if (isOver || !isConnectionLoss(error)) throw error;
      if (link.state.current === 'disconnected') await stateChanged(link);
    }
  }
}

/** True if the request may succeed on another connection. */
function isConnectionLoss(error: unknown): boolean {
  if (error instanceof NotSentError) return true;
  return error instanceof UnknownOutcomeError && !(error.cause instanceof ReplyError);
}

function stateChanged(link: SessionLink): Promise<void> {
  return new Promise((changed) => {
    const stop = link.state.onChange(() => {
      stop();
      changed();
    });
  });
}
