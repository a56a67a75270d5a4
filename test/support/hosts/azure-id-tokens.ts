import { onTestFinished } from 'vitest';
import { AZURE_AUDIENCE, startAzureIdTokens } from '../../emulators/azure/id-tokens.ts';

/** Azure's service for ID tokens, until the test ends; returns the variables by which a step finds it. */
export async function idTokenRequests(
  sign: (audience: string) => Promise<string>,
): Promise<Record<string, string>> {
  const service = await startAzureIdTokens(() => sign(AZURE_AUDIENCE));
  onTestFinished(async () => {
    await service.stop();
    if (service.violations.length > 0) throw new Error(service.violations.join('\n'));
  });
  return service.environment;
}
