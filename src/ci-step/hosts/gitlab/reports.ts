import { constants } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { stripControl } from '../../../base/log/plain-text.ts';
import { whenGone } from '../../../record/reader.ts';

/** Variables and bytes that GitLab takes in a report of variables, unless an administrator raised them. */
const MAX_VARIABLES = 20;
const MAX_BYTES = 5_119;

const PREFIX = 'PULUMI_RUNNER_';

/**
 * The report of variables for `reports: dotenv`, and the names of the outputs that it has no place for.
 * Later jobs get variables such as PULUMI_RUNNER_OUTCOME, one on each line, as GitLab reads them
 * (app/services/ci/parse_dotenv_artifact_service.rb): it knows no quotes, and refuses the whole file for
 * an empty line or a byte too many. Empty outputs, `stack-outputs` and `deployments` go first where
 * there is no room.
 */
export function dotenvReport(outputs: ReadonlyMap<string, string>): {
  readonly text: string;
  readonly omissions: readonly string[];
} {
  const lines = new Map<string, string>();
  const omissions: string[] = [];

  for (const [name, value] of outputs) {
    const oneLine = stripControl(value.replace(/\s+/g, ' ')).trim();
    if (isExpanded(oneLine)) omissions.push(name);
    else lines.set(name, `${PREFIX}${name.toUpperCase().replaceAll('-', '_')}=${oneLine}\n`);
  }

  // An empty one is nothing to a later job.
  const isEmpty = (name: string) => outputs.get(name) === '';
  const latestFirst = [...lines.keys()].toReversed();
  for (const name of [...latestFirst.filter(isEmpty), ...latestFirst]) {
    if (lines.size <= MAX_VARIABLES) break;
    if (lines.delete(name)) omissions.push(name);
  }

  const text = () => [...lines.values()].join('');
  const longestFirst = [...lines]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([name]) => name);

  for (const name of ['stack-outputs', 'deployments', ...longestFirst]) {
    if (Buffer.byteLength(text()) <= MAX_BYTES) break;
    if (lines.delete(name)) omissions.push(name);
  }

  return { text: text(), omissions };
}

/** True for a value that GitLab or its runner changes: in it they replace variables (lib/expand_variables.rb). */
function isExpanded(value: string): boolean {
  return value.includes('$') || /%(?:[a-z_]\w*)?%/i.test(value);
}

/**
 * A report of links for `reports: annotations` (app/validators/json_schemas): the deployment's page in
 * Pulumi's console, on the page of the GitLab job; none for any other address.
 */
export function linksReport(consoleUrl: string): string {
  const links = /^https?:$/.test(URL.parse(consoleUrl)?.protocol ?? '')
    ? { 'Pulumi Cloud': [{ external_link: { label: 'Deployment in Pulumi Cloud', url: consoleUrl } }] }
    : {};
  return `${JSON.stringify(links)}\n`;
}

/**
 * Writes a file of the checkout in place of an earlier one. Throws what node:fs throws, and for a link
 * or anything else that a commit can have put there.
 */
export async function writeReport(file: string, text: string): Promise<void> {
  const stats = await lstat(file).catch(whenGone(undefined));
  if (stats?.isFile() === false || (stats?.nlink ?? 1) > 1) throw new Error(`${file} is a link, or no file`);

  await rm(file, { force: true });
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}
