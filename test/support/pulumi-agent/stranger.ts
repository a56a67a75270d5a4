import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { JOB_IMAGE } from '../docker/images.ts';

/** The kinds of call that the relay knows, one each. */
const CALLS = [
  ...['POST /api/workflow/jobs/false-1/heartbeat', 'GET /api/workflow/jobs/false-1'],
  ...['PATCH /api/workflow/jobs/false-1/1/status', 'POST /api/workflow/jobs/false-1/1/logs'],
  ...['GET /api/deployments/poll', 'GET /api/deployments/false-1/status'],
  ...['POST /api/agent-workflows/deployment', 'POST /api/agent-workflows/deployment:false-1/check'],
  ...['GET /api/background-activities/token', 'POST /api/background-activities/configuration'],
  ...['POST /api/background-activities/worker/lease/acquire', 'POST /api/oauth/token'],
];
/** One call of each kind, with a token that nobody issued. */
export const LIES: readonly Lie[] = CALLS.map((call, index) => {
  const [method = '', path = ''] = call.split(' ');
  return { method, path, token: index === 8 ? 'destroyed' : `lie-${index}` };
});

/** A call of a program that holds no credential of the run. */
export interface Lie {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly agent?: string;
}

/** A bash script that takes the relay's URL and the words of calls, and prints the status of each answer. */
const STRANGER = `
host=\${1#http://}; shift
while [ $# -gt 0 ]; do
  exec 3<>"/dev/tcp/\${host%:*}/\${host#*:}"
  printf '%s %s HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: token %s\\r\\nUser-Agent: %s\\r\\nAccept: application/vnd.pulumi+8\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' "$1" "$2" "$3" "$4" >&3
  read -r _ status _ <&3; echo "$status"; exec 3>&-
  shift 4
done`;

/** The command that makes these calls, from a container that isn't the run's or from this machine. */
export function strangerCommand(from: 'container' | 'program', url: string, lies: readonly Lie[]): string[] {
  const bash = ['bash', '-c', STRANGER, 'stranger', url];
  const words = lies.flatMap(({ method, path, token, agent = 'agent/1 (linux; x64)' }) => [
    method,
    path,
    token,
    agent,
  ]);
  return [...(from === 'container' ? ['docker', 'run', '--rm', JOB_IMAGE] : []), ...bash, ...words];
}

/** Makes these calls. Returns the status of each answer. */
export async function lie(
  from: 'container' | 'program',
  url: string,
  lies: readonly Lie[],
): Promise<number[]> {
  const [file = '', ...words] = strangerCommand(from, url, lies);
  const { stdout } = await promisify(execFile)(file, words);
  return stdout.trim().split('\n').map(Number);
}

/** Shell code for the start of a stand-in, which then waits, and the functions that a test does with it. */
export function gate(folder: string) {
  const settings = join(folder, 'settings');
  return {
    code: `cp pulumi-workflow-agent.yaml '${settings}.part'; mv '${settings}.part' '${settings}'; until [ -e '${folder}/go' ]; do sleep 0.05; done`,
    /** The relay's URL, once the stand-in waits. */
    relay: async (): Promise<string> => {
      await expect.poll(() => existsSync(settings), { timeout: 20_000 }).toBe(true);
      return parse(readFileSync(settings, 'utf8'))['service_url'];
    },
    open: () => writeFile(join(folder, 'go'), ''),
  };
}
