import { z } from 'zod';
import { fieldsOf } from '../../base/json.ts';
import { claimSchema, complaints, jobDefinitionSchema } from '../../cloud/job-wire.ts';
import { type Endpoint, endpointOf, pathTemplate } from '../proxy/protocol.ts';

/** The parts of a line of wire.ndjson. */
const bodySchema = z.object({
  headers: z.record(z.string(), z.string()),
  bytes: z.number(),
  json: z.unknown(),
  text: z.string().optional(),
});

const lineSchema = z.object({
  t: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  failure: z.string().optional(),
  request: bodySchema.partial({ json: true }),
  response: bodySchema.partial({ json: true }),
});

type RecordedLine = z.infer<typeof lineSchema>;

/** The placeholders in a recording for the end of a truncated list, and for a secret. */
const omission = z.object({ more: z.number().int() });
const hidden = z.string();
const time = z.iso.datetime({ precision: 3, offset: true });

const empty = z.strictObject({});

/** The bodies that our agent sends, by kind of call; the emulated Pulumi Cloud accepts no other. */
const SENT: Partial<Record<Endpoint['kind'], z.ZodType>> = {
  'step-status': z.strictObject({ status: z.enum(['running', 'succeeded', 'failed']) }),
  logs: z.strictObject({
    offset: z.int().nonnegative(),
    lines: z.array(z.union([z.strictObject({ t: time, l: z.string().endsWith('\n') }), omission])).min(1),
  }),
  heartbeat: empty,
  'worker-setup': empty,
  acknowledgement: z.strictObject({
    jobID: z.string(),
    runID: z.string(),
    typeSpecificID: z.string(),
    deploymentID: z.string().optional(),
  }),
};

/** The answers that our agent reads. */
const RECEIVED: Partial<Record<Endpoint['kind'], z.ZodType>> = {
  poll: claimSchema,
  definition: jobDefinitionSchema,
  'token-exchange': z.object({ access_token: hidden }),
  'deployment-status': z.union([z.string(), z.object({ status: z.string() })]),
};

/** The fields of an answer that our agent knows. Any other is a difference. */
const READ_FIELDS: Partial<Record<Endpoint['kind'], readonly string[]>> = {
  poll: ['jobID', 'jobToken', 'oidcToken', 'runID', 'typeSpecificID', 'deploymentID'],
  definition: ['os', 'architecture', 'image', 'shell', 'timeout', 'env', 'steps'],
};

const ACCEPT = 'application/vnd.pulumi+8';

/**
 * How a recording differs from our reading of the protocol: a sentence per kind of difference, with
 * its first call.
 */
export interface Comparison {
  readonly calls: number;
  /** How often each kind of call was made, such as `POST /api/…/heartbeat`. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly differences: readonly string[];
}

/**
 * Compares a recording, the text of wire.ndjson. Throws Error for a line that isn't part of a
 * recording.
 */
export function compareWire(text: string): Comparison {
  const lines = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, index + 1)]));
  const kinds = new Map<string, number>();
  const differences = new Map<string, { readonly number: number; count: number }>();
  const order = new Order();

  for (const [index, line] of lines.entries()) {
    const endpoint = endpointOf(line.method, line.path);
    const kind = `${line.method} ${pathTemplate(line.path)}`;

    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);

    for (const difference of [...differencesOf(line, endpoint), ...order.next(line, endpoint)]) {
      const sentence = `${kind}: ${difference}`;
      const earlier = differences.get(sentence);
      if (earlier === undefined) differences.set(sentence, { number: index + 1, count: 1 });
      else earlier.count += 1;
    }
  }

  const sentences = [...differences].map(
    ([sentence, { number, count }]) =>
      `${sentence} (line ${number}${count > 1 ? `, and ${count - 1} more` : ''})`,
  );
  return { calls: lines.length, kinds, differences: sentences };
}

function readLine(line: string, number: number): RecordedLine {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new Error(`line ${number} is not part of a recording`, { cause });
  }
}

function differencesOf(
  { status, failure, request, response, method }: RecordedLine,
  endpoint: Endpoint,
): string[] {
  const { accept, authorization } = request.headers;
  const [sent, received] = [SENT[endpoint.kind], RECEIVED[endpoint.kind]];
  const differences: string[] = [];

  if (endpoint.kind === 'other') differences.push('our agent never makes this call');
  if (endpoint.kind === 'lease') differences.push('our agent does not take such work');
  if (accept !== ACCEPT) differences.push(`it accepts ${accept ?? 'anything'}, ours ${ACCEPT}`);
  if (endpoint.kind !== 'token-exchange' && authorization?.split(' ', 1).join() !== 'token')
    differences.push(`it authorizes by ${authorization?.split(' ', 1).join() ?? 'nothing'}, ours by token`);
  if (status === 0) differences.push(`there was no answer (${failure ?? 'the connection ended'})`);
  if (status >= 300) differences.push(`the answer is HTTP ${status}`);
  if (sent !== undefined && (method !== 'GET' || request.bytes > 0))
    differences.push(...unlike(sent, request, 'it sends what ours would not'));
  if (received === undefined || status < 200 || status >= 300 || response.bytes === 0) return differences;

  differences.push(...unlike(received, response, 'the answer is not what ours reads'));

  const readFields = READ_FIELDS[endpoint.kind];
  const fields =
    typeof response.json === 'object' && response.json !== null ? Object.keys(response.json) : [];
  const others = readFields === undefined ? [] : fields.filter((field) => !readFields.includes(field));

  if (others.length > 0) differences.push(`the answer has fields that ours ignores: ${others.join(', ')}`);

  return differences;
}

function unlike(
  schema: z.ZodType,
  { bytes, json, text }: RecordedLine['request'],
  sentence: string,
): string[] {
  if (json === undefined && text !== undefined) return [`${sentence}: it is not JSON`];
  const parsed = schema.safeParse(bytes === 0 ? {} : json);
  return parsed.success ? [] : [`${sentence}: ${complaints(parsed.error)}`];
}

/**
 * Checks each step's order of reports (running, consecutive lines, final status) and the time
 * between heartbeats.
 */
class Order {
  readonly #lines = new Map<string, number>();
  readonly #statuses = new Map<string, string>();
  #lastBeat: number | undefined;

  /** Records a call and returns what is out of order. */
  next({ t, status: code, request: { json } }: RecordedLine, endpoint: Endpoint): string[] {
    if (code < 200 || code >= 300) return [];
    if (endpoint.kind === 'heartbeat') return this.#beat(Date.parse(t));
    if (endpoint.kind !== 'step-status' && endpoint.kind !== 'logs') return [];

    const step = `${endpoint.job}/${endpoint.step}`;
    const before = this.#statuses.get(step);

    if (endpoint.kind === 'logs')
      return [
        ...(before === 'running' ? [] : [`lines arrive when the step is ${before ?? 'not started'}`]),
        ...this.#log(step, json),
      ];

    const status = SENT['step-status']?.safeParse(json).success ? (json as { status: string }).status : '?';
    this.#statuses.set(step, status);

    const required = status === 'running' ? undefined : 'running';
    return before === required ? [] : [`a step is ${status} when it is ${before ?? 'not started'}`];
  }

  #beat(at: number): string[] {
    const seconds = this.#lastBeat === undefined ? 0 : (at - this.#lastBeat) / 1000;
    this.#lastBeat = at;
    return seconds > 60 ? ['more than a minute passed between two heartbeats'] : [];
  }

  #log(step: string, json: unknown): string[] {
    const { offset, lines } = fieldsOf(json);
    const counted = this.#lines.get(step) ?? 0;
    if (typeof offset !== 'number' || !Array.isArray(lines)) return [];

    const omitted = omission.safeParse(lines.at(-1)).data?.more;
    const count = omitted === undefined ? lines.length : lines.length - 1 + omitted;
    this.#lines.set(step, Math.max(counted, offset + count));

    // A repeated call starts at a lower offset.
    return offset > counted
      ? [`its offset is ${offset}, after ${counted} lines: it may not count lines`]
      : [];
  }
}
