import { createHash } from 'node:crypto';
import { Redactor } from '../src/log/redactor.ts';
import type { Claim, Figure } from './claim.ts';
import { spread } from './figures.ts';
import { summarize } from './statistics.ts';

const REACH_MB_S = 200;
const REACH_SECRETS = 50;
const ROUND_MB = 100;
const CHUNK_BYTES = 64 * 1024;
/** Lines as a run of Pulumi prints them, one with a secret in a hundred. */
const LINES = [
  ' +  aws:s3/bucket:Bucket my-bucket-01 creating (0s) arn:aws:s3:::my-bucket-01',
  '    [urn=urn:pulumi:prod::infra::aws:ec2/vpc:Vpc::main]  cidrBlock: "10.0.0.0/16"',
  '@ Updating.... 2026-06-18T10:00:00.123Z resource 4711 of 9000: state refreshed',
  'npm http fetch GET 200 https://registry.example.org/@pulumi%2fpulumi 231ms (cache miss)',
];

const PREFIXES = ['pul-', 'AKIA', 's3cr3t/&', ''];

/**
 * How fast the redactor alone is: bytes in, redacted bytes out, by the processor time that it takes, so that other work on the
 * machine doesn't count. With its preparation for so many secrets, which an agent does while the container starts.
 */
export const redactor: Claim = {
  name: 'redactor',
  measure: async ({ samples = 7, progress }) => {
    const figures: Figure[] = [];
    for (const count of [1, REACH_SECRETS, 500]) {
      progress(`${count} secrets`);
      const values = secrets(count);
      const prepared: number[] = [];
      const rates: number[] = [];
      for (let round = 0; round < samples; round++) {
        const { preparedMs, rate } = measured(values);
        prepared.push(preparedMs);
        rates.push(rate);
      }
      const speed = summarize(rates);
      figures.push({
        what: `redactor alone, with ${count} secrets`,
        got: `${speed.median.toFixed(0)} MB/s`,
        detail: `${spread(speed, 0)} MB/s of processor time; prepared in ${spread(summarize(prepared))} ms, the first time in ${prepared[0]?.toFixed(1)}; n=${speed.count}`,
        ...(count === REACH_SECRETS ? { reach: `≥ ${REACH_MB_S} MB/s`, met: speed.median >= REACH_MB_S } : {}),
      });
    }
    return figures;
  },
};

function measured(values: readonly string[]): { preparedMs: number; rate: number } {
  const lines = [...Array.from({ length: 25 }, () => LINES).flat(), `token ${values[0]}`, ''];
  const chunk = Buffer.alloc(CHUNK_BYTES, lines.join('\n'));
  const started = cpuMs();
  const hidden = new Redactor();
  hidden.add(values);
  hidden.text('');
  const prepared = cpuMs();
  const text = hidden.stream();
  const rounds = Math.ceil((ROUND_MB * 1e6) / CHUNK_BYTES);
  for (let round = 0; round < rounds; round++) {
    if (round === 0 && text.push(chunk).includes(values[0] ?? '')) throw new Error('a secret came through');
    else text.push(chunk);
  }
  text.end();
  return { preparedMs: prepared - started, rate: (rounds * CHUNK_BYTES) / 1e3 / (cpuMs() - prepared) };
}

/** Milliseconds of processor time that this thread has had. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function secrets(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const random = createHash('sha256').update(`${index}`).digest('base64');
    return `${PREFIXES[index % PREFIXES.length]}${random.slice(0, 24 + (index % 20))}`;
  });
}
