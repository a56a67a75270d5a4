import { z } from 'zod';
import { about, type KeyDefinition, listOf } from '../kind.ts';

const namePatterns = listOf(
  z
    .string()
    .regex(
      /^[A-Za-z0-9_.*-]+$/,
      about('is not a name of an environment variable (letters, digits and _), with * for any text'),
    ),
);

/** Our keys for what logs show of a job's variables. */
export const VARIABLE_KEYS = {
  plain_variables: {
    kind: namePatterns,
    default: '',
    help: 'Unmarked variables of jobs that logs can show; * is any text, and shows no likely credential.',
  },
  secret_variables: {
    kind: namePatterns,
    default: '',
    help: 'Variables of jobs that no log can show, whatever they hold; * is any text.',
  },
} as const satisfies Readonly<Record<string, KeyDefinition>>;
