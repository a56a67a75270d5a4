import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The settings of a stand-in for Pulumi's agent, from the configuration file in its working directory. */
export function settings(): Record<string, string> {
  return parse(readFileSync('pulumi-workflow-agent.yaml', 'utf8'));
}

/** Calls what the stand-in takes for Pulumi Cloud. */
export async function call(method: string, path: string, token: string | undefined, body?: unknown) {
  const { service_url: url, token: own } = settings();
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `token ${token ?? own}`,
      accept: 'application/vnd.pulumi+8',
      'user-agent': 'agent/1 (linux; x64)',
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    json: text === '' ? undefined : (JSON.parse(text) as Record<string, string>),
  };
}

/** Polls until there is a claim. */
export async function claim(): Promise<{
  jobID: string;
  jobToken: string;
  runID: string;
  typeSpecificID: string;
}> {
  for (;;) {
    const { status, json } = await call('GET', '/api/deployments/poll', undefined);
    if (status === 200) return json as Awaited<ReturnType<typeof claim>>;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
