import { z } from 'zod';

/** For what is read once or twice in a run: compiling a parser for it would take longer than parsing. */
export const SELDOM = { jitless: true } as const;

/** The answer to a token exchange. `token_type` varies and says nothing. */
export const exchangeSchema = z.object({
  access_token: z.string().min(1),
  /** Seconds; 25 hours is the cap (protocol section 1), so more than years is no time that anybody meant. */
  expires_in: z.coerce.number().positive().max(1e9).optional().catch(undefined),
});
