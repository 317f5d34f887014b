/**
 * Starts servers for the process that forked it, and ends them, and what else it is told of, when that process is gone, however it went: who is
 * killed has no time to do so. In JavaScript, so that it can be run from the sources as from the build; and not a module,
 * for these are loaded while messages are already coming in, and those of one who is killed meanwhile would be lost.
 */
const { spawn } = require('node:child_process');
const { closeSync, openSync, rmSync } = require('node:fs');

/** @type {Map<number, import('node:child_process').ChildProcess>} */
const running = new Map();
/** Of processes that others started. @type {Set<number>} */
const watched = new Set();
/** @type {Set<string>} */
const folders = new Set();

/** @param {object} message */
function tell(message) {
  if (process.connected) process.send?.(message, () => undefined);
}

/** @param {{ id: number, command: string, args: string[], folder: string, log: string }} order */
function start({ id, command, args, folder, log }) {
  if (!process.connected) return undefined;
  const out = openSync(log, 'w');
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', out, out] });
  closeSync(out);
  const { pid } = child;
  if (pid === undefined) return child.once('error', ({ message }) => tell({ id, failed: message }));
  running.set(pid, child);
  child.once('exit', (code, signal) => {
    running.delete(pid);
    tell({ exited: pid, code, signal });
    if (!process.connected) endIfAlone();
  });
  return tell({ id, pid });
}

function endAll() {
  // Which reaches one that stands still, too.
  for (const child of running.values()) child.kill('SIGKILL');
  for (const pid of watched) end(pid);
  endIfAlone();
}

/** @param {number} pid */
function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function endIfAlone() {
  if (running.size > 0) return;
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  process.exit();
}

/** @type {Record<string, (order: any) => void>} */
const orders = {
  start,
  watch: ({ pid }) => watched.add(pid),
  unwatch: ({ pid }) => watched.delete(pid),
  keep: ({ folder }) => folders.add(folder),
  forget: ({ folder }) => folders.delete(folder),
};
process.on('message', (/** @type {any} */ order) => orders[order.kind]?.(order));
process.once('disconnect', endAll);
// What is meant for the one who started us, it will answer itself; and then we are disconnected.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
process.once('SIGTERM', () => {
  process.disconnect();
});
