import { isIP } from 'node:net';
import { posix } from 'node:path';
import { z } from 'zod';
import { about, checked, kind, listOf, parsed } from './kind.ts';
import { quoteValue } from './quote.ts';
import { stackPatternProblem } from './stack-pattern.ts';

/** The units of a quantity in bytes, as Kubernetes has them. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};
/** Docker takes no container with less (daemon/daemon_unix.go). */
const LEAST_BYTES = 6 * 2 ** 20;

function bytesOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (UNITS[unit] ?? Number.NaN));
  if (number === '') throw new RangeError(`${quoteValue(text)} is not a quantity such as 512Mi or 4Gi`);
  // Docker's 512m is MiB, Kubernetes' half a byte: neither is taken.
  if (Number.isNaN(bytes))
    throw new RangeError(
      `${quoteValue(text)} has no unit that Docker and Kubernetes agree on; write ${number} with Mi, Gi (1024) or M, G (1000) behind it`,
    );
  if (bytes < LEAST_BYTES) throw new RangeError(`${quoteValue(text)} is less than any job can run with`);
  if (!Number.isSafeInteger(bytes)) throw new RangeError(`${quoteValue(text)} is more than any machine has`);
  return bytes;
}

/** As Kubernetes writes it, in bytes. */
export const quantity = kind(
  'quantity',
  parsed(bytesOf).meta({ type: ['string', 'null'], pattern: '^[0-9]+(\\.[0-9]+)?([KMGT]i|[kMGT])$' }),
  { unit: 'Bytes' },
);

const CPUS = about('is not a number of CPUs from 0.01 to 1024, such as 1.5');
export const cpus = kind(
  'number',
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, { ...CPUS, abort: true })
    .transform(Number)
    .pipe(z.number(CPUS).min(0.01, CPUS).max(1_024, CPUS))
    .meta({ type: ['number', 'string', 'null'], minimum: 0.01, maximum: 1_024 }),
);

/** A container network's name. */
export const network = kind(
  'name',
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, about('is not the name of a network'))
    .refine((name) => name !== 'default', about('is another name of bridge; write that'))
    .refine(
      (name) => name !== 'host',
      about(
        "would give jobs the machine's own network, with what listens for the machine alone; name another, bridge or none",
      ),
    ),
);

const ipAddress = z
  .string()
  .regex(/^[0-9A-Fa-f:.]+$/, { ...about('is not an IP address'), abort: true })
  .refine((text) => isIP(text) !== 0, about('is not an IP address'));
export const address = kind('IP address', ipAddress.meta({ type: ['string', 'null'] }));
export const addresses = listOf(ipAddress);

/** Names of environment variables. */
export const names = listOf(
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, about('is not a name of an environment variable (letters, digits and _)')),
);

export const stacks = listOf(
  checked(stackPatternProblem).meta({ pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._*?-]+/[A-Za-z0-9._*?-]+$' }),
);

/** The scope of an organization's access token. */
export const accessScope = kind(
  'text',
  z.string().regex(/^(admin|(team|user):\P{Cc}+)$/u, about('is none of admin, team:<name> and user:<login>')),
);

/** Names of images; whether there are such images is for their registry to say. */
export const images = listOf(
  z.string().regex(/^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_./:@-]*$/, about('is not an image name')),
);

/** What is wrong with a pattern of images, as a clause. */
export function imagePatternProblem(text: string): string | undefined {
  const [name = '', digest, ...more] = text.split('@');
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const components = path.split('/');
  const whole = /^[A-Za-z0-9*][A-Za-z0-9_./:@*-]*$/.test(text);
  if (!whole || text.includes('..') || components.includes('') || more.length > 0 || tag === '')
    return `${quoteValue(text)} is not a pattern of images`;
  if (digest !== undefined && !/^sha256:[0-9a-f*]+$/.test(digest))
    return `${quoteValue(text)} has a digest that is none; write sha256: and 64 digits, or sha256:*`;
  if (digest !== undefined && tag !== undefined)
    return `${quoteValue(text)} has a tag and a digest; keep the digest, which alone says what runs`;
  if (path !== path.toLowerCase()) return `${quoteValue(text)} is in upper case, which names of images never are`;
  if (components.some((component) => component.includes('**') && component !== '**') || tag?.includes('**'))
    return `${quoteValue(text)} holds ** beside other characters; it stands for whole parts of a path`;
  return undefined;
}
export const imagePatterns = listOf(
  checked(imagePatternProblem).meta({ pattern: '^[A-Za-z0-9*][A-Za-z0-9_./:@*-]*$' }),
);

const VOLUME = '^[A-Za-z0-9][A-Za-z0-9_.-]+=/[^\\s:,]*$';
/** The agent keeps a job's token and environment there; in a volume they would outlive the job. */
const AGENTS = ['/mnt/pulumi', '/PULUMI_ENV'];
/** A job would hand the next one its programs, or nothing that can be kept. */
const SYSTEMS =
  '/bin /sbin /lib /lib32 /lib64 /libx32 /boot /etc /usr/bin /usr/sbin /usr/lib /usr/local/bin /proc /sys /dev';
/** Too much to hand over: what the image put there, and what a job keeps for itself. */
const WHOLE_TREES = '/ /usr /usr/local /var /opt /home /root /tmp /run /mnt';

/** What is wrong with a volume's name and place, as a clause. */
export function volumeProblem(text: string): string | undefined {
  const shown = quoteValue(text);
  if (!new RegExp(VOLUME).test(text))
    return `${shown} is not name=/path, with a name of letters, digits, _, . and - and an absolute path`;
  if (/\/\.\.?(\/|$)/.test(text)) return `${shown} has a path with . or ..; write it without`;
  const { path } = readVolume(text);
  const within = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  const agents = AGENTS.find((own) => within(path, own) || within(own, path));
  if (agents !== undefined) return `${shown} takes in ${agents}, which the agent uses`;
  if (SYSTEMS.split(' ').some((own) => within(path, own)) || WHOLE_TREES.split(' ').includes(path))
    return `${shown} is one of the image's own folders; name a folder of its own, as in name=/root/.pulumi/plugins`;
  return undefined;
}
export const volume = kind('name=/path', checked(volumeProblem).meta({ type: ['string', 'null'], pattern: VOLUME }));

/** A volume's name and its path without a slash at the end. The text has no problem. */
export function readVolume(text: string): { readonly name: string; readonly path: string } {
  const at = text.indexOf('=');
  const path = posix.normalize(text.slice(at + 1)).replace(/(?<=.)\/$/, '');
  return { name: text.slice(0, at), path };
}
