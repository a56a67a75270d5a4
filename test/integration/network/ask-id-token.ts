// A process of its own, like the action: asks for the ID token with its environment and prints it, or the error.
import { requestIdToken } from '../../../src/ci-step/hosts/github/id-token.ts';
import { trustAsTheAgent } from '../../../src/ci-step/hosts/github/inputs.ts';

const { env } = process;
try {
  trustAsTheAgent(env, process.cwd());
  const token = await requestIdToken('urn:pulumi:org:acme', env, AbortSignal.timeout(40_000), {
    firstPauseMs: 1,
    giveUpMs: 2_000,
  });
  console.log(`token ${token}`);
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error));
}
