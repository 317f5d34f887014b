import { play, storyFromString } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { fifo } from '../../src/check/index.ts';
import { subjectOf } from '../kit/locks.ts';

/** All servers restart without their data while clients wait, and one of them queues anew. */
const ALL_FORGET =
  'r1.hVFBbsMgEPzLnqnkuJUb-dpzX1DlgGGpkQkgmySNIv7ewaFWVbXqiWWYmR0NNzpTvxM0SDWx19QTJ6VJkJEnl3CdeUlyTg98jOlacPaKwTPSLSwoziHyjJeejDUBhEWNrE-Oqf_yTsm9LpiaphHkZILDdQUE-aAZ06PAnuiskrispPdCwFThFxfUVKEQcb7dyCIFLJSz7EtSieUyVdIYnN4sPF8wromzuAvbb8JhE-72T_9LEfaXnW2LLH9KD7XQe_LJrk3_rLaW8SzoMrIv_Q1swowmQZXlUwCWvyptD5QFHcuufMDEH5EVEm3mZxtK1UU1ymUE0hiYqK7tuDNK6z3l_Ak';

test('whoever queued before all servers lost their data had queued earlier, though revisions begin anew', async () => {
  const { schedule } = storyFromString(ALL_FORGET);

  const { history, queueTickets = [] } = await play(schedule, subjectOf('etcd'));

  expect(new Set(queueTickets.map(({ hold }) => hold)).size).toBeGreaterThan(1);
  expect(fifo(history, queueTickets).kind).toBe('ok');
});

/** A release ends a key, and a power failure loses the release: the key is back. */
const RELEASE_IS_LOST =
  'r1.dZHBboMwEET_Zc-uRKFNJa499wuqHByzBAvXi4yTNIr4944NoYmicGE93rcMsxc6Uv2qaKdNz76hmjiahhS1-uAijlGCf3GyTxJ7w2hptRtZ0RBk4BDPaGptK2gYTcfNwTHV17Exuq8RVVEUipyOmHDOgiIvDaOqFAUenDUah9y0Tw2oFvnTiekXSQa8vy9k4QIjdEx6VSrqxDV5bll8KDLOsk_mNUwF9nzCVXY9qRkGMsObf_btBtw9A2F3Bst3lFcU41bUPKDbJc3Ze29zzDe5njr2KTLdRg64ciI9ZGhpMSlfX9G0JoYf_MmZggw2JmkzbXHPvwMbWFi_cbSSMk_r7PTYQcEe7h6apj8';
/** A create that waited at a leader without a majority comes when its key has been used and released. */
const CREATE_COMES_LATE =
  'r1.hZJNcsIwDIXvorXbSRvSANuue4IOC8dRGg-unToOlGFy90r5w3QGYCWU90lPyTvDAbYvAgqp9mhL2AIGVYKASnYm0N-2MTo8FV5qy120CklVSdOigMa7Bn04ka7SlSNBq2osO4OwnSeHYD5aqpIkEWBkoAknbqQCrCtxrDzSGiVZx6IvFqzelv67cWrPveQ5F-Aaqj7PoMkIyWUY5qcbAbUz5YBmJFNGo-UTJPnyaPFITwbjvRjh1xnOYjQii1skWZ5IMjmjVC6kukWuZjLN1xf0hdqP_ZK1id1EjuNTY8PBdwtJ1kZyHfnN-Ys8vpXmz6_4wqbp_Wt3U4LGL7XXQ7Sus3Ss0XJMCqycp8DQBMnJoyYHkkOloKdIBck1v5UpMLT6e_CTZWzy7nRZBfSMq59O05qr-TaNF_AV_zYk-abfkQR_G1R06bLsoB1nmf3Wsq2pQ_m--kHf_wE';
/** One of three servers is damaged, so the others need each other; both ask at the same moment. */
const EQUALLY_PATIENT =
  'r1.XVFBboMwEPzLnl2JhISqXHvuC6ocjFkKwsHINqRRxN87SwKh4YI9uzM7nr3RSPlOUaFNy11JOXE0JSmq9GAjrp5D1D6-8bmPV8G5M4y-StvAinrvevao5GSbkTsOAU3B1FwOlilf9GO0XwGnJEkUWR2hchXgQ1HnSsYpVZjV28ZoXOamH2lIn_indaYVDFXX4_99owZWIK-j4AcRr50t5ZIdoW1sw508Q8OVh70LKrP1Sd3J-4W832HSQk6P2YZcbMjRDysXhAc3Ozy57xumeWWeHsne3bfNHPlrxpeaO4mu4Mp5hIgGLTsBKKuSsAua1uQw-ywm0ukEkH97Npi9qo-Nk8BFoNahBoIl_Ptomv4A';

test.each([
  ['is there again after a power failure', RELEASE_IS_LOST],
  ['is created anew by a request that comes late', CREATE_COMES_LATE],
])('a key that %s keeps its place: its client was served before', async (_, text) => {
  const { schedule } = storyFromString(text);

  const { history, queueTickets = [] } = await play(schedule, subjectOf('etcd'));

  expect(queueTickets.length).toBeGreaterThan(1);
  expect(fifo(history, queueTickets).kind).toBe('ok');
});

test('two servers whose elections failed at the same moment do not ask at the same moment again and again', async () => {
  const { schedule } = storyFromString(EQUALLY_PATIENT);

  const { history } = await play(schedule, subjectOf('etcd'));
  const granted = history.filter(({ type }) => type === 'granted');

  expect(granted).toHaveLength(schedule.ops.length);
});
