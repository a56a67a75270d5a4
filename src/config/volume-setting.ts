import { posix } from 'node:path';
import { quoteValue } from './quote.ts';

/** `name=/path` as a regular expression without anchors; what follows below is stricter. */
export const VOLUME = '[A-Za-z0-9][A-Za-z0-9_.-]+=/[^\\s:,]*';
const WHOLE = new RegExp(`^${VOLUME}$`);
/** The agent keeps a job's token and environment there; in a volume they would outlive the job. */
const AGENTS = ['/mnt/pulumi', '/PULUMI_ENV'];
/** A job would hand the next one its programs, or nothing that can be kept. */
const SYSTEMS =
  '/bin /sbin /lib /lib32 /lib64 /libx32 /boot /etc /usr/bin /usr/sbin /usr/lib /usr/local/bin /proc /sys /dev'.split(
    ' ',
  );
/** Too much to hand over: what the image put there, and what a job keeps for itself. */
const WHOLE_TREES = '/ /usr /usr/local /var /opt /home /root /tmp /run /mnt'.split(' ');

/** What is wrong with a volume's name and place, as a clause. */
export function volumeProblem(text: string): string | undefined {
  if (!WHOLE.test(text)) {
    return `${quoteValue(text)} is not name=/path, with a name of letters, digits, _, . and - and an absolute path`;
  }
  const given = text.slice(text.indexOf('=') + 1);
  if (given.split('/').some((part) => part === '.' || part === '..')) {
    return `${quoteValue(text)} has a path with . or ..; write it without`;
  }
  const { path } = readVolume(text);
  const agents = AGENTS.find((own) => isWithin(path, own) || isWithin(own, path));
  if (agents !== undefined && path !== '/') return `${quoteValue(text)} takes in ${agents}, which the agent uses`;
  if (SYSTEMS.some((own) => isWithin(path, own)) || WHOLE_TREES.includes(path)) {
    return `${quoteValue(text)} is one of the image's own folders; name a folder of its own, as in name=/root/.pulumi/plugins`;
  }
  return undefined;
}

/** A volume's name and its path without a slash at the end. The text has no problem. */
export function readVolume(text: string): { readonly name: string; readonly path: string } {
  const at = text.indexOf('=');
  const path = posix.normalize(text.slice(at + 1)).replace(/(?<=.)\/$/, '');
  return { name: text.slice(0, at), path };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
