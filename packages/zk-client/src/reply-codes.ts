/** The error numbers of ZooKeeper's replies (`KeeperException.Code`). */
const NAMES = {
  [-1]: 'SYSTEMERROR',
  [-2]: 'RUNTIMEINCONSISTENCY',
  [-3]: 'DATAINCONSISTENCY',
  [-4]: 'CONNECTIONLOSS',
  [-5]: 'MARSHALLINGERROR',
  [-6]: 'UNIMPLEMENTED',
  [-7]: 'OPERATIONTIMEOUT',
  [-8]: 'BADARGUMENTS',
  [-13]: 'NEWCONFIGNOQUORUM',
  [-14]: 'RECONFIGINPROGRESS',
  [-100]: 'APIERROR',
  [-101]: 'NONODE',
  [-102]: 'NOAUTH',
  [-103]: 'BADVERSION',
  [-108]: 'NOCHILDRENFOREPHEMERALS',
  [-110]: 'NODEEXISTS',
  [-111]: 'NOTEMPTY',
  [-112]: 'SESSIONEXPIRED',
  [-113]: 'INVALIDCALLBACK',
  [-114]: 'INVALIDACL',
  [-115]: 'AUTHFAILED',
  [-118]: 'SESSIONMOVED',
  [-119]: 'NOTREADONLY',
  [-120]: 'EPHEMERALONLOCALSESSION',
  [-121]: 'NOWATCHER',
  [-122]: 'REQUESTTIMEOUT',
  [-123]: 'RECONFIGDISABLED',
  [-124]: 'SESSIONCLOSEDREQUIRESASLAUTH',
  [-125]: 'QUOTAEXCEEDED',
  [-127]: 'THROTTLEDOP',
} as const;

type Names = typeof NAMES;

/** The error that a server reports for a request; `OTHER` for an unknown number. */
export type FailureCode = Names[keyof Names] | 'OTHER';

/** Failures within the server: some occur after a transaction was applied. An unknown number may mean anything. */
const DOUBTFUL: ReadonlySet<FailureCode> = new Set([
  'SYSTEMERROR',
  'RUNTIMEINCONSISTENCY',
  'DATAINCONSISTENCY',
  'CONNECTIONLOSS',
  'MARSHALLINGERROR',
  'OPERATIONTIMEOUT',
  'REQUESTTIMEOUT',
  'OTHER',
]);

const byNumber: ReadonlyMap<number, FailureCode> = new Map(
  Object.entries(NAMES).map(([number, name]) => [Number(number), name]),
);

export function failureCode(number: number): FailureCode {
  return byNumber.get(number) ?? 'OTHER';
}

/** True if the request may have been applied in spite of the failure. */
export function isDoubtful(code: FailureCode): boolean {
  return DOUBTFUL.has(code);
}
