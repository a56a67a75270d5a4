import { z } from 'zod';

/** The requests of @actions/artifact 6.2.1: proto3 JSON with proto field names, defaults left out, 64-bit integers and wrapped strings as strings. */
const ids = { workflow_run_backend_id: z.string().min(1), workflow_job_run_backend_id: z.string().min(1) };

/** GitHub refuses these in a name; the client checks for them, too. */
const NAME = /^[^":<>|*?\\/\r\n]{1,260}$/u;
const name = z.string().regex(NAME, 'a forbidden character, or no name');

export const requests = {
  CreateArtifact: z.strictObject({
    ...ids,
    name,
    // Absent when the repository's default holds.
    expires_at: z.iso.datetime().optional(),
    version: z.literal(7),
    mime_type: z.string().optional(),
  }),
  FinalizeArtifact: z.strictObject({
    ...ids,
    name,
    size: z.string().regex(/^\d+$/u).default('0'),
    hash: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/u)
      .optional(),
  }),
} as const;

export type Method = keyof typeof requests;
export type RequestOf<M extends Method> = z.output<(typeof requests)[M]>;

export function isMethod(text: string): text is Method {
  return Object.hasOwn(requests, text);
}

/** A Twirp error: the code's name and the HTTP status that belongs to it. */
export class TwirpError extends Error {
  override readonly name = 'TwirpError';
  readonly code: keyof typeof STATUS;

  constructor(code: keyof typeof STATUS, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** Of the Twirp specification. */
const STATUS = {
  invalid_argument: 400,
  malformed: 400,
  unauthenticated: 401,
  permission_denied: 403,
  bad_route: 404,
  not_found: 404,
  already_exists: 409,
  failed_precondition: 412,
  internal: 500,
} as const;
