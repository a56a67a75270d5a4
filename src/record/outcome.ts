import { z } from 'zod';
import { OUTCOME_NAMES, type Outcome } from '../base/outcome.ts';

export const outcome = z.enum(OUTCOME_NAMES as [Outcome, ...Outcome[]]);
/** The error's entry in TROUBLESHOOTING.md. */
export const code = z.string().optional();
