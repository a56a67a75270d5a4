// A process of its own, as the action's is: it asks for the ID token with its environment, and prints it or why there is none.
import { requestIdToken } from '../../../src/action/id-token.ts';
import { trustAsTheAgent } from '../../../src/action/own-trust.ts';

const { env } = process;
try {
  const token = await requestIdToken({
    audience: 'urn:pulumi:org:acme',
    environment: env,
    signal: AbortSignal.timeout(40_000),
    trustMore: () => trustAsTheAgent(env, process.cwd()),
    firstPauseMs: 1,
  });
  console.log(`token ${token}`);
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error));
}
