import { onTestFinished, vi } from 'vitest';
import { type Reply, ScriptedServer } from '../cloud/scripted-server.ts';

/**
 * A job's ID-token service that gives these replies and repeats the last. @actions/core finds it through the process's
 * own environment, to which `environment` is added.
 */
export async function idTokenService(...replies: readonly [Reply, ...Reply[]]) {
  const server = await ScriptedServer.inOrder(...replies);
  const environment = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${server.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { server, environment };
}

export const idTokenReply = (token: string): Reply => ({ status: 200, json: { value: token } });
