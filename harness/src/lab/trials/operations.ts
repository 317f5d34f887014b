import type { HistoryEvent } from '@holdfast/core';
import type { Sample } from '../../plant/index.ts';
import type { TrialRecord } from './trial-record.ts';

/** Acquisitions and releases that came to an end, and those of which nobody knew by then what became of them. */
export interface Operations {
  readonly operationCount: number;
  readonly indeterminate: number;
}

type OperationResult = 'known' | 'unknown';

/** The code of `OutcomeUnknownError`. */
const UNKNOWN = 'OUTCOME_UNKNOWN';
/** Nobody waited any longer, because the trial was over: not answered, and no doubt. */
const WITHDRAWN = 'withdrawn';

/** Of the shared key what everybody asked for, and of their own keys what healthy clients did. */
export function operations({ history, healthy }: TrialRecord): Operations {
  const samples = healthy.flatMap((probed) => probed.samples);
  const answers = [...history.flatMap(resultOf), ...samples.flatMap(resultsOf)];
  return {
    operationCount: answers.length,
    indeterminate: answers.filter((answer) => answer === 'unknown').length,
  };
}

function resultOf(event: HistoryEvent): readonly OperationResult[] {
  if (event.type === 'granted' || event.type === 'denied') return ['known'];
  if (event.type === 'doubt') return event.reason === WITHDRAWN ? [] : ['unknown'];
  return event.type === 'released' ? [event.outcome === 'unknown' ? 'unknown' : 'known'] : [];
}

/** Of asking, and of giving back. */
function resultsOf({ ok, why, released }: Sample): readonly OperationResult[] {
  if (!ok) return why === WITHDRAWN ? [] : [why === UNKNOWN ? 'unknown' : 'known'];
  if (released === undefined) return ['known'];
  return ['known', released === 'unknown' ? 'unknown' : 'known'];
}
