import { z } from 'zod';
import { about, type KeyTable, listOf } from '../kind.ts';

const namePatterns = listOf(
  z
    .string()
    .regex(
      /^[A-Za-z0-9_.*-]+$/,
      about('is not a name of an environment variable (letters, digits and _), with * for any text'),
    ),
);

/** Our keys for the variables of a job that logs show. */
export const VARIABLE_KEYS = {
  plainVariables: {
    key: 'plain_variables',
    kind: namePatterns,
    default: '',
    help: 'Unmarked variables of jobs that logs show; * is any text, but a likely credential stays hidden.',
  },
  secretVariables: {
    key: 'secret_variables',
    kind: namePatterns,
    default: '',
    help: 'Variables of jobs that no log shows, whatever their values; * is any text.',
  },
} as const satisfies KeyTable;
