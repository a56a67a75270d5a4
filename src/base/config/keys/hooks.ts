import { checked, type KeyTable, kind } from '../kind.ts';
import { duration } from '../kinds.ts';
import { quoteValue } from '../problem.ts';

const program = kind(
  'absolute path',
  checked((text) =>
    /^\/\P{Cc}*$/u.test(text)
      ? undefined
      : `${quoteValue(text)} is not the absolute path of a program on the runner`,
  ).meta({ pattern: '^/' }),
);

/** Our keys for the programs that run on the runner before and after a job. */
export const HOOK_KEYS = {
  hookBeforeJob: {
    key: 'hook_before_job',
    kind: program,
    unsetMeans: 'none',
    help: 'Program on the runner that runs before each job; it can refuse the job or add variables to it.',
  },
  hookAfterJob: {
    key: 'hook_after_job',
    kind: program,
    unsetMeans: 'none',
    help: 'Program on the runner that runs after each job and is passed its outcome.',
  },
  hookTimeoutMs: { key: 'hook_timeout', kind: duration, default: '1m', help: 'Time limit of each hook.' },
} as const satisfies KeyTable;
