/**
 * Stands in for Pulumi's agent as it works in Docker: it claims, and starts a container in which its own program
 * reports statuses, lines and heartbeats. That program reads the service's address from a mounted file, so the job's
 * environment holds only what Pulumi Cloud sends.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, claim, settings } from './agent-calls.ts';

const REPORTER = `
trap : INT # It ends when the step does.
. /runner/job
host=\${SERVICE#http://}
send() { # method path body
  exec 3<>"/dev/tcp/\${host%:*}/\${host#*:}"
  printf '%s %s HTTP/1.1\\r\\nHost: %s\\r\\nAuthorization: token %s\\r\\nAccept: application/vnd.pulumi+8\\r\\nUser-Agent: embeddable/1 (linux; amd64)\\r\\nContent-Type: application/json\\r\\nConnection: close\\r\\nContent-Length: %s\\r\\n\\r\\n%s' \\
    "$1" "/api/workflow/jobs/$JOB$2" "$host" "$TOKEN" "\${#3}" "$3" >&3
  head -n 1 <&3 >/dev/null; exec 3>&-
}
send GET '' ''
send POST /heartbeat '{}'
send PATCH /0/status '{"status":"running"}'
send PATCH /0/status '{"status":"succeeded"}'
send PATCH /1/status '{"status":"running"}'
offset=0
env -i PATH="$PATH" PULUMI_SERVICE_URL="$SAYS" bash /runner/step 2>&1 | ( trap '' INT; while IFS= read -r line; do
  send POST /1/logs "{\\"offset\\":$offset,\\"lines\\":[{\\"t\\":\\"$(date -u +%Y-%m-%dT%H:%M:%S.000Z)\\",\\"l\\":\\"$line\\\\n\\"}]}"
  offset=$((offset + 1))
done )
ended=\${PIPESTATUS[0]}
[ "$ended" = 0 ] && status=succeeded || status=failed
send PATCH /1/status "{\\"status\\":\\"$status\\"}"
`;

const { service_url: service = '', shared_volume_directory: shared = '' } = settings();
const { jobID, jobToken } = await claim();
const { json } = await call('GET', `/api/workflow/jobs/${jobID}`, jobToken);
const { image, steps, env } = json as unknown as {
  image: { reference: string };
  steps: { run: string }[];
  env: Record<string, string>;
};
const runner = join(shared, 'runner');
mkdirSync(runner);
chmodSync(shared, 0o755);
const quoted = (text = '') => `'${text.replaceAll("'", "'\\''")}'`;
const says = env['PULUMI_SERVICE_URL'];
writeFileSync(
  join(runner, 'job'),
  `SERVICE=${service}\nJOB=${jobID}\nTOKEN=${jobToken}\nSAYS=${quoted(says)}\n`,
);
writeFileSync(join(runner, 'step'), steps[1]?.run ?? '');
writeFileSync(join(runner, 'reporter'), REPORTER);
const words = [
  'run',
  '--rm',
  '--volume',
  `${runner}:/runner:ro`,
  image.reference,
  'bash',
  '/runner/reporter',
];
const { status } = spawnSync('docker', words, { stdio: 'inherit' });
process.exitCode = status ?? 1;
